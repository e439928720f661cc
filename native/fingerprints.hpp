// Fingerprints of rows: one 64-bit number each, from the exact bits of their entries.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Adds to total[i] the sum over columns j of scramble(bits of x[i, j]) * odd[j] modulo 2^64; strides count entries.
template <class T>
void dense_prints(const T* x, std::size_t n, std::size_t d, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
                  const std::uint64_t* odd, std::size_t threads, std::uint64_t* total);

// The same for the stored entries of compressed rows.
template <class T, class Index>
void sparse_prints(const T* entries, const Index* columns, const Index* starts, std::size_t n,
                   const std::uint64_t* odd, std::size_t threads, std::uint64_t* total);

}  // namespace surefit
