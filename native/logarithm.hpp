// Logarithms that a compiler can vectorise, exact to a rounding or two.
#pragma once

#include <cstdint>
#include <cstring>

namespace surefit {

// log(1 + e) for 0 <= e <= 1, as 2 artanh(s) of a small s: 1 + e is halved where it is above the root of two.
template <class T>
inline T log_one_plus(T e) {
    constexpr T ln2 = static_cast<T>(0.6931471805599453);
    const bool large = e > static_cast<T>(0.41421356);
    const T s = (large ? e - 1 : e) / (large ? e + 3 : e + 2), q = s * s;
    T sum = static_cast<T>(1.0 / 21);
    sum = sum * q + static_cast<T>(1.0 / 19);
    sum = sum * q + static_cast<T>(1.0 / 17);
    sum = sum * q + static_cast<T>(1.0 / 15);
    sum = sum * q + static_cast<T>(1.0 / 13);
    sum = sum * q + static_cast<T>(1.0 / 11);
    sum = sum * q + static_cast<T>(1.0 / 9);
    sum = sum * q + static_cast<T>(1.0 / 7);
    sum = sum * q + static_cast<T>(1.0 / 5);
    sum = sum * q + static_cast<T>(1.0 / 3);
    return (large ? ln2 : T(0)) + 2 * s * (sum * q + 1);
}

// log(a) for a >= 1: the exponent, and what is left of a.
inline float log_from_one(float a) {
    std::int32_t bits;
    std::memcpy(&bits, &a, 4);
    const std::int32_t exponent = (bits >> 23) - 127;
    bits -= exponent << 23;
    float rest;
    std::memcpy(&rest, &bits, 4);
    return static_cast<float>(exponent) * 0.693147181f + log_one_plus(rest - 1);
}

inline double log_from_one(double a) {
    std::int64_t bits;
    std::memcpy(&bits, &a, 8);
    const std::int64_t exponent = (bits >> 52) - 1023;
    bits -= exponent << 52;
    double rest;
    std::memcpy(&rest, &bits, 8);
    return static_cast<double>(exponent) * 0.6931471805599453 + log_one_plus(rest - 1);
}

}  // namespace surefit
