// Kernel tiles: values k(|x - z|) of a strip of rows against a panel of columns, in registers and cache.
//
// Distances come from differences, so nothing cancels whatever the offset of the data; exp is a polynomial that the
// compiler vectorises (relative error 2e-16 * few in double, 1e-7 * few in float). Shared by kernel.cpp and dual.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace surefit {

enum class Profile : int { gaussian = 0, laplace = 1, matern32 = 2, matern52 = 3 };

constexpr std::size_t kPanel = 64;  // columns of a tile
constexpr std::size_t kStrip = 4;   // rows of a tile that are worked on together

// exp(x) for x <= 0; exactly 1 at 0, exactly 0 where the result would be subnormal.
inline float exp_negative(float x) {
    const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    const float clipped = std::max(x, -87.0f);
    const float shifted = clipped * 1.44269504088896341f + magic;
    const float n = shifted - magic;
    const float r = (clipped - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = (p * r) * r + r + 1.0f;
    std::int32_t bits, scale;
    std::memcpy(&bits, &shifted, 4);
    scale = (bits - 0x4B400000 + 127) << 23;
    float power;
    std::memcpy(&power, &scale, 4);
    return x < -87.0f ? 0.0f : p * power;
}

inline double exp_negative(double x) {
    const double magic = 6755399441055744.0;  // 1.5 * 2^52
    const double clipped = std::max(x, -708.0);
    const double shifted = clipped * 1.4426950408889634 + magic;
    const double n = shifted - magic;
    const double r = (clipped - n * 6.93147180369123816490e-1) - n * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;  // Taylor to r^13: |r| <= ln(2)/2 leaves 2e-17
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = (p * r) * r + r + 1.0;
    std::int64_t bits, scale;
    std::memcpy(&bits, &shifted, 8);
    scale = (bits - 0x4338000000000000LL + 1023) << 52;
    double power;
    std::memcpy(&power, &scale, 8);
    return x < -708.0 ? 0.0 : p * power;
}

template <class T>
inline void finish(Profile profile, T rate, T* value, std::size_t count) {
    constexpr T far = 1000;  // where exp is zero and its factor must still be finite
    switch (profile) {
        case Profile::gaussian:
            for (std::size_t j = 0; j < count; ++j) value[j] = exp_negative(-rate * value[j]);
            break;
        case Profile::laplace:
            for (std::size_t j = 0; j < count; ++j) value[j] = exp_negative(-rate * std::sqrt(value[j]));
            break;
        case Profile::matern32:
            for (std::size_t j = 0; j < count; ++j) {
                const T u = std::min(rate * std::sqrt(value[j]), far);
                value[j] = (1 + u) * exp_negative(-u);
            }
            break;
        case Profile::matern52:
            for (std::size_t j = 0; j < count; ++j) {
                const T u = std::min(rate * std::sqrt(value[j]), far);
                value[j] = (1 + u + u * u / 3) * exp_negative(-u);
            }
            break;
    }
}

// Points as panels of 64: panel p holds coordinate k of point 64 p + j at [(p * d + k) * 64 + j]; zeros fill the last.
template <class T>
struct Panels {
    std::size_t n, d, count;
    std::vector<T> data;

    Panels(const T* points, std::size_t n_, std::size_t d_)
        : n(n_), d(d_), count((n_ + kPanel - 1) / kPanel), data(count * d_ * kPanel) {
        for (std::size_t i = 0; i < n; ++i) {
            T* panel = data.data() + (i / kPanel) * d * kPanel + i % kPanel;
            for (std::size_t k = 0; k < d; ++k) panel[k * kPanel] = points[i * d + k];
        }
    }
    const T* panel(std::size_t p) const { return data.data() + p * d * kPanel; }
    std::size_t width(std::size_t p) const { return std::min(kPanel, n - p * kPanel); }
};

// Squared distances of kStrip consecutive rows (each of d coordinates) to the 64 points of a panel.
//
// Vectors are written out: left to itself the compiler keeps the float64 sums in memory. Eight vector sums in flight.
template <class T>
inline void squared_distances(const T* rows, std::size_t d, const T* panel, T (*out)[kPanel]) {
#ifdef __AVX512F__
    constexpr std::size_t bytes = 64;
#else
    constexpr std::size_t bytes = 32;
#endif
    typedef T Vector __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
    constexpr std::size_t lanes = bytes / sizeof(T);
    for (std::size_t first = 0; first < kPanel; first += 2 * lanes) {
        Vector sum[kStrip][2] = {};
        for (std::size_t k = 0; k < d; ++k) {
            const Vector* z = reinterpret_cast<const Vector*>(panel + k * kPanel + first);
            const Vector left = z[0], right = z[1];
            for (std::size_t r = 0; r < kStrip; ++r) {
                const Vector u = rows[r * d + k] - left, v = rows[r * d + k] - right;
                sum[r][0] += u * u;
                sum[r][1] += v * v;
            }
        }
        for (std::size_t r = 0; r < kStrip; ++r) {
            *reinterpret_cast<Vector*>(out[r] + first) = sum[r][0];
            *reinterpret_cast<Vector*>(out[r] + first + lanes) = sum[r][1];
        }
    }
}

// A tile: kernel values of up to kStrip rows against one panel, into out[r][0 .. 63].
template <class T>
inline void radial_tile(Profile profile, T rate, const T* rows, std::size_t d, const T* panel, T (*out)[kPanel]) {
    squared_distances(rows, d, panel, out);
    finish(profile, rate, &out[0][0], kStrip * kPanel);
}

}  // namespace surefit
