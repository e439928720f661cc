// Online linear learners, declared once: one row, one prediction, one step. Twin: src/surefit/compiled/twins/online.py.
#pragma once

#include "lanes.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace surefit {

// The order of these numbers is that of the names in src/surefit/solvers/online/state.py.
enum OnlineLoss { kSquared, kAbsolute, kHuber, kTube, kQuadraticTube, kPinball, kLogistic, kPerceptron, kHinge };
enum OnlineRule { kExplicit, kImplicit, kNormalised };
enum OnlineSchedule { kConstant, kInverseRoot, kAdaptive };
enum OnlineNumber {
    kRows, kSkipped, kLimited, kTotalLoss, kMistakes, kGradientSquares, kLongest, kLargestTarget, kIntercept,
    kLagIntercept, kTargetMean, kTargetSpread, kInterceptSquares, kLimitedColumn, kLimitedValue, kLeastStep, kLargestLoss,
    kFilled, kNumbers
};
// What was wrong with a row; 0 if nothing was.
enum OnlineReason {
    kFine, kNotFinite, kTooLong, kTargetNotFinite, kTargetFar, kUnknownFeature, kMissingFeature, kNotANumber
};

// Beyond it a number swallows a 1 that is added to it: nothing of the other columns, or of the constant, is left.
constexpr double kSwallows = 9007199254740992.0;    // 2^53

struct OnlineSettings {
    OnlineLoss loss;
    double parameter;        // threshold, epsilon, quantile, or whether a score of 0 is a mistake
    OnlineRule rule;
    OnlineSchedule schedule;
    double step;
    bool intercept;
    bool skip;               // count bad rows instead of stopping there
    double farthest;         // how many times longer than all before a row may be
    std::size_t settled;     // rows before that is asked; until then nothing may be longer than kSwallows
};

struct OnlineState {
    double* coef;            // (width), updated in place
    double* lag;             // (width) sum over the moves of the rows up to each, or null
    double* scale;           // (width) largest |x_j| so far, for adaptive steps, or null
    double* squares;         // (width) sum of the squared slopes, for adaptive steps, or null
    double* rates;           // (entries of the longest row, and kSums) what an adaptive step works with, or null
    double* numbers;         // (kNumbers)
    std::size_t width;       // a multiple of eight
};

// Eight sums, entry j going to sum j % 8, added in a fixed order: a row has the same product dense, sparse or named,
// alone or in a block, on every machine. They are held in registers of the machine's width: compilers spill wider vectors.
constexpr std::size_t kSums = 8;
constexpr std::size_t kLane = Lanes<double>::count, kParts = kSums / kLane;
typedef Lanes<double>::Vector Lane;
typedef Lanes<std::int64_t>::Vector Bits;
struct Eight {
    Lane part[kParts] = {};
};

inline Lane& lane(double* first) { return *reinterpret_cast<Lane*>(first); }
inline const Lane& lane(const double* first) { return *reinterpret_cast<const Lane*>(first); }

// Halves are added to each other, as vector units do it.
inline double total(const double* s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }
inline double total(const Eight& sums) {
    double s[kSums];
    for (std::size_t p = 0; p < kParts; ++p) lane(s + p * kLane) = sums.part[p];
    return total(s);
}

// A row without gaps. Coefficients are stored in eights, the last filled up with zeros: no row has an odd end.
struct DenseRow {
    // `readable` numbers follow in memory, those of other rows included.
    DenseRow(const double* first, std::size_t count, std::size_t readable)
        : x(first), size(count), whole(count - count % kSums) {
        const std::size_t left = size - whole;
        if (left == 0) return;
        if (readable < whole + kSums) {
            double end[kSums] = {};
            for (std::size_t k = 0; k < left; ++k) end[k] = x[whole + k];
            for (std::size_t p = 0; p < kParts; ++p) rest.part[p] = lane(end + p * kLane);
            return;
        }
        const Bits ends = Bits{} + static_cast<std::int64_t>(left);
        for (std::size_t p = 0; p < kParts; ++p) {
            Bits place;
            for (std::size_t k = 0; k < kLane; ++k) place[k] = static_cast<std::int64_t>(p * kLane + k);
            rest.part[p] = (Lane)((Bits)lane(x + whole + p * kLane) & (place < ends));
        }
    }

    // All entries, a register at a time, with the place of the first and the part of the eight sums that it belongs to.
    template <typename Visit>
    void lanes(Visit visit) const {
        for (std::size_t j = 0; j < whole; j += kSums)
            for (std::size_t p = 0; p < kParts; ++p) visit(j + p * kLane, p, lane(x + j + p * kLane));
        if (whole < size)
            for (std::size_t p = 0; p < kParts; ++p) visit(whole + p * kLane, p, rest.part[p]);
    }
    void products(const double* coef, Eight& dot, Eight& square) const {
        lanes([&](std::size_t j, std::size_t p, const Lane& some) {
            dot.part[p] += some * lane(coef + j);
            square.part[p] += some * some;
        });
    }
    void move(double by, double* coef) const {
        lanes([&](std::size_t j, std::size_t, const Lane& some) { lane(coef + j) += by * some; });
    }
    template <typename Visit>
    void each(Visit visit) const {
        for (std::size_t j = 0; j < size; ++j) visit(j, x[j]);
    }

    const double* x;
    std::size_t size, whole;
    Eight rest = {};
};

// A row of few entries.
template <typename Index>
struct SparseRow {
    const Index* columns;    // increasing
    const double* values;
    std::size_t size;

    void products(const double* coef, Eight& dot, Eight& square) const {
        double dots[kSums] = {}, squares[kSums] = {};
        for (std::size_t e = 0; e < size; ++e) {
            if (e + kAhead < size) __builtin_prefetch(coef + columns[e + kAhead], 1);
            const std::size_t j = static_cast<std::size_t>(columns[e]), k = j % kSums;
            dots[k] += values[e] * coef[j];
            squares[k] += values[e] * values[e];
        }
        for (std::size_t p = 0; p < kParts; ++p) {
            dot.part[p] = lane(dots + p * kLane);
            square.part[p] = lane(squares + p * kLane);
        }
    }
    void move(double by, double* coef) const {
        for (std::size_t e = 0; e < size; ++e) coef[static_cast<std::size_t>(columns[e])] += by * values[e];
    }
    template <typename Visit>
    void each(Visit visit) const {
        for (std::size_t e = 0; e < size; ++e) visit(static_cast<std::size_t>(columns[e]), values[e]);
    }

  private:
    static constexpr std::size_t kAhead = 32;    // entries whose coefficients are fetched before they are needed
};

// Rows of a block, one after the other.
struct DenseBlock {
    const double* data;
    std::size_t rows, cols;

    DenseRow row(std::size_t i) const {
        const double* ahead = data + (i + kAhead < rows ? i + kAhead : i) * cols;
        for (std::size_t j = 0; j < cols; j += kSums) __builtin_prefetch(ahead + j);
        return DenseRow(data + i * cols, cols, (rows - i) * cols);
    }

  private:
    static constexpr std::size_t kAhead = 8;    // rows that are fetched before they are needed
};
template <typename Index>
struct SparseBlock {
    const Index* starts;     // (rows + 1)
    const Index* columns;    // (entries), increasing in every row
    const double* values;    // (entries)
    std::size_t rows;

    SparseRow<Index> row(std::size_t i) const {
        return {columns + starts[i], values + starts[i], static_cast<std::size_t>(starts[i + 1] - starts[i])};
    }
};

// Predict, see the target, suffer the loss, step; over all rows, or up to the first that is bad unless bad rows are
// skipped. Returns the number of rows dealt with and what was wrong with the next. `predictions` and `losses` may be
// null. Catalogue.
struct OnlineProgress {
    std::size_t rows;
    OnlineReason reason;
};
template <typename Block>
OnlineProgress online_pass(const Block& block, const double* targets, const OnlineSettings& settings,
                           const OnlineState& state, double* predictions, double* losses);

// The same for one row. `said` is the prediction that counts if it was made earlier, else NaN.
template <typename Row>
OnlineReason online_learn(const Row& row, double target, double said, const OnlineSettings& settings,
                          const OnlineState& state);

// The score of a row under the last weights.
template <typename Row>
double online_score(const Row& row, const OnlineState& state);

}  // namespace surefit
