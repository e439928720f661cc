// Bindings of the logistic pass and of the Gram matrix that steers it: shapes are checked here, the GIL is released around the loop.
#include "bindings.hpp"
#include "byte_gram.hpp"
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

template <class T>
void gram(const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& rows, const Vector& factor, std::size_t threads,
          const nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>& gram) {
    const std::size_t n = rows.shape(0), d = rows.shape(1);
    require(n > 0 && factor.shape(0) == n, "factor needs one number per row");
    require(d < 2 || rows.stride(1) == 1, "the entries of a row must lie one after the other");
    require(n < 2 || rows.stride(0) >= 0, "the rows must not be in reverse order");
    require(gram.shape(0) == d + 1 && gram.shape(1) == d + 1, "gram needs a row and a column more than rows has columns");
    const std::size_t stride = n < 2 ? d : static_cast<std::size_t>(rows.stride(0));
    nb::gil_scoped_release unlocked;
    byte_gram(ScaledRows<T>{rows.data(), n, d, stride, factor.data()}, threads, gram.data());
}

}  // namespace

void surefit::bind_logistic(nb::module_& m) {
    expose(m, "logistic_pass", &pass<double>);
    expose(m, "logistic_pass", &pass<float>);
    expose(m, "byte_gram", &gram<double>);
    expose(m, "byte_gram", &gram<float>);
    m.attr("FAST_BYTES") = kFastBytes;
}
