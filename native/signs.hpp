// The streams for two classes, declared once. Their plain-Python twins are in src/surefit/solvers/reference_signs.py.
#pragma once

#include "loops.hpp"

namespace surefit {

// Rows that can be walked entry by entry: dense through strides, sparse by compressed rows.
struct DenseRows {
    MatrixView X;

    template <typename Visit>
    void each(std::size_t i, Visit visit) const {
        for (std::size_t j = 0; j < X.cols; ++j) visit(j, X.at(i, j));
    }
};
template <typename Index>
struct SparseRows {
    const Index* starts;     // (rows + 1)
    const Index* columns;    // (entries)
    const double* values;    // (entries)

    template <typename Visit>
    void each(std::size_t i, Visit visit) const {
        for (Index e = starts[i]; e < starts[i + 1]; ++e) visit(static_cast<std::size_t>(columns[e]), values[e]);
    }
};

struct SignState {
    double* coef;            // (cols), updated in place
    double* lag;             // (cols) sum over the moves of the number of steps before each, updated in place
    double intercept, lag_intercept;
    std::uint64_t steps;     // rows seen so far
};

// w += t x where t f(x) < 0, and where f(x) = 0 unless t = sign_zero (0: for both labels). Catalogue.
template <typename Rows>
std::size_t perceptron_pass(const Rows& X, const double* labels, const std::int64_t* order, std::size_t n_order,
                            int sign_zero, bool intercept, SignState& state, std::int64_t* updated);

// w += length * (t - f(x)) x. Catalogue A-35.
template <typename Rows>
void adaline_pass(const Rows& X, const double* labels, const std::int64_t* order, std::size_t n_order, double length,
                  bool intercept, SignState& state);

}  // namespace surefit
