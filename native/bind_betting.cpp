// Bindings of the betting loop: shapes are checked here, the GIL is released around it.
#include "betting.hpp"
#include "bindings.hpp"

using namespace surefit;

namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void star(const Rows& gains, double target, const Vector& candidates, const MutableOrder& rejected) {
    require(rejected.shape(0) == gains.shape(0), "rejected needs one entry per row of gains");
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < gains.shape(0); ++i)
        rejected.data()[i] = star_rejections(gains.data() + i * gains.shape(1), gains.shape(1), target,
                                             candidates.data(), candidates.shape(0));
}

}  // namespace

void surefit::bind_betting(nb::module_& m) {
    expose(m, "star_rejections", &star);
}
