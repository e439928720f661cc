// Gram matrices by tiles whose sums stay in registers.
//
// A few hundred rows are packed into panels, each as many columns as a vector has lanes. A tile is three panels against
// another: their sums take 24 of 32 registers, the vectors that are multiplied the others. The single panel
// stays in the first cache, a block of triples in the second.
#include "gram.hpp"

#include "lanes.hpp"
#include "share.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace surefit {
namespace {

using Vector = Lanes<double>::Vector;

constexpr std::size_t kDeep = 320;                    // rows that are packed together
constexpr std::size_t kPanel = Lanes<double>::count;  // columns of a panel
constexpr std::size_t kAcross = 3;                    // panels that a tile sets against a single one
constexpr std::size_t kWide = kAcross * kPanel;
constexpr std::size_t kBlock = 4;                     // triples of panels that stay in the second cache
constexpr std::size_t kSquare = 32;                   // side of the squares in which the result is mirrored

// sums (kPanel, kPanels * kPanel), rows `stride` apart, = or += one' others over the packed rows.
template <std::size_t kPanels>
void tile(const double* one, const double* others, std::size_t rows, bool first, double* sums, std::size_t stride) {
    for (std::size_t j = 0; j < kPanel; ++j)
        for (std::size_t v = 0; v < kPanels; ++v) __builtin_prefetch(sums + j * stride + v * kPanel, 1);
    Vector sum[kPanel][kPanels] = {};
    for (std::size_t k = 0; k < rows; ++k) {
        Vector across[kPanels];
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kPanels; ++v)
            across[v] = *reinterpret_cast<const Vector*>(others + (v * kDeep + k) * kPanel);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < kPanel; ++j) {
            const double factor = one[k * kPanel + j];
#pragma GCC unroll 3
            for (std::size_t v = 0; v < kPanels; ++v) sum[j][v] += factor * across[v];
        }
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kPanel; ++j)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kPanels; ++v) {
            Vector& to = *reinterpret_cast<Vector*>(sums + j * stride + v * kPanel);
            to = first ? sum[j][v] : to + sum[j][v];
        }
}

struct Block {
    std::size_t row, column, height, width;
};

// A block no wider than a panel; with kWhole as wide, of rows whose entries follow each other. Its products with what is
// beside the rows are added to cross.
template <bool kWhole>
void pack_panel(const GramRows& rows, Block block, double* panel, double* cross) {
    const std::size_t i = block.row, j = block.column, width = kWhole ? kPanel : block.width;
    const std::int64_t stride = kWhole ? 1 : rows.X.col_stride;
    double sum[kPanel] = {};
    for (std::size_t k = 0; k < block.height; ++k) {
        const double *row = &rows.X.at(i + k, j), factor = rows.factor[i + k], beside = rows.beside[i + k];
        for (std::size_t t = 0; t < width; ++t) {
            const double entry = factor * row[static_cast<std::int64_t>(t) * stride];
            panel[k * kPanel + t] = entry;
            sum[t] += entry * beside;
        }
    }
    for (std::size_t t = 0; t < width; ++t) cross[j + t] += sum[t];
}

// Rows first .. first + count of A as panels: column j of row k at [(j / kPanel * kDeep + k) * kPanel + j % kPanel].
void pack(const GramRows& rows, std::size_t first, std::size_t count, double* panels, double* cross) {
    const std::size_t d = rows.X.cols, together = rows.X.col_stride == 1 ? kPanel : count;  // as the rows lie in memory
    for (std::size_t k = 0; k < count; k += together)
        for (std::size_t j = 0; j < d; j += kPanel) {
            double* panel = panels + j * kDeep + k * kPanel;
            const Block block{first + k, j, std::min(together, count - k), std::min(kPanel, d - j)};
            const bool whole = block.width == kPanel && rows.X.col_stride == 1;
            (whole ? pack_panel<true> : pack_panel<false>)(rows, block, panel, cross);
        }
}

// The tiles of rows begin .. end on and above the diagonal of sums (side, side); the others are left as they were.
void part(const GramRows& rows, std::size_t begin, std::size_t end, double* sums, std::size_t side,
          double* cross, Room<double>& panels) {
    const std::size_t triples = side / kWide;
    for (std::size_t first = begin; first < end; first += kDeep) {
        const std::size_t count = std::min(kDeep, end - first);
        if (!go_on()) return;
        pack(rows, first, count, panels.data(), cross);
        for (std::size_t block = 0; block < triples; block += kBlock) {
            const std::size_t stop = std::min(block + kBlock, triples);
            for (std::size_t p = 0; p < stop * kAcross; ++p)
                for (std::size_t t = std::max(block, p / kAcross); t < stop; ++t) {
                    const std::size_t below = p > t * kAcross ? p - t * kAcross : 0;  // panels left of the diagonal
                    const double* others = panels.data() + (t * kAcross + below) * kDeep * kPanel;
                    (below == 0 ? tile<3> : below == 1 ? tile<2> : tile<1>)(
                        panels.data() + p * kDeep * kPanel, others, count, first == begin,
                        sums + p * kPanel * side + t * kWide + below * kPanel, side);
                }
        }
    }
}

}  // namespace

void gram(const GramRows& rows, std::size_t parts, std::size_t threads, double* out, double* cross) {
    const std::size_t d = rows.X.cols, n = rows.X.rows, side = (d + kWide - 1) / kWide * kWide;
    parts = std::max<std::size_t>(std::min(parts, n), 1);
    const std::unique_ptr<double[]> sums(new double[parts * side * side]);  // first touched by the thread that fills it
    std::vector<double> products(parts * d);
    const auto make_panels = [&] { return Room<double>(side * kDeep); };
    share(parts, threads, make_panels, [&](std::size_t k, Room<double>& panels) {
        part(rows, n * k / parts, n * (k + 1) / parts, sums.get() + k * side * side, side,
             products.data() + k * d, panels);
    });
    const std::size_t sides = (d + kSquare - 1) / kSquare, filled = n > 0 ? parts : 0;
    share(sides, threads, [&](std::size_t I) {
        for (std::size_t J = I; J < sides; ++J)
            for (std::size_t i = I * kSquare; i < std::min(d, (I + 1) * kSquare); ++i)
                for (std::size_t j = std::max(i, J * kSquare); j < std::min(d, (J + 1) * kSquare); ++j) {
                    double sum = 0.0;
                    for (std::size_t k = 0; k < filled; ++k) sum += sums[(k * side + i) * side + j];
                    out[i * d + j] = out[j * d + i] = sum;
                }
    });
    for (std::size_t j = 0; j < d; ++j) {
        cross[j] = 0.0;
        for (std::size_t k = 0; k < parts; ++k) cross[j] += products[k * d + j];
    }
}

}  // namespace surefit
