// Gram matrices by tiles whose sums stay in registers.
//
// A few hundred rows are packed into panels, each as many columns as a vector has lanes. A tile is three panels against
// one: their sums take 24 of 32 registers, the vectors that are multiplied the others. The single panel stays in the
// first cache, a block of triples in the second.
#include "gram.hpp"

#include "lanes.hpp"
#include "share.hpp"

#include <algorithm>
#include <memory>

namespace surefit {
namespace {

using Vector = Lanes<double>::Vector;
constexpr std::size_t kPanel = Lanes<double>::count;  // columns of a panel
constexpr std::size_t kAcross = 3;                    // panels that meet one other in a tile
constexpr std::size_t kWide = kAcross * kPanel;
constexpr std::size_t kDeep = 320;                    // rows that are packed together
constexpr std::size_t kBlock = 4;                     // triples of panels that stay in the second cache
constexpr std::size_t kSquare = 32;                   // side of the squares in which the result is mirrored

// sums (kPanel, kPanels * kPanel), rows `stride` apart, = or += one' others over the packed rows.
template <std::size_t kPanels>
void tile(const double* one, const double* others, std::size_t rows, bool first, double* sums, std::size_t stride) {
    Vector sum[kPanel][kPanels] = {};
    for (std::size_t j = 0; j < kPanel; ++j)
        for (std::size_t v = 0; v < kPanels; ++v) __builtin_prefetch(sums + j * stride + v * kPanel, 1);
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

// Rows first .. first + count of A as panels: column j of row k at [(j / kPanel * kDeep + k) * kPanel + j % kPanel].
void pack(const GramRows& rows, std::size_t first, std::size_t count, double* panels) {
    const MatrixView& X = rows.X;
    const std::size_t d = X.cols;
    const auto entry = [&](std::size_t k, std::size_t j) {
        return X.data + static_cast<std::int64_t>(first + k) * X.row_stride + static_cast<std::int64_t>(j) * X.col_stride;
    };
    const std::size_t full = d / kPanel * kPanel;
    if (X.col_stride == 1) {
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t j = 0; j < full; j += kPanel)
                *reinterpret_cast<Vector*>(panels + j * kDeep + k * kPanel) = *reinterpret_cast<const Vector*>(entry(k, j));
    } else {
        for (std::size_t j = 0; j < full; j += kPanel) {
            const double* column[kPanel];
            for (std::size_t t = 0; t < kPanel; ++t) column[t] = entry(0, j + t);
            for (std::size_t k = 0; k < count; ++k)
#pragma GCC unroll 8
                for (std::size_t t = 0; t < kPanel; ++t) {
                    panels[j * kDeep + k * kPanel + t] = *column[t];
                    column[t] += X.row_stride;
                }
        }
    }
    for (std::size_t j = full; j < d; ++j)
        for (std::size_t k = 0; k < count; ++k) panels[full * kDeep + k * kPanel + j - full] = *entry(k, j);
    if (rows.factor != nullptr)
        for (std::size_t p = 0; p * kPanel < d; ++p)
            for (std::size_t k = 0; k < count; ++k)
                *reinterpret_cast<Vector*>(panels + (p * kDeep + k) * kPanel) *= rows.factor[first + k];
    if (rows.beside != nullptr)
        for (std::size_t k = 0; k < count; ++k)
            panels[(d / kPanel * kDeep + k) * kPanel + d % kPanel] = rows.beside[first + k];
}

// The tiles of rows begin .. end on and above the diagonal of sums (side, side); the others are left as they were.
void part(const GramRows& rows, std::size_t begin, std::size_t end, double* sums, std::size_t side) {
    Room<double> panels(side * kDeep);
    const std::size_t triples = side / kWide;
    for (std::size_t first = begin; first < end; first += kDeep) {
        const std::size_t count = std::min(kDeep, end - first);
        pack(rows, first, count, panels.data());
        for (std::size_t block = 0; block < triples; block += kBlock) {
            const std::size_t stop = std::min(block + kBlock, triples);
            for (std::size_t p = 0; p < stop * kAcross; ++p)
                for (std::size_t t = std::max(block, p / kAcross); t < stop; ++t) {
                    const std::size_t below = p > t * kAcross ? p - t * kAcross : 0;  // panels left of the diagonal
                    const double* others = panels.data() + (t * kAcross + below) * kDeep * kPanel;
                    double* to = sums + p * kPanel * side + t * kWide + below * kPanel;
                    (below == 0 ? tile<3> : below == 1 ? tile<2> : tile<1>)(
                        panels.data() + p * kDeep * kPanel, others, count, first == begin, to, side);
                }
        }
    }
}

}  // namespace

void gram(const GramRows& rows, std::size_t parts, std::size_t threads, double* out, double* cross) {
    const std::size_t d = rows.X.cols, n = rows.X.rows, m = rows.width(), side = (m + kWide - 1) / kWide * kWide;
    parts = std::max<std::size_t>(std::min(parts, n), 1);
    const std::unique_ptr<double[]> sums(new double[parts * side * side]);  // first touched by the thread that fills it
    share(parts, threads, [&](std::size_t k) {
        part(rows, n * k / parts, n * (k + 1) / parts, sums.get() + k * side * side, side);
    });
    const auto total = [&](std::size_t i, std::size_t j) {
        double sum = 0.0;
        for (std::size_t k = 0; n > 0 && k < parts; ++k) sum += sums[(k * side + i) * side + j];
        return sum;
    };
    const std::size_t squares = (d + kSquare - 1) / kSquare;
    share(squares, threads, [&](std::size_t I) {
        for (std::size_t J = I; J < squares; ++J)
            for (std::size_t i = I * kSquare; i < std::min(d, (I + 1) * kSquare); ++i)
                for (std::size_t j = std::max(i, J * kSquare); j < std::min(d, (J + 1) * kSquare); ++j)
                    out[i * d + j] = out[j * d + i] = total(i, j);
    });
    for (std::size_t j = 0; j < (rows.beside == nullptr ? 0 : d); ++j) cross[j] = total(j, d);
}

}  // namespace surefit
