// Kernel tiles: values k(|x - z|) of a strip of rows against a panel of columns, from coordinates to values in registers.
//
// Distances come from differences, so nothing cancels whatever the offset of the data; exp is a polynomial, as exact as
// the rounding of its argument.
#pragma once

#include "lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

namespace surefit {

enum class Profile : int { gaussian = 0, laplace = 1, matern32 = 2, matern52 = 3 };

constexpr std::size_t kPanel = 64;  // columns of a tile
constexpr std::size_t kStrip = 4;   // rows of a tile that are worked on together

// Numbers of which 2^a is made. The coefficients are those of q, minimax on [-1/2, 1/2] in 2^f = 1 + f q(f).
template <class T>
struct Exp2;
template <>
struct Exp2<float> {
    using Bits = std::uint32_t;  // unsigned: what NaN makes of them may overflow
    static constexpr float magic = 12582912.0f, least = -127.0f;  // 1.5 * 2^23: adding it rounds to an integer
    static constexpr Bits magic_bits = 0x4B400000, bias = 127, shift = 23;
    static constexpr float q[] = {1.6948239527628874e-4f, 1.3435524190538391e-3f, 9.6126383352742506e-3f,
                                  5.5502044136866797e-2f, 2.4022696257247557e-1f, 6.9314730274059225e-1f};  // to 2e-8
};
template <>
struct Exp2<double> {
    using Bits = std::uint64_t;
    static constexpr double magic = 6755399441055744.0, least = -1023.0;  // 1.5 * 2^52
    static constexpr Bits magic_bits = 0x4338000000000000ULL, bias = 1023, shift = 52;
    static constexpr double q[] = {4.0796368383853598e-10, 7.0720261628708018e-9, 1.0180558117345349e-7,
                                   1.3215445517964000e-6,  1.5252727822354072e-5, 1.5403530436684304e-4,
                                   1.3333558152707787e-3,  9.6181291076100635e-3, 5.5504108664794905e-2,
                                   2.4022650695910093e-1,  6.9314718055994562e-1};  // to 4e-17
};

// 2^a for a <= 0, of a number or of all lanes of a vector: exactly 1 at 0, exactly 0 where the result would be far below
// the normal numbers. The integer part goes into the exponent, the fraction, which is exact, into the polynomial.
template <class T, class Value, class Whole>
inline Value exp2_of(Value a) {
    using E = Exp2<T>;
    const Value clipped = a < E::least ? E::least - Value{} : a;
    const Value shifted = clipped + E::magic;
    const Value f = clipped - (shifted - E::magic);
    Value q = f * E::q[0] + E::q[1];
    for (std::size_t k = 2; k < std::size(E::q); ++k) q = q * f + E::q[k];
    Whole bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits - E::magic_bits + E::bias) << E::shift;
    Value power;
    std::memcpy(&power, &bits, sizeof(power));
    return (q * f + 1) * power;
}

inline float exp2_negative(float a) { return exp2_of<float, float, std::uint32_t>(a); }
inline double exp2_negative(double a) { return exp2_of<double, double, std::uint64_t>(a); }
#if defined(__AVX512F__) && !defined(__clang__)
// Registers that hold sixteen values of 2^(i/16) leave |f| <= 1/32 to a short series (4e-16, 1e-8). Adding 1.5 * 2^48, or
// 2^19, rounds to a multiple of 1/16, whose last four bits choose among them. -inf gives zero too.
inline Lanes<double>::Vector exp2_negative(Lanes<double>::Vector a) {
    using Vector = Lanes<double>::Vector;
    using Whole = Lanes<std::uint64_t>::Vector;  // unsigned: lanes below -1022 overflow, and are zero in the end
    const Vector low = {1.0, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916,
                        1.189207115002721, 1.241857812073484, 1.2968395546510096, 1.3542555469368927};
    const Vector high = {1.4142135623730951, 1.4768261459394993, 1.5422108254079407, 1.6104903319492543,
                         1.681792830507429, 1.7562521603732995, 1.8340080864093424, 1.9152065613971474};
    const Vector shifted = a + 422212465065984.0, f = a - (shifted - 422212465065984.0);
    const Whole bits = (Whole)shifted;
    const Vector power = (Vector)((Whole)__builtin_shuffle(low, high, bits) + ((bits & ~std::uint64_t{15}) << 48));
    Vector q = f * 1.5403530393381609e-4 + 1.3333558146428443e-3;
    q = q * f + 9.6181291076284772e-3;
    q = q * f + 5.5504108664821580e-2;
    q = q * f + 2.4022650695910071e-1;
    q = q * f + 6.9314718055994531e-1;
    return a > -1022.0 ? q * f * power + power : Vector{};
}

inline Lanes<float>::Vector exp2_negative(Lanes<float>::Vector a) {
    using Vector = Lanes<float>::Vector;
    using Whole = Lanes<std::uint32_t>::Vector;
    const Vector roots = {1.0f, 1.04427378f, 1.09050773f, 1.13878863f, 1.18920712f, 1.24185781f, 1.29683955f,
                          1.35425555f, 1.41421356f, 1.47682615f, 1.54221083f, 1.61049033f, 1.68179283f, 1.75625216f,
                          1.83400809f, 1.91520656f};
    const Vector shifted = a + 786432.0f, f = a - (shifted - 786432.0f);
    const Whole bits = (Whole)shifted;
    const Vector power = (Vector)((Whole)__builtin_shuffle(roots, bits) + ((bits & ~std::uint32_t{15}) << 19));
    Vector q = f * 5.5504109e-2f + 2.40226507e-1f;
    q = q * f + 6.93147181e-1f;
    return a > -126.0f ? q * f * power + power : Vector{};
}
#else
inline Lanes<float>::Vector exp2_negative(Lanes<float>::Vector a) {
    return exp2_of<float, Lanes<float>::Vector, Lanes<std::uint32_t>::Vector>(a);
}
inline Lanes<double>::Vector exp2_negative(Lanes<double>::Vector a) {
    return exp2_of<double, Lanes<double>::Vector, Lanes<std::uint64_t>::Vector>(a);
}
#endif

template <class Vector>
inline Vector root(Vector a) {
    Vector roots;
    for (std::size_t lane = 0; lane < sizeof(a) / sizeof(a[0]); ++lane) roots[lane] = std::sqrt(a[lane]);
    return roots;
}

// How many vector sums a row of a tile has in flight: together with those of the other rows half of the registers.
constexpr std::size_t kAbreast = kRegisters / 2 / kStrip;

// Points as panels of 64: panel p holds coordinate k of point 64 p + j at [(p * d + k) * 64 + j]; zeros fill the last.
template <class T>
struct Panels {
    std::size_t n, d, count;
    Room<T> data;

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

// kStrip rows by coordinates: coordinate k of row r at [k * kStrip + r]. Beyond `height` the last row is repeated.
template <class T>
inline void turned(const T* rows, std::size_t height, std::size_t d, T* strip) {
    for (std::size_t k = 0; k < d; ++k)
        for (std::size_t r = 0; r < kStrip; ++r) strip[k * kStrip + r] = rows[std::min(r, height - 1) * d + k];
}

// last(squared distance) of the rows of a turned strip to the 64 points of a panel; row r of the results begins at
// out + r stride.
//
// Vectors are written out: left to itself the compiler keeps the sums in memory.
template <class T, class Last>
inline void of_distances(const T* strip, std::size_t d, const T* panel, T* out, std::size_t stride, Last last) {
    using Vector = typename Lanes<T>::Vector;
    constexpr std::size_t lanes = Lanes<T>::count;
    for (std::size_t first = 0; first < kPanel; first += kAbreast * lanes) {
        Vector sum[kStrip][kAbreast] = {};
        for (std::size_t k = 0; k < d; ++k) {
            Vector z[kAbreast];
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kAbreast; ++v) {
                z[v] = *reinterpret_cast<const Vector*>(panel + k * kPanel + first + v * lanes);
#ifdef __AVX512F__
                asm("" : "+v"(z[v]));  // or the compiler loads it once for every row
#endif
            }
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kStrip; ++r)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kAbreast; ++v) {
                    const Vector u = z[v] - strip[k * kStrip + r];
                    sum[r][v] += u * u;
                }
        }
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kAbreast; ++v)
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kStrip; ++r)
                *reinterpret_cast<Vector*>(out + r * stride + first + v * lanes) = last(sum[r][v]);
    }
}

// A tile: kernel values of a turned strip against one panel, row r of them at out + r stride. In base two, rate times
// log2(e) is one factor.
template <class T>
__attribute__((noinline)) void radial_tile(Profile profile, T rate, const T* strip, std::size_t d, const T* panel, T* out,
                                           std::size_t stride) {
    using Vector = typename Lanes<T>::Vector;
    constexpr T far = 1000, log2e = static_cast<T>(1.4426950408889634);  // far: exp is zero, its factor still finite
    const T factor = -rate * log2e;
    const auto scaled = [=](Vector square) {
        const Vector u = rate * root(square);
        return u < far ? u : Vector{} + far;
    };
    const auto tile = [=](auto last) { of_distances(strip, d, panel, out, stride, last); };
    switch (profile) {
        case Profile::gaussian:
            return tile([=](Vector square) -> Vector { return exp2_negative(factor * square); });
        case Profile::laplace:
            return tile([=](Vector square) -> Vector { return exp2_negative(factor * root(square)); });
        case Profile::matern32:
            return tile([=](Vector square) -> Vector {
                const Vector u = scaled(square);
                return (1 + u) * exp2_negative(-log2e * u);
            });
        case Profile::matern52:
            return tile([=](Vector square) -> Vector {
                const Vector u = scaled(square);
                return (1 + u + u * u / 3) * exp2_negative(-log2e * u);
            });
    }
}

}  // namespace surefit
