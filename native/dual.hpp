// Two-variable steps on the dual of support-vector problems; the twin is src/surefit/solvers/reference_dual.py.
#pragma once

#include <cstddef>

namespace surefit {

// minimise  beta' K beta / 2 + <slope, beta> + <tube, |beta|>  over  lower <= beta <= upper  with a fixed sum
template <class T>
struct PairProblem {
    const T* gram;        // (n, n) in row order, symmetric
    std::size_t n;
    const double* tube;   // (n,), >= 0
    const double* lower;  // (n,), may be -inf
    const double* upper;  // (n,), may be inf
};

struct PairOutcome {
    std::size_t steps;
    double violation;     // largest violation of the optimality conditions before the next step
};

// At most `steps` steps, fewer if the violation falls to `tol`; beta (n,) and gradient K beta + slope (n,) are updated.
template <class T>
PairOutcome pair_steps(const PairProblem<T>& problem, double tol, std::size_t steps, double* beta, T* gradient);

}  // namespace surefit
