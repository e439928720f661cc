// Two-variable steps on the dual of support-vector problems; the twin is src/surefit/compiled/twins/pairs.py.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// minimise  beta' (K + diag(ridge)) beta / 2 + <slope, beta> + <tube, |beta|>  over  lower <= beta <= upper  with a
// fixed sum; Stored is double, float, or int16 for K in multiples of `unit`
template <class Stored>
struct PairProblem {
    const Stored* gram;   // (n, n) in row order, symmetric
    double unit;          // K = unit * gram
    std::size_t n;
    const double* ridge;  // (n,), >= 0
    const double* tube;   // (n,), >= 0
    const double* lower;  // (n,), may be -inf
    const double* upper;  // (n,), may be inf
};

struct PairOutcome {
    std::size_t steps;
    double violation;     // largest violation of the optimality conditions before the next step
};

// At most `steps` steps, fewer if the violation falls to `tol`; beta (n,) and the gradient of the smooth part (n,) are
// updated. T is the precision of the gradient.
template <class Stored, class T>
PairOutcome pair_steps(const PairProblem<Stored>& problem, double tol, std::size_t steps, double* beta, T* gradient);

// Rows first_row, first_row + 1, ... of a symmetric matrix up to the last of them, block (rows, first_row + rows), to the
// nearest multiple of unit, into gram (n, n) and mirrored; first_row is a multiple of 64.
void store_rounded(const float* block, std::size_t rows, std::size_t first_row, double unit, std::size_t threads,
                   std::size_t n, std::int16_t* gram);

}  // namespace surefit
