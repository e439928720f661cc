// Bets against a grid of candidate means.  Plain-Python twin: surefit/compiled/twins/betting.py.
#include "betting.hpp"

#include "interrupt.hpp"

#include <algorithm>
#include <cmath>

namespace surefit {

namespace {

constexpr double room = 1e-5;  // added to denominators, so that the first bet and the ends of the grid are finite

bool falls(const double* gains, std::size_t n, double m, double target) {
    double log_wealth = 0.0, squares = 0.0;
    for (std::size_t t = 0; t < n; ++t) {
        const double seen = static_cast<double>(t) + room;
        const double spread = std::min(squares / seen + m * n / (seen * seen), m * (1.0 - m)) + room;
        const double stake = std::min(std::sqrt(2.0 * (target - log_wealth) / ((n - t) * spread)), 1.0 / (m + room));
        log_wealth += std::log1p(stake * (gains[t] - m));
        if (log_wealth >= target) return true;
        squares += (gains[t] - m) * (gains[t] - m);
    }
    return false;
}

}  // namespace

std::int64_t star_rejections(const double* gains, std::size_t n, double target, const double* candidates,
                             std::size_t n_candidates) {
    std::size_t j = 0;
    for (; j < n_candidates && falls(gains, n, candidates[j], target); ++j) heed_signals();
    return static_cast<std::int64_t>(j);
}

std::size_t bet_until(const double* losses, const double* entering, std::size_t n, double threshold, Bets& bets) {
    for (std::size_t t = 0; t < n; ++t) {
        if (t % 4096 == 0) heed_signals();
        if (bets.cash >= 0.0) bets.cash = std::max(bets.cash - entering[t], 0.0);
        bets.total = std::max(bets.cash, 0.0);
        for (std::size_t k = 0; k < bets.size; ++k) {
            bets.wealth[k] = (bets.wealth[k] + entering[t] * bets.shares[k]) *
                             (1.0 + bets.stakes[k] * (losses[t] - bets.level));
            bets.total += bets.wealth[k];
        }
        if (bets.total >= threshold) return t;
    }
    return n;
}

}  // namespace surefit
