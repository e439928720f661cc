// Gram matrices of bytes: four rows of a column lie in 32 bits, and one instruction multiplies and adds 64 of them.
#include "byte_gram.hpp"

#include "share.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __AVX512VNNI__
#include <immintrin.h>
#endif

namespace surefit {
namespace {

constexpr std::size_t kLanes = 16;           // columns in a vector of 32 bits each
constexpr std::size_t kAcross = 3;           // vectors of columns whose sums are in registers together
constexpr std::size_t kDown = 8;              // columns they meet
constexpr std::size_t kWide = kLanes * kAcross;
constexpr std::size_t kDeep = 2048;           // groups of four rows: their sums fit into 32 bits, they into the cache
constexpr std::size_t kBlock = 256;           // rows that a task measures or packs
constexpr float kSteps = 127.0f, kFar = 12.0f;

// work(j, entry) for the entries of scaled row i; the last one belongs to the intercept.
template <class T, class Work>
inline void over_entries(const ScaledRows<T>& data, std::size_t i, Work work) {
    const float factor = static_cast<float>(data.factor[i]);
    const T* x = data.rows + i * data.stride;
    for (std::size_t j = 0; j < data.d; ++j) work(j, static_cast<float>(x[j]) * factor);
    work(data.d, factor);
}

// The nearest integer of a small number, as the rounding of a sum: halves go to the even one.
inline std::int32_t nearest(float a) {
    const float shifted = a + 12582912.0f;  // 1.5 * 2^23
    std::int32_t bits;
    std::memcpy(&bits, &shifted, 4);
    return bits - 0x4B400000;
}

// One over the step of each column.
template <class T>
std::vector<float> inverse_steps(const ScaledRows<T>& data, std::size_t threads) {
    const std::size_t p = data.d + 1, blocks = (data.n + kBlock - 1) / kBlock;
    std::vector<float> most(blocks * p), square(blocks * p);
    share(blocks, threads, [&](std::size_t block) {
        float *__restrict__ top = most.data() + block * p, *__restrict__ sum = square.data() + block * p;
        for (std::size_t i = block * kBlock; i < std::min(data.n, (block + 1) * kBlock); ++i)
            over_entries(data, i, [=](std::size_t j, float v) {
                top[j] = std::fabs(v) > top[j] ? std::fabs(v) : top[j];
                sum[j] += v * v;
            });
    });
    std::vector<float> inverse(p);
    for (std::size_t j = 0; j < p; ++j) {
        float top = 0;
        double sum = 0;
        for (std::size_t block = 0; block < blocks; ++block) {
            top = std::max(top, most[block * p + j]);
            sum += static_cast<double>(square[block * p + j]);
        }
        const float reach = std::min(top, kFar * static_cast<float>(std::sqrt(sum / static_cast<double>(data.n))));
        inverse[j] = reach > 0 ? kSteps / reach : 0.0f;
    }
    return inverse;
}

// Columns in panels of kWide: [panel][group of four rows][column], the bytes of the four rows in one word.
template <class T>
std::vector<std::int32_t> packed(const ScaledRows<T>& data, const std::vector<float>& inverse, std::size_t threads) {
    const std::size_t p = data.d + 1, panels = (p + kWide - 1) / kWide, groups = (data.n + 3) / 4;
    std::vector<std::int32_t> words(panels * groups * kWide);
    share((groups + kBlock / 4 - 1) / (kBlock / 4), threads, [&](std::size_t block) {
        std::vector<std::int32_t> word(panels * kWide);
        for (std::size_t g = block * kBlock / 4; g < std::min(groups, (block + 1) * kBlock / 4); ++g) {
            std::fill(word.begin(), word.end(), 0);
            for (std::size_t i = 4 * g; i < std::min(data.n, 4 * g + 4); ++i) {
                std::int32_t* __restrict__ to = word.data();
                const float* __restrict__ scale = inverse.data();
                over_entries(data, i, [=](std::size_t j, float v) {
                    const float steps = v * scale[j], cut = steps > kSteps ? kSteps : steps < -kSteps ? -kSteps : steps;
                    to[j] |= (nearest(cut) & 255) << (8 * (i % 4));
                });
            }
            for (std::size_t panel = 0; panel < panels; ++panel)
                std::copy_n(word.data() + panel * kWide, kWide, words.data() + (panel * groups + g) * kWide);
        }
    });
    return words;
}

#ifdef __AVX512VNNI__
typedef int Words __attribute__((vector_size(64), aligned(4), may_alias));
const Words& load(const std::int32_t* from) { return *reinterpret_cast<const Words*>(from); }
Words add_products(Words sum, Words unsigned_bytes, Words bytes) {
    return (Words)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)unsigned_bytes, (__m512i)bytes);
}
const Words kFlip = Words{} - 0x7f7f7f80;  // 128 in every byte: added to one factor, which has to be unsigned

// sums[i][j] += products of kDown columns of one panel with the columns of another, over `groups` groups of four rows.
void tile(const std::int32_t* down, const std::int32_t* across, std::size_t groups, std::int32_t (*sums)[kWide]) {
    Words sum[kDown][kAcross] = {};
    for (std::size_t g = 0; g < groups; ++g) {
        Words right[kAcross];
        for (std::size_t v = 0; v < kAcross; ++v) right[v] = load(across + g * kWide + v * kLanes);
        for (std::size_t i = 0; i < kDown; ++i) {
            const Words left = kFlip ^ down[g * kWide + i];
            for (std::size_t v = 0; v < kAcross; ++v) sum[i][v] = add_products(sum[i][v], left, right[v]);
        }
    }
    for (std::size_t i = 0; i < kDown; ++i)
        for (std::size_t k = 0; k < kWide; ++k) sums[i][k] += sum[i][k / kLanes][k % kLanes];
}

// What the 128 adds to every sum with these columns, negative.
void offset(const std::int32_t* across, std::size_t groups, std::int32_t* sums) {
    for (std::size_t v = 0; v < kAcross; ++v) {
        Words sum = {};
        for (std::size_t g = 0; g < groups; ++g) sum = add_products(sum, kFlip, load(across + g * kWide + v * kLanes));
        for (std::size_t k = 0; k < kLanes; ++k) sums[v * kLanes + k] = -sum[k];
    }
}
#else
void tile(const std::int32_t* down, const std::int32_t* across, std::size_t groups, std::int32_t (*sums)[kWide]) {
    const auto byte = [](std::int32_t word, int r) -> int { return static_cast<std::int8_t>(word >> (8 * r)); };
    for (std::size_t g = 0; g < groups; ++g, down += kWide, across += kWide)
        for (std::size_t i = 0; i < kDown; ++i)
            for (int r = 0; r < 4; ++r)
                for (std::size_t j = 0; j < kWide; ++j) sums[i][j] += byte(down[i], r) * byte(across[j], r);
}

void offset(const std::int32_t*, std::size_t, std::int32_t* sums) { std::fill(sums, sums + kWide, 0); }
#endif

}  // namespace

template <class T>
void byte_gram(const ScaledRows<T>& data, std::size_t threads, float* gram) {
    const std::size_t p = data.d + 1, panels = (p + kWide - 1) / kWide, groups = (data.n + 3) / 4;
    const std::vector<float> inverse = inverse_steps(data, threads);
    const std::vector<std::int32_t> words = packed(data, inverse, threads);
    share(panels * (panels + 1) / 2, threads, [&](std::size_t task) {
        std::size_t a = 0;  // the task is a pair of panels a <= b
        for (; task >= panels - a; ++a) task -= panels - a;
        const std::size_t b = a + task;
        std::vector<float> block(kWide * kWide);
        std::int32_t start[kWide], sums[kDown][kWide];
        for (std::size_t g = 0; g < groups; g += kDeep) {
            const std::size_t deep = std::min(kDeep, groups - g);
            const std::int32_t *down = words.data() + (a * groups + g) * kWide,
                               *across = words.data() + (b * groups + g) * kWide;
            offset(across, deep, start);
            for (std::size_t i = 0; i < kWide; i += kDown) {
                for (std::size_t k = 0; k < kDown; ++k) std::copy(start, start + kWide, sums[k]);
                tile(down + i, across, deep, sums);
                for (std::size_t k = 0; k < kDown * kWide; ++k)
                    block[i * kWide + k] += static_cast<float>(sums[k / kWide][k % kWide]);
            }
        }
        for (std::size_t i = 0; i < std::min(kWide, p - a * kWide); ++i)
            for (std::size_t j = 0; j < std::min(kWide, p - b * kWide); ++j) {
                const std::size_t row = a * kWide + i, column = b * kWide + j;
                const float steps = inverse[row] * inverse[column];
                gram[row * p + column] = gram[column * p + row] = steps > 0 ? block[i * kWide + j] / steps : 0.0f;
            }
    });
}

template void byte_gram(const ScaledRows<double>&, std::size_t, float*);
template void byte_gram(const ScaledRows<float>&, std::size_t, float*);

}  // namespace surefit
