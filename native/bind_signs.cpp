// Bindings of the streams for two classes: shapes are checked here, the GIL is released around each loop.
#include "bindings.hpp"
#include "signs.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

using namespace surefit;

namespace {

template <typename Index>
using Indices = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename Index>
using Compressed = std::tuple<Indices<Index>, Indices<Index>, Vector>;

using Contiguous = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

DenseRows rows_of(const Contiguous& X, const Vector& labels, const MutableVector& coef) {
    require(labels.shape(0) == X.shape(0) && coef.shape(0) == X.shape(1), "X needs a row per label, a column per coef");
    return {X.data(), X.shape(1)};
}

template <typename Index>
SparseRows<Index> rows_of(const Compressed<Index>& X, const Vector& labels, const MutableVector& coef) {
    const auto& [starts, columns, values] = X;
    const std::size_t n = labels.shape(0), entries = columns.shape(0);
    require(starts.shape(0) == n + 1 && values.shape(0) == entries, "starts, columns and values must describe the rows");
    require(starts.data()[0] == 0 && static_cast<std::size_t>(starts.data()[n]) == entries,
            "starts must run from 0 to the number of entries");
    for (std::size_t i = 0; i < n; ++i) require(starts.data()[i] <= starts.data()[i + 1], "starts must not decrease");
    for (std::size_t e = 0; e < entries; ++e)
        require(columns.data()[e] >= 0 && static_cast<std::size_t>(columns.data()[e]) < coef.shape(0),
                "an entry lies in a column that is not there");
    return {starts.data(), columns.data(), values.data()};
}

void check(const Vector& labels, const Order& order, const MutableVector& coef, const MutableVector& lag) {
    require(lag.shape(0) == coef.shape(0), "lag needs one entry per coefficient");
    for (std::size_t k = 0; k < order.shape(0); ++k)
        require(order.data()[k] >= 0 && static_cast<std::size_t>(order.data()[k]) < labels.shape(0),
                "order names a row that is not there");
}

using Intercepts = std::tuple<double, double>;

template <typename Rows>
std::tuple<double, double, std::size_t> perceptron(const Rows& rows, const Vector& labels, const Order& order,
                                                   int sign_zero, bool intercept, const MutableVector& coef,
                                                   const MutableVector& lag, Intercepts intercepts, std::uint64_t steps,
                                                   const MutableOrder& updated) {
    const auto X = rows_of(rows, labels, coef);
    check(labels, order, coef, lag);
    require(updated.shape(0) >= order.shape(0), "updated needs room for every row of the order");
    SignState state{coef.data(), lag.data(), std::get<0>(intercepts), std::get<1>(intercepts), steps};
    std::size_t n_updated;
    {
        const Unlocked unlocked;
        n_updated = perceptron_pass(X, labels.data(), order.data(), order.shape(0), sign_zero, intercept, state, updated.data());
    }
    return {state.intercept, state.lag_intercept, n_updated};
}

template <typename Rows>
Intercepts adaline(const Rows& rows, const Vector& labels, const Order& order, double step, bool intercept,
                   const MutableVector& coef, const MutableVector& lag, Intercepts intercepts, std::uint64_t steps) {
    const auto X = rows_of(rows, labels, coef);
    check(labels, order, coef, lag);
    SignState state{coef.data(), lag.data(), std::get<0>(intercepts), std::get<1>(intercepts), steps};
    {
        const Unlocked unlocked;
        adaline_pass(X, labels.data(), order.data(), order.shape(0), step, intercept, state);
    }
    return {state.intercept, state.lag_intercept};
}

template <typename Rows>
void bind_rows(nb::module_& m) {
    expose(m, "perceptron_pass", &perceptron<Rows>);
    expose(m, "adaline_pass", &adaline<Rows>);
}

}  // namespace

void surefit::bind_signs(nb::module_& m) {
    bind_rows<Contiguous>(m);
    bind_rows<Compressed<std::int32_t>>(m);
    bind_rows<Compressed<std::int64_t>>(m);
}
