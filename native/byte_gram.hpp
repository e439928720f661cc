// The Gram matrix of rows whose entries are rounded to signed bytes: what steers an iteration needs no more.
#pragma once

#include <cstddef>

namespace surefit {

// Whether byte products run in a vector unit made for them; if not, single precision is faster.
#ifdef __AVX512VNNI__
constexpr bool kFastBytes = true;
#else
constexpr bool kFastBytes = false;
#endif

// Rows x_i, `stride` entries apart, and a factor for each.
template <class T>
struct ScaledRows {
    const T* rows;
    std::size_t n, d, stride;
    const double* factor;  // (n)
};

// gram (d + 1, d + 1) = A' A with A = [factor_i x_i, factor_i]. Each column of A is rounded to 127 steps up to its
// largest entry, or up to twelve times its root mean square if that is less; what lies beyond is cut off.
template <class T>
void byte_gram(const ScaledRows<T>& data, std::size_t threads, float* gram);

}  // namespace surefit
