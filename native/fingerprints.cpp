#include "fingerprints.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "share.hpp"

namespace surefit {
namespace {

constexpr std::size_t ROWS_AT_ONCE = 2048;  // their totals stay in the first-level cache while columns pass by

// The finaliser of splitmix64 on the bits of a double; a zero of either sign becomes 0.
template <class T>
inline std::uint64_t scrambled(T value) {
    const double one_zero = static_cast<double>(value) + 0.0;
    std::uint64_t z;
    std::memcpy(&z, &one_zero, sizeof z);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

template <class T>
void along_row(const T* row, std::size_t d, std::ptrdiff_t stride, const std::uint64_t* odd, std::uint64_t& total) {
    std::uint64_t sum = 0;
    if (stride == 1)
        for (std::size_t j = 0; j < d; ++j) sum += scrambled(row[j]) * odd[j];
    else
        for (std::size_t j = 0; j < d; ++j) sum += scrambled(row[static_cast<std::ptrdiff_t>(j) * stride]) * odd[j];
    total += sum;
}

template <class T>
void along_column(const T* column, std::size_t rows, std::ptrdiff_t stride, std::uint64_t odd, std::uint64_t* total) {
    if (stride == 1)
        for (std::size_t i = 0; i < rows; ++i) total[i] += scrambled(column[i]) * odd;
    else
        for (std::size_t i = 0; i < rows; ++i)
            total[i] += scrambled(column[static_cast<std::ptrdiff_t>(i) * stride]) * odd;
}

}  // namespace

template <class T>
void dense_prints(const T* x, std::size_t n, std::size_t d, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
                  const std::uint64_t* odd, std::size_t threads, std::uint64_t* total) {
    const bool by_columns = std::abs(row_stride) < std::abs(column_stride);
    share((n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, threads, [&](std::size_t block) {
        const std::size_t first = block * ROWS_AT_ONCE, rows = std::min(ROWS_AT_ONCE, n - first);
        const T* corner = x + static_cast<std::ptrdiff_t>(first) * row_stride;
        if (by_columns)
            for (std::size_t j = 0; j < d; ++j)
                along_column(corner + static_cast<std::ptrdiff_t>(j) * column_stride, rows, row_stride, odd[j],
                             total + first);
        else
            for (std::size_t i = 0; i < rows; ++i)
                along_row(corner + static_cast<std::ptrdiff_t>(i) * row_stride, d, column_stride, odd,
                          total[first + i]);
    });
}

template <class T, class Index>
void sparse_prints(const T* entries, const Index* columns, const Index* starts, std::size_t n,
                   const std::uint64_t* odd, std::size_t threads, std::uint64_t* total) {
    share((n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, threads, [&](std::size_t block) {
        const std::size_t last = std::min(n, (block + 1) * ROWS_AT_ONCE);
        for (std::size_t i = block * ROWS_AT_ONCE; i < last; ++i) {
            std::uint64_t sum = 0;
            for (Index e = starts[i]; e < starts[i + 1]; ++e) sum += scrambled(entries[e]) * odd[columns[e]];
            total[i] += sum;
        }
    });
}

template void dense_prints(const float*, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t,
                           const std::uint64_t*, std::size_t, std::uint64_t*);
template void dense_prints(const double*, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t,
                           const std::uint64_t*, std::size_t, std::uint64_t*);
template void sparse_prints(const float*, const std::int32_t*, const std::int32_t*, std::size_t, const std::uint64_t*,
                            std::size_t, std::uint64_t*);
template void sparse_prints(const float*, const std::int64_t*, const std::int64_t*, std::size_t, const std::uint64_t*,
                            std::size_t, std::uint64_t*);
template void sparse_prints(const double*, const std::int32_t*, const std::int32_t*, std::size_t, const std::uint64_t*,
                            std::size_t, std::uint64_t*);
template void sparse_prints(const double*, const std::int64_t*, const std::int64_t*, std::size_t, const std::uint64_t*,
                            std::size_t, std::uint64_t*);

}  // namespace surefit
