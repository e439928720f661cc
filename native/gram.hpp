// The Gram matrix of many rows, as fast as the machine multiplies.
#pragma once

#include "loops.hpp"

namespace surefit {

// Rows factor_i x_i, and a number beside each of them.
struct GramRows {
    MatrixView X;
    const double* factor;  // (rows)
    const double* beside;  // (rows)
};

// out (cols, cols) = A'A for these rows A, cross (cols) = A' beside. The rows are cut into `parts` whose sums are kept
// apart, so that the result does not depend on the number of threads.
void gram(const GramRows& rows, std::size_t parts, std::size_t threads, double* out, double* cross);

}  // namespace surefit
