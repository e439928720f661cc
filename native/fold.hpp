// One pass over the rows of a matrix that serves it and its transpose, declared once.
#pragma once

#include <cstddef>

namespace surefit {

struct RadialKernel;
template <class T>
struct Points;

// Coefficients A (m, width), targets Y (n, width) and weights w (n) for a matrix C (n, m).
//
// With left = Y - C A the answer of a fold, (m + 2, width), is C' (w left), then the sums of w left and of w left^2.
// Sums over rows are kept in eight lanes, whatever the number of threads.
template <class T>
struct Fold {
    const T* A;
    const double *Y, *w;
    std::size_t width;
};

// C as an array in row order, read once
template <class T>
void block_fold(const Points<T>& C, const Fold<T>& fold, std::size_t threads, double* out);

// C = k(X, Z), never stored
template <class T>
void radial_fold(const RadialKernel& kernel, const Points<T>& X, const Points<T>& Z, const Fold<T>& fold,
                 std::size_t threads, double* out);

}  // namespace surefit
