// Sparse columns: products with several residuals in one threaded pass, and coordinate descent without a Gram matrix.
#include "interrupt.hpp"
#include "loops.hpp"
#include "share.hpp"

#include <algorithm>

namespace surefit {
namespace {

// Sums of WIDTH residuals at a time stay in registers; every column is summed in its own order, whoever does it.
template <std::size_t WIDTH, typename Index>
void products(const SparseColumns<Index>& X, const double* residuals, std::size_t stride, std::size_t first,
              std::size_t last, double* out) {
    for (std::size_t j = first; j < last; ++j) {
        double sum[WIDTH] = {};
        for (auto e = static_cast<std::size_t>(X.starts[j]); e < static_cast<std::size_t>(X.starts[j + 1]); ++e) {
            const double* row = residuals + static_cast<std::size_t>(X.rows[e]) * stride;
            const double x = X.values[e];
            for (std::size_t l = 0; l < WIDTH; ++l) sum[l] += x * row[l];
        }
        std::copy(sum, sum + WIDTH, out + j * stride);
    }
}

template <typename Index>
void some_columns(const SparseColumns<Index>& X, const double* residuals, std::size_t width, std::size_t first,
                  std::size_t last, double* out) {
    std::size_t done = 0;
    for (; done + 8 <= width; done += 8) products<8>(X, residuals + done, width, first, last, out + done);
    for (; done + 4 <= width; done += 4) products<4>(X, residuals + done, width, first, last, out + done);
    for (; done < width; ++done) products<1>(X, residuals + done, width, first, last, out + done);
}

}  // namespace

template <typename Index>
void column_products(const SparseColumns<Index>& X, const double* residuals, std::size_t width, std::size_t threads,
                     double* out) {
    threads = std::max<std::size_t>(threads, 1);
    const auto entries = static_cast<double>(X.starts[X.cols]);
    const auto begin = [&](std::size_t part) {  // parts with as many entries each
        const auto before = static_cast<Index>(entries * static_cast<double>(part) / static_cast<double>(threads));
        const Index* found = std::lower_bound(X.starts, X.starts + X.cols + 1, before);
        return part == threads ? X.cols : std::min(static_cast<std::size_t>(found - X.starts), X.cols);
    };
    share(threads, threads, [&](std::size_t part) {
        some_columns(X, residuals, width, part == 0 ? 0 : begin(part), begin(part + 1), out);
    });
}

template <typename Index>
class ColumnDescent {
  public:
    ColumnDescent(const SparseColumns<Index>& matrix, const ColumnProblem& problem, ColumnState& state)
        : X(matrix), p(problem), s(state) {}

    // All columns in turn, then only the support until it has settled, and again.
    std::size_t run(double tol, std::size_t max_sweeps) {
        std::size_t sweeps = 0;
        while (sweeps < max_sweeps) {
            ++sweeps;
            if (sweep(false) <= tol) break;
            while (sweeps < max_sweeps) {
                ++sweeps;
                if (sweep(true) <= 0.1 * tol) break;
            }
        }
        return sweeps;
    }

  private:
    // How much the objective fell, at least.
    double sweep(bool only_support) {
        double fell = 0.0;
        for (std::size_t j = 0; j < X.cols; ++j) {
            if (j % 64 == 0) heed_signals();
            if (!only_support || s.coef[j] != 0.0) fell += move(j);
        }
        return fell;
    }

    double move(std::size_t j) {
        const double h = p.square[j] + p.ridge[j];
        if (!(h > 0.0)) return 0.0;
        const auto first = static_cast<std::size_t>(X.starts[j]), last = static_cast<std::size_t>(X.starts[j + 1]);
        double g = p.square[j] * s.coef[j] - p.shift[j] * s.total;
        for (std::size_t e = first; e < last; ++e) g += p.weighted[e] * s.residual[X.rows[e]];
        double target = g > p.threshold[j] ? g - p.threshold[j] : (g < -p.threshold[j] ? g + p.threshold[j] : 0.0);
        if (p.positive && target < 0.0) target = 0.0;
        const double next = target / h, delta = next - s.coef[j];
        if (delta == 0.0) return 0.0;
        s.coef[j] = next;
        for (std::size_t e = first; e < last; ++e) s.residual[X.rows[e]] -= delta * X.values[e];
        s.total -= delta * p.total_weight * p.shift[j];
        return delta * delta * h;
    }

    const SparseColumns<Index>& X;
    const ColumnProblem& p;
    ColumnState& s;
};

template <typename Index>
std::size_t column_descent(const SparseColumns<Index>& X, const ColumnProblem& problem, double tol,
                           std::size_t max_sweeps, ColumnState& state) {
    return ColumnDescent<Index>(X, problem, state).run(tol, max_sweeps);
}

template std::size_t column_descent(const SparseColumns<std::int32_t>&, const ColumnProblem&, double, std::size_t, ColumnState&);
template std::size_t column_descent(const SparseColumns<std::int64_t>&, const ColumnProblem&, double, std::size_t, ColumnState&);
template void column_products(const SparseColumns<std::int32_t>&, const double*, std::size_t, std::size_t, double*);
template void column_products(const SparseColumns<std::int64_t>&, const double*, std::size_t, std::size_t, double*);

}  // namespace surefit
