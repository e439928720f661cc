// A Cholesky factor that follows a changing support: variables join in blocks and leave one at a time.
//
// Lines of a matrix are taken eight at a time: what they are added to or multiplied by is then read once for all eight.
#pragma once

#include "interrupt.hpp"
#include "lanes.hpp"
#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace surefit {

constexpr std::size_t kTogether = 8;

// out += sum_t by_t line_t for eight lines.
inline void add_lines(double* out, const double* const* line, const double* by, std::size_t n) {
    using Vector = Lanes<double>::Vector;
    std::size_t i = 0;
    for (; i + Lanes<double>::count <= n; i += Lanes<double>::count) {
        Vector sum = *reinterpret_cast<const Vector*>(out + i);
#pragma GCC unroll 8
        for (std::size_t t = 0; t < kTogether; ++t) sum += by[t] * *reinterpret_cast<const Vector*>(line[t] + i);
        *reinterpret_cast<Vector*>(out + i) = sum;
    }
    for (; i < n; ++i)
        for (std::size_t t = 0; t < kTogether; ++t) out[i] += by[t] * line[t][i];
}

// product_t = line_t . x for eight lines.
inline void multiply_lines(const double* const* line, const double* x, std::size_t n, double* product) {
    using Vector = Lanes<double>::Vector;
    Vector sum[kTogether] = {};
    std::size_t i = 0;
    for (; i + Lanes<double>::count <= n; i += Lanes<double>::count) {
        const Vector factor = *reinterpret_cast<const Vector*>(x + i);
#pragma GCC unroll 8
        for (std::size_t t = 0; t < kTogether; ++t) sum[t] += factor * *reinterpret_cast<const Vector*>(line[t] + i);
    }
    for (std::size_t t = 0; t < kTogether; ++t) {
        double total = 0.0;
        for (std::size_t rest = i; rest < n; ++rest) total += line[t][rest] * x[rest];
        for (std::size_t lane = 0; lane < Lanes<double>::count; ++lane) total += sum[t][lane];
        product[t] = total;
    }
}

// L L' = M[order, order] for a symmetric positive semidefinite M given by its rows, plus a diagonal.
class GrowingFactor {
  public:
    static constexpr double kSmallestPivot = 1e-10;  // of a variable's own square (compiled/limits.py)

    GrowingFactor(const double* matrix, std::size_t stride, const double* diagonal, FactorView& view)
        : matrix_(matrix), stride_(stride), diagonal_(diagonal), f(view) {}

    // Those of the variables that do not depend on others join; taken(variable) is called for each.
    template <class Taken>
    void join(const std::vector<std::size_t>& variables, Taken taken) {
        for (std::size_t first = 0; first < variables.size(); first += kJoin) {
            heed_signals();
            join_block(variables.data() + first, std::min(kJoin, variables.size() - first), taken);
        }
    }

    // Close the gap that row i leaves, then restore the triangle by rotating neighbouring columns.
    void remove(std::size_t i) {
        const std::size_t k = f.size;
        heed_signals();
        for (std::size_t j = 0; j < k; ++j) {
            const std::size_t from = std::max(i + 1, j);
            std::copy(column(j) + from, column(j) + k, column(j) + from - 1);
        }
        std::copy(f.order + i + 1, f.order + k, f.order + i);
        for (std::size_t j = i; j + 1 < k; ++j) rotate(j, k - 1);
        --f.size;
    }

    // x = (L L')^-1 x
    void solve(double* x) {
        const std::size_t k = f.size;
        std::size_t first = 0;
        while (first < k && x[first] == 0.0) ++first;  // and stays so
        for (; first < k; first += kTogether) {
            const std::size_t last = std::min(first + kTogether, k);
            for (std::size_t i = first; i < last; ++i) {
                x[i] /= column(i)[i];
                for (std::size_t r = i + 1; r < last; ++r) x[r] -= column(i)[r] * x[i];
            }
            if (last == k) break;
            const double* line[kTogether];
            double by[kTogether];
            for (std::size_t t = 0; t < kTogether; ++t) line[t] = column(first + t) + last, by[t] = -x[first + t];
            add_lines(x + last, line, by, k - last);
        }
        for (std::size_t last = k; last > 0;) {
            const std::size_t begin = last > kTogether ? last - kTogether : 0;
            const double* line[kTogether];
            double product[kTogether];
            for (std::size_t t = 0; t < kTogether; ++t) line[t] = column(std::min(begin + t, last - 1)) + last;
            multiply_lines(line, x + last, k - last, product);
            for (std::size_t i = last; i-- > begin;) {
                double rest = x[i] - product[i - begin];
                for (std::size_t r = i + 1; r < last; ++r) rest -= column(i)[r] * x[r];
                x[i] = rest / column(i)[i];
            }
            last = begin;
        }
    }

  private:
    using Vector = Lanes<double>::Vector;
    static constexpr std::size_t kLanes = Lanes<double>::count, kJoin = 2 * kLanes;

    double* column(std::size_t j) { return f.data + j * f.stride; }
    const double* row_of(std::size_t variable) const { return matrix_ + variable * stride_; }
    Vector& part(std::size_t i, std::size_t half) {
        return *reinterpret_cast<Vector*>(rows_.data() + i * kJoin + half * kLanes);
    }

    // Row i of `rows_` holds M[order[i], variables], then of L^-1 times that.
    template <class Taken>
    void join_block(const std::size_t* variables, std::size_t count, Taken taken) {
        const std::size_t k = f.size;
        rows_.assign(k * kJoin, 0.0);
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t i = 0; i < k; ++i) rows_[i * kJoin + c] = row_of(variables[c])[f.order[i]];
        if (count <= kLanes) forward<1>();
        else forward<2>();
        double inner[kJoin][kJoin];
        inner_products(inner);
        double own[kJoin][kJoin];  // the factor of those that join, row by row
        std::size_t joined[kJoin], size = 0;
        for (std::size_t c = 0; c < count; ++c) {
            const double* row = row_of(variables[c]);
            const double square = row[variables[c]] + diagonal_[variables[c]];
            double pivot = square - inner[c][c];
            for (std::size_t a = 0; a < size; ++a) {
                double entry = row[variables[joined[a]]] - inner[c][joined[a]];
                for (std::size_t b = 0; b < a; ++b) entry -= own[size][b] * own[a][b];
                own[size][a] = entry / own[a][a];
                pivot -= own[size][a] * own[size][a];
            }
            if (!(pivot > kSmallestPivot * square)) continue;
            own[size][size] = std::sqrt(pivot);
            joined[size++] = c;
        }
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t a = 0; a < size; ++a) column(i)[k + a] = rows_[i * kJoin + joined[a]];
        for (std::size_t a = 0; a < size; ++a) {
            for (std::size_t b = a; b < size; ++b) column(k + a)[k + b] = own[b][a];
            f.order[k + a] = static_cast<std::int64_t>(variables[joined[a]]);
            taken(variables[joined[a]]);
        }
        f.size += size;
    }

    // rows_ = L^-1 rows_, in the first vector of each row or in both
    template <std::size_t kVectors>
    void forward() {
        const std::size_t k = f.size;
        for (std::size_t first = 0; first < k; first += kTogether) {
            const std::size_t last = std::min(first + kTogether, k);
            for (std::size_t i = first; i < last; ++i) {
                const double inverse = 1.0 / column(i)[i];
                for (std::size_t half = 0; half < kVectors; ++half) {
                    part(i, half) *= inverse;
                    for (std::size_t r = i + 1; r < last; ++r) part(r, half) -= column(i)[r] * part(i, half);
                }
            }
            if (last == k) break;
            const double* line[kTogether];
            Vector solved[kTogether][kVectors];
            for (std::size_t t = 0; t < kTogether; ++t) {
                line[t] = column(first + t);
                for (std::size_t v = 0; v < kVectors; ++v) solved[t][v] = part(first + t, v);
            }
            for (std::size_t r = last; r < k; ++r) {
                Vector rest[kVectors];
#pragma GCC unroll 2
                for (std::size_t v = 0; v < kVectors; ++v) rest[v] = part(r, v);
#pragma GCC unroll 8
                for (std::size_t t = 0; t < kTogether; ++t)
#pragma GCC unroll 2
                    for (std::size_t v = 0; v < kVectors; ++v) rest[v] -= line[t][r] * solved[t][v];
#pragma GCC unroll 2
                for (std::size_t v = 0; v < kVectors; ++v) part(r, v) = rest[v];
            }
        }
    }

    // inner = rows_' rows_
    void inner_products(double (&inner)[kJoin][kJoin]) {
        constexpr std::size_t kSome = std::min(kTogether, kJoin);
        for (std::size_t first = 0; first < kJoin; first += kSome) {
            Vector sum[kSome][2] = {};
            for (std::size_t i = 0; i < f.size; ++i) {
                const Vector a = part(i, 0), b = part(i, 1);
                const double* factor = rows_.data() + i * kJoin + first;
#pragma GCC unroll 8
                for (std::size_t t = 0; t < kSome; ++t) sum[t][0] += factor[t] * a, sum[t][1] += factor[t] * b;
            }
            for (std::size_t t = 0; t < kSome; ++t)
                for (std::size_t lane = 0; lane < kJoin; ++lane)
                    inner[first + t][lane] = sum[t][lane / kLanes][lane % kLanes];
        }
    }

    // Mix columns j and j + 1 so that the second loses its entry in row j.
    void rotate(std::size_t j, std::size_t rows) {
        double* left = column(j);
        double* right = column(j + 1);
        const double length = std::hypot(left[j], right[j]);
        const double cosine = left[j] / length, sine = right[j] / length;
        left[j] = length;
        for (std::size_t r = j + 1; r < rows; ++r) {
            const double a = left[r], b = right[r];
            left[r] = cosine * a + sine * b;
            right[r] = cosine * b - sine * a;
        }
    }

    const double* matrix_;
    std::size_t stride_;
    const double* diagonal_;
    FactorView& f;
    std::vector<double> rows_;
};

}  // namespace surefit
