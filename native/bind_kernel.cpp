// Bindings of the kernel tiles: shapes are checked here, the GIL is released around each loop.
#include "bindings.hpp"
#include "fold.hpp"
#include "kernel.hpp"
#include "triangle.hpp"

using namespace surefit;

namespace {

template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using MutableRows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
Points<T> points(const Rows<T>& X) {
    return {X.data(), X.shape(0), X.shape(1)};
}

RadialKernel radial(int profile, double rate) {
    require(profile >= 0 && profile < 4, "profile names no radial kernel");
    return {static_cast<Profile>(profile), rate};
}

template <class T>
void block(int profile, double rate, const Rows<T>& X, const Rows<T>& Z, std::size_t threads, const MutableRows<T>& out) {
    require(X.shape(1) == Z.shape(1), "X and Z need the same number of columns");
    require(out.shape(0) == X.shape(0) && out.shape(1) == Z.shape(0), "out needs a row per point of X, a column per point of Z");
    const RadialKernel kernel = radial(profile, rate);
    const Unlocked unlocked;
    radial_block(kernel, points(X), points(Z), threads, out.data());
}

template <class T>
void gram(int profile, double rate, const Rows<T>& X, std::size_t threads, const MutableRows<T>& out) {
    require(out.shape(0) == X.shape(0) && out.shape(1) == X.shape(0), "out needs a row and a column per point");
    const RadialKernel kernel = radial(profile, rate);
    const Unlocked unlocked;
    if (X.shape(0) > 0) radial_gram(kernel, points(X), threads, out.data());
}

template <class T>
void times(int profile, double rate, const Rows<T>& X, const Rows<T>& Z, const Rows<T>& V, std::size_t threads,
           const MutableRows<double>& out) {
    require(X.shape(1) == Z.shape(1), "X and Z need the same number of columns");
    require(V.shape(0) == Z.shape(0), "V needs a row per point of Z");
    require(out.shape(0) == X.shape(0) && out.shape(1) == V.shape(1), "out needs a row per point of X, a column per column of V");
    const RadialKernel kernel = radial(profile, rate);
    const Unlocked unlocked;
    radial_times(kernel, points(X), points(Z), V.data(), V.shape(1), threads, out.data());
}

template <class T>
void own_times(int profile, double rate, const Rows<T>& X, const Rows<T>& V, std::size_t threads,
               const MutableRows<double>& out) {
    require(V.shape(0) == X.shape(0), "V needs a row per point");
    require(out.shape(0) == X.shape(0) && out.shape(1) == V.shape(1), "out needs the shape of V");
    const RadialKernel kernel = radial(profile, rate);
    const Unlocked unlocked;
    radial_symmetric_times(kernel, points(X), V.data(), V.shape(1), threads, out.data());
}

template <class Stored>
using Tiles = nb::ndarray<Stored, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::size_t tile_entries(std::size_t n) {
    const std::size_t count = (n + kSide - 1) / kSide;
    return count * (count + 1) / 2 * kSide * kSide;
}

template <class Stored>
void store(const Rows<float>& block, std::size_t first_row, double step, std::size_t threads, const Tiles<Stored>& tiles) {
    const std::size_t end = first_row + block.shape(0);
    require(first_row % kSide == 0, "first_row must be a multiple of 64");
    require(block.shape(1) >= end, "block needs all columns up to its last row");
    require(tiles.shape(0) >= tile_entries(end), "tiles need room for the rows");
    const Unlocked unlocked;
    if (block.shape(0) > 0)
        triangle_store(block.data(), block.shape(0), block.shape(1), first_row, static_cast<float>(step), threads, tiles.data());
}

template <class Stored>
void symmetric_times(const Tiles<Stored>& tiles, double step, const Rows<float>& V, std::size_t threads,
                     const MutableRows<double>& out) {
    require(tiles.shape(0) >= tile_entries(V.shape(0)), "V has more rows than the matrix");
    require(out.shape(0) == V.shape(0) && out.shape(1) == V.shape(1), "out needs the shape of V");
    const Unlocked unlocked;
    triangle_times(tiles.data(), V.shape(0), step, V.data(), V.shape(1), threads, out.data());
}

template <class T>
Fold<T> folded(std::size_t n, std::size_t m, const Rows<T>& A, const Rows<double>& Y, const Vector& w,
               const MutableRows<double>& out) {
    require(A.shape(0) == m, "A needs a row per column of the matrix");
    require(Y.shape(0) == n && w.shape(0) == n, "Y and w need a row per row of the matrix");
    require(Y.shape(1) == A.shape(1) && out.shape(1) == A.shape(1), "Y and out need a column per column of A");
    require(out.shape(0) == m + 2, "out needs a row per column of the matrix, and two");
    return {A.data(), Y.data(), w.data(), A.shape(1)};
}

template <class T>
void fold_block(const Rows<T>& C, const Rows<T>& A, const Rows<double>& Y, const Vector& w, std::size_t threads,
                const MutableRows<double>& out) {
    const Fold<T> fold = folded<T>(C.shape(0), C.shape(1), A, Y, w, out);
    const Unlocked unlocked;
    block_fold(points(C), fold, threads, out.data());
}

template <class T>
void fold_radial(int profile, double rate, const Rows<T>& X, const Rows<T>& Z, const Rows<T>& A, const Rows<double>& Y,
                 const Vector& w, std::size_t threads, const MutableRows<double>& out) {
    require(X.shape(1) == Z.shape(1), "X and Z need the same number of columns");
    const RadialKernel kernel = radial(profile, rate);
    const Fold<T> fold = folded<T>(X.shape(0), Z.shape(0), A, Y, w, out);
    const Unlocked unlocked;
    radial_fold(kernel, points(X), points(Z), fold, threads, out.data());
}

}  // namespace

void surefit::bind_kernel(nb::module_& m) {
    expose(m, "block_fold", &fold_block<double>);
    expose(m, "block_fold", &fold_block<float>);
    expose(m, "radial_fold", &fold_radial<double>);
    expose(m, "radial_fold", &fold_radial<float>);
    expose(m, "radial_block", &block<double>);
    expose(m, "radial_block", &block<float>);
    expose(m, "radial_gram", &gram<double>);
    expose(m, "radial_gram", &gram<float>);
    expose(m, "radial_times", &times<double>);
    expose(m, "radial_times", &times<float>);
    expose(m, "radial_symmetric_times", &own_times<double>);
    expose(m, "radial_symmetric_times", &own_times<float>);
    expose(m, "triangle_store", &store<std::int16_t>);
    expose(m, "triangle_store", &store<float>);
    expose(m, "triangle_times", &symmetric_times<std::int16_t>);
    expose(m, "triangle_times", &symmetric_times<float>);
}
