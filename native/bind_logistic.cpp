// Bindings of the logistic pass and sweeps: shapes are checked here, the GIL is released around the loops.
#include "bindings.hpp"
#include "logistic.hpp"
#include "sweeps.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

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
    const std::uint64_t classes = std::max<std::size_t>(width, 2);
    bool known = true;
    for (std::size_t i = 0; i < n; ++i) known &= static_cast<std::uint64_t>(codes.data()[i]) < classes;
    require(known, "codes must be the numbers of classes that have a score");
    const ClassRows<T> data{X.data(), n, d, codes.data(), share.data()};
    const Unlocked unlocked;
    return logistic_pass(data, V.data(), width, threads, slope.data());
}

template <typename Index>
std::tuple<double, double, double, std::size_t> sweeps(const Indices<Index>& starts, const Indices<Index>& rows,
                                                       const Vector& values, const Order& working, const Order& codes,
                                                       const Vector& share, const Vector& threshold, const Vector& ridge,
                                                       bool fit_intercept, std::tuple<double, std::size_t> stop,
                                                       const MutableVector& coef, const MutableVector& scores,
                                                       double intercept) {
    check_starts<Index>(starts, rows, values);
    const std::size_t cols = starts.shape(0) - 1, n = scores.shape(0);
    require(threshold.shape(0) == cols && ridge.shape(0) == cols && coef.shape(0) == cols,
            "threshold, ridge and coef need one entry per column");
    require(codes.shape(0) == n && share.shape(0) == n, "codes and share need one number per score");
    for (std::size_t k = 0; k < working.shape(0); ++k) {
        const auto j = static_cast<std::size_t>(working.data()[k]);
        require(j < cols, "working names a column that is not there");
        check_rows<Index>(rows, static_cast<std::size_t>(starts.data()[j]), static_cast<std::size_t>(starts.data()[j + 1]), n);
    }
    const SweepProblem problem{working.data(), working.shape(0), codes.data(), share.data(), n, threshold.data(), ridge.data(), fit_intercept};
    SweepState state{coef.data(), scores.data(), intercept};
    SweepAnswer answer;
    {
        const Unlocked unlocked;
        answer = logistic_sweeps(SparseColumns<Index>{starts.data(), rows.data(), values.data(), cols}, problem,
                                 std::get<0>(stop), std::get<1>(stop), state);
    }
    return {answer.value, state.intercept, answer.gap, answer.sweeps};
}

}  // namespace

void surefit::bind_logistic(nb::module_& m) {
    expose(m, "logistic_pass", &pass<double>);
    expose(m, "logistic_pass", &pass<float>);
    expose(m, "logistic_sweeps", &sweeps<std::int32_t>);
    expose(m, "logistic_sweeps", &sweeps<std::int64_t>);
}
