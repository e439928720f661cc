// The Gram matrix of many rows, as fast as the machine multiplies.
#pragma once

#include "loops.hpp"

namespace surefit {

// Rows factor_i (x_i - shift), and a number beside each of them.
struct GramRows {
    MatrixView X;
    const double* shift;   // (cols)
    const double* factor;  // (rows)
    const double* beside;  // (rows)
};

constexpr std::size_t kDeep = 320;  // rows whose products are summed in single precision where that is asked for

// out (cols, cols) = A'A for these rows A, cross (cols) = A' beside. The rows are cut into `parts` whose sums are kept
// apart, so that the result does not depend on the number of threads. With `single` the products of the columns are in
// single precision, and so are their sums over kDeep rows; cross and the diagonal are in double precision always.
void gram(const GramRows& rows, bool single, std::size_t parts, std::size_t threads, double* out, double* cross);

// out (blocks, cols, kLanes) = A'A lanes, for lanes of the same shape. Parts and threads are those of `gram`.
constexpr std::size_t kLanes = 16;
void gram_times(const GramRows& rows, const double* lanes, std::size_t blocks, std::size_t parts, std::size_t threads,
                double* out);

}  // namespace surefit
