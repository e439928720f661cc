// Kernel tiles: values k(|x - z|) of a strip of rows against a panel of columns, in registers and cache.
//
// Distances come from differences, so nothing cancels whatever the offset of the data; exp is a polynomial that the
// compiler vectorises (as exact as the rounding of its argument). Where a Gaussian's points are near the origin, sums
// over its values may take distances from inner products instead, which is a quarter faster and exact to 1e-14.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace surefit {

enum class Profile : int { gaussian = 0, laplace = 1, matern32 = 2, matern52 = 3 };

constexpr std::size_t kPanel = 64;  // columns of a tile
constexpr std::size_t kStrip = 4;   // rows of a tile that are worked on together

// 2^a for a <= 0: exactly 1 at 0, exactly 0 where the result would be subnormal. The integer part goes into the
// exponent, the fraction f, which is exact, into 1 + f q(f) with q minimax on [-1/2, 1/2].
inline float exp2_negative(float a) {
    const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    const float clipped = std::max(a, -127.0f);
    const float shifted = clipped + magic;
    const float f = clipped - (shifted - magic);
    float q = 1.6948239527628874e-4f;  // relative error 2e-8
    q = q * f + 1.3435524190538391e-3f;
    q = q * f + 9.6126383352742506e-3f;
    q = q * f + 5.5502044136866797e-2f;
    q = q * f + 2.4022696257247557e-1f;
    q = q * f + 6.9314730274059225e-1f;
    std::int32_t bits;
    std::memcpy(&bits, &shifted, 4);
    bits = (bits - 0x4B400000 + 127) << 23;
    float power;
    std::memcpy(&power, &bits, 4);
    return (q * f + 1.0f) * power;
}

inline double exp2_negative(double a) {
    const double magic = 6755399441055744.0;  // 1.5 * 2^52
    const double clipped = std::max(a, -1023.0);
    const double shifted = clipped + magic;
    const double f = clipped - (shifted - magic);
    double q = 4.0796368383853598e-10;  // relative error 4e-17
    q = q * f + 7.0720261628708018e-9;
    q = q * f + 1.0180558117345349e-7;
    q = q * f + 1.3215445517964000e-6;
    q = q * f + 1.5252727822354072e-5;
    q = q * f + 1.5403530436684304e-4;
    q = q * f + 1.3333558152707787e-3;
    q = q * f + 9.6181291076100635e-3;
    q = q * f + 5.5504108664794905e-2;
    q = q * f + 2.4022650695910093e-1;
    q = q * f + 6.9314718055994562e-1;
    std::int64_t bits;
    std::memcpy(&bits, &shifted, 8);
    bits = (bits - 0x4338000000000000LL + 1023) << 52;
    double power;
    std::memcpy(&power, &bits, 8);
    return (q * f + 1.0) * power;
}

// value[j] = 2^(factor * value[j]) for results <= 1; count is a multiple of 8.
template <class T>
inline void exp2_all(T factor, T* value, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) value[j] = exp2_negative(factor * value[j]);
}

#ifdef __AVX512F__
// The same with sixteen values of 2^(i/16) in two registers, which leaves |f| <= 1/32 to a short series (4e-16).
inline void exp2_all(double factor, double* value, std::size_t count) {
    typedef double Vector __attribute__((vector_size(64), aligned(8), may_alias));
    typedef long long Bits __attribute__((vector_size(64), aligned(8), may_alias));
    const Vector low = {1.0, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916,
                        1.189207115002721, 1.241857812073484, 1.2968395546510096, 1.3542555469368927};
    const Vector high = {1.4142135623730951, 1.4768261459394993, 1.5422108254079407, 1.6104903319492543,
                         1.681792830507429, 1.7562521603732995, 1.8340080864093424, 1.9152065613971474};
    const double magic = 422212465065984.0;  // 1.5 * 2^48: adding it rounds to a multiple of 1/16
    for (std::size_t j = 0; j < count; j += 8) {
        Vector* at = reinterpret_cast<Vector*>(value + j);
        const Vector a = factor * *at;
        const Vector clipped = a > -1022.0 ? a : Vector{} - 1022.0;
        const Vector shifted = clipped + magic;
        const Vector f = clipped - (shifted - magic);
        const Bits bits = reinterpret_cast<const Bits&>(shifted);
        const Vector root = __builtin_shuffle(low, high, bits);  // its last four bits choose
        const Bits raised = reinterpret_cast<const Bits&>(root) + ((bits & ~15LL) << 48);
        const Vector power = reinterpret_cast<const Vector&>(raised);
        Vector q = f * 1.5403530393381609e-4 + 1.3333558146428443e-3;
        q = q * f + 9.6181291076284772e-3;
        q = q * f + 5.5504108664821580e-2;
        q = q * f + 2.4022650695910071e-1;
        q = q * f + 6.9314718055994531e-1;
        *at = a > -1022.0 ? power * (q * f) + power : Vector{};
    }
}
#endif

// From squared distances to kernel values. In base two: rate times log2(e) is one factor.
template <class T>
inline void finish(Profile profile, T rate, T* value, std::size_t count) {
    constexpr T far = 1000, log2e = static_cast<T>(1.4426950408889634);  // far: exp is zero, its factor still finite
    const T factor = -rate * log2e;
    switch (profile) {
        case Profile::gaussian:
            exp2_all(factor, value, count);
            break;
        case Profile::laplace:
            for (std::size_t j = 0; j < count; ++j) value[j] = std::sqrt(value[j]);
            exp2_all(factor, value, count);
            break;
        case Profile::matern32:
            for (std::size_t j = 0; j < count; ++j) {
                const T u = std::min(rate * std::sqrt(value[j]), far);
                value[j] = (1 + u) * exp2_negative(-log2e * u);
            }
            break;
        case Profile::matern52:
            for (std::size_t j = 0; j < count; ++j) {
                const T u = std::min(rate * std::sqrt(value[j]), far);
                value[j] = (1 + u + u * u / 3) * exp2_negative(-log2e * u);
            }
            break;
    }
}

// Points as panels of 64: panel p holds coordinate k of point 64 p + j at [(p * d + k) * 64 + j]; zeros fill the last.
template <class T>
struct Panels {
    std::size_t n, d, count;
    std::vector<T> data, squares;  // squared norms, as the points

    Panels(const T* points, std::size_t n_, std::size_t d_)
        : n(n_), d(d_), count((n_ + kPanel - 1) / kPanel), data(count * d_ * kPanel), squares(count * kPanel) {
        for (std::size_t i = 0; i < n; ++i) {
            T* panel = data.data() + (i / kPanel) * d * kPanel + i % kPanel;
            for (std::size_t k = 0; k < d; ++k) {
                panel[k * kPanel] = points[i * d + k];
                squares[i] += points[i * d + k] * points[i * d + k];
            }
        }
    }
    const T* panel(std::size_t p) const { return data.data() + p * d * kPanel; }
    T largest_square() const { return squares.empty() ? T(0) : *std::max_element(squares.begin(), squares.end()); }
    std::size_t width(std::size_t p) const { return std::min(kPanel, n - p * kPanel); }
};

// The vectors of a tile, and how many vector sums a row has in flight: as many as leave registers for the rest.
#ifdef __AVX512F__
constexpr std::size_t kBytes = 64, kAbreast = 4;
#else
constexpr std::size_t kBytes = 32, kAbreast = 2;
#endif

// Squared distances of kStrip consecutive rows (each of d coordinates) to the 64 points of a panel.
//
// Vectors are written out: left to itself the compiler keeps the float64 sums in memory.
template <class T>
inline void squared_distances(const T* rows, std::size_t d, const T* panel, T (*out)[kPanel]) {
    typedef T Vector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
    constexpr std::size_t lanes = kBytes / sizeof(T);
    for (std::size_t first = 0; first < kPanel; first += kAbreast * lanes) {
        Vector sum[kStrip][kAbreast] = {};
        for (std::size_t k = 0; k < d; ++k) {
            const Vector* z = reinterpret_cast<const Vector*>(panel + k * kPanel + first);
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kStrip; ++r)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kAbreast; ++v) {
                    const Vector u = rows[r * d + k] - z[v];
                    sum[r][v] += u * u;
                }
        }
        for (std::size_t r = 0; r < kStrip; ++r)
            for (std::size_t v = 0; v < kAbreast; ++v)
                *reinterpret_cast<Vector*>(out[r] + first + v * lanes) = sum[r][v];
    }
}

// A tile: kernel values of up to kStrip rows against one panel, into out[r][0 .. 63].
template <class T>
inline void radial_tile(Profile profile, T rate, const T* rows, std::size_t d, const T* panel, T (*out)[kPanel]) {
    squared_distances(rows, d, panel, out);
    finish(profile, rate, &out[0][0], kStrip * kPanel);
}

// A strip of rows for sums over all panels: told once whether inner products will do.
template <class T>
struct Strip {
    const T* rows;
    std::size_t d;
    bool near;
    std::vector<T> pull;  // -2 rows, for the products
    T squares[kStrip];

    // |x|^2 + |z|^2 - 2 x'z is off by about 2e-16 (|x|^2 + |z|^2), which then is the relative error of the Gaussian
    static constexpr double kNear = 16;

    Strip(Profile profile, T rate, std::size_t d_, T largest)
        : rows(nullptr), d(d_), near(false), pull(kStrip * d_), squares(),
          usable(std::is_same_v<T, double> && profile == Profile::gaussian && rate * largest <= kNear), rate_(rate) {}

    void turn_to(const T* rows_) {
        rows = rows_;
        near = usable;
        for (std::size_t r = 0; usable && r < kStrip; ++r) {
            squares[r] = 0;
            for (std::size_t k = 0; k < d; ++k) {
                const T x = rows[r * d + k];
                squares[r] += x * x;
                pull[r * d + k] = -2 * x;
            }
            near = near && rate_ * squares[r] <= kNear;
        }
    }

  private:
    bool usable;
    T rate_;
};

// Squared distances from inner products; never below zero.
template <class T>
inline void squared_distances(const Strip<T>& strip, const T* panel, const T* squares, T (*out)[kPanel]) {
    typedef T Vector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
    constexpr std::size_t lanes = kBytes / sizeof(T);
    const T* pull = strip.pull.data();
    const std::size_t d = strip.d;
    for (std::size_t first = 0; first < kPanel; first += kAbreast * lanes) {
        Vector sum[kStrip][kAbreast];
        const Vector* square = reinterpret_cast<const Vector*>(squares + first);
        for (std::size_t r = 0; r < kStrip; ++r)
            for (std::size_t v = 0; v < kAbreast; ++v) sum[r][v] = square[v] + strip.squares[r];
        for (std::size_t k = 0; k < d; ++k) {
            Vector z[kAbreast];
            for (std::size_t v = 0; v < kAbreast; ++v) {
                z[v] = *reinterpret_cast<const Vector*>(panel + k * kPanel + first + v * lanes);
#ifdef __AVX512F__
                asm("" : "+v"(z[v]));  // or the compiler loads it once for every row
#endif
            }
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kStrip; ++r)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kAbreast; ++v) sum[r][v] += pull[r * d + k] * z[v];
        }
        for (std::size_t r = 0; r < kStrip; ++r)
            for (std::size_t v = 0; v < kAbreast; ++v)
                *reinterpret_cast<Vector*>(out[r] + first + v * lanes) = sum[r][v] > T(0) ? sum[r][v] : Vector{};
    }
}

// The tile of a strip and panel p, for sums over the values.
template <class T>
inline void summed_tile(Profile profile, T rate, const Strip<T>& strip, const Panels<T>& panels, std::size_t p,
                        T (*out)[kPanel]) {
    if (strip.near) squared_distances(strip, panels.panel(p), panels.squares.data() + p * kPanel, out);
    else squared_distances(strip.rows, strip.d, panels.panel(p), out);
    finish(profile, rate, &out[0][0], kStrip * kPanel);
}

}  // namespace surefit
