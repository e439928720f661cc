// Residuals and gradients of least squares in twice the working precision.
//
// Every product is split into its rounded value and its exact error (one fused multiply-add), every sum likewise
// (Knuth's two-sum), so the result is as if computed with 106 bits and rounded once. Compile without contraction.
#include "interrupt.hpp"
#include "loops.hpp"

#include <cmath>
#include <vector>

namespace surefit {
namespace {

constexpr std::size_t LANES = 8;     // independent accumulators: what the vector units need
constexpr std::size_t PANEL = 64;    // rows gathered at a time, so that Fortran order is read well too

struct Pair {
    double high, low;
};

inline Pair two_sum(double a, double b) {
    const double s = a + b;
    const double t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

inline void add(Pair& total, double high, double low) {
    const Pair s = two_sum(total.high, high);
    total.high = s.high;
    total.low += s.low + low;
}

inline Pair normalised(const Pair& p) { return two_sum(p.high, p.low); }

// total -= x . c, with c = high + low
Pair subtract_dot(Pair total, const double* x, const double* high, const double* low, std::size_t d) {
    double sum[LANES] = {}, error[LANES] = {};
    std::size_t j = 0;
    for (; j + LANES <= d; j += LANES) {
        for (std::size_t k = 0; k < LANES; ++k) {
            const double p = x[j + k] * high[j + k];
            const double e = std::fma(x[j + k], high[j + k], -p);
            const double s = sum[k] + p;
            const double t = s - sum[k];
            error[k] += ((sum[k] - (s - t)) + (p - t)) + (e + x[j + k] * low[j + k]);
            sum[k] = s;
        }
    }
    for (std::size_t k = 0; k < LANES; ++k) add(total, -sum[k], -error[k]);
    for (; j < d; ++j) {
        const double p = x[j] * high[j];
        add(total, -p, -(std::fma(x[j], high[j], -p) + x[j] * low[j]));
    }
    return normalised(total);
}

// gradient += x * r, with r = r.high + r.low
void add_scaled_row(const double* x, const Pair& r, double* high, double* low, std::size_t d) {
    for (std::size_t j = 0; j < d; ++j) {
        const double p = x[j] * r.high;
        const double e = std::fma(x[j], r.high, -p);
        const double s = high[j] + p;
        const double t = s - high[j];
        low[j] += ((high[j] - (s - t)) + (p - t)) + (e + x[j] * r.low);
        high[j] = s;
    }
}

}  // namespace

// sums holds, on return, the pairs (sum of w r) and (sum of w r^2): four doubles.
void extended_gradient(const MatrixView& X, const double* y, const ExtendedProblem& problem, double* residual,
                       double* gradient_high, double* gradient_low, double* sums) {
    const std::size_t n = X.rows, d = X.cols;
    std::vector<double> panel(PANEL * d);
    for (std::size_t j = 0; j < d; ++j) gradient_high[j] = gradient_low[j] = 0.0;
    Pair total{0.0, 0.0}, squares{0.0, 0.0};
    for (std::size_t start = 0; start < n; start += PANEL) {
        const std::size_t rows = n - start < PANEL ? n - start : PANEL;
        heed_signals();
        if (X.col_stride == 1) {
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < d; ++j) panel[i * d + j] = X.at(start + i, j) * problem.inverse_scale[j];
        } else {
            for (std::size_t j = 0; j < d; ++j)
                for (std::size_t i = 0; i < rows; ++i) panel[i * d + j] = X.at(start + i, j) * problem.inverse_scale[j];
        }
        for (std::size_t i = 0; i < rows; ++i) {
            const double* x = &panel[i * d];
            Pair r = two_sum(y[start + i], -problem.intercept_high);
            r.low -= problem.intercept_low;
            r = subtract_dot(r, x, problem.coef_high, problem.coef_low, d);
            residual[start + i] = r.high;
            const double w = problem.weight[start + i];
            const double p = w * r.high;
            const Pair weighted = normalised({p, std::fma(w, r.high, -p) + w * r.low});
            add(total, weighted.high, weighted.low);
            const double q = weighted.high * r.high;
            add(squares, q, std::fma(weighted.high, r.high, -q) + weighted.high * r.low + weighted.low * r.high);
            add_scaled_row(x, weighted, gradient_high, gradient_low, d);
        }
    }
    for (std::size_t j = 0; j < d; ++j) {
        const Pair g = normalised({gradient_high[j], gradient_low[j]});
        gradient_high[j] = g.high;
        gradient_low[j] = g.low;
    }
    total = normalised(total);
    squares = normalised(squares);
    sums[0] = total.high, sums[1] = total.low, sums[2] = squares.high, sums[3] = squares.low;
}

}  // namespace surefit
