// Bets against candidate means: how many candidates fall in turn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

std::int64_t star_rejections(const double* gains, std::size_t n, double target, const double* candidates,
                             std::size_t n_candidates);

}  // namespace surefit
