// The compiled loops, declared once. Each has a plain-Python twin in src/surefit/solvers/reference.py.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// A matrix seen through strides (in elements): C order, Fortran order and slices need no copy.
struct MatrixView {
    const double* data;
    std::size_t rows, cols;
    std::int64_t row_stride, col_stride;

    double at(std::size_t i, std::size_t j) const {
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

}  // namespace surefit
