// Radial kernels: blocks, Gram matrices and products with a vector, in tiles on threads of our own.
#include "kernel.hpp"

#include "share.hpp"
#include "tile.hpp"

namespace surefit {

namespace {

constexpr std::size_t kRows = 64;  // rows a thread takes at a time: results do not depend on who takes them

// Calls visit(first_row, n_rows, rows) for every strip of a task's rows; the last strip is padded with its last row.
template <class T, class Visit>
void strips(const T* X, std::size_t n, std::size_t d, std::size_t task, Visit visit) {
    std::vector<T> padded(kStrip * d);
    const std::size_t end = std::min(n, (task + 1) * kRows);
    for (std::size_t i = task * kRows; i < end; i += kStrip) {
        const std::size_t height = std::min(kStrip, end - i);
        const T* rows = X + i * d;
        if (height < kStrip) {
            for (std::size_t r = 0; r < kStrip; ++r)
                std::copy_n(rows + std::min(r, height - 1) * d, d, padded.data() + r * d);
            rows = padded.data();
        }
        visit(i, height, rows);
    }
}

}  // namespace

template <class T>
void radial_block(const RadialKernel& kernel, const Points<T>& X, const Points<T>& Z, std::size_t threads, T* out) {
    const Panels<T> panels(Z.data, Z.n, X.d);
    const T rate = static_cast<T>(kernel.rate);
    share((X.n + kRows - 1) / kRows, threads, [&](std::size_t task) {
        T tile[kStrip][kPanel];
        strips(X.data, X.n, X.d, task, [&](std::size_t i, std::size_t height, const T* rows) {
            for (std::size_t p = 0; p < panels.count; ++p) {
                radial_tile(kernel.profile, rate, rows, X.d, panels.panel(p), tile);
                for (std::size_t r = 0; r < height; ++r)
                    std::copy_n(tile[r], panels.width(p), out + (i + r) * Z.n + p * kPanel);
            }
        });
    });
}

template <class T>
void radial_gram(const RadialKernel& kernel, const Points<T>& X, std::size_t threads, T* out) {
    const Panels<T> panels(X.data, X.n, X.d);
    const T rate = static_cast<T>(kernel.rate);
    const std::size_t n = X.n;
    share(panels.count, threads, [&](std::size_t task) {
        const std::size_t last = panels.count - 1 - task;  // long rows first
        T tile[kStrip][kPanel], mirror[kPanel][kRows];
        for (std::size_t p = 0; p <= last; ++p) {
            strips(X.data, n, X.d, last, [&](std::size_t i, std::size_t height, const T* rows) {
                radial_tile(kernel.profile, rate, rows, X.d, panels.panel(p), tile);
                for (std::size_t r = 0; r < height; ++r) {
                    std::copy_n(tile[r], panels.width(p), out + (i + r) * n + p * kPanel);
                    for (std::size_t j = 0; j < kPanel; ++j) mirror[j][i + r - last * kRows] = tile[r][j];
                }
            });
            if (p == last) continue;
            for (std::size_t j = 0; j < kPanel; ++j)
                std::copy_n(mirror[j], panels.width(last), out + (p * kPanel + j) * n + last * kRows);
        }
    });
}

template <class T>
void radial_times(const RadialKernel& kernel, const Points<T>& X, const Points<T>& Z, const T* V, std::size_t width,
                  std::size_t threads, double* out) {
    const Panels<T> panels(Z.data, Z.n, X.d);
    const T rate = static_cast<T>(kernel.rate);
    // V by panels, each of its columns contiguous and padded with zeros
    std::vector<T> weights(panels.count * width * kPanel);
    for (std::size_t j = 0; j < Z.n; ++j)
        for (std::size_t c = 0; c < width; ++c)
            weights[((j / kPanel) * width + c) * kPanel + j % kPanel] = V[j * width + c];
    share((X.n + kRows - 1) / kRows, threads, [&](std::size_t task) {
        T tile[kStrip][kPanel];
        strips(X.data, X.n, X.d, task, [&](std::size_t i, std::size_t height, const T* rows) {
            double* answer = out + i * width;
            std::fill_n(answer, height * width, 0.0);
            for (std::size_t p = 0; p < panels.count; ++p) {
                radial_tile(kernel.profile, rate, rows, X.d, panels.panel(p), tile);
                const T* panel_weights = weights.data() + p * width * kPanel;
                for (std::size_t r = 0; r < height; ++r)
                    for (std::size_t c = 0; c < width; ++c) {
                        const T* w = panel_weights + c * kPanel;
                        T sums[16] = {};
                        for (std::size_t j = 0; j < kPanel; j += 16)
                            for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += tile[r][j + lane] * w[j + lane];
                        double total = 0;
                        for (std::size_t lane = 0; lane < 16; ++lane) total += sums[lane];
                        answer[r * width + c] += total;
                    }
            }
        });
    });
}

#define SUREFIT_RADIAL(T)                                                                                            \
    template void radial_block<T>(const RadialKernel&, const Points<T>&, const Points<T>&, std::size_t, T*);         \
    template void radial_gram<T>(const RadialKernel&, const Points<T>&, std::size_t, T*);                            \
    template void radial_times<T>(const RadialKernel&, const Points<T>&, const Points<T>&, const T*, std::size_t,    \
                                  std::size_t, double*);
SUREFIT_RADIAL(float)
SUREFIT_RADIAL(double)

}  // namespace surefit
