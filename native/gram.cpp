// Gram matrices by tiles whose sums stay in registers.
//
// A few hundred rows are packed into panels, each as many columns as a vector has lanes. A tile is three panels against
// part of another: their sums take 24 of 32 registers, the vectors that are multiplied the others. The single panel
// stays in the first cache, a block of triples in the second.
#include "gram.hpp"

#include "lanes.hpp"
#include "share.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace surefit {
namespace {

constexpr std::size_t kTall = Lanes<double>::count;  // columns of the single panel that a tile takes
constexpr std::size_t kAcross = 3;                   // panels that meet it
constexpr std::size_t kBlock = 4;                    // triples of panels that stay in the second cache
constexpr std::size_t kSquare = 32;                  // side of the squares in which the result is mirrored

template <class T>
constexpr std::size_t kPanel = Lanes<T>::count;      // columns of a panel
template <class T>
constexpr std::size_t kWide = kAcross * kPanel<T>;
template <class T>  // rows whose products are summed at a stretch: short sums of single numbers lose less
constexpr std::size_t kShort = sizeof(T) == sizeof(double) ? kDeep : 16;

// total += one' others over so many packed rows
template <class T, std::size_t kPanels>
inline void add_products(const T* one, const T* others, std::size_t rows, typename Lanes<T>::Vector (&total)[kTall][kPanels]) {
    using Vector = typename Lanes<T>::Vector;
    Vector sum[kTall][kPanels] = {};
    for (std::size_t k = 0; k < rows; ++k) {
        Vector across[kPanels];
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kPanels; ++v)
            across[v] = *reinterpret_cast<const Vector*>(others + (v * kDeep + k) * kPanel<T>);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < kTall; ++j) {
            const T factor = one[k * kPanel<T> + j];
#pragma GCC unroll 3
            for (std::size_t v = 0; v < kPanels; ++v) sum[j][v] += factor * across[v];
        }
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kTall; ++j)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kPanels; ++v) total[j][v] += sum[j][v];
}

// sums (kTall, kPanels * kPanel), rows `stride` apart, = or += one' others over the packed rows.
template <class T, std::size_t kPanels>
void tile(const T* one, const T* others, std::size_t rows, bool first, double* sums, std::size_t stride) {
    typedef double Sums __attribute__((vector_size(kPanel<T> * sizeof(double)), aligned(alignof(double)), may_alias));
    for (std::size_t j = 0; j < kTall; ++j)
        for (std::size_t v = 0; v < kPanels * kPanel<T>; v += kBytes / sizeof(double))
            __builtin_prefetch(sums + j * stride + v, 1);
    typename Lanes<T>::Vector total[kTall][kPanels] = {};
    for (std::size_t k = 0; k < rows; k += kShort<T>)
        add_products<T, kPanels>(one + k * kPanel<T>, others + k * kPanel<T>, std::min(kShort<T>, rows - k), total);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kTall; ++j)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < kPanels; ++v) {
            Sums& to = *reinterpret_cast<Sums*>(sums + j * stride + v * kPanel<T>);
            const Sums here = __builtin_convertvector(total[j][v], Sums);
            to = first ? here : to + here;
        }
}

// Sums over rows for each column, in double precision: its products with what is beside it, and its square.
struct ColumnSums {
    double *cross, *square;
};

struct Block {
    std::size_t row, column, height, width;
};

// A block no wider than a panel; with kWhole as wide, of rows whose entries follow each other.
template <class T, bool kWhole>
void pack_panel(const GramRows& rows, Block block, T* panel, const ColumnSums& sums) {
    const std::size_t i = block.row, j = block.column, width = kWhole ? kPanel<T> : block.width;
    const std::int64_t stride = kWhole ? 1 : rows.X.col_stride;
    double cross[kPanel<T>] = {}, square[kPanel<T>] = {}, shift[kPanel<T>] = {};
    std::copy(rows.shift + j, rows.shift + j + width, shift);
    for (std::size_t k = 0; k < block.height; ++k) {
        const double *row = &rows.X.at(i + k, j), factor = rows.factor[i + k], beside = rows.beside[i + k];
        for (std::size_t t = 0; t < width; ++t) {
            const double entry = factor * (row[static_cast<std::int64_t>(t) * stride] - shift[t]);
            panel[k * kPanel<T> + t] = static_cast<T>(entry);
            cross[t] += entry * beside;
            square[t] += entry * entry;
        }
    }
    for (std::size_t t = 0; t < width; ++t) sums.cross[j + t] += cross[t], sums.square[j + t] += square[t];
}

// Rows first .. first + count of A as panels: column j of row k at [(j / kPanel * kDeep + k) * kPanel + j % kPanel].
template <class T>
void pack(const GramRows& rows, std::size_t first, std::size_t count, T* panels, const ColumnSums& sums) {
    const std::size_t d = rows.X.cols, together = rows.X.col_stride == 1 ? kTall : count;  // as the rows lie in memory
    for (std::size_t k = 0; k < count; k += together)
        for (std::size_t j = 0; j < d; j += kPanel<T>) {
            T* panel = panels + j * kDeep + k * kPanel<T>;
            const Block block{first + k, j, std::min(together, count - k), std::min(kPanel<T>, d - j)};
            const bool whole = block.width == kPanel<T> && rows.X.col_stride == 1;
            (whole ? pack_panel<T, true> : pack_panel<T, false>)(rows, block, panel, sums);
        }
}

// The tiles of rows begin .. end on and above the diagonal of sums (side, side); the others are left as they were.
template <class T>
void part(const GramRows& rows, std::size_t begin, std::size_t end, double* sums, std::size_t side,
          const ColumnSums& columns) {
    Room<T> panels(side * kDeep);
    const std::size_t triples = side / kWide<T>;
    for (std::size_t first = begin; first < end; first += kDeep) {
        const std::size_t count = std::min(kDeep, end - first);
        heed_signals();
        pack<T>(rows, first, count, panels.data(), columns);
        for (std::size_t block = 0; block < triples; block += kBlock) {
            const std::size_t stop = std::min(block + kBlock, triples);
            for (std::size_t p = 0; p < stop * kAcross; ++p)
                for (std::size_t t = std::max(block, p / kAcross); t < stop; ++t) {
                    const std::size_t below = p > t * kAcross ? p - t * kAcross : 0;  // panels left of the diagonal
                    const T* others = panels.data() + (t * kAcross + below) * kDeep * kPanel<T>;
                    for (std::size_t j = 0; j < kPanel<T>; j += kTall)
                        (below == 0 ? tile<T, 3> : below == 1 ? tile<T, 2> : tile<T, 1>)(
                            panels.data() + p * kDeep * kPanel<T> + j, others, count, first == begin,
                            sums + (p * kPanel<T> + j) * side + t * kWide<T> + below * kPanel<T>, side);
                }
        }
    }
}

constexpr std::size_t kAbreast = kLanes / Lanes<double>::count;  // vectors that hold all lanes
constexpr std::size_t kSlab = 40;                                // rows that stay in the second cache

// Lines of a matrix: entry k of line i is [i * apart + k * step].
struct Lines {
    const double* data;
    std::size_t count, length;
    std::int64_t apart, step;
};

// out (count, kLanes) = or += lines times across (length, kLanes)
void multiply(const Lines& lines, const double* across, bool add, double* out) {
    using Vector = Lanes<double>::Vector;
    for (std::size_t first = 0; first < lines.count; first += kTall) {
        const std::size_t count = std::min(kTall, lines.count - first);
        const double* line[kTall];
        for (std::size_t i = 0; i < kTall; ++i)
            line[i] = lines.data + static_cast<std::int64_t>(first + std::min(i, count - 1)) * lines.apart;
        Vector sum[kTall][kAbreast] = {};
        std::int64_t place = 0;
        for (std::size_t k = 0; k < lines.length; ++k, place += lines.step) {
            Vector factor[kAbreast];
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kAbreast; ++v)
                factor[v] = *reinterpret_cast<const Vector*>(across + k * kLanes + v * Lanes<double>::count);
#pragma GCC unroll 8
            for (std::size_t i = 0; i < kTall; ++i)
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kAbreast; ++v) sum[i][v] += line[i][place] * factor[v];
        }
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t v = 0; v < kAbreast; ++v) {
                Vector& to = *reinterpret_cast<Vector*>(out + (first + i) * kLanes + v * Lanes<double>::count);
                to = add ? to + sum[i][v] : sum[i][v];
            }
    }
}

template <class T>
void gram_of(const GramRows& rows, std::size_t parts, std::size_t threads, double* out, double* cross) {
    const std::size_t d = rows.X.cols, n = rows.X.rows, side = (d + kWide<T> - 1) / kWide<T> * kWide<T>;
    parts = std::max<std::size_t>(std::min(parts, n), 1);
    const std::unique_ptr<double[]> sums(new double[parts * side * side]);  // first touched by the thread that fills it
    std::vector<double> products(parts * d), squares(parts * d);
    share(parts, threads, [&](std::size_t k) {
        part<T>(rows, n * k / parts, n * (k + 1) / parts, sums.get() + k * side * side, side,
                {products.data() + k * d, squares.data() + k * d});
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
        double sum = 0.0, square = 0.0;
        for (std::size_t k = 0; k < parts; ++k) sum += products[k * d + j], square += squares[k * d + j];
        cross[j] = sum, out[j * d + j] = square;
    }
}

}  // namespace

void gram(const GramRows& rows, bool single, std::size_t parts, std::size_t threads, double* out, double* cross) {
    (single ? gram_of<float> : gram_of<double>)(rows, parts, threads, out, cross);
}

void gram_times(const GramRows& rows, const double* lanes, std::size_t blocks, std::size_t parts, std::size_t threads,
                double* out) {
    const MatrixView& X = rows.X;
    const std::size_t d = X.cols, n = X.rows, size = d * kLanes;
    std::vector<double> sums(parts * blocks * size), offset(blocks * kLanes), totals(parts * blocks * kLanes);
    for (std::size_t b = 0; b < blocks; ++b)
        multiply({rows.shift, 1, d, 0, 1}, lanes + b * size, false, offset.data() + b * kLanes);
    share(parts, threads, [&](std::size_t part) {
        Room<double> fitted(kSlab * kLanes);
        for (std::size_t first = n * part / parts, end = n * (part + 1) / parts; first < end; first += kSlab) {
            const std::size_t count = std::min(kSlab, end - first);
            const double* corner = &X.at(first, 0);
            heed_signals();
            for (std::size_t b = 0; b < blocks; ++b) {
                multiply({corner, count, d, X.row_stride, X.col_stride}, lanes + b * size, false, fitted.data());
                double* total = totals.data() + (part * blocks + b) * kLanes;
                for (std::size_t k = 0; k < count; ++k)
                    for (std::size_t lane = 0; lane < kLanes; ++lane) {
                        double& value = fitted.data()[k * kLanes + lane];
                        value = (value - offset[b * kLanes + lane]) * rows.factor[first + k] * rows.factor[first + k];
                        total[lane] += value;
                    }
                multiply({corner, d, count, X.col_stride, X.row_stride}, fitted.data(), true, sums.data() + (part * blocks + b) * size);
            }
        }
    });
    for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t i = 0; i < size; ++i) {
            double sum = 0.0;
            for (std::size_t part = 0; part < parts; ++part)
                sum += sums[(part * blocks + b) * size + i] - rows.shift[i / kLanes] * totals[(part * blocks + b) * kLanes + i % kLanes];
            out[b * size + i] = sum;
        }
}

}  // namespace surefit
