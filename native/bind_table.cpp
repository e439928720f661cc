// Bindings of the loops over tables with words: shapes are checked here, the GIL is released around each loop.
#include "bindings.hpp"
#include "table.hpp"

using namespace surefit;

namespace {

template <class Number>
using Numbers = nb::ndarray<const Number, nb::ndim<2>, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Number>
Table<Number> checked(const Numbers<Number>& numbers, const Vector& inverse, const Vector& shift, const Codes& codes,
                      std::size_t levels) {
    const std::size_t rows = numbers.shape(0), cols = numbers.shape(1);
    require(inverse.shape(0) == cols && shift.shape(0) == cols, "inverse and shift need one entry per column of numbers");
    require(codes.shape(1) == rows, "codes need one entry per row of numbers");
    std::int32_t highest = -1;
    for (std::size_t i = 0; i < codes.shape(0) * rows; ++i) highest = std::max(highest, codes.data()[i]);
    require(highest < 0 || static_cast<std::size_t>(highest) < levels, "a code names a level that is not there");
    return {numbers.data(), numbers.stride(0), numbers.stride(1), rows, cols, inverse.data(), shift.data(),
            codes.data(), codes.shape(0), levels};
}

template <class Number>
void times(const Numbers<Number>& numbers, const Vector& inverse, const Vector& shift, const Codes& codes, const Rows& V,
           const MutableMatrix& out) {
    require(V.shape(0) >= 1 + numbers.shape(1), "V needs a row for the constant and one per column");
    require(out.shape(0) == numbers.shape(0) && out.shape(1) == V.shape(1), "out needs a row per row, a column per column of V");
    const Unlocked unlocked;
    const std::size_t levels = V.shape(0) - 1 - numbers.shape(1);
    table_times(checked<Number>(numbers, inverse, shift, codes, levels), V.data(), V.shape(1), out.data());
}

template <class Number>
void products(const Numbers<Number>& numbers, const Vector& inverse, const Vector& shift, const Codes& codes,
              const Rows& beside, const Vector& weight, const Rows& U, const MutableMatrix& gram,
              const MutableMatrix& cross, const MutableVector& squares) {
    const std::size_t rows = numbers.shape(0), q = 1 + numbers.shape(1) + beside.shape(1);
    require(beside.shape(0) == rows && weight.shape(0) == rows && U.shape(0) == rows,
            "beside, weight and U need one row per row of numbers");
    require(U.shape(1) >= 1 && gram.shape(0) == gram.shape(1) && gram.shape(0) >= q, "gram needs a row and column per column");
    require(cross.shape(0) == gram.shape(0) && cross.shape(1) == U.shape(1), "cross needs a row per column, a column per column of U");
    require(squares.shape(0) == q, "squares need one entry per column that is no indicator");
    const Unlocked unlocked;
    table_products(checked<Number>(numbers, inverse, shift, codes, gram.shape(0) - q),
                   {beside.data(), beside.shape(1), weight.data(), U.data(), U.shape(1), gram.data(), cross.data(), squares.data()});
}

template <class Number>
void left_out(const Numbers<Number>& numbers, const Vector& inverse, const Vector& shift, const Codes& codes,
              const Rows& turn, const Rows& coef, const Rows& share, const Vector& target, const Vector& weight, double own,
              bool single, const MutableMatrix& out) {
    const std::size_t rows = numbers.shape(0), q = 1 + numbers.shape(1);
    require(turn.shape(0) >= q, "turn needs a row for the constant and one per column");
    require(coef.shape(0) == turn.shape(1) && share.shape(0) == turn.shape(1) && coef.shape(1) == share.shape(1),
            "coef and share need one row per column of turn");
    require(target.shape(0) == rows && weight.shape(0) == rows, "target and weight need one entry per row of numbers");
    require(out.shape(0) == 2 && out.shape(1) == coef.shape(1), "out needs two rows and one column per lam");
    const Unlocked unlocked;
    const LeaveOut given{turn.data(), coef.data(), share.data(), turn.shape(1), coef.shape(1), target.data(),
                         weight.data(), own, out.data(), out.data() + out.shape(1)};
    const Table<Number> table = checked<Number>(numbers, inverse, shift, codes, turn.shape(0) - q);
    if (single) table_left_out<float>(table, given);
    else table_left_out<double>(table, given);
}

}  // namespace

void surefit::bind_table(nb::module_& m) {
    expose(m, "table_times", &times<double>);
    expose(m, "table_times", &times<float>);
    expose(m, "table_products", &products<double>);
    expose(m, "table_products", &products<float>);
    expose(m, "table_left_out", &left_out<double>);
    expose(m, "table_left_out", &left_out<float>);
}
