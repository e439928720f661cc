// Products with a symmetric matrix whose every entry is read once: memory is what they cost.
#include "triangle.hpp"

#include "share.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace surefit {

namespace {

template <class Stored>
Stored rounded(float value) {
    if constexpr (std::is_same_v<Stored, float>) return value;
    else return static_cast<Stored>(std::lrintf(value));
}

// sums over one tile: below += M right (its rows), across += M' left (its columns), kept in registers in between
template <class Stored>
void tile_times(const Stored* tile, const float* right, const float* left, float* below, float* across) {
    float v[kSide], columns[kSide] = {};
    std::copy_n(right, kSide, v);
    for (std::size_t r = 0; r < kSide; ++r) {
        const Stored* row = tile + r * kSide;
        const float x = left[r];
        float sums[16] = {};
        for (std::size_t j = 0; j < kSide; j += 16)
            for (std::size_t lane = 0; lane < 16; ++lane) {
                const float m = static_cast<float>(row[j + lane]);
                sums[lane] += m * v[j + lane];
                columns[j + lane] += m * x;
            }
        below[r] += pairwise_sum(sums);
    }
    for (std::size_t j = 0; j < kSide; ++j) across[j] += columns[j];
}

}  // namespace

template <class Stored>
void triangle_store(const float* block, std::size_t rows, std::size_t cols, std::size_t first_row, float step,
                    std::size_t threads, Stored* tiles) {
    const float inverse = 1.0f / step;
    share((rows + kSide - 1) / kSide, threads, [&](std::size_t task) {
        const std::size_t I = first_row / kSide + task, height = std::min(kSide, rows - task * kSide);
        for (std::size_t J = 0; J <= I; ++J) {
            Stored* tile = tiles + (I * (I + 1) / 2 + J) * kSide * kSide;
            const std::size_t width = std::min(kSide, cols - J * kSide);
            for (std::size_t r = 0; r < kSide; ++r) {
                const float* row = block + (task * kSide + std::min(r, height - 1)) * cols + J * kSide;
                Stored* to = tile + r * kSide;
                for (std::size_t j = 0; j < width; ++j) to[j] = r < height ? rounded<Stored>(row[j] * inverse) : Stored(0);
                for (std::size_t j = width; j < kSide; ++j) to[j] = Stored(0);
            }
        }
    });
}

template <class Stored>
void triangle_times(const Stored* tiles, std::size_t n, double step, const float* V, std::size_t width,
                    std::size_t threads, double* out) {
    const std::size_t count = (n + kSide - 1) / kSide, padded = count * kSide;
    std::vector<float> columns(padded * width);  // V by columns, padded with zeros
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < width; ++c) columns[c * padded + i] = V[i * width + c];
    std::vector<double> sums(kSums * padded * width);
    share(kSums, threads, [&](std::size_t lane) {
        double* mine = sums.data() + lane * padded * width;
        for (std::size_t I = lane; I < count; I += kSums) {
            if (!go_on()) return;
            for (std::size_t J = 0; J <= I; ++J) {
                const Stored* tile = tiles + (I * (I + 1) / 2 + J) * kSide * kSide;
                for (std::size_t c = 0; c < width; ++c) {
                    const float* v = columns.data() + c * padded;
                    double* answer = mine + c * padded;
                    float below[kSide] = {}, across[kSide] = {};
                    tile_times(tile, v + J * kSide, v + I * kSide, below, across);
                    for (std::size_t r = 0; r < kSide; ++r) answer[I * kSide + r] += below[r];
                    if (I != J)
                        for (std::size_t j = 0; j < kSide; ++j) answer[J * kSide + j] += across[j];
                }
            }
        }
    });
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < width; ++c) {
            double total = 0;
            for (std::size_t lane = 0; lane < kSums; ++lane) total += sums[(lane * width + c) * padded + i];
            out[i * width + c] = step * total;
        }
}

#define SUREFIT_TRIANGLE(Stored)                                                                                       \
    template void triangle_store<Stored>(const float*, std::size_t, std::size_t, std::size_t, float, std::size_t,      \
                                         Stored*);                                                                     \
    template void triangle_times<Stored>(const Stored*, std::size_t, double, const float*, std::size_t, std::size_t,   \
                                         double*);
SUREFIT_TRIANGLE(float)
SUREFIT_TRIANGLE(std::int16_t)

}  // namespace surefit
