"""Refinement, route by route, against least squares in rational arithmetic."""

from fractions import Fraction as F

import numpy as np
import pytest

from benchmarks.exact import exact_fit_of_floats
from surefit.data.design import Design
from surefit.solvers.linear import limits
from surefit.solvers.linear.factor import spectral_factor
from surefit.solvers.linear.least_squares import ridge, ridge_on

OFF_CENTRE = [(1e9, 0.1), (1e9, 1e-3), (1e9, 1e-5), (1.7e12, 1.0), (1.7e12, 1e3)]


def off_centre(mean, spread, n=300, seed=0):
    """One column of large numbers with a small spread beside two ordinary ones."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([mean + spread * rng.normal(size=n), rng.normal(size=(n, 2)) + 3.0])
    y = (X[:, 0] - mean) / spread + X[:, 1] - 2.0 * X[:, 2] + rng.normal(size=n)
    return X, y


@pytest.mark.parametrize(("mean", "spread"), OFF_CENTRE)
@pytest.mark.parametrize("route", ["qr", "svd", "cholesky", "grid"])
def test_every_route_finds_the_exact_solution_of_off_centre_columns(mean, spread, route):
    X, y = off_centre(mean, spread)
    exact = np.array([float(v) for v in exact_fit_of_floats(X, y).coef])
    if route == "grid":
        solution = ridge_on(spectral_factor(Design.of(X), True, 0.0), y[:, None], 0.0).solution
    else:
        solution = ridge(Design.of(X), y[:, None], 0.0, True, route).solution
    np.testing.assert_allclose(solution.coef[:, 0], exact[1:], rtol=1e-13)
    np.testing.assert_allclose(solution.intercept[0], exact[0], rtol=1e-12)


def exact_excess(X, y, lam, solution):
    """Objective minus its minimum, both in rational arithmetic."""
    n, d = X.shape
    A = [[F(1), *map(F, row.tolist())] for row in X]
    t = [F(v) for v in y.tolist()]
    ridge_lam = F(lam) * n
    gram = [
        [sum(r[i] * r[j] for r in A) + (ridge_lam if i == j > 0 else 0) for j in range(d + 1)] for i in range(d + 1)
    ]
    point = [F(float(solution.intercept[0])), *map(F, solution.coef[:, 0].tolist())]
    slope = [
        sum(A[k][i] * t[k] for k in range(n)) - sum(g * c for g, c in zip(gram[i], point, strict=True))
        for i in range(d + 1)
    ]
    rows = [[*gram[i], slope[i]] for i in range(d + 1)]
    for i in range(d + 1):
        pivot = next(k for k in range(i, d + 1) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(d + 1):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    step = [rows[i][-1] / rows[i][i] for i in range(d + 1)]
    return float(sum(s * g for s, g in zip(step, slope, strict=True)) / n)


@pytest.mark.parametrize("lam", [0.0, 1e-6, 0.1, 10.0])
@pytest.mark.parametrize("level", [0.0, 3.0, 1e6])
@pytest.mark.parametrize("route", ["gram", "qr", "svd", "grid"])
def test_the_gap_is_never_below_the_true_excess(monkeypatch, route, level, lam):
    """The Gram route is forced on a small problem, so that rational arithmetic can judge it."""
    if route == "gram":
        monkeypatch.setattr(limits, "SMALL_TABLE", 0)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 3)) * [1.0, 100.0, 1e-3] + level
    y = X @ [1.0, 0.1, 5.0] + level + rng.normal(size=25)
    if route == "grid":
        solution = ridge_on(spectral_factor(Design.of(X), True, lam), y[:, None], lam).solution
    else:
        solution = ridge(Design.of(X), y[:, None], lam, True, "auto" if route == "gram" else route).solution
    assert exact_excess(X, y, lam, solution) <= solution.gap


def test_the_gap_of_several_targets_is_the_sum_as_their_objective_is():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    both = ridge(Design.of(X), Y, 0.1).solution
    single = [ridge(Design.of(X), Y[:, [k]], 0.1).solution for k in range(2)]
    np.testing.assert_allclose(both.objective, sum(s.objective for s in single), rtol=1e-13)
    np.testing.assert_allclose(both.gap, sum(s.gap for s in single), rtol=0.5)
