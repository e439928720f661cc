"""One pass leaves a triangle with the products of all rows, whatever the blocks, weights and folds.  Catalogue A-02."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import Columns, SourceError
from surefit.data.blocks.layout import Layout
from surefit.solvers.blocks.factor import ONE, TARGET, Factorise, Target, merge, numbers_of

RNG = np.random.default_rng(0)
N = 90
X = RNG.normal(size=(N, 3)) * [1.0, 100.0, 1e-3] + [0.0, 1e4, 5.0]
Y = X @ [1.0, 0.01, 200.0] + RNG.normal(size=N)
WEIGHT = RNG.uniform(0.5, 2.0, size=N)
BLOCK = Block(X, target=Y, weight=WEIGHT)
LAYOUT = Layout.of(BLOCK, Columns(("a", "b", "c"), (), "y"))
TARGETS = Target.of(BLOCK, True)
LABELS = (ONE, *LAYOUT.labels, TARGET)


def products(rows=slice(None)):
    """``[1, features, y]' W [1, features, y]`` in the coordinates of the layout."""
    features = (X[rows] - LAYOUT.origins(LAYOUT.labels)) / LAYOUT.units(LAYOUT.labels)
    y = (Y[rows] - TARGETS.origin) / TARGETS.scale
    A = np.column_stack([np.ones(len(y)), features, y])
    return (A.T * WEIGHT[rows]) @ A


def same_products(factor, expected, without=None):
    T = factor.triangle(LABELS, without)
    np.testing.assert_allclose(T.T @ T, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("cuts", [(90,), (30, 90), (1, 2, 50, 90)], ids=str)
def test_the_products_are_those_of_all_rows_however_they_are_cut(cuts):
    factorise = Factorise(LAYOUT, TARGETS)
    parts = [factorise(BLOCK.cut(start, stop)) for start, stop in zip((0, *cuts), cuts, strict=False)]
    total = parts[0]
    for part in parts[1:]:
        total = merge(total, part)
    assert total.n == N
    assert total.weight == pytest.approx(WEIGHT.sum())
    same_products(total, products())


def test_a_fold_is_left_out_without_another_pass():
    factor = Factorise(LAYOUT, TARGETS, folds=3)(BLOCK)
    for fold in range(3):
        rest = np.arange(N) % 3 != fold
        same_products(factor, products(rest), without=fold)
        assert factor.weights[fold] == pytest.approx(WEIGHT[~rest].sum())


def test_columns_that_nearly_agree_take_a_qr_decomposition_and_keep_their_digits():
    near = X.copy()
    near[:, 1] = near[:, 0] * (1 + 1e-9 * RNG.normal(size=N))
    block = Block(near, target=Y)
    layout = Layout.of(block, Columns(("a", "b", "c"), (), "y"))
    factor = Factorise(layout, TARGETS)(block)
    assert factor.by_qr == 1
    assert Factorise(LAYOUT, TARGETS)(BLOCK).by_qr == 0
    T = factor.triangle((ONE, *layout.labels, TARGET))
    A = np.column_stack([np.ones(N), (near - layout.origins(layout.labels)) / layout.units(layout.labels)])
    assert np.abs(T[2, 2]) == pytest.approx(np.abs(np.linalg.qr(A)[1][2, 2]), rel=1e-5)


def test_a_target_of_words_is_refused():
    words = Block(X[:2], target=None, place="rows 0 to 2 of sold.csv")
    with pytest.raises(SourceError, match=r"the target in rows 0 to 2 of sold\.csv holds words"):
        numbers_of(words)
