// Logistic loss over dense rows: scores, losses and gradient of a few rows while they are in the cache.
//
// Vectors run along the columns of X, whatever the number of classes. The last vector of a row may reach into the next
// row; there the coefficients are zero, and the sums that it makes are never looked at. The last rows, after which
// nothing may be read, are taken from a copy with room behind it.
#include "logistic.hpp"

#include "logarithm.hpp"
#include "share.hpp"
#include "tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace surefit {
namespace {

template <class T>
using VectorOf = typename Lanes<T>::Vector;

template <class T>
const VectorOf<T>& load(const T* from) { return *reinterpret_cast<const VectorOf<T>*>(from); }
template <class T>
VectorOf<T>& store(T* to) { return *reinterpret_cast<VectorOf<T>*>(to); }

constexpr std::size_t kCached = 65536;             // bytes of a chunk of rows: both products find it in the cache
constexpr std::size_t kFewest = 16, kMost = 256;   // rows of a chunk
constexpr std::size_t kShort = 2048;               // bytes of a row so short that the processor reads ahead by itself
constexpr std::size_t kTasks = 64;                 // blocks of rows, each with a gradient of its own

constexpr std::size_t up(std::size_t count, std::size_t unit) { return (count + unit - 1) / unit * unit; }

// Runs of `Unit` lanes of a and b in turn, neighbouring runs of each added: halves of two sums at a time.
template <std::size_t Unit, class V, std::size_t... I>
inline V paired(V a, V b, std::index_sequence<I...>) {
    constexpr std::size_t lanes = sizeof...(I);
    constexpr auto from = [](std::size_t l) { return l % (2 * Unit) < Unit ? l : lanes + l - Unit; };
    return __builtin_shufflevector(a, b, from(I)...) + __builtin_shufflevector(a, b, (from(I) + Unit)...);
}

// Lane l of the first A: the sum of the lanes l, l + A, l + 2 A, ...
template <std::size_t Unit, std::size_t A, class V, std::size_t... I>
inline V folded(V v, std::index_sequence<I...> all) {
    if constexpr (Unit < A) return v;
    else return folded<Unit / 2, A>(v + __builtin_shufflevector(v, v, ((I + Unit) % sizeof...(I))...), all);
}

// out[a] = the sum of the lanes of v[a]; A is a power of two.
template <std::size_t A, class T>
inline void lane_sums(VectorOf<T> (&v)[A], T* out) {
    constexpr std::size_t lanes = Lanes<T>::count;
    using All = std::make_index_sequence<lanes>;
    if constexpr (A > lanes) {
        VectorOf<T> half[A / 2];
        for (std::size_t part = 0; part < 2; ++part) {
            for (std::size_t a = 0; a < A / 2; ++a) half[a] = v[part * A / 2 + a];
            lane_sums<A / 2, T>(half, out + part * A / 2);
        }
    } else {
        if constexpr (A >= 2)
            for (std::size_t a = 0; a < A / 2; ++a) v[a] = paired<1>(v[2 * a], v[2 * a + 1], All{});
        if constexpr (A >= 4)
            for (std::size_t a = 0; a < A / 4; ++a) v[a] = paired<2>(v[2 * a], v[2 * a + 1], All{});
        if constexpr (A >= 8)
            for (std::size_t a = 0; a < A / 8; ++a) v[a] = paired<4>(v[2 * a], v[2 * a + 1], All{});
        v[0] = folded<lanes / 2, A>(v[0], All{});
        for (std::size_t a = 0; a < A; ++a) out[a] = v[0][a];
    }
}

// out[a] = <x_a, w> for A short rows, read one after the other as they lie in memory.
template <std::size_t A, class T>
void short_products(const T* x, std::size_t d, const T* w, std::size_t padded, T* out) {
    constexpr std::size_t lanes = Lanes<T>::count;
    VectorOf<T> sum[A];
    for (std::size_t a = 0; a < A; ++a) {
        VectorOf<T> part[4] = {};
        std::size_t j = 0;
        for (; j + 4 * lanes <= padded; j += 4 * lanes)
            for (std::size_t v = 0; v < 4; ++v) part[v] += load(x + a * d + j + v * lanes) * load(w + j + v * lanes);
        for (; j < padded; j += lanes) part[0] += load(x + a * d + j) * load(w + j);
        sum[a] = (part[0] + part[1]) + (part[2] + part[3]);
    }
    lane_sums<A, T>(sum, out);
}

// out[k * along + a] = <x_a, w_k> for A rows and K classes.
template <std::size_t A, std::size_t K, class T>
void products(const T* x, std::size_t d, const T* W, std::size_t padded, T* out, std::size_t along) {
    constexpr std::size_t lanes = Lanes<T>::count;
    VectorOf<T> sum[K][A] = {};
    for (std::size_t j = 0; j < padded; j += lanes) {
        VectorOf<T> row[A];
        for (std::size_t a = 0; a < A; ++a) row[a] = load(x + a * d + j);
        for (std::size_t k = 0; k < K; ++k) {
            const VectorOf<T> w = load(W + k * padded + j);
            for (std::size_t a = 0; a < A; ++a) sum[k][a] += row[a] * w;
        }
    }
    for (std::size_t k = 0; k < K; ++k) lane_sums<A, T>(sum[k], out + k * along);
}

// A few rows of X with room behind them, their place among all rows, and how far ahead the next are to be asked for.
template <class T>
struct Chunk {
    const T* x;
    std::size_t first, count, ahead;
};

// into[k * padded + j] += sum_i pull[k * along + i] x_ij for V vectors of columns from j = from on and K classes.
template <std::size_t V, std::size_t K, class T>
void column_sums(const Chunk<T>& rows, std::size_t d, std::size_t from, const T* pull, std::size_t along, double* into,
                 std::size_t padded) {
    constexpr std::size_t lanes = Lanes<T>::count;
    VectorOf<T> sum[K][V] = {};
    const T* x = rows.x + from;
    for (std::size_t i = 0; i < rows.count; ++i, x += d) {
        VectorOf<T> row[V];
        for (std::size_t v = 0; v < V; ++v) row[v] = load(x + v * lanes);
        if (rows.ahead > 0)
            for (std::size_t v = 0; v < V; ++v) __builtin_prefetch(x + rows.ahead * d + v * lanes, 0, 2);
        for (std::size_t k = 0; k < K; ++k)
            for (std::size_t v = 0; v < V; ++v) sum[k][v] += row[v] * pull[k * along + i];
    }
    for (std::size_t k = 0; k < K; ++k)
        for (std::size_t v = 0; v < V; ++v)
            for (std::size_t l = 0; l < lanes; ++l)
                into[k * padded + from + v * lanes + l] += static_cast<double>(sum[k][v][l]);
}

template <std::size_t K>
using Classes = std::integral_constant<std::size_t, K>;

// Loss and gradient of chunks of rows: scores and pulls lie class by class, `along` numbers each.
template <class T>
class Pass {
  public:
    Pass(const ClassRows<T>& data_, const double* V, std::size_t width_, std::size_t along_)
        : data(data_), width(width_), along(along_), padded(up(data_.d, lanes)), room(padded * width_ + lanes),
          level(width_) {
        void* from = room.data();
        std::size_t space = room.size() * sizeof(T);
        T* W = static_cast<T*>(std::align(kBytes, padded * width * sizeof(T), from, space));
        coefficients = W;
        for (std::size_t k = 0; k < width; ++k) {
            for (std::size_t j = 0; j < data.d; ++j) W[k * padded + j] = static_cast<T>(V[j * width + k]);
            level[k] = static_cast<T>(V[data.d * width + k]);
        }
        flat = std::all_of(W, W + padded * width, [](T w) { return w == 0; });
    }

    std::size_t size() const { return (padded + 1) * width; }  // of a gradient: class by class, then the intercepts

    double chunk(const Chunk<T>& rows, T* pull, double* slope) const {
        if (flat) std::fill(pull, pull + along * width, T(0));
        else in_groups([&](std::size_t k, auto some) { scores<decltype(some)::value>(rows, k, pull); });
        const double risk = width == 1 ? two_classes(rows, pull) : many_classes(rows, pull);
        in_groups([&](std::size_t k, auto some) { gradient<decltype(some)::value>(rows, k, pull, slope); });
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t i = 0; i < rows.count; ++i)
                slope[padded * width + k] += static_cast<double>(pull[k * along + i]);
        return risk;
    }

    // Adds a gradient of this layout to one of the caller's, (d + 1, width).
    void add(const double* from, double* slope) const {
        for (std::size_t k = 0; k < width; ++k) {
            for (std::size_t j = 0; j < data.d; ++j) slope[j * width + k] += from[k * padded + j];
            slope[data.d * width + k] += from[padded * width + k];
        }
    }

  private:
    static constexpr std::size_t lanes = Lanes<T>::count;
    const ClassRows<T>& data;
    std::size_t width, along, padded;
    std::vector<T> room, level;
    const T* coefficients;  // class by class, in whole vectors of `room`
    bool flat;              // whether all of them are zero

    // work(first class, number of classes) for groups of classes whose sums fit into the registers together.
    template <class Work>
    void in_groups(Work work) const {
        std::size_t k = 0;
        for (; width - k > 6 || width - k == 5; k += 5) work(k, Classes<5>{});
        if (width - k == 6) work(k, Classes<3>{}), work(k + 3, Classes<3>{});
        if (width - k == 4) work(k, Classes<4>{});
        if (width - k == 3) work(k, Classes<3>{});
        if (width - k == 2) work(k, Classes<2>{});
        if (width - k == 1) work(k, Classes<1>{});
    }

    template <std::size_t K>
    void scores(const Chunk<T>& rows, std::size_t k, T* out) const {
        constexpr std::size_t A = K == 1 ? 8 : 4;
        const T *w = coefficients + k * padded, *x = rows.x;
        const std::size_t d = data.d;
        const bool one_by_one = K == 1 && rows.ahead == 0;
        T* here = out + k * along;
        std::size_t i = 0;
        for (; i + A <= rows.count; i += A) {
            if (one_by_one) short_products<A>(x + i * d, d, w, padded, here + i);
            else products<A, K>(x + i * d, d, w, padded, here + i, along);
        }
        for (; i < rows.count; ++i) products<1, K>(x + i * d, d, w, padded, here + i, along);
    }

    template <std::size_t K>
    void gradient(Chunk<T> rows, std::size_t k, const T* pull, double* slope) const {
        if (k > 0) rows.ahead = 0;  // asked for with the first classes
        constexpr std::size_t V = K == 1 ? 8 : 4;
        const T* p = pull + k * along;
        double* into = slope + k * padded;
        std::size_t j = 0;
        for (; j + V * lanes <= padded; j += V * lanes) column_sums<V, K>(rows, data.d, j, p, along, into, padded);
        for (; j + V / 2 * lanes <= padded; j += V / 2 * lanes)
            column_sums<V / 2, K>(rows, data.d, j, p, along, into, padded);
        for (; j + 3 * lanes <= padded; j += 3 * lanes) column_sums<3, K>(rows, data.d, j, p, along, into, padded);
        for (; j < padded; j += lanes) column_sums<1, K>(rows, data.d, j, p, along, into, padded);
    }

    // From scores to derivatives of the loss, share included; gives the loss of these rows.
    double two_classes(const Chunk<T>& rows, T* pull) const {
        constexpr T log2e = static_cast<T>(1.4426950408889634);
        T loss[kMost];
        const std::int64_t* code = data.codes + rows.first;
        const double* share = data.share + rows.first;
        const T b = level[0];
        for (std::size_t i = 0; i < rows.count; ++i) {
            const T sign = code[i] == 1 ? T(1) : T(-1), margin = sign * (pull[i] + b);
            const T e = exp2_negative(-log2e * std::fabs(margin));
            const T wrong = (margin > 0 ? e : T(1)) / (1 + e);
            loss[i] = (margin > 0 ? T(0) : -margin) + log_one_plus(e);
            pull[i] = -sign * wrong * static_cast<T>(share[i]);
        }
        return weighed(rows, loss);
    }

    // The same for a score a class: every step runs along the rows.
    double many_classes(const Chunk<T>& rows, T* pull) const {
        constexpr T log2e = static_cast<T>(1.4426950408889634);
        T most[kMost], total[kMost], loss[kMost];
        const std::size_t count = rows.count;
        const std::int64_t* code = data.codes + rows.first;
        const auto own = [&](std::size_t i) { return static_cast<std::size_t>(code[i]) * along + i; };
        std::fill(most, most + count, std::numeric_limits<T>::lowest());
        std::fill(total, total + count, T(0));
        for (std::size_t k = 0; k < width; ++k) {
            T* __restrict__ score = pull + k * along;
            const T b = level[k];
            for (std::size_t i = 0; i < count; ++i) score[i] += b;
            for (std::size_t i = 0; i < count; ++i) most[i] = score[i] < most[i] ? most[i] : score[i];
        }
        for (std::size_t i = 0; i < count; ++i) loss[i] = most[i] - pull[own(i)];
        for (std::size_t k = 0; k < width; ++k) {
            T* __restrict__ score = pull + k * along;
            for (std::size_t i = 0; i < count; ++i) score[i] = exp2_negative((score[i] - most[i]) * log2e);
            for (std::size_t i = 0; i < count; ++i) total[i] += score[i];
        }
        const double* share = data.share + rows.first;
        for (std::size_t i = 0; i < count; ++i) loss[i] += log_from_one(total[i]);
        for (std::size_t i = 0; i < count; ++i) total[i] = static_cast<T>(share[i]) / total[i];
        for (std::size_t k = 0; k < width; ++k) {
            T* __restrict__ score = pull + k * along;
            for (std::size_t i = 0; i < count; ++i) score[i] *= total[i];
        }
        for (std::size_t i = 0; i < count; ++i) pull[own(i)] -= static_cast<T>(share[i]);
        return weighed(rows, loss);
    }

    double weighed(const Chunk<T>& rows, const T* loss) const {
        double risk = 0;
        for (std::size_t i = 0; i < rows.count; ++i) risk += data.share[rows.first + i] * static_cast<double>(loss[i]);
        return risk;
    }
};

template <class T>
double over_rows(const ClassRows<T>& data, const double* V, std::size_t width, std::size_t threads, double* slope) {
    const std::size_t d = std::max<std::size_t>(data.d, 1), room = up(data.d, Lanes<T>::count);
    const std::size_t chunk = std::min(std::max(kCached / sizeof(T) / d / 8 * 8, kFewest), kMost);
    const std::size_t ahead = width == 1 && d * sizeof(T) <= kShort ? 0 : chunk;
    const Pass<T> pass(data, V, width, chunk);
    const std::size_t copied = std::min(data.n, room / d + 1), safe = data.n - copied;
    const std::size_t chunks = (safe + chunk - 1) / chunk;
    const std::size_t each = std::max<std::size_t>((chunks + kTasks - 1) / kTasks, 1);
    const std::size_t tasks = (chunks + each - 1) / each;
    std::vector<double> slopes((tasks + 1) * pass.size()), risks(tasks + 1);
    std::vector<T> last(copied * d + room);
    std::copy(data.rows + safe * d, data.rows + (data.n - 1) * d + data.d, last.data());
    const auto make_pull = [&] { return std::vector<T>(chunk * width); };
    share(tasks + 1, threads, make_pull, [&](std::size_t task, std::vector<T>& pull) {
        double* into = slopes.data() + task * pass.size();
        if (task == tasks) {
            risks[task] = pass.chunk({last.data(), safe, copied, 0}, pull.data(), into);
            return;
        }
        const std::size_t end = std::min(safe, (task + 1) * each * chunk);
        for (std::size_t i = task * each * chunk; i < end; i += chunk)
            risks[task] += pass.chunk({data.rows + i * d, i, std::min(chunk, end - i), ahead}, pull.data(), into);
    });
    double risk = 0;
    std::fill(slope, slope + (data.d + 1) * width, 0.0);
    for (std::size_t task = 0; task <= tasks; ++task) {
        risk += risks[task];
        pass.add(slopes.data() + task * pass.size(), slope);
    }
    return risk;
}

}  // namespace

template <class T>
double logistic_pass(const ClassRows<T>& data, const double* V, std::size_t width, std::size_t threads, double* slope) {
    return over_rows(data, V, width, threads, slope);
}

template double logistic_pass(const ClassRows<double>&, const double*, std::size_t, std::size_t, double*);
template double logistic_pass(const ClassRows<float>&, const double*, std::size_t, std::size_t, double*);

}  // namespace surefit
