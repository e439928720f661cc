"""Formulas of kernels as operators, against the kernels themselves."""

import numpy as np
import pytest

from surefit.export.graph import DOUBLE, Graph
from surefit.export.kernels import kernel_values
from surefit.kernels import FeatureMap, FiniteDomain, Gaussian, Laplace, Linear, Matern, Min, Polynomial
from tests.export.running import close, run

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(7, 3)), RNG.normal(size=(5, 3))


def values(kernel, rows, points, folder):
    graph = Graph()
    found = kernel_values(graph, kernel, graph.input("X", DOUBLE, rows.shape[1]), points)
    graph.output("K", DOUBLE, found, len(points))
    (folder / "k").write_bytes(graph.model("kernel").SerializeToString())
    return run(folder / "k", {"X": rows})["K"]


@pytest.mark.parametrize("kernel", [
    Linear(), Polynomial(3, 0.5), Polynomial(1, 0.0), Gaussian(0.7), Laplace(2.0), Matern(1.0, 0.5), Matern(1.0, 1.5),
    Matern(0.3, 2.5), 2.5 * Gaussian(1.0) + Linear(), Gaussian(1.0) * Polynomial(2), Linear() ** 5,
    (0.1 * Linear()).exp(),
    Laplace(1.0).on([2, 0]), Min().on([0]) * Min().on([1]),
], ids=repr)  # fmt: skip
def test_every_formula_gives_the_values_of_its_kernel(kernel, tmp_path):
    rows, points = (np.abs(X), np.abs(Z)) if "Min" in repr(kernel) else (X, Z)
    close(values(kernel, rows, points, tmp_path), kernel.block(rows, points))


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Laplace(1.0), Matern(1.0, 2.5)], ids=repr)
def test_distances_keep_their_digits_far_from_zero(kernel, tmp_path):
    far = np.array([1e6, -3e6, 0.0])
    close(values(kernel, X + far, Z + far, tmp_path), kernel.block(X + far, Z + far))


def test_units_of_any_size_do_not_overflow(tmp_path):
    close(values(Gaussian(1e200), 1e200 * X, 1e200 * Z, tmp_path), Gaussian(1.0).block(X, Z))


@pytest.mark.parametrize(
    "kernel", [FeatureMap(np.square), FiniteDomain([[1.0, 0.0], [0.0, 1.0]]), Gaussian(1.0) + FeatureMap(np.square)]
)
def test_kernels_without_a_formula_are_named(kernel):
    graph = Graph()
    with pytest.raises(ValueError, match=r"has no formula in ONNX; Linear, Polynomial"):
        kernel_values(graph, kernel, graph.input("X", DOUBLE, 3), Z)
