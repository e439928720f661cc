// Bets against candidate means: how many candidates fall in turn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

std::int64_t star_rejections(const double* gains, std::size_t n, double target, const double* candidates,
                             std::size_t n_candidates);

// Bets of several stakes that the mean is above `level`; new money enters with every loss. Returns the first loss after
// which all wealth and the cash that is left reach `threshold`, or n. `cash` is negative where money comes from outside.
struct Bets {
    double level;
    const double* stakes;    // (size)
    const double* shares;    // (size) of the money that enters
    double* wealth;          // (size), updated in place
    std::size_t size;
    double cash, total;
};
std::size_t bet_until(const double* losses, const double* entering, std::size_t n, double threshold, Bets& bets);

}  // namespace surefit
