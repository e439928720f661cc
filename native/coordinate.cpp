// The elastic net on a Gram matrix: coordinate sweeps find the support, Newton steps on it finish the work.
// One factor L L' = (G + ridge)[order, order] lives through all calls: variables are appended and deleted, O(k^2) each.
#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace surefit {
namespace {

constexpr double SMALLEST_PIVOT = 1e-10;  // of a column's own square: below, it depends on the others
constexpr std::size_t LANES = 8;

double dot(const double* a, const double* b, std::size_t n) {
    double lane[LANES] = {};
    std::size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (std::size_t l = 0; l < LANES; ++l) lane[l] += a[i + l] * b[i + l];
    double sum = 0.0;
    for (; i < n; ++i) sum += a[i] * b[i];
    for (double part : lane) sum += part;
    return sum;
}

void add(double* out, double by, const double* a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] += by * a[i];
}

double sign(double value) { return value > 0.0 ? 1.0 : (value < 0.0 ? -1.0 : 0.0); }

// A lower triangle by columns that gains and loses variables one at a time.
class Factor {
  public:
    Factor(const GramProblem& problem, GramState& state) : p(problem), s(state), row(problem.size) {}

    double* column(std::size_t j) { return s.factor + j * s.factor_stride; }

    // False where the column depends on those already in.
    bool append(std::size_t variable) {
        const std::size_t k = s.n_factor;
        const double* gram = p.gram + variable * p.stride;
        for (std::size_t i = 0; i < k; ++i) row[i] = gram[s.order[i]];
        for (std::size_t i = 0; i < k; ++i) {
            row[i] /= column(i)[i];
            add(row.data() + i + 1, -row[i], column(i) + i + 1, k - i - 1);
        }
        const double square = gram[variable] + p.ridge[variable];
        const double pivot = square - dot(row.data(), row.data(), k);
        if (!(pivot > SMALLEST_PIVOT * square)) return false;
        for (std::size_t i = 0; i < k; ++i) column(i)[k] = row[i];
        column(k)[k] = std::sqrt(pivot);
        s.order[k] = static_cast<std::int64_t>(variable);
        ++s.n_factor;
        return true;
    }

    // Close the gap that row i leaves, then restore the triangle by rotating neighbouring columns.
    void remove(std::size_t i) {
        const std::size_t k = s.n_factor;
        for (std::size_t j = 0; j < k; ++j) {
            const std::size_t from = std::max(i + 1, j);
            std::copy(column(j) + from, column(j) + k, column(j) + from - 1);
        }
        std::copy(s.order + i + 1, s.order + k, s.order + i);
        for (std::size_t j = i; j + 1 < k; ++j) rotate(j, k - 1);
        --s.n_factor;
    }

    void solve(double* x) {
        const std::size_t k = s.n_factor;
        for (std::size_t i = 0; i < k; ++i) {
            x[i] /= column(i)[i];
            add(x + i + 1, -x[i], column(i) + i + 1, k - i - 1);
        }
        for (std::size_t i = k; i-- > 0;) x[i] = (x[i] - dot(column(i) + i + 1, x + i + 1, k - i - 1)) / column(i)[i];
    }

  private:
    // Mix columns j and j + 1 so that the second loses its entry in row j.
    void rotate(std::size_t j, std::size_t rows) {
        double* left = column(j);
        double* right = column(j + 1);
        const double length = std::hypot(left[j], right[j]);
        const double cosine = left[j] / length, sine = right[j] / length;
        left[j] = length;
        for (std::size_t r = j + 1; r < rows; ++r) {
            const double a = left[r], b = right[r];
            left[r] = cosine * a + sine * b;
            right[r] = cosine * b - sine * a;
        }
    }

    const GramProblem& p;
    GramState& s;
    std::vector<double> row;
};

// The solver of one lam; see GramProblem for the objective.
class Descent {
  public:
    Descent(const GramProblem& problem, GramState& state)
        : p(problem), s(state), factor(problem, state), step(problem.size), moved(problem.size), spread(problem.size),
          inside(problem.size) {}

    GramAnswer run(double tol, std::size_t max_iter) {
        double gap = duality_gap();
        std::size_t iterations = 0;
        while (gap > tol && iterations < max_iter) {
            ++iterations;
            newton();
            gap = duality_gap();
            if (gap <= tol) break;
            sweep(tol);
            gap = duality_gap();
        }
        return {gap, iterations};
    }

  private:
    double slope(std::size_t j) const { return s.corr[j] - p.ridge[j] * s.coef[j]; }

    double duality_gap() const {
        double scale = 1.0, square = p.target_square, penalty = 0.0, fit = 0.0;
        for (std::size_t j = 0; j < p.size; ++j) {
            const double u = slope(j), size = p.positive ? u : std::abs(u);
            if (p.threshold[j] > 0.0) scale = size > p.threshold[j] ? std::min(scale, p.threshold[j] / size) : scale;
            else if (p.curvature(j) > 0.0 && (!p.positive || u > 0.0 || s.coef[j] > 0.0))
                penalty += u * u / p.curvature(j);  // a free coordinate: what it could gain
            if (s.coef[j] == 0.0) continue;
            square -= s.coef[j] * (p.moment[j] + s.corr[j] - p.ridge[j] * s.coef[j]);
            penalty += 2.0 * p.threshold[j] * std::abs(s.coef[j]);
            if (p.threshold[j] > 0.0) fit += s.coef[j] * u;
            else penalty += 2.0 * std::abs(s.coef[j] * u);
        }
        return (1.0 - scale) * (1.0 - scale) * std::max(square, 0.0) + penalty - 2.0 * scale * fit;
    }

    // One pass of exact coordinate minimisation; on the support, moves too small to matter are left to the Newton step.
    void sweep(double tol) {
        const double worth = 1e-4 * tol / static_cast<double>(p.size);
        for (std::size_t j = 0; j < p.size; ++j) {
            const double h = p.curvature(j), w = s.coef[j];
            if (w == 0.0 && std::abs(s.corr[j]) <= p.threshold[j]) continue;
            if (!(h > 0.0)) continue;
            const double g = s.corr[j] + p.gram[j * p.stride + j] * w;
            double target = g > p.threshold[j] ? g - p.threshold[j] : (g < -p.threshold[j] ? g + p.threshold[j] : 0.0);
            if (p.positive && target < 0.0) target = 0.0;
            const double delta = target / h - w;
            if (delta == 0.0 || (w != 0.0 && delta * delta * h <= worth)) continue;
            s.coef[j] = target == 0.0 ? 0.0 : w + delta;
            add(s.corr, -delta, p.gram + j * p.stride, p.size);
        }
    }

    // The factor follows the support: what left it is removed, what joined is appended.
    void follow_support() {
        std::fill(inside.begin(), inside.end(), false);
        for (std::size_t i = s.n_factor; i-- > 0;) {
            const auto j = static_cast<std::size_t>(s.order[i]);
            if (s.coef[j] == 0.0) factor.remove(i);
            else inside[j] = true;
        }
        for (std::size_t j = 0; j < p.size; ++j)
            if (s.coef[j] != 0.0 && !inside[j]) inside[j] = factor.append(j);
    }

    // Minimise over the support with signs held; a coordinate that would change its sign stops at zero.
    void newton() {
        follow_support();
        const std::size_t k = s.n_factor;
        if (k == 0) return;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t j = variable(i);
            step[i] = slope(j) - p.threshold[j] * sign(s.coef[j]);
        }
        factor.solve(step.data());
        double room = 1.0;
        for (std::size_t i = 0; i < k; ++i)
            if (crosses(i)) room = std::min(room, -s.coef[variable(i)] / step[i]);
        if (room >= 1.0) return take_whole();
        whole.assign(step.begin(), step.begin() + static_cast<std::ptrdiff_t>(k));
        for (std::size_t i = 0; i < k; ++i)
            if (crosses(i)) step[i] = -s.coef[variable(i)];
        if (take_if_lower()) return;
        for (std::size_t i = 0; i < k; ++i) {  // up to the first sign change: always lower
            const double w = s.coef[variable(i)];
            step[i] = std::abs(w + room * whole[i]) <= 1e-14 * std::abs(w) ? -w : room * whole[i];
        }
        take_if_lower();
    }

    std::size_t variable(std::size_t i) const { return static_cast<std::size_t>(s.order[i]); }

    bool crosses(std::size_t i) const {
        const std::size_t j = variable(i);
        return (p.threshold[j] > 0.0 || p.positive) && s.coef[j] * (s.coef[j] + step[i]) < 0.0;
    }

    // moved = G step; each way of summing touches fewer rows than the other in its case.
    void multiply(bool only_outside) {
        const std::size_t k = s.n_factor;
        std::fill(moved.begin(), moved.end(), 0.0);
        if (!only_outside || 2 * k < p.size) {
            for (std::size_t i = 0; i < k; ++i)
                if (step[i] != 0.0) add(moved.data(), step[i], p.gram + variable(i) * p.stride, p.size);
            return;
        }
        std::fill(spread.begin(), spread.end(), 0.0);
        for (std::size_t i = 0; i < k; ++i) spread[variable(i)] = step[i];
        for (std::size_t j = 0; j < p.size; ++j)
            if (!inside[j]) moved[j] = dot(p.gram + j * p.stride, spread.data(), p.size);
    }

    // The whole Newton step: the correlations of the support are then known without a product.
    void take_whole() {
        multiply(true);
        for (std::size_t j = 0; j < p.size; ++j)
            if (!inside[j]) s.corr[j] -= moved[j];
        for (std::size_t i = 0; i < s.n_factor; ++i) {
            const std::size_t j = variable(i);
            const double before = sign(s.coef[j]);
            s.coef[j] += step[i];
            s.corr[j] = p.threshold[j] * before + p.ridge[j] * s.coef[j];
        }
    }

    bool take_if_lower() {
        const std::size_t k = s.n_factor;
        multiply(false);
        double change = 0.0;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t j = variable(i);
            const double w = s.coef[j], d = step[i];
            change += d * (moved[j] - 2.0 * s.corr[j]) + p.ridge[j] * d * (2.0 * w + d) +
                      2.0 * p.threshold[j] * (std::abs(w + d) - std::abs(w));
        }
        if (!(change < 0.0)) return false;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t j = variable(i);
            s.coef[j] = step[i] == -s.coef[j] ? 0.0 : s.coef[j] + step[i];
        }
        add(s.corr, -1.0, moved.data(), p.size);
        return true;
    }

    const GramProblem& p;
    GramState& s;
    Factor factor;
    std::vector<double> step, moved, spread, whole;
    std::vector<char> inside;
};

}  // namespace

GramAnswer gram_descent(const GramProblem& problem, double tol, std::size_t max_iter, GramState& state) {
    return Descent(problem, state).run(tol, max_iter);
}

}  // namespace surefit
