// What every binding file shares: the array types that loops take, and the check of their shapes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

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
void bind_prints(nb::module_& m);
void bind_signs(nb::module_& m);

}  // namespace surefit
