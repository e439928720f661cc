// What every binding file shares: the array types that loops take, and the check of their shapes.
#pragma once

#include "interrupt.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace nb = nanobind;

namespace surefit {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableVector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MutableMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MutableOrder = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Order = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(std::string("native loop: ") + what);
}

template <typename Index>
using Indices = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The starts of compressed columns: their number is one less.
template <typename Index>
void check_starts(const Indices<Index>& starts, const Indices<Index>& rows, const Vector& values) {
    require(starts.shape(0) > 0 && values.shape(0) == rows.shape(0), "starts, rows and values must describe columns");
    const std::size_t cols = starts.shape(0) - 1;
    require(starts.data()[0] == 0 && static_cast<std::size_t>(starts.data()[cols]) == rows.shape(0),
            "starts must run from 0 to the number of entries");
    bool ordered = true;
    for (std::size_t j = 0; j < cols; ++j) ordered &= starts.data()[j] <= starts.data()[j + 1];
    require(ordered, "starts must not decrease");
}

// The rows of the entries from `first` to before `last`, of `n` that there are.
template <typename Index>
void check_rows(const Indices<Index>& rows, std::size_t first, std::size_t last, std::size_t n) {
    Index lowest = 0, highest = 0;
    for (std::size_t e = first; e < last; ++e) {
        lowest = std::min(lowest, rows.data()[e]);
        highest = std::max(highest, rows.data()[e]);
    }
    require(first >= last || (lowest >= 0 && static_cast<std::size_t>(highest) < n), "an entry lies in a row that is not there");
}

template <typename Index>
void check_columns(const Indices<Index>& starts, const Indices<Index>& rows, const Vector& values, std::size_t n) {
    check_starts<Index>(starts, rows, values);
    check_rows<Index>(rows, 0, rows.shape(0), n);
}

// Arrays that a loop writes into are never converted: the answer would go into the copy.
template <class Argument>
struct Written : std::false_type {};
template <class Scalar, class... Rest>
struct Written<nb::ndarray<Scalar, Rest...>> : std::bool_constant<!std::is_const_v<Scalar>> {};

template <class Argument>
auto described() {
    if constexpr (Written<std::remove_cv_t<std::remove_reference_t<Argument>>>::value) return nb::arg().noconvert();
    else return nb::arg();
}

template <class Result, class... Arguments>
void expose(nb::module_& m, const char* name, Result (*loop)(Arguments...)) {
    m.def(name, loop, described<Arguments>()...);
}

// One function a family of loops; each adds its loops to the module.
void bind_betting(nb::module_& m);
void bind_dual(nb::module_& m);
void bind_kernel(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_online(nb::module_& m);
void bind_fingerprints(nb::module_& m);
void bind_signs(nb::module_& m);
void bind_table(nb::module_& m);

}  // namespace surefit
