// One-pass streams for two classes: the perceptron and Adaline, on dense rows and on compressed sparse rows.
#include "signs.hpp"

#include "interrupt.hpp"

namespace surefit {

namespace {

// One step: w += move * x, and lag += (steps before) * move * x, so that the mean of the iterates is w - lag / steps.
template <typename Rows>
void step(const Rows& X, std::size_t i, double move, bool intercept, SignState& state) {
    const double late = static_cast<double>(state.steps) * move;
    X.each(i, [&](std::size_t j, double x) {
        state.coef[j] += move * x;
        state.lag[j] += late * x;
    });
    if (intercept) {
        state.intercept += move;
        state.lag_intercept += late;
    }
}

template <typename Rows>
double score(const Rows& X, std::size_t i, const SignState& state) {
    return X.dot(i, state.coef) + state.intercept;
}

}  // namespace

template <typename Rows>
std::size_t perceptron_pass(const Rows& X, const double* labels, const std::int64_t* order, std::size_t n_order,
                            int sign_zero, bool intercept, SignState& state, std::int64_t* updated) {
    std::size_t n_updated = 0;
    for (std::size_t k = 0; k < n_order; ++k, ++state.steps) {
        if (k % 256 == 0) heed_signals();
        const std::size_t i = static_cast<std::size_t>(order[k]);
        const double t = labels[i], margin = t * score(X, i, state);
        if (margin > 0.0 || (margin == 0.0 && t == sign_zero)) continue;
        step(X, i, t, intercept, state);
        updated[n_updated++] = order[k];
    }
    return n_updated;
}

template <typename Rows>
void adaline_pass(const Rows& X, const double* labels, const std::int64_t* order, std::size_t n_order, double length,
                  bool intercept, SignState& state) {
    for (std::size_t k = 0; k < n_order; ++k, ++state.steps) {
        if (k % 256 == 0) heed_signals();
        const std::size_t i = static_cast<std::size_t>(order[k]);
        step(X, i, length * (labels[i] - score(X, i, state)), intercept, state);
    }
}

#define SUREFIT_ROWS(Rows)                                                                                             \
    template std::size_t perceptron_pass(const Rows&, const double*, const std::int64_t*, std::size_t, int, bool,      \
                                         SignState&, std::int64_t*);                                                   \
    template void adaline_pass(const Rows&, const double*, const std::int64_t*, std::size_t, double, bool, SignState&);
SUREFIT_ROWS(DenseRows)
SUREFIT_ROWS(SparseRows<std::int32_t>)
SUREFIT_ROWS(SparseRows<std::int64_t>)
#undef SUREFIT_ROWS

}  // namespace surefit
