// Rows are taken a tile at a time: entries of the numbers, row by row, then what the row is worth to the sums.
//
// Products of columns that are no indicators are sums over a tile in registers, four columns against two vectors of
// others. For the levels a row is one vector addition for each column of words. Sums over some thousand rows are kept
// apart, so that they lose few digits.
#include "table.hpp"

#include "lanes.hpp"

#include <algorithm>

namespace surefit {
namespace {

using Vector = Lanes<double>::Vector;
constexpr std::size_t kLanes = Lanes<double>::count;
constexpr std::size_t kTile = 128;    // rows whose entries stay in the first cache
constexpr std::size_t kApart = 4096;  // rows whose sums by level are kept apart
constexpr std::size_t kTall = 4;      // columns that are set against
constexpr std::size_t kAcross = 2;    // so many vectors of others
constexpr std::size_t kPanel = kAcross * kLanes;

std::size_t padded(std::size_t size, std::size_t by) { return (size + by - 1) / by * by; }

template <class T>
const typename Lanes<T>::Vector& at(const T* entry) {
    return *reinterpret_cast<const typename Lanes<T>::Vector*>(entry);
}
template <class T>
typename Lanes<T>::Vector& at(T* entry) {
    return *reinterpret_cast<typename Lanes<T>::Vector*>(entry);
}

// Rows first .. first + count as [1, numbers], `stride` apart; numbers are moved to their origin in double.
template <class T, class Number>
void fill(const Table<Number>& table, std::size_t first, std::size_t count, T* tile, std::size_t stride) {
    for (std::size_t i = 0; i < count; ++i) tile[i * stride] = T(1);
    for (std::size_t j = 0; j < table.cols; ++j) {
        const Number* column = table.numbers + static_cast<std::int64_t>(first) * table.row_stride +
                               static_cast<std::int64_t>(j) * table.col_stride;
        const double inverse = table.inverse[j], shift = table.shift[j];
        for (std::size_t i = 0; i < count; ++i)
            tile[i * stride + 1 + j] = static_cast<T>(
                static_cast<double>(column[static_cast<std::int64_t>(i) * table.row_stride]) * inverse - shift);
    }
}

// gram (side, side) gains the products of the weighted rows with the rows, in panels on and above the diagonal.
void add_gram(const double* rows, const double* weighted, std::size_t count, std::size_t stride, std::size_t side,
              double* gram) {
    for (std::size_t j = 0; j < side; j += kTall)
        for (std::size_t k = j / kPanel * kPanel; k < side; k += kPanel) {
            Vector sum[kTall][kAcross] = {};
            for (std::size_t i = 0; i < count; ++i) {
                const double *row = rows + i * stride + k, *factors = weighted + i * stride + j;
                Vector across[kAcross];
#pragma GCC unroll 2
                for (std::size_t v = 0; v < kAcross; ++v) across[v] = at(row + v * kLanes);
#pragma GCC unroll 4
                for (std::size_t t = 0; t < kTall; ++t) {
                    const double factor = factors[t];
#pragma GCC unroll 2
                    for (std::size_t v = 0; v < kAcross; ++v) sum[t][v] += factor * across[v];
                }
            }
#pragma GCC unroll 4
            for (std::size_t t = 0; t < kTall; ++t)
#pragma GCC unroll 2
                for (std::size_t v = 0; v < kAcross; ++v) at(gram + (j + t) * side + k + v * kLanes) += sum[t][v];
        }
}

// What a call needs beside its arguments: rows of a tile, weighted rows with U behind them, and sums kept apart.
struct Workspace {
    std::size_t q, side, wide;
    Room<double> rows, weighted, gram, cross, squares, by_level;
    Workspace(std::size_t q_, std::size_t width, std::size_t levels)
        : q(q_), side(padded(q_, kPanel)), wide(side + padded(width, kLanes)), rows(kTile * wide), weighted(kTile * wide),
          gram(side * side), cross(side * width), squares(side), by_level(levels * wide) {}
};

template <class Number>
void add_levels(const Table<Number>& table, const TableSums& sums, std::size_t first, std::size_t count, Workspace& at_work) {
    const std::size_t s = at_work.q + table.levels;
    for (std::size_t i = 0; i < count; ++i) {
        const double* row = at_work.weighted.data() + i * at_work.wide;
        for (std::size_t c = 0; c < table.words; ++c) {
            const std::int32_t level = table.codes[c * table.rows + first + i];
            if (level < 0) continue;
            double* sum = at_work.by_level.data() + static_cast<std::size_t>(level) * at_work.wide;
            for (std::size_t k = 0; k < at_work.wide; k += kLanes) at(sum + k) += at(row + k);
            double* pairs = sums.gram + (at_work.q + static_cast<std::size_t>(level)) * s + at_work.q;
            for (std::size_t e = c; e < table.words; ++e) {
                const std::int32_t other = table.codes[e * table.rows + first + i];
                if (other >= 0) pairs[other] += row[0];  // the constant times the weight
            }
        }
    }
}

// Adds what was kept apart to the sums, and begins anew.
void settle(const TableSums& sums, std::size_t levels, Workspace& kept) {
    const std::size_t q = kept.q, s = q + levels;
    for (std::size_t j = 0; j < q; ++j) {
        for (std::size_t k = j; k < q; ++k) sums.gram[j * s + k] += kept.gram.data()[j * kept.side + k];
        for (std::size_t u = 0; u < sums.width; ++u) sums.cross[j * sums.width + u] += kept.cross.data()[u * kept.side + j];
        sums.squares[j] += kept.squares.data()[j];
    }
    for (std::size_t l = 0; l < levels; ++l) {
        double* sum = kept.by_level.data() + l * kept.wide;
        for (std::size_t j = 0; j < q; ++j) sums.gram[j * s + q + l] += sum[j];
        for (std::size_t u = 0; u < sums.width; ++u) sums.cross[(q + l) * sums.width + u] += sum[kept.side + u];
        std::fill(sum, sum + kept.wide, 0.0);
    }
    std::fill(kept.gram.data(), kept.gram.data() + kept.side * kept.side, 0.0);
    std::fill(kept.cross.data(), kept.cross.data() + kept.side * sums.width, 0.0);
    std::fill(kept.squares.data(), kept.squares.data() + kept.side, 0.0);
}

}  // namespace

// One column of results: a column of the table after the other.
template <class Number>
void times_vector(const Table<Number>& table, const double* v, double* out) {
    const double* of_levels = v + 1 + table.cols;
    std::fill(out, out + table.rows, v[0]);
    for (std::size_t first = 0; first < table.rows; first += kTile) {
        const std::size_t last = std::min(table.rows, first + kTile);
        for (std::size_t j = 0; j < table.cols; ++j) {
            const Number* column = table.numbers + static_cast<std::int64_t>(j) * table.col_stride;
            const double inverse = table.inverse[j], shift = table.shift[j], factor = v[1 + j];
            for (std::size_t i = first; i < last; ++i)
                out[i] += (static_cast<double>(column[static_cast<std::int64_t>(i) * table.row_stride]) * inverse - shift) * factor;
        }
        for (std::size_t c = 0; c < table.words; ++c)
            for (std::size_t i = first; i < last; ++i) {
                const std::int32_t level = table.codes[c * table.rows + i];
                if (level >= 0) out[i] += of_levels[level];
            }
    }
}

// V (rows, width) as rows of `wide` numbers of type T.
template <class T>
Room<T> widened(const double* V, std::size_t rows, std::size_t width, std::size_t wide) {
    Room<T> found(rows * wide);
    for (std::size_t k = 0; k < rows; ++k)
        for (std::size_t u = 0; u < width; ++u) found.data()[k * wide + u] = static_cast<T>(V[k * width + u]);
    return found;
}

constexpr std::size_t kChunk = 4;  // vectors of a row of results that are summed up together

// out (wide) = row i of the table, whose entries that are no indicators are `entries`, times factors (s, wide).
template <class T, class Number>
void row_times(const Table<Number>& table, std::size_t i, const T* entries, const T* factors, std::size_t wide, T* out) {
    constexpr std::size_t lanes = Lanes<T>::count;
    const std::size_t q = 1 + table.cols;
    for (std::size_t u = 0; u < wide; u += kChunk * lanes) {
        typename Lanes<T>::Vector sum[kChunk] = {};
        for (std::size_t j = 0; j < q; ++j) {
            const T entry = entries[j], *factor = factors + j * wide + u;
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kChunk; ++v) sum[v] += entry * at(factor + v * lanes);
        }
        for (std::size_t c = 0; c < table.words; ++c) {
            const std::int32_t level = table.codes[c * table.rows + i];
            if (level < 0) continue;
            const T* factor = factors + (q + static_cast<std::size_t>(level)) * wide + u;
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kChunk; ++v) sum[v] += at(factor + v * lanes);
        }
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kChunk; ++v) at(out + u + v * lanes) = sum[v];
    }
}

template <class Number>
void table_times(const Table<Number>& table, const double* V, std::size_t width, double* out) {
    if (width == 1) return times_vector(table, V, out);
    const std::size_t q = 1 + table.cols, wide = padded(width, kChunk * kLanes);
    const Room<double> factors = widened<double>(V, q + table.levels, width, wide);
    Room<double> rows(kTile * q), result(wide);
    for (std::size_t first = 0; first < table.rows; first += kTile) {
        const std::size_t count = std::min(kTile, table.rows - first);
        fill(table, first, count, rows.data(), q);
        for (std::size_t i = 0; i < count; ++i) {
            row_times(table, first + i, rows.data() + i * q, factors.data(), wide, result.data());
            std::copy_n(result.data(), width, out + (first + i) * width);
        }
    }
}

template <class Number>
void table_products(const Table<Number>& table, const TableSums& sums) {
    Workspace kept(1 + table.cols + sums.n_beside, sums.width, table.levels);
    double *rows = kept.rows.data(), *weighted = kept.weighted.data();
    const std::size_t wide = kept.wide;
    for (std::size_t first = 0; first < table.rows; first += kTile) {
        const std::size_t count = std::min(kTile, table.rows - first);
        fill(table, first, count, rows, wide);
        for (std::size_t i = 0; i < count; ++i) {
            double *row = rows + i * wide, *heavy = weighted + i * wide;
            const double *U = sums.U + (first + i) * sums.width, weight = sums.weight[first + i];
            for (std::size_t b = 0; b < sums.n_beside; ++b)
                row[1 + table.cols + b] = sums.beside[(first + i) * sums.n_beside + b];
            for (std::size_t k = 0; k < kept.side; k += kLanes) at(heavy + k) = weight * at(row + k);
            for (std::size_t u = 0; u < sums.width; ++u) heavy[kept.side + u] = U[u];
            for (std::size_t u = 0; u < sums.width; ++u)
                for (std::size_t k = 0; k < kept.side; k += kLanes) at(kept.cross.data() + u * kept.side + k) += U[u] * at(row + k);
            const double last = U[sums.width - 1];
            for (std::size_t k = 0; k < kept.side; k += kLanes) at(kept.squares.data() + k) += last * at(row + k) * at(row + k);
        }
        add_gram(rows, weighted, count, wide, kept.side, kept.gram.data());
        add_levels(table, sums, first, count, kept);
        if ((first + kTile) % kApart == 0) settle(sums, table.levels, kept);
    }
    settle(sums, table.levels, kept);
}

namespace {

constexpr std::size_t kFew = 32;                              // rows whose sums are in the precision of the loop
constexpr std::size_t kTogether = kRegisters >= 32 ? 4 : 2;  // rows that share the factors that are loaded
constexpr std::size_t kWidth = 2;                             // vectors of lams

// Rows of U (kTogether, deep) for lams l .. l + kWidth vectors: residuals and leverages, then what they add to the sums.
template <class T>
void add_left_out(const T* U, std::size_t deep, std::size_t rank, const T* coef, const T* share, std::size_t wide,
                  const T* target, const T* weight, T own, T* added, T* fourth) {
    using V = typename Lanes<T>::Vector;
    constexpr std::size_t lanes = Lanes<T>::count;
    V residual[kTogether][kWidth] = {}, leverage[kTogether][kWidth] = {};
    for (std::size_t k = 0; k < rank; ++k) {
        V c[kWidth], s[kWidth];
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kWidth; ++v) c[v] = at(coef + k * wide + v * lanes), s[v] = at(share + k * wide + v * lanes);
#pragma GCC unroll 4
        for (std::size_t t = 0; t < kTogether; ++t) {
            const T u = U[t * deep + k], square = u * u;
#pragma GCC unroll 2
            for (std::size_t v = 0; v < kWidth; ++v) {
                residual[t][v] += u * c[v];
                leverage[t][v] += square * s[v];
            }
        }
    }
#pragma GCC unroll 4
    for (std::size_t t = 0; t < kTogether; ++t)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kWidth; ++v) {
            const V r = residual[t][v] - target[t], h = weight[t] * (leverage[t][v] + own), e = h / (T(1) - h);
            const V gain = r * r * e * (T(2) + e), all = r * r + gain;  // 1 / (1 - h)^2 = 1 + e (2 + e)
            at(added + v * lanes) += weight[t] * gain;
            at(fourth + v * lanes) += weight[t] * all * all;
        }
}

}  // namespace

template <class T, class Number>
void table_left_out(const Table<Number>& table, const LeaveOut& given) {
    constexpr std::size_t lanes = Lanes<T>::count;
    const std::size_t q = 1 + table.cols, deep = padded(given.rank, kChunk * lanes), wide = padded(given.lams, kWidth * lanes);
    const Room<T> turn = widened<T>(given.turn, q + table.levels, given.rank, deep);
    const Room<T> coef = widened<T>(given.coef, given.rank, given.lams, wide);
    const Room<T> share = widened<T>(given.share, given.rank, given.lams, wide);
    Room<T> rows(kFew * q), U(kFew * deep), target(kFew), weight(kFew), sums(2 * wide);
    for (std::size_t first = 0; first < table.rows; first += kFew) {
        const std::size_t count = std::min(kFew, table.rows - first);
        fill(table, first, count, rows.data(), q);
        std::fill(weight.data(), weight.data() + kFew, T(0));  // rows that are not there weigh nothing
        for (std::size_t i = 0; i < count; ++i) {
            row_times(table, first + i, rows.data() + i * q, turn.data(), deep, U.data() + i * deep);
            target.data()[i] = static_cast<T>(given.target[first + i]);
            weight.data()[i] = static_cast<T>(given.weight[first + i]);
        }
        for (std::size_t i = 0; i < count; i += kTogether)
            for (std::size_t l = 0; l < wide; l += kWidth * lanes)
                add_left_out<T>(U.data() + i * deep, deep, given.rank, coef.data() + l, share.data() + l, wide,
                                target.data() + i, weight.data() + i, static_cast<T>(given.own), sums.data() + l,
                                sums.data() + wide + l);
        for (std::size_t l = 0; l < given.lams; ++l) {
            given.added[l] += static_cast<double>(sums.data()[l]);
            given.fourth[l] += static_cast<double>(sums.data()[wide + l]);
        }
        std::fill(sums.data(), sums.data() + 2 * wide, T(0));
    }
}

template void table_left_out<float>(const Table<float>&, const LeaveOut&);
template void table_left_out<float>(const Table<double>&, const LeaveOut&);
template void table_left_out<double>(const Table<float>&, const LeaveOut&);
template void table_left_out<double>(const Table<double>&, const LeaveOut&);
template void table_times(const Table<float>&, const double*, std::size_t, double*);
template void table_times(const Table<double>&, const double*, std::size_t, double*);
template void table_products(const Table<float>&, const TableSums&);
template void table_products(const Table<double>&, const TableSums&);

}  // namespace surefit
