// Rows of a block, each read once: its product with some coefficients, and what its transpose makes of the rest.
#include "fold.hpp"

#include "kernel.hpp"
#include "share.hpp"
#include "tile.hpp"

namespace surefit {

namespace {

constexpr std::size_t kChunk = 128;  // rows whose sums are kept in T before they are added in double

// dots[r] = c_r' a for the rows c_r = C + r m
template <class T, std::size_t height>
void dots(const T* C, std::size_t m, const T* a, double* answer) {
    T sums[height][16] = {};
    std::size_t j = 0;
    for (; j + 16 <= m; j += 16)
        for (std::size_t r = 0; r < height; ++r)
            for (std::size_t lane = 0; lane < 16; ++lane) sums[r][lane] += C[r * m + j + lane] * a[j + lane];
    for (; j < m; ++j)
        for (std::size_t r = 0; r < height; ++r) sums[r][j % 16] += C[r * m + j] * a[j];
    for (std::size_t r = 0; r < height; ++r) answer[r] = pairwise_sum(sums[r]);
}

// to += sum_r pull[r] c_r
template <class T, std::size_t height>
void pull_back(const T* C, std::size_t m, const T* pull, T* __restrict to) {
    for (std::size_t j = 0; j < m; ++j) {
        T sum = 0;
        for (std::size_t r = 0; r < height; ++r) sum += pull[r] * C[r * m + j];
        to[j] += sum;
    }
}

// Coefficients by columns (width, m), targets and weights by rows: what every row is held against.
template <class T>
struct Against {
    std::size_t m, width;
    Room<T> columns;
    const double *Y, *w;

    Against(const Fold<T>& fold, std::size_t n, std::size_t m_)  // zeros fill the columns from n to m
        : m(m_), width(fold.width), columns(fold.width * m_), Y(fold.Y), w(fold.w) {
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t c = 0; c < width; ++c) columns.data()[c * m + j] = fold.A[j * width + c];
    }
};

// What one lane adds up: a chunk's sums in T, by columns (width, m), and all of its sums in double, (width, m + 2).
template <class T>
struct Sums {
    const Against<T>& to;
    Room<T>& pulled;
    double* out;

    template <std::size_t height>
    void add(const T* rows, std::size_t first) {
        for (std::size_t c = 0; c < to.width; ++c) {
            double explained[height];
            T pull[height];
            double* moments = out + c * (to.m + 2) + to.m;
            dots<T, height>(rows, to.m, to.columns.data() + c * to.m, explained);
            for (std::size_t r = 0; r < height; ++r) {
                const std::size_t i = first + r;
                const double left = to.Y[i * to.width + c] - explained[r], weighed = to.w[i] * left;
                moments[0] += weighed;
                moments[1] += weighed * left;
                pull[r] = static_cast<T>(weighed);
            }
            pull_back<T, height>(rows, to.m, pull, pulled.data() + c * to.m);
        }
    }

    void add_up_to(const T* rows, std::size_t first, std::size_t height) {
        if (height == kStrip) return add<kStrip>(rows, first);
        for (std::size_t r = 0; r < height; ++r) add<1>(rows + r * to.m, first + r);
    }

    void flush() {
        for (std::size_t c = 0; c < to.width; ++c)
            for (std::size_t j = 0; j < to.m; ++j) out[c * (to.m + 2) + j] += pulled.data()[c * to.m + j];
        std::fill_n(pulled.data(), to.width * to.m, T(0));
    }
};

// What a thread keeps: a chunk's sums, and for a kernel a strip of rows, turned, and its values.
template <class T>
struct Rooms {
    Room<T> pulled, strip, values;
};

// Calls visit(sums, rooms, first, end) for every chunk of the n rows, in lanes; then adds the lanes up, columns below m.
// A strip and its values take so many numbers of a thread's rooms.
template <class T, class Visit>
void in_lanes(const Against<T>& to, std::size_t n, std::size_t m, std::size_t strip, std::size_t values,
              std::size_t threads, double* out, Visit visit) {
    const std::size_t chunks = (n + kChunk - 1) / kChunk, size = to.width * (to.m + 2);
    std::vector<double> lanes(kSums * size);
    const auto make_rooms = [&] { return Rooms<T>{Room<T>(to.width * to.m), Room<T>(strip), Room<T>(values)}; };
    share(kSums, threads, make_rooms, [&](std::size_t lane, Rooms<T>& rooms) {
        Sums<T> sums{to, rooms.pulled, lanes.data() + lane * size};
        for (std::size_t chunk = chunks * lane / kSums; chunk < chunks * (lane + 1) / kSums; ++chunk) {
            const std::size_t end = std::min(n, (chunk + 1) * kChunk);
            if (!go_on()) return;
            visit(sums, rooms, chunk * kChunk, end);
            sums.flush();
        }
    });
    for (std::size_t c = 0; c < to.width; ++c)
        for (std::size_t j = 0; j < m + 2; ++j) {
            const std::size_t at = c * (to.m + 2) + (j < m ? j : j - m + to.m);
            double total = 0;
            for (std::size_t lane = 0; lane < kSums; ++lane) total += lanes[lane * size + at];
            out[j * to.width + c] = total;
        }
}

}  // namespace

template <class T>
void block_fold(const Points<T>& C, const Fold<T>& fold, std::size_t threads, double* out) {
    const Against<T> to(fold, C.d, C.d);
    in_lanes(to, C.n, C.d, 0, 0, threads, out, [&](Sums<T>& sums, Rooms<T>&, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; i += kStrip) sums.add_up_to(C.data + i * C.d, i, std::min(kStrip, end - i));
    });
}

template <class T>
void radial_fold(const RadialKernel& kernel, const Points<T>& X, const Points<T>& Z, const Fold<T>& fold,
                 std::size_t threads, double* out) {
    const Panels<T> panels(Z.data, Z.n, X.d);
    const Against<T> to(fold, Z.n, panels.count * kPanel);
    const T rate = static_cast<T>(kernel.rate);
    const auto visit = [&](Sums<T>& sums, Rooms<T>& rooms, std::size_t first, std::size_t end) {
        T *strip = rooms.strip.data(), *values = rooms.values.data();
        for (std::size_t i = first; i < end; i += kStrip) {
            const std::size_t height = std::min(kStrip, end - i);
            turned(X.data + i * X.d, height, X.d, strip);
            for (std::size_t p = 0; p < panels.count; ++p)
                radial_tile(kernel.profile, rate, strip, X.d, panels.panel(p), values + p * kPanel, to.m);
            sums.add_up_to(values, i, height);
        }
    };
    in_lanes(to, X.n, Z.n, kStrip * X.d, kStrip * to.m, threads, out, visit);
}

#define SUREFIT_FOLD(T)                                                                                                \
    template void block_fold<T>(const Points<T>&, const Fold<T>&, std::size_t, double*);                               \
    template void radial_fold<T>(const RadialKernel&, const Points<T>&, const Points<T>&, const Fold<T>&, std::size_t, \
                                 double*);
SUREFIT_FOLD(float)
SUREFIT_FOLD(double)

}  // namespace surefit
