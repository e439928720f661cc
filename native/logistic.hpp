// Logistic loss over dense rows: value and gradient in one pass.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Rows x_i of a matrix in C order, their classes and the share of each in the mean.
template <class T>
struct ClassRows {
    const T* rows;              // (n, d)
    std::size_t n, d;
    const std::int64_t* codes;  // (n)
    const double* share;        // (n)
};

// Mean loss at V (d + 1, width), intercepts last, and its gradient into slope (d + 1, width). Scores and sums over a few
// hundred rows are in T, everything above in double; fixed blocks summed in order, whatever the number of threads.
template <class T>
double logistic_pass(const ClassRows<T>& data, const double* V, std::size_t width, std::size_t threads, double* slope);

}  // namespace surefit
