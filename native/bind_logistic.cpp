// Bindings of the logistic pass: shapes are checked here, the GIL is released around the loop.
#include "bindings.hpp"
#include "logistic.hpp"

#include <algorithm>

using namespace surefit;

namespace {

template <class T>
double pass(const nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>& X, const Order& codes,
            const Vector& share, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& V,
            std::size_t threads, const MutableMatrix& slope) {
    const std::size_t n = X.shape(0), d = X.shape(1), width = V.shape(1);
    require(n > 0 && codes.shape(0) == n && share.shape(0) == n, "codes and share need one number per row");
    require(width > 0 && V.shape(0) == d + 1 && slope.shape(0) == d + 1 && slope.shape(1) == width,
            "V and slope need a row per column of X and one for the intercepts");
    const auto [least, most] = std::minmax_element(codes.data(), codes.data() + n);
    require(*least >= 0 && *most < static_cast<std::int64_t>(std::max<std::size_t>(width, 2)),
            "codes must be the numbers of classes that have a score");
    nb::gil_scoped_release unlocked;
    return logistic_pass(ClassRows<T>{X.data(), n, d, codes.data(), share.data()}, V.data(), width, threads, slope.data());
}

}  // namespace

void surefit::bind_logistic(nb::module_& m) {
    expose(m, "logistic_pass", &pass<double>);
    expose(m, "logistic_pass", &pass<float>);
}
