// Bindings of the two-variable dual steps: shapes are checked here, the GIL is released around the loop.
#include "bindings.hpp"
#include "dual.hpp"

#include <nanobind/stl/pair.h>

#include <utility>

using namespace surefit;

namespace {

template <class Stored, class T>
std::pair<std::size_t, double> steps(const nb::ndarray<const Stored, nb::ndim<2>, nb::c_contig, nb::device::cpu>& gram,
                                     double unit, const Vector& ridge, const Vector& tube, const Vector& lower,
                                     const Vector& upper, std::pair<double, std::size_t> stop, const MutableVector& beta,
                                     const nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& gradient) {
    const std::size_t n = beta.shape(0);
    require(n > 0 && gram.shape(0) == n && gram.shape(1) == n, "gram needs a row and a column per variable");
    require(ridge.shape(0) == n && tube.shape(0) == n && lower.shape(0) == n && upper.shape(0) == n && gradient.shape(0) == n,
            "ridge, tube, lower, upper and gradient need one number per variable");
    const PairProblem<Stored> problem{gram.data(), unit, n, ridge.data(), tube.data(), lower.data(), upper.data()};
    PairOutcome outcome;
    {
        const Unlocked unlocked;
        outcome = pair_steps(problem, stop.first, stop.second, beta.data(), gradient.data());
    }
    return {outcome.steps, outcome.violation};
}

void store(const nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>& block, std::size_t first_row,
           double unit, std::size_t threads,
           const nb::ndarray<std::int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& gram) {
    const std::size_t rows = block.shape(0), n = gram.shape(0);
    require(first_row % 64 == 0 && block.shape(1) == first_row + rows && first_row + rows <= n && gram.shape(1) == n,
            "block needs the columns up to its last row, first_row a multiple of 64, gram as many rows as columns");
    const Unlocked unlocked;
    store_rounded(block.data(), rows, first_row, unit, threads, n, gram.data());
}

}  // namespace

void surefit::bind_dual(nb::module_& m) {
    expose(m, "store_rounded", &store);
    expose(m, "pair_steps", &steps<double, double>);
    expose(m, "pair_steps", &steps<float, float>);
    expose(m, "pair_steps", &steps<std::int16_t, float>);
}
