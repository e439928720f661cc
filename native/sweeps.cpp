// Coordinate sweeps for the logistic loss: weights and slopes of a row lie together, so that a column finds both in one
// line of the cache, and the second-order model is renewed as often as that costs less than the sweeps over it.
#include "sweeps.hpp"

#include "interrupt.hpp"
#include "logarithm.hpp"
#include "share.hpp"
#include "tile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace surefit {
namespace {

constexpr double kNear = 0.97;       // columns at zero whose slope reaches this share of the threshold stay in the sweeps
constexpr double kAlmost = 5.0;      // times the tolerance: from here on sweeps visit all working columns
constexpr double kLeastBend = 2.5e-11, kLeastRight = 1e-6;  // keep far rows in the model, and its step exact
constexpr double kNoise = 1e-14;     // share of the objective that its rounding may take
constexpr double kConstant = 1e-13;  // share of its square that is left of a constant column without its mean
constexpr double kParallel = 1e-10;  // squared sine of the angle below which two steps are one
constexpr double kFarthest = 5.0;    // steps to go on: more would only enlarge their rounding
constexpr std::size_t kHalvings = 40, kMostSweeps = 4, kBlock = 256;

template <typename Index>
class Sweeps {
  public:
    Sweeps(const SparseColumns<Index>& columns, const SweepProblem& problem, SweepState& state)
        : X(columns), p(problem), s(state), cells(p.rows), slope(p.rows), scores(p.rows), step(p.rows),
          trail(p.rows), coef(p.n_working), coef_step(p.n_working), coef_trail(p.n_working), square(p.n_working),
          centre(p.n_working), active(p.n_working, 1) {}

    SweepAnswer run(double tol, std::size_t max_sweeps) {
        const std::size_t each = sweeps_a_model();
        double value = renew();
        double gap = 0.0;
        std::size_t sweeps = 0, models = 0;
        for (bool whole = true; sweeps < max_sweeps;) {
            remember();
            gap = sweep<true>(whole);
            ++sweeps;
            double last = gap;
            for (std::size_t k = 1; k < each && sweeps < max_sweeps && last > tol && last > 0.1 * gap; ++k, ++sweeps)
                last = sweep<false>(false);
            take();
            if (models++ > 0) lean();
            const double before = value;
            value = renew();
            if (!(value <= before * (1 + kNoise))) {
                value = halved(before);
                if (!(value <= before * (1 + kNoise))) break;
            }
            if (whole && gap <= tol) break;
            whole = last <= kAlmost * tol;
        }
        return {value, gap, sweeps};
    }

  private:
    struct Cell {
        double slope, weight;  // of the model at the coefficients reached, without the pending move of the intercept
    };

    std::size_t column(std::size_t k) const { return static_cast<std::size_t>(p.working[k]); }

    // Sweeps over one model: a renewal costs as much as a sweep over as many entries as there are rows.
    std::size_t sweeps_a_model() const {
        std::size_t entries = 1;
        for (std::size_t k = 0; k < p.n_working; ++k)
            entries += static_cast<std::size_t>(X.starts[column(k) + 1] - X.starts[column(k)]);
        return std::min(std::max<std::size_t>(p.rows / entries, 1), kMostSweeps);
    }

    // The second-order model at the current scores; gives the objective.
    double renew() {
        double risk = 0.0;
        total = total_weight = 0.0;
        for (std::size_t first = 0; first < p.rows; first += kBlock) risk += renew_block(first, std::min(kBlock, p.rows - first));
        return risk + penalty();
    }

    double renew_block(std::size_t first, std::size_t count) {
        constexpr double log2e = 1.4426950408889634;
        double loss[kBlock] = {}, pull[kBlock] = {}, weight[kBlock] = {};
        for (std::size_t i = 0; i < count; ++i) {
            const double share = p.share[first + i];
            const double sign = p.codes[first + i] == 1 ? 1.0 : -1.0, margin = sign * s.scores[first + i];
            const double e = exp2_negative(-log2e * std::fabs(margin)), scale = 1.0 / (1.0 + e);
            const double wrong = (margin > 0 ? e : 1.0) * scale, right = (margin > 0 ? 1.0 : e) * scale;
            loss[i] = share * ((margin > 0 ? 0.0 : -margin) + log_one_plus(e));
            pull[i] = -sign * wrong * share;
            weight[i] = share * std::max(wrong * std::max(right, kLeastRight), kLeastBend);
        }
        for (std::size_t i = 0; i < count; ++i) slope[first + i] = pull[i];
        for (std::size_t i = 0; i < count; ++i) cells[first + i] = {pull[i], weight[i]};
        total += lane_sum(pull);
        total_weight += lane_sum(weight);
        return lane_sum(loss);
    }

    static double lane_sum(const double (&values)[kBlock]) {
        double lanes[16] = {};
        for (std::size_t i = 0; i < kBlock; i += 16)
            for (std::size_t l = 0; l < 16; ++l) lanes[l] += values[i + l];
        return pairwise_sum(lanes);
    }

    double penalty() const {
        double sum = 0.0;
        for (std::size_t k = 0; k < p.n_working; ++k) {
            const std::size_t j = column(k);
            sum += p.threshold[j] * std::fabs(s.coef[j]) + 0.5 * p.ridge[j] * s.coef[j] * s.coef[j];
        }
        return sum;
    }

    // The point at which the model was made, and the step that led to it.
    void remember() {
        for (std::size_t i = 0; i < p.rows; ++i) {
            trail[i] = s.scores[i] - scores[i];
            scores[i] = s.scores[i];
        }
        for (std::size_t k = 0; k < p.n_working; ++k) {
            coef_trail[k] = s.coef[column(k)] - coef[k];
            coef[k] = s.coef[column(k)];
        }
        intercept_trail = s.intercept - intercept;
        intercept = s.intercept;
    }

    // The move of the intercept that is best for the model.
    double pending() const { return p.intercept ? -total / total_weight : 0.0; }

    // Scores of the point that the sweeps have reached, and of the step to it.
    void take() {
        const double move = pending();
        for (std::size_t i = 0; i < p.rows; ++i) {
            step[i] = (p.share[i] > 0.0 ? (cells[i].slope - slope[i]) / cells[i].weight : 0.0) + move;
            s.scores[i] += step[i];
        }
        s.intercept += move;
        intercept_step = move;
    }

    // Goes on to the minimum of the model over the plane of the step just taken and the one before it, as conjugate
    // gradients would, with the signs of the coefficients held: who would change sign stays at zero.
    void lean() {
        for (std::size_t k = 0; k < p.n_working; ++k) {
            const std::size_t j = column(k);
            coef_step[k] = s.coef[j] - coef[k];
            if (s.coef[j] != 0.0) continue;
            add_column(step, j, -coef_step[k]);
            add_column(trail, j, -coef_trail[k]);
            coef_step[k] = coef_trail[k] = 0.0;
        }
        const auto [along, back] = best_in_plane();
        if (!(std::max(std::fabs(along), std::fabs(back)) <= kFarthest)) return;
        for (std::size_t i = 0; i < p.rows; ++i) step[i] = along * step[i] + back * trail[i];
        for (std::size_t k = 0; k < p.n_working; ++k) {
            const std::size_t j = column(k);
            const double w = s.coef[j], d = along * coef_step[k] + back * coef_trail[k];
            coef_step[k] = p.threshold[j] > 0.0 && w * (w + d) < 0.0 ? -w : d;
            if (coef_step[k] != d) add_column(step, j, -w - d);
        }
        if (!(change() < 0.0)) return;
        for (std::size_t i = 0; i < p.rows; ++i) s.scores[i] += step[i];
        for (std::size_t k = 0; k < p.n_working; ++k)
            s.coef[column(k)] = coef_step[k] == -s.coef[column(k)] ? 0.0 : s.coef[column(k)] + coef_step[k];
        s.intercept += along * intercept_step + back * intercept_trail;
    }

    void add_column(std::vector<double>& to, std::size_t j, double factor) const {
        if (factor == 0.0) return;
        for (auto e = static_cast<std::size_t>(X.starts[j]); e < static_cast<std::size_t>(X.starts[j + 1]); ++e)
            to[static_cast<std::size_t>(X.rows[e])] += factor * X.values[e];
    }

    // How far to go along the step and the trail.
    std::pair<double, double> best_in_plane() const {
        double ss = 0.0, st = 0.0, tt = 0.0, gs = 0.0, gt = 0.0;
        const double move = intercept_step;
        for (std::size_t i = 0; i < p.rows; ++i) {
            const double w = cells[i].weight, g = cells[i].slope + w * move;
            ss += w * step[i] * step[i];
            st += w * step[i] * trail[i];
            tt += w * trail[i] * trail[i];
            gs += g * step[i];
            gt += g * trail[i];
        }
        for (std::size_t k = 0; k < p.n_working; ++k) {
            const std::size_t j = column(k);
            const double w = s.coef[j], ridge = p.ridge[j], g = ridge * w + (w > 0.0 ? p.threshold[j] : -p.threshold[j]);
            ss += ridge * coef_step[k] * coef_step[k];
            st += ridge * coef_step[k] * coef_trail[k];
            tt += ridge * coef_trail[k] * coef_trail[k];
            gs += g * coef_step[k];
            gt += g * coef_trail[k];
        }
        const double determinant = ss * tt - st * st;
        if (!(determinant > kParallel * ss * tt)) return {ss > 0.0 ? -gs / ss : 0.0, 0.0};
        return {(gt * st - gs * tt) / determinant, (gs * st - gt * ss) / determinant};
    }

    // Of the model, if coef_step and step are taken.
    double change() const {
        double sum = 0.0;
        for (std::size_t i = 0; i < p.rows; ++i) {
            const double w = cells[i].weight;
            sum += step[i] * (cells[i].slope + w * (intercept_step + 0.5 * step[i]));
        }
        for (std::size_t k = 0; k < p.n_working; ++k) {
            const std::size_t j = column(k);
            const double w = s.coef[j], d = coef_step[k];
            sum += p.threshold[j] * (std::fabs(w + d) - std::fabs(w)) + p.ridge[j] * d * (w + 0.5 * d);
        }
        return sum;
    }

    // The farthest of the points 1/2, 1/4, ... of the way that does not raise the objective, or the point before.
    double halved(double before) {
        double share = 1.0, value = 0.0;
        const std::vector<double> end(s.scores, s.scores + p.rows);
        std::vector<double> target(p.n_working);
        for (std::size_t k = 0; k < p.n_working; ++k) target[k] = s.coef[column(k)];
        const double level = s.intercept;
        for (std::size_t trial = 0; trial <= kHalvings; ++trial) {
            share = trial == kHalvings ? 0.0 : 0.5 * share;
            for (std::size_t i = 0; i < p.rows; ++i) s.scores[i] = scores[i] + share * (end[i] - scores[i]);
            for (std::size_t k = 0; k < p.n_working; ++k) s.coef[column(k)] = coef[k] + share * (target[k] - coef[k]);
            s.intercept = intercept + share * (level - intercept);
            heed_signals();
            value = renew();
            if (value <= before * (1 + kNoise)) break;
        }
        return value;
    }

    // Minimises the model in one coefficient after the other; gives an estimate of the gap from what was missed.
    template <bool First>
    double sweep(bool whole) {
        double worst = 0.0, sum = 0.0, norm = 0.0;
        for (std::size_t k = 0; k < p.n_working; ++k) {
            if (k % 64 == 0) heed_signals();
            if (!whole && !active[k]) continue;
            const std::size_t j = column(k);
            const double missed = move<First>(j, k, whole), size = std::fabs(s.coef[j]);
            if (p.ridge[j] > 0.0) sum += missed * missed / (2.0 * p.ridge[j]);
            else {
                sum += missed * size;
                norm += p.threshold[j] * size;
                if (p.threshold[j] > 0.0) worst = std::max(worst, missed / p.threshold[j]);
            }
        }
        return sum + worst * norm;
    }

    // Minimises in one coefficient; gives by how much its optimality condition was missed.
    template <bool First>
    double move(std::size_t j, std::size_t k, bool whole) {
        const auto first = static_cast<std::size_t>(X.starts[j]), last = static_cast<std::size_t>(X.starts[j + 1]);
        double g = First ? look(first, last, k) : slope_of(first, last);
        g += pending() * centre[k] + p.ridge[j] * s.coef[j];
        const double h = square[k] + p.ridge[j], t = p.threshold[j];
        if (whole) active[k] = s.coef[j] != 0.0 || std::fabs(g) > kNear * t;
        if (!(h > 0.0)) return 0.0;
        const double u = h * s.coef[j] - g, target = u > t ? u - t : (u < -t ? u + t : 0.0);
        const double delta = target / h - s.coef[j];
        if (delta == 0.0) return 0.0;
        s.coef[j] = target == 0.0 ? 0.0 : s.coef[j] + delta;
        for (std::size_t e = first; e < last; ++e) {
            Cell& cell = cells[static_cast<std::size_t>(X.rows[e])];
            cell.slope += delta * X.values[e] * cell.weight;
        }
        total += delta * centre[k];
        return std::fabs(delta) * h;
    }

    double slope_of(std::size_t first, std::size_t last) const {
        double g = 0.0;
        for (std::size_t e = first; e < last; ++e) g += X.values[e] * cells[static_cast<std::size_t>(X.rows[e])].slope;
        return g;
    }

    // The slope, and with it the curvature of the coefficient and its share in the intercept.
    double look(std::size_t first, std::size_t last, std::size_t k) {
        double g = 0.0, h = 0.0, m = 0.0;
        for (std::size_t e = first; e < last; ++e) {
            const Cell& cell = cells[static_cast<std::size_t>(X.rows[e])];
            const double x = X.values[e], bent = x * cell.weight;
            g += x * cell.slope;
            h += x * bent;
            m += bent;
        }
        centre[k] = p.intercept ? m : 0.0;
        const double left = p.intercept ? h - m * m / total_weight : h;
        square[k] = left > kConstant * h ? left : 0.0;
        return g;
    }

    const SparseColumns<Index>& X;
    const SweepProblem& p;
    SweepState& s;
    std::vector<Cell> cells;
    std::vector<double> slope, scores, step, trail;  // of the rows: where the model was made, and the last two steps
    std::vector<double> coef, coef_step, coef_trail, square, centre;
    std::vector<char> active;
    double intercept = 0.0, intercept_step = 0.0, intercept_trail = 0.0;
    double total = 0.0, total_weight = 0.0;  // sums of the slopes and the weights of the cells
};

}  // namespace

template <typename Index>
SweepAnswer logistic_sweeps(const SparseColumns<Index>& X, const SweepProblem& problem, double tol,
                            std::size_t max_sweeps, SweepState& state) {
    return Sweeps<Index>(X, problem, state).run(tol, max_sweeps);
}

template SweepAnswer logistic_sweeps(const SparseColumns<std::int32_t>&, const SweepProblem&, double, std::size_t, SweepState&);
template SweepAnswer logistic_sweeps(const SparseColumns<std::int64_t>&, const SweepProblem&, double, std::size_t, SweepState&);

}  // namespace surefit
