// Two-variable dual steps with second-order choice of the pair: two vector passes a step.
//
// The first pass moves the gradient and finds the variable i that most wants to grow; the second finds the j to shrink
// whose pair promises the largest decrease. Bounds and tubes are offsets in arrays, so neither pass branches.
#include "dual.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace surefit {

namespace {

template <class T>
struct Lanes {
#ifdef __AVX512F__
    static constexpr std::size_t bytes = 64;
#else
    static constexpr std::size_t bytes = 32;
#endif
    using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    typedef T Vector __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
    typedef Index Places __attribute__((vector_size(bytes), aligned(alignof(Index)), may_alias));
    static constexpr std::size_t count = bytes / sizeof(T);

    static Vector filled(T value) { return value - Vector{}; }

    // count numbers, or the first `length` of them and zeros, converted to T
    template <class Stored>
    static Vector load(const Stored* from, std::size_t length = count) {
        typedef Stored Packed __attribute__((vector_size(count * sizeof(Stored)), aligned(alignof(Stored)), may_alias));
        if (length == count) return __builtin_convertvector(*reinterpret_cast<const Packed*>(from), Vector);
        Packed part = {};
        std::memcpy(&part, from, length * sizeof(Stored));
        return __builtin_convertvector(part, Vector);
    }
};

// The smallest value of each lane and where it was seen, reduced at the end; ties go to the first place.
template <class T>
struct Smallest {
    using L = Lanes<T>;
    typename L::Vector value = L::filled(std::numeric_limits<T>::infinity());
    typename L::Places place = {};

    void see(typename L::Vector v, typename L::Places at) {
        const typename L::Places better = v < value;
        value = better ? v : value;
        place = better ? at : place;
    }
    std::size_t where() const {
        std::size_t lane = 0;
        for (std::size_t l = 1; l < L::count; ++l)
            if (value[l] < value[lane] || (value[l] == value[lane] && place[l] < place[lane])) lane = l;
        return static_cast<std::size_t>(place[lane]) + lane;
    }
};

template <class Stored, class T>
class Steps {
    using L = Lanes<T>;
    using Vector = typename L::Vector;
    using Places = typename L::Places;

    const PairProblem<Stored>& problem;
    const std::size_t n, padded;
    const T unit;
    double* beta;
    std::vector<T> gradient, grow, shrink, diagonal;  // padded; grow and shrink: slopes of tube and bounds, +-inf if fixed

  public:
    Steps(const PairProblem<Stored>& problem_, double* beta_, const T* start)
        : problem(problem_), n(problem_.n), padded((n + L::count - 1) / L::count * L::count),
          unit(static_cast<T>(problem_.unit)), beta(beta_), gradient(padded), grow(padded, big), shrink(padded, -big),
          diagonal(padded, T(1)) {
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

    const Stored* row(std::size_t i) const { return problem.gram + i * n; }

    void set_slopes(std::size_t i) {
        const T tube = static_cast<T>(problem.tube[i]);
        grow[i] = beta[i] >= problem.upper[i] ? big : beta[i] >= 0 ? tube : -tube;
        shrink[i] = beta[i] <= problem.lower[i] ? -big : beta[i] <= 0 ? -tube : tube;
    }

    // gradient += length * (p - q), then the place of the smallest slope of growing.
    std::size_t move_and_choose_first(const Stored* p, const Stored* q, T length) {
        Smallest<T> best;
        Places at = {};
        const auto visit = [&](std::size_t k, Vector u, Vector v) {
            const Vector moved = L::load(&gradient[k]) + length * (u - v);
            *reinterpret_cast<Vector*>(&gradient[k]) = moved;
            best.see(moved + L::load(&grow[k]), at);
            at += static_cast<typename L::Index>(L::count);
        };
        std::size_t k = 0;
        for (; k + L::count <= n; k += L::count) visit(k, L::load(p + k), L::load(q + k));
        if (k < n) visit(k, L::load(p + k, n - k), L::load(q + k, n - k));
        return best.where();
    }

    // The partner of i with the largest decrease violation^2 / curvature; and the largest violation.
    std::size_t choose_second(std::size_t i, double& violation) {
        const Stored* p = row(i);
        const T least = gradient[i] + grow[i], own = diagonal[i], twice = 2 * unit;
        const T smallest_curvature = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
        Smallest<T> best;
        Vector widest = L::filled(-big);
        Places at = {};
        const auto visit = [&](std::size_t k, Vector u) {
            const Vector difference = L::load(&gradient[k]) + L::load(&shrink[k]) - least;
            Vector curvature = (own + L::load(&diagonal[k])) - twice * u;
            curvature = curvature > smallest_curvature ? curvature : smallest_curvature - Vector{};
            widest = difference > widest ? difference : widest;
            const Vector positive = difference > T(0) ? difference : Vector{};
            best.see(-(positive * positive) / curvature, at);
            at += static_cast<typename L::Index>(L::count);
        };
        std::size_t k = 0;
        for (; k + L::count <= n; k += L::count) visit(k, L::load(p + k));
        if (k < n) visit(k, L::load(p + k, n - k));
        violation = -big;
        for (std::size_t l = 0; l < L::count; ++l) violation = std::max(violation, static_cast<double>(widest[l]));
        return best.where();
    }

    // Grow i and shrink j by the same length, to the minimum along that line; kinks at zero are passed exactly.
    double take(std::size_t i, std::size_t j) {
        const double curvature = static_cast<double>(diagonal[i]) + diagonal[j] - 2.0 * problem.unit * row(i)[j];
        double downhill = static_cast<double>(gradient[j]) + shrink[j] - gradient[i] - grow[i];
        const double start = beta[i];
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
        return start == beta[i] && length < std::abs(start) ? 0.0 : length;
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

#define SUREFIT_PAIR_STEPS(Stored, T) \
    template PairOutcome pair_steps<Stored, T>(const PairProblem<Stored>&, double, std::size_t, double*, T*);
SUREFIT_PAIR_STEPS(double, double)
SUREFIT_PAIR_STEPS(float, float)
SUREFIT_PAIR_STEPS(std::int16_t, float)

}  // namespace surefit
