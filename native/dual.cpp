// Two-variable dual steps with second-order choice of the pair: two vector passes a step.
//
// The first pass moves the gradient and finds the variable i that most wants to grow; the second finds the j to shrink
// whose pair promises the largest decrease. Bounds and tubes are offsets in arrays, so neither pass branches.
#include "dual.hpp"

#include "interrupt.hpp"
#include "lanes.hpp"
#include "share.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace surefit {

namespace {

constexpr double kFlat = 1e-12;  // smallest curvature of a pair, in units of the largest kernel value

template <class T>
struct Working : Lanes<T> {
    using typename Lanes<T>::Vector;

    static Vector filled(T value) { return value - Vector{}; }

    // count numbers, converted to T
    template <class Stored>
    static Vector load(const Stored* from) {
        typedef Stored Packed
            __attribute__((vector_size(Lanes<T>::count * sizeof(Stored)), aligned(alignof(Stored)), may_alias));
        return __builtin_convertvector(*reinterpret_cast<const Packed*>(from), Vector);
    }
};

// The place in 0 .. n-1 (in steps of a vector) where merit(k) is largest. First the largest merit of every chunk, then
// the place in the best chunk, where look(k) repeats the merit without side effects.
template <class T, class Merit, class Look>
std::size_t best_place(std::size_t padded, Merit merit, Look look) {
    using L = Working<T>;
    constexpr std::size_t chunk = 32 * L::count;
    const auto largest = [](typename L::Vector v) {
        T most = v[0];
        for (std::size_t l = 1; l < L::count; ++l) most = std::max(most, v[l]);
        return most;
    };
    T best = -std::numeric_limits<T>::infinity();
    std::size_t where = 0;
    for (std::size_t first = 0; first < padded; first += chunk) {
        typename L::Vector most = merit(first);
        const std::size_t end = std::min(padded, first + chunk);
        for (std::size_t k = first + L::count; k < end; k += L::count) {
            const typename L::Vector v = merit(k);
            most = v > most ? v : most;
        }
        if (const T here = largest(most); here > best) best = here, where = first;
    }
    best = -std::numeric_limits<T>::infinity();
    std::size_t place = where;
    for (std::size_t k = where; k < std::min(padded, where + chunk); k += L::count) {
        const typename L::Vector v = look(k);
        if (!(largest(v) > best)) continue;
        for (std::size_t l = 0; l < L::count; ++l)
            if (v[l] > best) best = v[l], place = k + l;
    }
    return place;
}

template <class Stored, class T>
class Steps {
    using L = Working<T>;
    using Vector = typename L::Vector;

    const PairProblem<Stored>& problem;
    const std::size_t n, padded;
    const T unit;
    double* beta;
    std::vector<T> gradient, grow, shrink, diagonal;  // padded; grow and shrink: slopes of the tube, +-big at a bound
    std::size_t first_apart;
    std::vector<Stored> apart;

  public:
    Steps(const PairProblem<Stored>& problem_, double* beta_, const T* start)
        : problem(problem_), n(problem_.n), padded((n + L::count - 1) / L::count * L::count),
          unit(static_cast<T>(problem_.unit)), beta(beta_), gradient(padded), grow(padded, big), shrink(padded, -big),
          diagonal(padded, T(1)), first_apart(n) {
        while (first_apart > 0 && (first_apart - 1) * n + padded > n * n) --first_apart;
        apart.resize((n - first_apart) * padded);
        for (std::size_t i = first_apart; i < n; ++i)
            std::copy_n(problem.gram + i * n, n, apart.begin() + (i - first_apart) * padded);
        std::copy_n(start, n, gradient.begin());
        for (std::size_t i = 0; i < n; ++i) {
            diagonal[i] = static_cast<T>(problem.unit * row(i)[i] + problem.ridge[i]);
            set_slopes(i);
        }
    }

    PairOutcome run(double tol, std::size_t limit) {
        std::size_t i = move_and_choose_first(row(0), row(0), 0);
        for (std::size_t step = 0;; ++step) {
            double violation;
            if (step % 256 == 0) heed_signals();
            const std::size_t j = choose_second(i, violation);
            if (!(violation > tol) || step == limit) return {step, violation};
            const double length = take(i, j);
            if (length == 0) return {step, violation};  // nothing moves any more in this precision
            gradient[i] += static_cast<T>(problem.ridge[i] * length);
            gradient[j] -= static_cast<T>(problem.ridge[j] * length);
            i = move_and_choose_first(row(i), row(j), static_cast<T>(problem.unit * length));
        }
    }
    void finish(T* out) const { std::copy_n(gradient.begin(), n, out); }

  private:
    static constexpr T big = std::numeric_limits<T>::max() / 8;

    // Vectors run over the end of a row into the next one, where nothing is chosen; rows that have nothing to run into
    // are kept apart, with room at their end.
    const Stored* row(std::size_t i) const {
        return i < first_apart ? problem.gram + i * n : apart.data() + (i - first_apart) * padded;
    }

    void set_slopes(std::size_t i) {
        const T tube = static_cast<T>(problem.tube[i]);
        grow[i] = beta[i] >= problem.upper[i] ? big : beta[i] >= 0 ? tube : -tube;
        shrink[i] = beta[i] <= problem.lower[i] ? -big : beta[i] <= 0 ? -tube : tube;
    }

    // gradient += length * (p - q), then the place where growing descends most.
    std::size_t move_and_choose_first(const Stored* p, const Stored* q, T length) {
        const auto look = [&](std::size_t k) -> Vector { return -(L::load(&gradient[k]) + L::load(&grow[k])); };
        const auto move = [&](std::size_t k) -> Vector {
            const Vector moved = L::load(&gradient[k]) + length * (L::load(p + k) - L::load(q + k));
            *reinterpret_cast<Vector*>(&gradient[k]) = moved;
            return -(moved + L::load(&grow[k]));
        };
        return best_place<T>(padded, move, look);
    }

    // The partner of i with the largest decrease violation^2 / curvature; and the largest violation.
    std::size_t choose_second(std::size_t i, double& violation) {
        const Stored* p = row(i);
        const T least = gradient[i] + grow[i], own = diagonal[i], twice = 2 * unit;
        Vector widest = L::filled(-big);
        const Vector flat = L::filled(static_cast<T>(kFlat));
        const auto merit = [&](std::size_t k) -> Vector {
            const Vector difference = L::load(&gradient[k]) + L::load(&shrink[k]) - least;
            Vector curvature = (own + L::load(&diagonal[k])) - twice * L::load(p + k);
            curvature = curvature > flat ? curvature : flat;
            widest = difference > widest ? difference : widest;
            const Vector positive = difference > Vector{} ? difference : Vector{};
            return positive * positive / curvature;
        };
        const std::size_t j = best_place<T>(padded, merit, merit);
        violation = -big;
        for (std::size_t l = 0; l < L::count; ++l) violation = std::max(violation, static_cast<double>(widest[l]));
        return j;
    }

    // Grow i and shrink j by the same length, to the minimum along that line; kinks at zero are passed exactly.
    double take(std::size_t i, std::size_t j) {
        const double curvature = static_cast<double>(diagonal[i]) + diagonal[j] - 2.0 * problem.unit * row(i)[j];
        double downhill = static_cast<double>(gradient[j]) + shrink[j] - gradient[i] - grow[i];
        const double start_i = beta[i], start_j = beta[j];
        double length = 0;
        while (downhill > 0) {
            const bool below = beta[i] < 0, above = beta[j] > 0;
            const double to_i = below ? -beta[i] : problem.upper[i] - beta[i];
            const double to_j = above ? beta[j] : beta[j] - problem.lower[j];
            const double free = curvature > 0 ? downhill / curvature : std::numeric_limits<double>::infinity();
            const double s = std::min({free, to_i, to_j});
            if (!(s > 0) || !std::isfinite(s)) break;
            length += s;
            beta[i] = s == to_i ? (below ? 0.0 : problem.upper[i]) : beta[i] + s;
            beta[j] = s == to_j ? (above ? 0.0 : problem.lower[j]) : beta[j] - s;
            downhill -= curvature * s;
            if (s == to_i) downhill -= below ? 2 * problem.tube[i] : downhill;
            if (s == to_j) downhill -= above ? 2 * problem.tube[j] : downhill;
            if (s == free) break;
        }
        set_slopes(i);
        set_slopes(j);
        // one of them may only have been put on a bound that it had missed by its last digit: others can move then
        return start_i == beta[i] && start_j == beta[j] ? 0.0 : length;
    }
};

}  // namespace

template <class Stored, class T>
PairOutcome pair_steps(const PairProblem<Stored>& problem, double tol, std::size_t steps, double* beta, T* gradient) {
    Steps<Stored, T> state(problem, beta, gradient);
    const PairOutcome outcome = state.run(tol, steps);
    state.finish(gradient);
    return outcome;
}

void store_rounded(const float* block, std::size_t rows, std::size_t first_row, double unit, std::size_t threads,
                   std::size_t n, std::int16_t* gram) {
    constexpr std::size_t side = 64;
    const float inverse = static_cast<float>(1 / unit);
    const std::size_t columns = first_row + rows;
    share((columns + side - 1) / side, threads, [&](std::size_t task) {
        const std::size_t left = task * side, width = std::min(side, columns - left);
        std::int16_t tile[side][side] = {}, mirror[side][side];
        for (std::size_t top = 0; top < rows; top += side) {
            const std::size_t height = std::min(side, rows - top);
            if (left > first_row + top) continue;  // above the diagonal: the mirror of another tile
            for (std::size_t r = 0; r < height; ++r) {
                const float* from = block + (top + r) * columns + left;
                for (std::size_t j = 0; j < width; ++j) {
                    const float value = from[j] * inverse;
                    tile[r][j] = static_cast<std::int16_t>(static_cast<std::int32_t>(value + (value < 0 ? -0.5f : 0.5f)));
                }
                std::copy_n(tile[r], width, gram + (first_row + top + r) * n + left);
            }
            if (left == first_row + top) continue;
            for (std::size_t j = 0; j < side; ++j)
                for (std::size_t r = 0; r < side; ++r) mirror[j][r] = tile[r][j];
            for (std::size_t j = 0; j < width; ++j)
                std::copy_n(mirror[j], height, gram + (left + j) * n + first_row + top);
        }
    });
}

#define SUREFIT_PAIR_STEPS(Stored, T) \
    template PairOutcome pair_steps<Stored, T>(const PairProblem<Stored>&, double, std::size_t, double*, T*);
SUREFIT_PAIR_STEPS(double, double)
SUREFIT_PAIR_STEPS(float, float)
SUREFIT_PAIR_STEPS(std::int16_t, float)

}  // namespace surefit
