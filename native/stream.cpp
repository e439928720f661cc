// One-pass streams: stochastic gradient descent for the squared loss.
#include "interrupt.hpp"
#include "loops.hpp"

#include <cmath>

namespace surefit {

void sgd_squared(const MatrixView& X, const double* y, const double* weight, const std::int64_t* order,
                 std::size_t n_order, const SgdSettings& settings, SgdState& state) {
    const std::size_t d = X.cols;
    for (std::size_t k = 0; k < n_order; ++k) {
        if (k % 256 == 0) heed_signals();
        const std::size_t i = static_cast<std::size_t>(order[k]);
        double f = state.intercept;
        for (std::size_t j = 0; j < d; ++j) f += X.at(i, j) * state.coef[j];
        const double t = static_cast<double>(state.steps);
        const double step = settings.decay == 0.0 ? settings.step : settings.step / std::pow(1.0 + t, settings.decay);
        const double move = 2.0 * step * weight[i] * (f - y[i]);
        for (std::size_t j = 0; j < d; ++j) state.coef[j] -= move * X.at(i, j);
        if (settings.intercept) state.intercept -= move;
        ++state.steps;
        const double share = 1.0 / static_cast<double>(state.steps);
        for (std::size_t j = 0; j < d; ++j) state.mean_coef[j] += share * (state.coef[j] - state.mean_coef[j]);
        state.mean_intercept += share * (state.intercept - state.mean_intercept);
    }
}

}  // namespace surefit
