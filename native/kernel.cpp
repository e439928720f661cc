// Radial kernels: blocks, Gram matrices and products with a vector, in tiles on threads of our own.
#include "kernel.hpp"

#include "share.hpp"
#include "tile.hpp"

#include <type_traits>

namespace surefit {

namespace {

constexpr std::size_t kRows = 64;  // rows a thread takes at a time: results do not depend on who takes them

// V (n, width) by panels of 64 rows, each of its columns contiguous and padded with zeros.
template <class T>
Room<T> by_panels(const T* V, std::size_t n, std::size_t width) {
    Room<T> panels((n + kPanel - 1) / kPanel * width * kPanel);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t c = 0; c < width; ++c)
            panels.data()[((j / kPanel) * width + c) * kPanel + j % kPanel] = V[j * width + c];
    return panels;
}

// A sum of products of panels: within a panel in T, between panels in double (sixteen lanes of it, if T is double).
template <class T>
struct Sum {
    double lanes[16] = {};

    void add(const T* a, const T* b) {
        T sums[16] = {};
        for (std::size_t j = 0; j < kPanel; j += 16)
            for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += a[j + lane] * b[j + lane];
        if constexpr (std::is_same_v<T, float>) lanes[0] += pairwise_sum(sums);
        else
            for (std::size_t lane = 0; lane < 16; ++lane) lanes[lane] += sums[lane];
    }
    double total() {
        if constexpr (std::is_same_v<T, float>) return lanes[0];
        else return pairwise_sum(lanes);
    }
};

// Calls visit(first_row, n_rows, strip) for every strip of a task's rows, turned; strip (kStrip, d) is where they are put.
template <class T, class Visit>
void strips(const T* X, std::size_t n, std::size_t d, std::size_t task, std::vector<T>& strip, Visit visit) {
    const std::size_t end = std::min(n, (task + 1) * kRows);
    for (std::size_t i = task * kRows; i < end; i += kStrip) {
        const std::size_t height = std::min(kStrip, end - i);
        turned(X + i * d, height, d, strip.data());
        visit(i, height, strip.data());
    }
}

}  // namespace

template <class T>
void radial_block(const RadialKernel& kernel, const Points<T>& X, const Points<T>& Z, std::size_t threads, T* out) {
    const Panels<T> panels(Z.data, Z.n, X.d);
    const T rate = static_cast<T>(kernel.rate);
    const auto make_strip = [&] { return std::vector<T>(kStrip * X.d); };
    share((X.n + kRows - 1) / kRows, threads, make_strip, [&](std::size_t task, std::vector<T>& strip_room) {
        alignas(kBytes) T tile[kStrip][kPanel];
        strips(X.data, X.n, X.d, task, strip_room, [&](std::size_t i, std::size_t height, const T* strip) {
            for (std::size_t p = 0; p < panels.count; ++p) {
                T* to = out + i * Z.n + p * kPanel;
                const bool whole = height == kStrip && panels.width(p) == kPanel;
                radial_tile(kernel.profile, rate, strip, X.d, panels.panel(p), whole ? to : tile[0], whole ? Z.n : kPanel);
                for (std::size_t r = 0; !whole && r < height; ++r) std::copy_n(tile[r], panels.width(p), to + r * Z.n);
            }
        });
    });
}

template <class T>
void radial_gram(const RadialKernel& kernel, const Points<T>& X, std::size_t threads, T* out) {
    const Panels<T> panels(X.data, X.n, X.d);
    const T rate = static_cast<T>(kernel.rate);
    const std::size_t n = X.n;
    const auto make_strip = [&] { return std::vector<T>(kStrip * X.d); };
    share(panels.count, threads, make_strip, [&](std::size_t task, std::vector<T>& strip_room) {
        const std::size_t last = panels.count - 1 - task;  // long rows first
        alignas(kBytes) T tile[kStrip][kPanel], mirror[kPanel][kRows];
        for (std::size_t p = 0; p <= last; ++p) {
            strips(X.data, n, X.d, last, strip_room, [&](std::size_t i, std::size_t height, const T* strip) {
                radial_tile(kernel.profile, rate, strip, X.d, panels.panel(p), tile[0], kPanel);
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
    const Room<T> weights = by_panels(V, Z.n, width);
    struct Rooms {
        std::vector<T> strip;
        std::vector<Sum<T>> sums;
    };
    const auto make_rooms = [&] { return Rooms{std::vector<T>(kStrip * X.d), std::vector<Sum<T>>(kStrip * width)}; };
    share((X.n + kRows - 1) / kRows, threads, make_rooms, [&](std::size_t task, Rooms& rooms) {
        alignas(kBytes) T tile[kStrip][kPanel];
        std::vector<Sum<T>>& sums = rooms.sums;
        strips(X.data, X.n, X.d, task, rooms.strip, [&](std::size_t i, std::size_t height, const T* strip) {
            std::fill(sums.begin(), sums.end(), Sum<T>());
            for (std::size_t p = 0; p < panels.count; ++p) {
                radial_tile(kernel.profile, rate, strip, X.d, panels.panel(p), tile[0], kPanel);
                for (std::size_t r = 0; r < kStrip; ++r)
                    for (std::size_t c = 0; c < width; ++c)
                        sums[r * width + c].add(tile[r], weights.data() + (p * width + c) * kPanel);
            }
            for (std::size_t e = 0; e < height * width; ++e) out[i * width + e] = sums[e].total();
        });
    });
}

template <class T>
void radial_symmetric_times(const RadialKernel& kernel, const Points<T>& X, const T* V, std::size_t width,
                            std::size_t threads, double* out) {
    const Panels<T> panels(X.data, X.n, X.d);
    const T rate = static_cast<T>(kernel.rate);
    const Room<T> weights = by_panels(V, X.n, width);
    const std::size_t padded = panels.count * kPanel * width;
    std::vector<double> sums(kSums * padded);  // by panels, as the weights
    struct Rooms {
        std::vector<T> strip, across;
    };
    const auto make_rooms = [&] { return Rooms{std::vector<T>(kStrip * X.d), std::vector<T>(kPanel * width)}; };
    share(kSums, threads, make_rooms, [&](std::size_t lane, Rooms& rooms) {
        double* mine = sums.data() + lane * padded;
        alignas(kBytes) T tile[kStrip][kPanel];
        std::vector<T>& across = rooms.across;
        for (std::size_t task = lane; task < panels.count; task += kSums) {
            if (!go_on()) return;
            for (std::size_t p = 0; p <= task; ++p) {
                std::fill(across.begin(), across.end(), T(0));
                strips(X.data, X.n, X.d, task, rooms.strip, [&](std::size_t i, std::size_t height, const T* strip) {
                    radial_tile(kernel.profile, rate, strip, X.d, panels.panel(p), tile[0], kPanel);
                    for (std::size_t r = 0; r < height; ++r)
                        for (std::size_t c = 0; c < width; ++c) {
                            const std::size_t at = (task * width + c) * kPanel + i + r - task * kRows;
                            Sum<T> sum;
                            sum.add(tile[r], weights.data() + (p * width + c) * kPanel);
                            mine[at] += sum.total();
                            const T x = weights.data()[at];
                            T* column = across.data() + c * kPanel;
                            for (std::size_t j = 0; j < kPanel; ++j) column[j] += tile[r][j] * x;
                        }
                });
                if (p == task) continue;
                for (std::size_t e = 0; e < kPanel * width; ++e) mine[p * width * kPanel + e] += across[e];
            }
        }
    });
    for (std::size_t i = 0; i < X.n; ++i)
        for (std::size_t c = 0; c < width; ++c) {
            double total = 0;
            for (std::size_t lane = 0; lane < kSums; ++lane)
                total += sums[lane * padded + ((i / kPanel) * width + c) * kPanel + i % kPanel];
            out[i * width + c] = total;
        }
}

#define SUREFIT_RADIAL(T)                                                                                            \
    template void radial_block<T>(const RadialKernel&, const Points<T>&, const Points<T>&, std::size_t, T*);         \
    template void radial_gram<T>(const RadialKernel&, const Points<T>&, std::size_t, T*);                            \
    template void radial_times<T>(const RadialKernel&, const Points<T>&, const Points<T>&, const T*, std::size_t,    \
                                  std::size_t, double*);                                                             \
    template void radial_symmetric_times<T>(const RadialKernel&, const Points<T>&, const T*, std::size_t,            \
                                            std::size_t, double*);
SUREFIT_RADIAL(float)
SUREFIT_RADIAL(double)

}  // namespace surefit
