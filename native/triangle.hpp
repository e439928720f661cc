// A symmetric matrix as the tiles of its lower triangle, in 16-bit fixed point or float; twin: compiled/twins/tiles.py.
#pragma once

#include <cstddef>

namespace surefit {

constexpr std::size_t kSide = 64;  // rows and columns of a tile; tile (I, J <= I) is number I (I + 1) / 2 + J

// Stores rows first_row, first_row + 1, ... (first_row a multiple of 64) given in all columns up to the last of them.
template <class Stored>
void triangle_store(const float* block, std::size_t rows, std::size_t cols, std::size_t first_row, float step,
                    std::size_t threads, Stored* tiles);

// out (n, width) = step * M V, with products in float within a tile and sums over tiles in double
template <class Stored>
void triangle_times(const Stored* tiles, std::size_t n, double step, const float* V, std::size_t width,
                    std::size_t threads, double* out);

}  // namespace surefit
