// Radial kernels over points in row order, declared once; their twin is src/surefit/compiled/twins/tiles.py.
#pragma once

#include <cstddef>

namespace surefit {

enum class Profile : int;

struct RadialKernel {
    Profile profile;
    double rate;        // gaussian: exp(-rate |x - z|^2); the others are functions of rate |x - z|
};
template <class T>
struct Points {
    const T* data;      // (n, d) in row order
    std::size_t n, d;
};

// out (X.n, Z.n)
template <class T>
void radial_block(const RadialKernel& kernel, const Points<T>& X, const Points<T>& Z, std::size_t threads, T* out);

// out (n, n), exactly symmetric: each pair of points is computed once
template <class T>
void radial_gram(const RadialKernel& kernel, const Points<T>& X, std::size_t threads, T* out);

// out (X.n, width) = k(X, Z) V for V (Z.n, width); tiles in T, sums over tiles in double
template <class T>
void radial_times(const RadialKernel& kernel, const Points<T>& X, const Points<T>& Z, const T* V, std::size_t width,
                  std::size_t threads, double* out);

// The same for Z = X, each pair computed once; sums are kept in eight lanes, whatever the number of threads.
template <class T>
void radial_symmetric_times(const RadialKernel& kernel, const Points<T>& X, const T* V, std::size_t width,
                            std::size_t threads, double* out);

}  // namespace surefit
