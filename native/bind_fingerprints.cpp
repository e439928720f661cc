// Bindings of the row fingerprints: shapes and indices are checked here, the GIL is released around the loops.
#include "bindings.hpp"
#include "fingerprints.hpp"

using namespace surefit;

namespace {

using Odd = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Totals = nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
void dense(const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& x, const Odd& odd, std::size_t threads,
           const Totals& total) {
    require(total.shape(0) == x.shape(0), "total needs one entry per row");
    require(odd.shape(0) == x.shape(1), "odd needs one entry per column");
    const Unlocked unlocked;
    dense_prints(x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1), odd.data(), threads, total.data());
}

template <class T, class Index>
void compressed(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& entries,
                const nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>& columns,
                const nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>& starts, const Odd& odd,
                std::size_t threads, const Totals& total) {
    require(starts.shape(0) == total.shape(0) + 1, "total needs one entry per row");
    require(columns.shape(0) == entries.shape(0), "columns and entries must be equally long");
    const std::size_t n = total.shape(0);
    require(starts.data()[0] == 0 && static_cast<std::size_t>(starts.data()[n]) <= entries.shape(0),
            "starts must lie within the entries");
    for (std::size_t i = 0; i < n; ++i) require(starts.data()[i] <= starts.data()[i + 1], "starts must not fall");
    const Unlocked unlocked;
    for (std::size_t e = 0; e < columns.shape(0); ++e)
        require(columns.data()[e] >= 0 && static_cast<std::size_t>(columns.data()[e]) < odd.shape(0),
                "columns must lie within odd");
    sparse_prints(entries.data(), columns.data(), starts.data(), n, odd.data(), threads, total.data());
}

}  // namespace

void surefit::bind_fingerprints(nb::module_& m) {
    // exact types only: a converted copy would be another row
    m.def("dense_prints", &dense<float>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg().noconvert());
    m.def("dense_prints", &dense<double>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg().noconvert());
    const auto sparse = [&m](auto loop) {
        m.def("sparse_prints", loop, nb::arg().noconvert(), nb::arg().noconvert(), nb::arg().noconvert(), nb::arg(),
              nb::arg(), nb::arg().noconvert());
    };
    sparse(&compressed<float, std::int32_t>);
    sparse(&compressed<float, std::int64_t>);
    sparse(&compressed<double, std::int32_t>);
    sparse(&compressed<double, std::int64_t>);
}
