"""A design of few rows stands for all rows: the same sums of squares for any coefficients, also without a fold."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import Columns
from surefit.data.blocks.layout import Layout
from surefit.solvers.blocks.factor import Factorise, Target
from surefit.solvers.blocks.small import held_out_squares, small

RNG = np.random.default_rng(1)
N = 80
X = RNG.normal(size=(N, 3)) + np.array([0.0, 1e3, -5.0])
Y = X @ [1.0, 2.0, 0.0] + RNG.normal(size=N)
WEIGHT = RNG.uniform(0.5, 2.0, size=N)
BLOCK = Block(X, target=Y, weight=WEIGHT)
COEFS = RNG.normal(size=(4, 3))


def made(fit_intercept, folds=1):
    layout = Layout.of(BLOCK, Columns(("a", "b", "c"), (), "y"), fit_intercept)
    target = Target.of(BLOCK, fit_intercept)
    return Factorise(layout, target, fit_intercept, folds)(BLOCK), layout, target


def mean_squares(coef, b, rows=slice(None)):
    return np.average((Y[rows] - X[rows] @ coef - b) ** 2, weights=WEIGHT[rows])


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_errors_are_those_of_all_rows_at_the_best_intercept(fit_intercept):
    factor, layout, target = made(fit_intercept)
    part = small(factor, layout, target)
    intercepts = part.intercept(COEFS)
    for coef, b, found in zip(COEFS, intercepts, part.mean_squares(COEFS), strict=True):
        assert b == pytest.approx(np.average(Y - X @ coef, weights=WEIGHT) if fit_intercept else 0.0)
        assert found == pytest.approx(mean_squares(coef, b), rel=1e-10)
    assert part.design.X.shape[0] <= 4
    assert part.design.total_weight == pytest.approx(WEIGHT.sum())
    by_design = np.average((part.targets[:, 0] - part.design.X @ COEFS[0]) ** 2, weights=part.design.weight)
    assert by_design == pytest.approx(part.mean_squares(COEFS[:1])[0], rel=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_fold_is_judged_by_its_own_rows_and_fitted_without_them(fit_intercept):
    factor, layout, target = made(fit_intercept, folds=4)
    for fold in range(4):
        inside = np.arange(N) % 4 == fold
        rest = small(factor, layout, target, without=fold)
        b = rest.intercept(COEFS)
        expected = [mean_squares(coef, one, ~inside) for coef, one in zip(COEFS, b, strict=True)]
        np.testing.assert_allclose(rest.mean_squares(COEFS), expected, rtol=1e-10)
        found = held_out_squares(factor, layout, target, fold, COEFS, b)
        expected = [mean_squares(coef, one, inside) for coef, one in zip(COEFS, b, strict=True)]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_constant_column_is_zero_and_not_rounding():
    rows = np.column_stack([X[:, 0], np.full(N, 0.1)])
    block = Block(rows, target=Y)
    layout = Layout.of(block, Columns(("a", "same"), (), "y"))
    target = Target.of(block, True)
    assert np.all(small(Factorise(layout, target)(block), layout, target).R[:, 1] == 0)
