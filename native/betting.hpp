// Bets against candidate means: how many candidates fall in turn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

std::int64_t star_rejections(const double* gains, std::size_t n, double target, std::int64_t size);

}  // namespace surefit
