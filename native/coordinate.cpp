// The elastic net on a Gram matrix: coordinate steps find the support, Newton steps on it finish the work.
// One factor L L' = (G + ridge)[order, order] lives through all calls: variables join and leave.
#include "growing_factor.hpp"
#include "interrupt.hpp"
#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace surefit {
namespace {

void add(double* out, double by, const double* a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] += by * a[i];
}

double sign(double value) { return value > 0.0 ? 1.0 : (value < 0.0 ? -1.0 : 0.0); }

// The solver of one lam; see GramProblem for the objective.
class Descent {
  public:
    Descent(const GramProblem& problem, GramState& state)
        : p(problem), s(state), factor(problem.gram, problem.stride, problem.ridge, state.factor), step(problem.size),
          wanted(problem.size), moved(problem.size), spread(problem.size), inside(problem.size) {}

    GramAnswer run(double tol, std::size_t max_iter) {
        double gap = duality_gap();
        std::size_t iterations = 0;
        while (gap > tol && iterations < max_iter) {
            ++iterations;
            heed_signals();
            const double before = gap;
            const bool settled = newton();
            gap = duality_gap();
            if (gap <= tol) break;
            const bool stuck = iterations > 1 && gap > 0.5 * before;
            if (iterations <= CRAWLING)
                sweep(stuck ? 0.0 : 1e-4 * tol / static_cast<double>(p.size), stuck || iterations > JOINS);
            else if (!step_by_step(settled)) break;
            gap = duality_gap();
        }
        return {gap, iterations};
    }

  private:
    static constexpr double NOTHING = 1e-18;  // share of a square below which an entry is rounding
    static constexpr std::size_t JOINS = 2;  // rounds in which only what joins the support moves by itself
    static constexpr std::size_t CRAWLING = 20;  // rounds after which variables join one at a time

    double slope(std::size_t j) const { return s.corr[j] - p.ridge[j] * s.coef[j]; }
    const double* row(std::size_t j) const { return p.gram + j * p.stride; }
    std::size_t variable(std::size_t i) const { return static_cast<std::size_t>(s.factor.order[i]); }

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

    // One pass of exact coordinate minimisation, over all coordinates or over those that the factor does not hold; on
    // the support, moves that gain no more than `worth` are left to the Newton step.
    void sweep(double worth, bool all) {
        for (std::size_t j = 0; j < p.size; ++j)
            if (s.coef[j] == 0.0 ? std::abs(s.corr[j]) > p.threshold[j] : all || !inside[j]) minimise(j, worth);
    }

    void minimise(std::size_t j, double worth) {
        const double h = p.curvature(j), w = s.coef[j];
        if (!(h > 0.0)) return;
        const double g = s.corr[j] + row(j)[j] * w;
        double target = g > p.threshold[j] ? g - p.threshold[j] : (g < -p.threshold[j] ? g + p.threshold[j] : 0.0);
        if (p.positive && target < 0.0) target = 0.0;
        const double delta = target / h - w;
        if (delta == 0.0 || (w != 0.0 && delta * delta * h <= worth)) return;
        s.coef[j] = target == 0.0 ? 0.0 : w + delta;
        add(s.corr, -delta, row(j), p.size);
    }

    // What takes the place of a sweep where sweeps crawl: whether there was anything to do.
    bool step_by_step(bool settled) {
        for (std::size_t j : beside) minimise(j, 0.0);
        return !settled || join_steepest() || !beside.empty();
    }

    // Of the variables outside the support, the one that alone would gain most joins it: whether there is one. Where
    // columns hardly differ a sweep would take in all neighbours of that one too, and the next rounds throw them out.
    bool join_steepest() {
        double most = 0.0;
        std::size_t best = p.size;
        for (std::size_t j = 0; j < p.size; ++j) {
            const double excess = (p.positive ? s.corr[j] : std::abs(s.corr[j])) - p.threshold[j];
            if (s.coef[j] != 0.0 || !(excess > 0.0) || !(excess * excess > most * p.curvature(j))) continue;
            most = excess * excess / p.curvature(j), best = j;
        }
        if (best < p.size) minimise(best, 0.0);
        return best < p.size;
    }

    // The factor follows the support: what left it is removed, what came into it joins.
    void follow_support() {
        remove_zeros();
        beside.clear();
        for (std::size_t j = 0; j < p.size; ++j)
            if (s.coef[j] != 0.0 && !inside[j]) beside.push_back(j);
        join(beside);
        beside.erase(std::remove_if(beside.begin(), beside.end(), [this](std::size_t j) { return inside[j]; }), beside.end());
    }

    void remove_zeros() {
        std::fill(inside.begin(), inside.end(), false);
        for (std::size_t i = s.factor.size; i-- > 0;) {
            const std::size_t j = variable(i);
            if (s.coef[j] == 0.0) factor.remove(i);
            else inside[j] = true;
        }
    }

    void join(const std::vector<std::size_t>& variables) {
        factor.join(variables, [this](std::size_t j) { inside[j] = true; });
    }

    // Where columns of the support depend on each other the fit hardly changes along some direction: go down it until
    // a coefficient is zero. Coordinate by coordinate that would take for ever.
    void loosen() {
        bool slid = false;
        for (std::size_t j : beside) {
            if (!slide(j)) continue;
            slid = true;
            remove_zeros();
            if (s.coef[j] != 0.0) join({j});
        }
        if (slid) follow_support();
    }

    // Move variable j, and those of the factor so that the fit stays, to the minimum or until one of them is zero:
    // whether one is. Only penalised variables move: others have nowhere to stop.
    bool slide(std::size_t j) {
        const std::size_t k = s.factor.size;
        for (std::size_t i = 0; i < k; ++i) step[i] = row(j)[variable(i)];
        factor.solve(step.data());
        std::fill(spread.begin(), spread.end(), 0.0);  // the direction, without entries that are rounding
        for (std::size_t i = 0; i < k; ++i)
            if (step[i] * step[i] * p.curvature(variable(i)) > NOTHING * p.curvature(j)) spread[variable(i)] = -step[i];
        spread[j] = 1.0;
        std::fill(moved.begin(), moved.end(), 0.0);  // G times it
        double fall = 0.0, bend = 0.0;               // half the slope and the curvature of the objective
        for (std::size_t v = 0; v < p.size; ++v) {
            if (spread[v] == 0.0) continue;
            if (!(p.threshold[v] > 0.0)) return false;
            add(moved.data(), spread[v], row(v), p.size);
        }
        for (std::size_t v = 0; v < p.size; ++v) {
            fall -= spread[v] * (p.threshold[v] * sign(s.coef[v]) - slope(v));
            bend += spread[v] * (moved[v] + p.ridge[v] * spread[v]);
        }
        const double way = fall != 0.0 ? sign(fall) : -sign(s.coef[j]);
        double length = fall != 0.0 && bend > 0.0 ? std::abs(fall) / bend : HUGE_VAL;
        std::size_t first = p.size;
        for (std::size_t v = 0; v < p.size; ++v) {
            const double until = -s.coef[v] / (spread[v] * way);
            if (s.coef[v] * spread[v] * way < 0.0 && until <= length) length = until, first = v;
        }
        if (first == p.size && !(length < HUGE_VAL)) return false;
        for (std::size_t v = 0; v < p.size; ++v) s.coef[v] = v == first ? 0.0 : s.coef[v] + way * length * spread[v];
        add(s.corr, -way * length, moved.data(), p.size);
        return first < p.size;
    }

    // Minimise over the support with signs held; a coordinate that would change its sign stops at zero. Whether none did.
    bool newton() {
        follow_support();
        loosen();
        const std::size_t k = s.factor.size;
        if (k == 0) return true;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t j = variable(i);
            wanted[i] = step[i] = slope(j) - p.threshold[j] * sign(s.coef[j]);
        }
        factor.solve(step.data());
        for (std::size_t i = 0; i < k; ++i) wanted[i] -= p.ridge[variable(i)] * step[i];  // now G step on the support
        double room = 1.0;
        for (std::size_t i = 0; i < k; ++i)
            if (crosses(i)) room = std::min(room, -s.coef[variable(i)] / step[i]);
        if (room >= 1.0) {
            take_whole();
            return true;
        }
        const std::vector<double> whole(step.begin(), step.begin() + static_cast<std::ptrdiff_t>(k));
        for (std::size_t i = 0; i < k; ++i) moved[variable(i)] = wanted[i];
        for (std::size_t i = 0; i < k; ++i) {
            if (!crosses(i)) continue;
            const double back = -s.coef[variable(i)] - step[i];
            for (std::size_t r = 0; r < k; ++r) moved[variable(r)] += back * row(variable(i))[variable(r)];
            step[i] = -s.coef[variable(i)];
        }
        if (take_if_lower()) return false;
        for (std::size_t i = 0; i < k; ++i) {  // up to the first sign change: always lower
            const double w = s.coef[variable(i)];
            step[i] = std::abs(w + room * whole[i]) <= 1e-14 * std::abs(w) ? -w : room * whole[i];
            moved[variable(i)] = room * wanted[i];
        }
        return !take_if_lower();
    }

    bool crosses(std::size_t i) const {
        const std::size_t j = variable(i);
        return (p.threshold[j] > 0.0 || p.positive) && s.coef[j] * (s.coef[j] + step[i]) < 0.0;
    }

    // Subtract G step from the correlations outside the factor; each way of summing touches fewer rows in its case.
    void move_outside() {
        const std::size_t k = s.factor.size;
        const double* line[kTogether];
        double by[kTogether];
        if (2 * k < p.size) {
            std::fill(spread.begin(), spread.end(), 0.0);
            for (std::size_t i = 0; i < k; i += kTogether) {
                for (std::size_t t = 0; t < kTogether; ++t)
                    line[t] = row(variable(std::min(i + t, k - 1))), by[t] = i + t < k ? step[i + t] : 0.0;
                add_lines(spread.data(), line, by, p.size);
            }
            for (std::size_t j = 0; j < p.size; ++j)
                if (!inside[j]) s.corr[j] -= spread[j];
            return;
        }
        std::fill(spread.begin(), spread.end(), 0.0);
        for (std::size_t i = 0; i < k; ++i) spread[variable(i)] = step[i];
        std::vector<std::size_t> outside;
        for (std::size_t j = 0; j < p.size; ++j)
            if (!inside[j]) outside.push_back(j);
        for (std::size_t first = 0; first < outside.size(); first += kTogether) {
            const std::size_t count = std::min(kTogether, outside.size() - first);
            for (std::size_t t = 0; t < kTogether; ++t) line[t] = row(outside[first + std::min(t, count - 1)]);
            multiply_lines(line, spread.data(), p.size, by);
            for (std::size_t t = 0; t < count; ++t) s.corr[outside[first + t]] -= by[t];
        }
    }

    // The whole Newton step: the correlations of the support are then known without a product.
    void take_whole() {
        move_outside();
        for (std::size_t i = 0; i < s.factor.size; ++i) {
            const std::size_t j = variable(i);
            const double before = sign(s.coef[j]);
            s.coef[j] += step[i];
            s.corr[j] = p.threshold[j] * before + p.ridge[j] * s.coef[j];
        }
    }

    // `moved` holds G step on the support.
    bool take_if_lower() {
        const std::size_t k = s.factor.size;
        double change = 0.0;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t j = variable(i);
            const double w = s.coef[j], d = step[i];
            change += d * (moved[j] - 2.0 * s.corr[j]) + p.ridge[j] * d * (2.0 * w + d) +
                      2.0 * p.threshold[j] * (std::abs(w + d) - std::abs(w));
        }
        if (!(change < 0.0)) return false;
        move_outside();
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t j = variable(i);
            s.coef[j] = step[i] == -s.coef[j] ? 0.0 : s.coef[j] + step[i];
            s.corr[j] -= moved[j];
        }
        return true;
    }

    const GramProblem& p;
    GramState& s;
    GrowingFactor factor;
    std::vector<double> step, wanted, moved, spread;
    std::vector<char> inside;
    std::vector<std::size_t> beside;  // in the support, but dependent on what the factor holds
};

}  // namespace

GramAnswer gram_descent(const GramProblem& problem, double tol, std::size_t max_iter, GramState& state) {
    return Descent(problem, state).run(tol, max_iter);
}

}  // namespace surefit
