// The streams for two classes, declared once. Their plain-Python twins are in src/surefit/compiled/twins/signs.py.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Rows with products and walks over their entries: dense (contiguous), or sparse by compressed rows.
struct DenseRows {
    const double* data;
    std::size_t cols;

    double dot(std::size_t i, const double* coef) const {
        const double* x = data + i * cols;
        double sum[4] = {0.0, 0.0, 0.0, 0.0};    // four independent sums keep the vector units busy
        std::size_t j = 0;
        for (; j + 4 <= cols; j += 4)
            for (std::size_t k = 0; k < 4; ++k) sum[k] += x[j + k] * coef[j + k];
        for (; j < cols; ++j) sum[0] += x[j] * coef[j];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    template <typename Visit>
    void each(std::size_t i, Visit visit) const {
        const double* x = data + i * cols;
        for (std::size_t j = 0; j < cols; ++j) visit(j, x[j]);
    }
};
template <typename Index>
struct SparseRows {
    const Index* starts;     // (rows + 1)
    const Index* columns;    // (entries)
    const double* values;    // (entries)

    double dot(std::size_t i, const double* coef) const {
        double sum = 0.0;
        each(i, [&](std::size_t j, double x) { sum += x * coef[j]; });
        return sum;
    }
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
