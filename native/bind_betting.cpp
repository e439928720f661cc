// Bindings of the betting loop: shapes are checked here, the GIL is released around it.
#include "betting.hpp"
#include "bindings.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

using namespace surefit;

namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void star(const Rows& gains, double target, const Vector& candidates, const MutableOrder& rejected) {
    require(rejected.shape(0) == gains.shape(0), "rejected needs one entry per row of gains");
    const Unlocked unlocked;
    for (std::size_t i = 0; i < gains.shape(0); ++i)
        rejected.data()[i] = star_rejections(gains.data() + i * gains.shape(1), gains.shape(1), target,
                                             candidates.data(), candidates.shape(0));
}

std::tuple<std::size_t, double, double> until(const Vector& losses, const Vector& entering, double level,
                                             const Vector& stakes, const Vector& shares, const MutableVector& wealth,
                                             std::tuple<double, double> cash_and_threshold) {
    const std::size_t size = wealth.shape(0);
    require(entering.shape(0) == losses.shape(0), "entering needs one entry per loss");
    require(stakes.shape(0) == size && shares.shape(0) == size, "one stake and one share per wealth");
    Bets bets{level, stakes.data(), shares.data(), wealth.data(), size, std::get<0>(cash_and_threshold), 0.0};
    const Unlocked unlocked;
    const std::size_t at = bet_until(losses.data(), entering.data(), losses.shape(0), std::get<1>(cash_and_threshold), bets);
    return {at, bets.cash, bets.total};
}

}  // namespace

void surefit::bind_betting(nb::module_& m) {
    expose(m, "star_rejections", &star);
    expose(m, "bet_until", &until);
}
