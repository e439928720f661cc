// Logistic loss over dense rows: scores, losses and gradient of a few rows while they are in the cache.
#include "logistic.hpp"

#include "share.hpp"
#include "tile.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace surefit {
namespace {

#ifdef __AVX512F__
constexpr std::size_t kBytes = 64;
#else
constexpr std::size_t kBytes = 32;
#endif
template <class T>
struct Lanes {
    typedef T Vector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
    static constexpr std::size_t count = kBytes / sizeof(T);
};
template <class T>
using VectorOf = typename Lanes<T>::Vector;

template <class T>
const VectorOf<T>& load(const T* from) { return *reinterpret_cast<const VectorOf<T>*>(from); }
template <class T>
VectorOf<T>& store(T* to) { return *reinterpret_cast<VectorOf<T>*>(to); }

constexpr std::size_t kTogether = 8;        // rows, or columns, whose sums are in registers together
constexpr std::size_t kCached = 24576;      // entries of a chunk of rows: both products find it in the cache
constexpr std::size_t kShort = 512;         // entries of rows so short that the processor does not see them coming
constexpr std::size_t kTasks = 64;          // blocks of rows, each with a gradient of its own

// Asks for the rows after the next ones, if they are short.
template <class T>
[[gnu::always_inline]] inline void expect(const T* x, std::size_t d) {
    if (d > kShort) return;
    const T* from = x + 2 * kTogether * d;
    for (std::size_t k = 0; k < kTogether * d; k += 64 / sizeof(T)) __builtin_prefetch(from + k, 0, 2);
}

// log(1 + e) for 0 <= e <= 1, as 2 artanh(s) of a small s: 1 + e is halved where it is above the root of two.
template <class T>
inline T log_one_plus(T e) {
    constexpr T ln2 = static_cast<T>(0.6931471805599453);
    const bool large = e > static_cast<T>(0.41421356);
    const T s = (large ? e - 1 : e) / (large ? e + 3 : e + 2), q = s * s;
    T sum = static_cast<T>(1.0 / 21);
    sum = sum * q + static_cast<T>(1.0 / 19);
    sum = sum * q + static_cast<T>(1.0 / 17);
    sum = sum * q + static_cast<T>(1.0 / 15);
    sum = sum * q + static_cast<T>(1.0 / 13);
    sum = sum * q + static_cast<T>(1.0 / 11);
    sum = sum * q + static_cast<T>(1.0 / 9);
    sum = sum * q + static_cast<T>(1.0 / 7);
    sum = sum * q + static_cast<T>(1.0 / 5);
    sum = sum * q + static_cast<T>(1.0 / 3);
    return (large ? ln2 : T(0)) + 2 * s * (sum * q + 1);
}

// sums[a] = <x_a, w> for `A` rows of d entries.
template <std::size_t A, class T>
void row_products(const T* x, std::size_t d, const T* w, T* sums) {
    constexpr std::size_t lanes = Lanes<T>::count;
    VectorOf<T> sum[A] = {};
    std::size_t j = 0;
    for (; j + lanes <= d; j += lanes) {
        const VectorOf<T> v = load(w + j);
        for (std::size_t a = 0; a < A; ++a) sum[a] += load(x + a * d + j) * v;
    }
    for (std::size_t a = 0; a < A; ++a) {
        T total = 0;
        for (std::size_t l = 0; l < lanes; ++l) total += sum[a][l];
        for (std::size_t k = j; k < d; ++k) total += x[a * d + k] * w[k];
        sums[a] = total;
    }
}

// into[j] += sum_i pull[i] x_ij over `count` rows, for V vectors of columns from x and into on.
template <std::size_t V, class T>
void column_sums(const T* x, std::size_t count, std::size_t d, const T* pull, double* into) {
    constexpr std::size_t lanes = Lanes<T>::count;
    VectorOf<T> sum[V] = {};
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t v = 0; v < V; ++v) sum[v] += load(x + i * d + v * lanes) * pull[i];
    for (std::size_t v = 0; v < V; ++v)
        for (std::size_t l = 0; l < lanes; ++l) into[v * lanes + l] += static_cast<double>(sum[v][l]);
}

// One score a row: class 1 against class 0.
template <class T>
class TwoClasses {
  public:
    TwoClasses(const ClassRows<T>& data_, const double* V, std::size_t)
        : data(data_), w(V, V + data_.d), level(static_cast<T>(V[data_.d])) {}

    static std::size_t room(std::size_t) { return 1; }  // numbers a row needs

    double chunk(std::size_t first, std::size_t count, T* pull, double* slope) const {
        const std::size_t d = data.d;
        const T* x = data.rows + first * d;
        std::size_t i = 0;
        for (; i + kTogether <= count; i += kTogether) {
            expect(x + i * d, d);
            row_products<kTogether>(x + i * d, d, w.data(), pull + i);
        }
        for (; i < count; ++i) row_products<1>(x + i * d, d, w.data(), pull + i);
        const double risk = pulls(first, count, pull);
        for (i = 0; i < count; ++i) slope[d] += static_cast<double>(pull[i]);
        constexpr std::size_t lanes = Lanes<T>::count;
        std::size_t j = 0;
        for (; j + 4 * lanes <= d; j += 4 * lanes) column_sums<4>(x + j, count, d, pull, slope + j);
        for (; j + lanes <= d; j += lanes) column_sums<1>(x + j, count, d, pull, slope + j);
        for (; j < d; ++j) {
            T sum = 0;
            for (i = 0; i < count; ++i) sum += x[i * d + j] * pull[i];
            slope[j] += static_cast<double>(sum);
        }
        return risk;
    }

  private:
    const ClassRows<T>& data;
    std::vector<T> w;
    T level;

    // From scores to derivatives of the loss, share included; gives the loss of these rows.
    double pulls(std::size_t first, std::size_t count, T* pull) const {
        constexpr T log2e = static_cast<T>(1.4426950408889634);
        constexpr std::size_t strip = 64;
        T loss[strip];
        double risk = 0;
        for (std::size_t from = 0; from < count; from += strip) {
            const std::size_t some = std::min(strip, count - from);
            const std::int64_t* code = data.codes + first + from;
            const double* share = data.share + first + from;
            T* here = pull + from;
            for (std::size_t i = 0; i < some; ++i) {
                const T sign = code[i] == 1 ? T(1) : T(-1), margin = sign * (here[i] + level);
                const T e = exp2_negative(-log2e * std::fabs(margin));
                const T wrong = (margin > 0 ? e : T(1)) / (1 + e);
                loss[i] = (margin > 0 ? T(0) : -margin) + log_one_plus(e);
                here[i] = -sign * wrong * static_cast<T>(share[i]);
            }
            for (std::size_t i = 0; i < some; ++i) risk += share[i] * static_cast<double>(loss[i]);
        }
        return risk;
    }
};

// out[a] = sum_b x[a * across + b * along] * m[b * stride ..]: a few rows times a narrow matrix, or their transpose.
template <std::size_t A, std::size_t V, class T>
void narrow_product(const T* x, std::size_t across, std::size_t along, std::size_t count, const T* m, std::size_t stride,
                    T (*out)[V * Lanes<T>::count]) {
    constexpr std::size_t lanes = Lanes<T>::count;
    VectorOf<T> sum[A][V] = {};
    for (std::size_t b = 0; b < count; ++b) {
        VectorOf<T> right[V];
        for (std::size_t v = 0; v < V; ++v) right[v] = load(m + b * stride + v * lanes);
        for (std::size_t a = 0; a < A; ++a)
            for (std::size_t v = 0; v < V; ++v) sum[a][v] += right[v] * x[a * across + b * along];
    }
    for (std::size_t a = 0; a < A; ++a)
        for (std::size_t v = 0; v < V; ++v) store(out[a] + v * lanes) = sum[a][v];
}

// A score a class and row; classes are padded to whole vectors, with scores that have no probability.
template <class T>
class ManyClasses {
  public:
    ManyClasses(const ClassRows<T>& data_, const double* V, std::size_t width_)
        : data(data_), width(width_), padded(room(width_)), W((data_.d + 1) * padded) {
        for (std::size_t j = 0; j <= data.d; ++j)
            for (std::size_t k = 0; k < width; ++k) W[j * padded + k] = static_cast<T>(V[j * width + k]);
        std::fill(W.end() - static_cast<std::ptrdiff_t>(padded - width), W.end(), static_cast<T>(-1e30));
    }

    static std::size_t room(std::size_t width) { return (width + lanes - 1) / lanes * lanes; }

    double chunk(std::size_t first, std::size_t count, T* pull, double* slope) const {
        const T* x = data.rows + first * data.d;
        std::size_t k = 0;
        for (; k + 2 * lanes <= padded; k += 2 * lanes) scores<2>(x, count, k, pull);
        if (k < padded) scores<1>(x, count, k, pull);
        const double risk = pulls(first, count, pull);
        for (std::size_t i = 0; i < count; ++i)
            for (k = 0; k < width; ++k) slope[data.d * width + k] += static_cast<double>(pull[i * padded + k]);
        for (k = 0; k + 2 * lanes <= padded; k += 2 * lanes) gradient<2>(x, count, k, pull, slope);
        if (k < padded) gradient<1>(x, count, k, pull, slope);
        return risk;
    }

  private:
    static constexpr std::size_t lanes = Lanes<T>::count;
    const ClassRows<T>& data;
    std::size_t width, padded;
    std::vector<T> W;

    template <std::size_t V>
    void scores(const T* x, std::size_t count, std::size_t k, T* out) const {
        std::size_t i = 0;
        for (; i + kTogether <= count; i += kTogether) {
            expect(x + i * data.d, data.d);
            some_scores<kTogether, V>(x, i, k, out);
        }
        for (; i < count; ++i) some_scores<1, V>(x, i, k, out);
    }

    template <std::size_t A, std::size_t V>
    void some_scores(const T* x, std::size_t i, std::size_t k, T* out) const {
        T sum[A][V * lanes];
        const T* level = W.data() + data.d * padded + k;
        narrow_product<A, V>(x + i * data.d, data.d, 1, data.d, W.data() + k, padded, sum);
        for (std::size_t a = 0; a < A; ++a)
            for (std::size_t l = 0; l < V * lanes; ++l) out[(i + a) * padded + k + l] = sum[a][l] + level[l];
    }

    template <std::size_t V>
    void gradient(const T* x, std::size_t count, std::size_t k, const T* pull, double* slope) const {
        std::size_t j = 0;
        for (; j + kTogether <= data.d; j += kTogether) some_gradient<kTogether, V>(x, count, j, k, pull, slope);
        for (; j < data.d; ++j) some_gradient<1, V>(x, count, j, k, pull, slope);
    }

    template <std::size_t A, std::size_t V>
    void some_gradient(const T* x, std::size_t count, std::size_t j, std::size_t k, const T* pull, double* slope) const {
        T sum[A][V * lanes];
        narrow_product<A, V>(x + j, 1, data.d, count, pull + k, padded, sum);
        const std::size_t real = std::min(V * lanes, width - k);
        for (std::size_t a = 0; a < A; ++a)
            for (std::size_t l = 0; l < real; ++l) slope[(j + a) * width + k + l] += static_cast<double>(sum[a][l]);
    }

    // From scores to derivatives of the loss, share included; gives the loss of these rows.
    double pulls(std::size_t first, std::size_t count, T* pull) const {
        constexpr T log2e = static_cast<T>(1.4426950408889634);
        double risk = 0;
        for (std::size_t i = 0; i < count; ++i) {
            T* row = pull + i * padded;
            const T most = *std::max_element(row, row + width);
            risk += data.share[first + i] * static_cast<double>(most - row[data.codes[first + i]]);
            for (std::size_t k = 0; k < padded; ++k) row[k] = (row[k] - most) * log2e;
        }
        for (std::size_t k = 0; k < count * padded; ++k) pull[k] = exp2_negative(pull[k]);
        for (std::size_t i = 0; i < count; ++i) {
            T* row = pull + i * padded;
            T total = 0;
            for (std::size_t k = 0; k < width; ++k) total += row[k];
            const double share = data.share[first + i];
            risk += share * static_cast<double>(std::log(total));
            const T each = static_cast<T>(share) / total;
            for (std::size_t k = 0; k < padded; ++k) row[k] *= each;
            row[data.codes[first + i]] -= static_cast<T>(share);
        }
        return risk;
    }
};

template <class Loss, class T>
double over_rows(const ClassRows<T>& data, const double* V, std::size_t width, std::size_t threads, double* slope) {
    const Loss loss(data, V, width);
    const std::size_t size = (data.d + 1) * width, together = kTogether;
    const std::size_t chunk = std::min<std::size_t>(std::max(kCached / (data.d + 1) / together, std::size_t{1}) * together, 512);
    const std::size_t chunks = (data.n + chunk - 1) / chunk, each = (chunks + kTasks - 1) / kTasks;
    const std::size_t tasks = (chunks + each - 1) / each;
    std::vector<double> slopes(tasks * size), risks(tasks);
    share(tasks, threads, [&](std::size_t task) {
        std::vector<T> pull(chunk * Loss::room(width));
        const std::size_t last = std::min(data.n, (task + 1) * each * chunk);
        for (std::size_t i = task * each * chunk; i < last; i += chunk)
            risks[task] += loss.chunk(i, std::min(chunk, last - i), pull.data(), slopes.data() + task * size);
    });
    double risk = 0;
    std::fill(slope, slope + size, 0.0);
    for (std::size_t task = 0; task < tasks; ++task) {
        risk += risks[task];
        for (std::size_t j = 0; j < size; ++j) slope[j] += slopes[task * size + j];
    }
    return risk;
}

}  // namespace

template <class T>
double logistic_pass(const ClassRows<T>& data, const double* V, std::size_t width, std::size_t threads, double* slope) {
    return width == 1 ? over_rows<TwoClasses<T>>(data, V, width, threads, slope)
                      : over_rows<ManyClasses<T>>(data, V, width, threads, slope);
}

template double logistic_pass(const ClassRows<double>&, const double*, std::size_t, std::size_t, double*);
template double logistic_pass(const ClassRows<float>&, const double*, std::size_t, std::size_t, double*);

}  // namespace surefit
