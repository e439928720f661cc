// The compiled loops, declared once. Each has a plain-Python twin in src/surefit/compiled/twins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// A matrix seen through strides (in elements): C order, Fortran order and slices need no copy.
struct MatrixView {
    const double* data;
    std::size_t rows, cols;
    std::int64_t row_stride, col_stride;

    const double& at(std::size_t i, std::size_t j) const {
        return data[static_cast<std::int64_t>(i) * row_stride + static_cast<std::int64_t>(j) * col_stride];
    }
};

// Stochastic gradient steps for the squared loss, in the given order of rows (Catalogue A-08).
struct SgdSettings {
    double step;       // first step length; step t uses step / (1 + t)^decay
    double decay;      // 0 keeps the step constant
    bool intercept;    // also learn the offset
};
struct SgdState {
    double* coef;           // (cols), updated in place
    double* mean_coef;      // (cols) running average of the iterates, updated in place
    double intercept, mean_intercept;
    std::uint64_t steps;    // steps taken so far
};
void sgd_squared(const MatrixView& X, const double* y, const double* weight, const std::int64_t* order,
                 std::size_t n_order, const SgdSettings& settings, SgdState& state);

// Residuals r = y - A c and the gradient A' W r as unevaluated sums of two doubles, A = X / scale - shift.
struct ExtendedProblem {
    const double* inverse_scale;    // (cols), powers of two
    const double* coef_high;        // (cols)
    const double* coef_low;         // (cols)
    double intercept_high, intercept_low;
    const double* weight;           // (rows)
};
void extended_gradient(const MatrixView& X, const double* y, const ExtendedProblem& problem, double* residual,
                       double* gradient_high, double* gradient_low, double* sums);

// A matrix by compressed columns, and out = X'R for R of shape (rows, width) in row order, in one pass.
template <typename Index>
struct SparseColumns {
    const Index* starts;        // (cols + 1)
    const Index* rows;          // (entries)
    const double* values;       // (entries)
    std::size_t cols;
};
template <typename Index>
void column_products(const SparseColumns<Index>& X, const double* residuals, std::size_t width, std::size_t threads,
                     double* out);

// The objective of GramProblem by coordinate descent on sparse columns x_j, A = sqrt(W) (X - shift), without a Gram matrix.
struct ColumnProblem {
    const double* weighted;     // (entries) values times the weight of their row
    const double* shift;        // (cols) weighted means
    const double* square;       // (cols) ||a_j||^2
    const double* threshold;    // (cols)
    const double* ridge;        // (cols)
    double total_weight;
    bool positive;
};
struct ColumnState {
    double* coef;               // (cols), updated in place
    double* residual;           // (rows) y - mean - X w, updated in place
    double total;               // weighted sum of the residual
};
template <typename Index>
std::size_t column_descent(const SparseColumns<Index>& X, const ColumnProblem& problem, double tol,
                           std::size_t max_sweeps, ColumnState& state);

// min ||t - A w||^2 + sum_j (2 threshold_j |w_j| + ridge_j w_j^2), w >= 0 if positive, from G = A'A (Catalogue A-22).
struct GramProblem {
    const double* gram;         // (size, size) with rows `stride` apart
    std::size_t size, stride;
    const double* moment;       // (size) A't
    double target_square;       // ||t||^2
    const double* threshold;    // (size) >= 0; 0 leaves a coordinate unpenalised
    const double* ridge;        // (size) >= 0
    bool positive;

    double curvature(std::size_t j) const { return gram[j * stride + j] + ridge[j]; }
};
// Where the factor lives: a lower triangle by columns `stride` apart, and which variable each row stands for.
struct FactorView {
    double* data;
    std::size_t stride;
    std::int64_t* order;
    std::size_t size;
};

struct GramState {
    double* coef;               // (size), updated in place
    double* corr;               // (size) A'(t - A w), updated in place
    FactorView factor;          // of the support, kept between calls
};
struct GramAnswer {
    double gap;                 // duality gap if the design had no other columns, without rounding errors
    std::size_t iterations;
};
GramAnswer gram_descent(const GramProblem& problem, double tol, std::size_t max_iter, GramState& state);

}  // namespace surefit
