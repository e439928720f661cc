// Bindings of the loops for linear models: shapes are checked here, the GIL is released around each loop.
#include "bindings.hpp"
#include "gram.hpp"
#include "loops.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

using namespace surefit;

namespace {

MatrixView view(const Matrix& X) { return {X.data(), X.shape(0), X.shape(1), X.stride(0), X.stride(1)}; }

std::tuple<double, double> sgd(const Matrix& X, const Vector& y, const Vector& weight, const Order& order,
                               const MutableVector& coef, const MutableVector& mean_coef,
                               std::tuple<double, double> intercepts, std::uint64_t steps, double step, double decay,
                               bool intercept) {
    const MatrixView A = view(X);
    require(y.shape(0) == A.rows && weight.shape(0) == A.rows, "y and weight need one entry per row of X");
    require(coef.shape(0) == A.cols && mean_coef.shape(0) == A.cols, "coef needs one entry per column of X");
    for (std::size_t k = 0; k < order.shape(0); ++k)
        require(order.data()[k] >= 0 && static_cast<std::size_t>(order.data()[k]) < A.rows, "order names a row that is not there");
    SgdState state{coef.data(), mean_coef.data(), std::get<0>(intercepts), std::get<1>(intercepts), steps};
    {
        const Unlocked unlocked;
        sgd_squared(A, y.data(), weight.data(), order.data(), order.shape(0), {step, decay, intercept}, state);
    }
    return {state.intercept, state.mean_intercept};
}

void gradient(const Matrix& X, const Vector& y, const Vector& weight, const Vector& inverse_scale,
              const Vector& coef_high, const Vector& coef_low, std::tuple<double, double> intercept,
              const MutableVector& residual, const MutableVector& gradient_high, const MutableVector& gradient_low,
              const MutableVector& sums) {
    const MatrixView A = view(X);
    require(y.shape(0) == A.rows && weight.shape(0) == A.rows && residual.shape(0) == A.rows,
            "y, weight and residual need one entry per row of X");
    require(inverse_scale.shape(0) == A.cols && coef_high.shape(0) == A.cols && coef_low.shape(0) == A.cols &&
                gradient_high.shape(0) == A.cols && gradient_low.shape(0) == A.cols,
            "scale, coef and gradient need one entry per column of X");
    require(sums.shape(0) == 4, "sums needs four entries");
    const Unlocked unlocked;
    extended_gradient(A, y.data(),
                      {inverse_scale.data(), coef_high.data(), coef_low.data(), std::get<0>(intercept),
                       std::get<1>(intercept), weight.data()},
                      residual.data(), gradient_high.data(), gradient_low.data(), sums.data());
}

std::tuple<double, std::size_t, std::size_t> lasso(const Matrix& gram, const Vector& moment, double target_square,
                                                   const Vector& threshold, const Vector& ridge, bool positive,
                                                   std::tuple<double, std::size_t> stop, const MutableVector& coef,
                                                   const MutableVector& corr, const MutableMatrix& factor,
                                                   const MutableOrder& order, std::size_t n_factor) {
    const std::size_t k = gram.shape(0);
    require(gram.shape(1) == k && (k == 0 || gram.stride(1) == 1), "gram must be square with contiguous rows");
    require(moment.shape(0) == k && threshold.shape(0) == k && ridge.shape(0) == k && coef.shape(0) == k &&
                corr.shape(0) == k,
            "moment, threshold, ridge, coef and corr need one entry per column of gram");
    require(factor.shape(0) >= k && factor.shape(1) >= k && order.shape(0) >= k && n_factor <= k,
            "factor and order need room for every variable");
    for (std::size_t i = 0; i < n_factor; ++i)
        require(order.data()[i] >= 0 && static_cast<std::size_t>(order.data()[i]) < k, "order names a variable that is not there");
    const GramProblem problem{gram.data(), k, k == 0 ? 0 : static_cast<std::size_t>(gram.stride(0)), moment.data(), target_square, threshold.data(), ridge.data(), positive};
    GramState state{coef.data(), corr.data(), {factor.data(), factor.shape(1), order.data(), n_factor}};
    GramAnswer answer;
    {
        const Unlocked unlocked;
        answer = gram_descent(problem, std::get<0>(stop), std::get<1>(stop), state);
    }
    return {answer.gap, answer.iterations, state.factor.size};
}

template <typename Index>
std::tuple<double, std::size_t> descent(const Indices<Index>& starts, const Indices<Index>& rows, const Vector& values,
                                        const Vector& weighted, const Vector& shift, const Vector& square,
                                        const Vector& threshold, const Vector& ridge, double total_weight, bool positive,
                                        std::tuple<double, std::size_t> stop, const MutableVector& coef,
                                        const MutableVector& residual, double total) {
    check_columns<Index>(starts, rows, values, residual.shape(0));
    const std::size_t cols = starts.shape(0) - 1;
    require(weighted.shape(0) == values.shape(0), "weighted needs one entry per value");
    require(shift.shape(0) == cols && square.shape(0) == cols && threshold.shape(0) == cols && ridge.shape(0) == cols &&
                coef.shape(0) == cols,
            "shift, square, threshold, ridge and coef need one entry per column");
    const ColumnProblem problem{weighted.data(), shift.data(), square.data(), threshold.data(), ridge.data(), total_weight, positive};
    ColumnState state{coef.data(), residual.data(), total};
    std::size_t sweeps;
    {
        const Unlocked unlocked;
        sweeps = column_descent(SparseColumns<Index>{starts.data(), rows.data(), values.data(), cols}, problem,
                                std::get<0>(stop), std::get<1>(stop), state);
    }
    return {state.total, sweeps};
}

template <typename Index>
void products(const Indices<Index>& starts, const Indices<Index>& rows, const Vector& values, const MutableMatrix& residuals,
              std::size_t threads, const MutableMatrix& out) {
    require(starts.shape(0) == out.shape(0) + 1, "out needs one row per column of the matrix");
    require(out.shape(1) == residuals.shape(1), "out needs one column per residual");
    check_columns<Index>(starts, rows, values, residuals.shape(0));
    const std::size_t cols = out.shape(0);
    const Unlocked unlocked;
    column_products(SparseColumns<Index>{starts.data(), rows.data(), values.data(), cols}, residuals.data(),
                    residuals.shape(1), threads, out.data());
}

void moments(const Matrix& X, const Vector& factor, const Vector& beside, std::size_t parts, std::size_t threads,
             const MutableMatrix& out, const MutableVector& cross) {
    const MatrixView A = view(X);
    require(cross.shape(0) == A.cols, "cross needs one entry per column of X");
    require(factor.shape(0) == A.rows && beside.shape(0) == A.rows, "factor and beside need one entry per row of X");
    require(out.shape(0) == A.cols && out.shape(1) == A.cols, "out needs one row and column per column of X");
    const Unlocked unlocked;
    gram({A, factor.data(), beside.data()}, parts, threads, out.data(), cross.data());
}

}  // namespace

void surefit::bind_linear(nb::module_& m) {
    expose(m, "sgd_squared", &sgd);
    expose(m, "extended_gradient", &gradient);
    expose(m, "fill_gram", &moments);
    expose(m, "gram_descent", &lasso);
    expose(m, "column_products", &products<std::int32_t>);
    expose(m, "column_products", &products<std::int64_t>);
    expose(m, "column_descent", &descent<std::int32_t>);
    expose(m, "column_descent", &descent<std::int64_t>);
}
