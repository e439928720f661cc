// Sums over rows by the levels of columns of words: products with a matrix of indicators that is never made.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Rows of `width` values, and the level of each row in each of `columns` columns of words: codes (columns, rows).
// Levels of different columns have different numbers; a negative code is a level without an indicator.
struct IndicatorRows {
    const double* values;
    std::size_t rows, width;
    const std::int32_t* codes;
    std::size_t columns;
};

// sums (levels, width): row k gains the values of all rows of level k, in the order of the rows.
void sums_by_level(const IndicatorRows& given, double* sums);

// pairs (levels, levels): entry (k, l) gains the weights of all rows of level k that are of level l of the same or a
// later column, in the order of the rows.
void pairs_of_levels(const IndicatorRows& given, const double* weight, std::size_t levels, double* pairs);

}  // namespace surefit
