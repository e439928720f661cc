// Online linear learners: one row, one prediction, one step, on dense rows and on rows with few entries.
#include "online.hpp"

#include "interrupt.hpp"

#include <algorithm>
#include <limits>

namespace surefit {

namespace {

constexpr std::size_t kFetch = 32;    // entries whose scale and squares are fetched before they are needed

struct Slope {
    double loss, derivative;
};

double sign(double r) { return r > 0.0 ? 1.0 : r < 0.0 ? -1.0 : 0.0; }

// Value and derivative in f, the subgradient at kinks being that of surefit.objective.
Slope slope_of(const OnlineSettings& s, double y, double f) {
    const double r = f - y, u = std::fabs(r), p = s.parameter;
    switch (s.loss) {
        case kSquared: return {r * r, 2.0 * r};
        case kAbsolute: return {u, sign(r)};
        case kHuber: return {u <= p ? r * r : p * (2.0 * u - p), 2.0 * std::min(std::max(r, -p), p)};
        case kTube: return {std::max(u - p, 0.0), u > p ? sign(r) : 0.0};
        case kQuadraticTube: {
            const double over = std::max(u - p, 0.0);
            return {over * over, 2.0 * over * sign(r)};
        }
        case kPinball: return {r < 0.0 ? -p * r : (1.0 - p) * r, r < 0.0 ? -p : r > 0.0 ? 1.0 - p : 0.0};
        case kLogistic: {
            const double m = y * f, e = std::exp(-std::fabs(m));  // neither overflows
            return {std::max(-m, 0.0) + std::log1p(e), -y * (m >= 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e))};
        }
        case kPerceptron: {
            const double m = y * f;
            return {std::max(-m, 0.0), m < 0.0 || (m == 0.0 && p != 0.0) ? -y : 0.0};
        }
        case kHinge: {
            const double m = y * f;
            return {std::max(1.0 - m, 0.0), m < 1.0 ? -y : 0.0};
        }
    }
    return {0.0, 0.0};
}

// Lipschitz constant of the derivative; 0 where there is none, and no step is too long.
double smoothness(OnlineLoss loss) {
    switch (loss) {
        case kSquared: case kHuber: case kQuadraticTube: return 2.0;
        case kLogistic: return 0.25;
        default: return 0.0;
    }
}

bool signs(OnlineLoss loss) { return loss == kLogistic || loss == kPerceptron || loss == kHinge; }

template <typename Row>
void note_limit(const Row& row, double* numbers) {
    double largest = 0.0, value = 0.0, column = -1.0;
    row.each([&](std::size_t j, double x) {
        if (std::fabs(x) > largest) largest = std::fabs(x), value = x, column = static_cast<double>(j);
    });
    numbers[kLimited] += 1.0;
    numbers[kLimitedColumn] = column;
    numbers[kLimitedValue] = value;
}

OnlineReason judged(double square, double score, double target, const OnlineSettings& settings, const double* numbers) {
    if (!std::isfinite(square) || !std::isfinite(score)) return kNotFinite;
    if (!std::isfinite(target)) return kTargetNotFinite;
    const double far = settings.farthest;
    if (std::isinf(far)) return kFine;
    const bool settled = numbers[kRows] >= static_cast<double>(settings.settled);
    const double longest = numbers[kLongest], largest = numbers[kLargestTarget];
    if (square > (settled && longest > 0.0 ? far * far * longest : kSwallows * kSwallows)) return kTooLong;
    const double most = settled && largest > 0.0 ? far * largest : kSwallows;
    return !signs(settings.loss) && std::fabs(target) > most ? kTargetFar : kFine;
}

// The steps of columns, in their own units: step / (scale_j sqrt(sum g^2 x_j^2)), the row at hand included.
Lane rate_of(const Lane& x, double step, const Lane& scale, const Lane& squares) {
    Lane root;
    for (std::size_t k = 0; k < kLane; ++k) root[k] = std::sqrt(squares[k]);
    const Lane size = scale * root;
    const Bits counts = (x != 0.0) & (size > 0.0);
    return (Lane)((Bits)(step / (counts ? size : size + 1.0)) & counts);
}

// sum_j rate_j x_j^2, in eight sums; the rates are kept for the step, in the order of the entries. Entries are taken a
// few at a time: roots and quotients are far faster in vectors.
template <typename Row>
double adaptive_reach(const Row& row, double g, double step, const OnlineState& state, double* rates) {
    double sums[kSums] = {};
    for (std::size_t first = 0; first < row.size; first += kSums) {
        double x[kSums] = {}, scale[kSums] = {}, squares[kSums] = {};
        const std::size_t count = std::min(kSums, row.size - first);
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t e = first + k, j = static_cast<std::size_t>(row.columns[e]);
            if (e + kFetch < row.size) {
                const std::size_t ahead = static_cast<std::size_t>(row.columns[e + kFetch]);
                __builtin_prefetch(state.scale + ahead, 1);
                __builtin_prefetch(state.squares + ahead, 1);
            }
            x[k] = row.values[e];
            scale[k] = state.scale[j] = std::max(state.scale[j], std::fabs(x[k]));
            squares[k] = state.squares[j] += (g * x[k]) * (g * x[k]);
        }
        for (std::size_t k = 0; k < kSums; k += kLane)
            lane(rates + first + k) = rate_of(lane(x + k), step, lane(scale + k), lane(squares + k));
        for (std::size_t k = 0; k < count; ++k)
            sums[static_cast<std::size_t>(row.columns[first + k]) % kSums] += rates[first + k] * (x[k] * x[k]);
    }
    return total(sums);
}

double adaptive_reach(const DenseRow& row, double g, double step, const OnlineState& state, double* rates) {
    Eight sums = {};
    row.lanes([&](std::size_t j, std::size_t p, const Lane& x) {
        Lane &scale = lane(state.scale + j), &squares = lane(state.squares + j), &rate = lane(rates + j);
        const Lane size = x < 0.0 ? -x : x;
        scale = scale < size ? size : scale;
        squares += (g * x) * (g * x);
        rate = rate_of(x, step, scale, squares);
        sums.part[p] += rate * (x * x);
    });
    return total(sums);
}

// w_j <- w_j - share rate_j g x_j; `late` is the number of rows so far, or 0 where no mean is kept.
template <typename Row>
void move_by_rates(const Row& row, double g, double share, double late, const OnlineState& state, const double* rates) {
    row.each([&](std::size_t j, double x) {
        const double by = -(share * *rates++) * (g * x);
        state.coef[j] += by;
        if (late != 0.0) state.lag[j] += late * by;
    });
}

void move_by_rates(const DenseRow& row, double g, double share, double late, const OnlineState& state, double* rates) {
    row.lanes([&](std::size_t j, std::size_t, const Lane& x) {
        const Lane by = -(share * lane(rates + j)) * (g * x);
        lane(state.coef + j) += by;
        if (late != 0.0) lane(state.lag + j) += late * by;
    });
}

// One step with a rate for every column.
template <typename Row>
void adaptive_move(const Row& row, double g, double bend, const OnlineSettings& settings, const OnlineState& state,
                   double* numbers) {
    double offset_rate = 0.0, share = 1.0;
    double reach = adaptive_reach(row, g, settings.step, state, state.rates);
    if (settings.intercept) {
        numbers[kInterceptSquares] += g * g;
        offset_rate = settings.step / std::sqrt(numbers[kInterceptSquares]);
        reach += offset_rate;
    }
    if (bend > 0.0 && bend * reach > 1.0) {
        share = 1.0 / (bend * reach);
        note_limit(row, numbers);
    }
    numbers[kLeastStep] = std::min(numbers[kLeastStep], settings.step * share);
    const double t = numbers[kRows];
    move_by_rates(row, g, share, state.lag == nullptr ? 0.0 : t, state, state.rates);
    if (settings.intercept) {
        const double by = -share * offset_rate * g;
        numbers[kIntercept] += by;
        numbers[kLagIntercept] += t * by;
    }
}

// The multiple of the row that is added to the weights; `reach` is ||x||^2, the constant feature included.
template <typename Row>
double length_of_move(const Row& row, double g, double bend, double reach, const OnlineSettings& settings,
                      double* numbers) {
    double step = settings.step;
    if (settings.schedule == kInverseRoot) step /= std::sqrt(numbers[kRows]);
    if (settings.rule == kNormalised) return reach > 0.0 ? -(0.5 * g) / reach : 0.0;
    if (settings.rule == kImplicit) return -(step * g) / (1.0 + 2.0 * step * reach);
    if (bend > 0.0 && step * bend * reach > 1.0) {
        step = 1.0 / (bend * reach);
        note_limit(row, numbers);
    }
    numbers[kLeastStep] = std::min(numbers[kLeastStep], step);
    return -step * g;
}

// What a stream is told for free: rows, losses, the best constant, the longest row.
void count(double target, double said, double loss, double square, double* numbers) {
    numbers[kRows] += 1.0;
    numbers[kTotalLoss] += loss;
    numbers[kLargestLoss] = std::max(numbers[kLargestLoss], loss);
    numbers[kMistakes] += target * said <= 0.0 ? 1.0 : 0.0;
    numbers[kLongest] = std::max(numbers[kLongest], square);
    numbers[kLargestTarget] = std::max(numbers[kLargestTarget], std::fabs(target));
    const double off = target - numbers[kTargetMean];
    numbers[kTargetMean] += off / numbers[kRows];
    numbers[kTargetSpread] += off * (target - numbers[kTargetMean]);
}

template <typename Row>
OnlineReason step(const Row& row, double target, double said, const OnlineSettings& settings, const OnlineState& state,
                  double* numbers, double& prediction, double& loss) {
    Eight dot = {}, squares = {};
    row.products(state.coef, dot, squares);
    const double score = total(dot) + numbers[kIntercept], square = total(squares);
    const Slope slope = slope_of(settings, target, score);
    prediction = std::isnan(said) ? score : said;
    loss = std::isnan(said) ? slope.loss : slope_of(settings, target, said).loss;
    OnlineReason reason = judged(square, score, target, settings, numbers);
    if (reason == kFine && !(std::isfinite(loss) && std::isfinite(slope.derivative))) reason = kTargetNotFinite;
    if (reason != kFine) {
        prediction = loss = std::numeric_limits<double>::quiet_NaN();
        if (settings.skip) numbers[kSkipped] += 1.0;
        return reason;
    }
    count(target, prediction, loss, square, numbers);
    const double g = slope.derivative, bend = smoothness(settings.loss);
    const double reach = square + (settings.intercept ? 1.0 : 0.0);
    if (g == 0.0) return kFine;
    numbers[kGradientSquares] += g * g * reach;
    if (settings.schedule == kAdaptive) {
        adaptive_move(row, g, bend, settings, state, numbers);
        return kFine;
    }
    const double by = length_of_move(row, g, bend, reach, settings, numbers), late = numbers[kRows] * by;
    row.move(by, state.coef);
    if (state.lag != nullptr) row.move(late, state.lag);
    if (settings.intercept) {
        numbers[kIntercept] += by;
        numbers[kLagIntercept] += late;
    }
    return kFine;
}

// The numbers of a state on the stack, where no write to a coefficient can reach them, and back when all is done.
class Working {
  public:
    explicit Working(double* kept) : kept_(kept) { std::copy(kept, kept + kNumbers, numbers); }
    ~Working() { std::copy(numbers, numbers + kNumbers, kept_); }
    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;

    double numbers[kNumbers];

  private:
    double* kept_;
};

}  // namespace

template <typename Block>
OnlineProgress online_pass(const Block& block, const double* targets, const OnlineSettings& settings,
                           const OnlineState& state, double* predictions, double* losses) {
    const double unsaid = std::numeric_limits<double>::quiet_NaN();
    Working work(state.numbers);
    for (std::size_t i = 0; i < block.rows; ++i) {
        if (i % 256 == 0) heed_signals();
        double prediction, loss;
        const OnlineReason reason = step(block.row(i), targets[i], unsaid, settings, state, work.numbers, prediction, loss);
        if (reason != kFine && !settings.skip) return {i, reason};
        if (predictions != nullptr) predictions[i] = prediction, losses[i] = loss;
    }
    return {block.rows, kFine};
}

template <typename Row>
OnlineReason online_learn(const Row& row, double target, double said, const OnlineSettings& settings,
                          const OnlineState& state) {
    double prediction, loss;
    return step(row, target, said, settings, state, state.numbers, prediction, loss);
}

template <typename Row>
double online_score(const Row& row, const OnlineState& state) {
    Eight dot = {}, square = {};
    row.products(state.coef, dot, square);
    return total(dot) + state.numbers[kIntercept];
}

#define SUREFIT_BLOCK(Block)                                                                                           \
    template OnlineProgress online_pass(const Block&, const double*, const OnlineSettings&, const OnlineState&,        \
                                        double*, double*);
SUREFIT_BLOCK(DenseBlock)
SUREFIT_BLOCK(SparseBlock<std::int32_t>)
SUREFIT_BLOCK(SparseBlock<std::int64_t>)
#undef SUREFIT_BLOCK

#define SUREFIT_ROW(Row)                                                                                               \
    template OnlineReason online_learn(const Row&, double, double, const OnlineSettings&, const OnlineState&);         \
    template double online_score(const Row&, const OnlineState&);
SUREFIT_ROW(DenseRow)
SUREFIT_ROW(SparseRow<std::int64_t>)
#undef SUREFIT_ROW

}  // namespace surefit
