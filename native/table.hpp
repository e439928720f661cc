// Products with the columns of a table: a constant, numbers about an origin, others beside them, and an indicator for
// each level of the columns of words. The matrix is never made: a row is added to the sums of its levels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Column j of row i is numbers[i, j] * inverse[j] - shift[j]. codes (words, rows) number the levels of all columns of
// words from 0; those of a later column are larger. A negative code is a level without an indicator.
template <class Number>
struct Table {
    const Number* numbers;
    std::int64_t row_stride, col_stride;
    std::size_t rows, cols;
    const double *inverse, *shift;
    const std::int32_t* codes;
    std::size_t words, levels;
};

// out (rows, width) = [1, numbers, indicators] V, with V (1 + cols + levels, width).
template <class Number>
void table_times(const Table<Number>& table, const double* V, std::size_t width, double* out);

// What is summed up over rows A_i = [1, numbers, beside, indicators], of which q are no indicators and s are all.
struct TableSums {
    const double* beside;  // (rows, n_beside)
    std::size_t n_beside;
    const double* weight;  // (rows)
    const double* U;       // (rows, width), width >= 1
    std::size_t width;
    double* gram;     // (s, s) gains weight_i A_i A_i' on and above the diagonal
    double* cross;    // (s, width) gains A_i U_i'
    double* squares;  // (q) gains the last entry of U_i times the squares of A_i
};

template <class Number>
void table_products(const Table<Number>& table, const TableSums& sums);

// Rows U_i = [1, numbers, indicators] turn, residuals U_i coef - target_i, leverages weight_i (U_i^2 share + own), for
// each of `lams` values of lam.
struct LeaveOut {
    const double *turn, *coef, *share;  // (1 + cols + levels, rank), (rank, lams), (rank, lams)
    std::size_t rank, lams;
    const double *target, *weight;  // (rows)
    double own;
    double *added, *fourth;  // (lams) gain what leaving rows out adds to the sum of squares, and the fourth powers
};

// Sums in T, a few rows at a time; they are added up in double.
template <class T, class Number>
void table_left_out(const Table<Number>& table, const LeaveOut& given);

}  // namespace surefit
