"""Landmarks are drawn from all rows in proportion to their weights, and their features are those of the map."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import Columns
from surefit.data.blocks.layout import Layout
from surefit.kernels import Gaussian
from surefit.kernels.low_rank import nystroem_map
from surefit.objective import Squared
from surefit.solvers.any_loss.parts import Parts
from surefit.solvers.blocks.landmarks import Draw, Landmarks, merge, small_of_products
from surefit.solvers.blocks.newton import ONE
from surefit.solvers.blocks.risk import Risk, RiskAt, judged

RNG = np.random.default_rng(5)
N = 200
X = RNG.normal(size=(N, 2))
Y = np.sin(2 * X[:, 0]) + 0.1 * RNG.normal(size=N)
BLOCK = Block(X, target=Y)
LAYOUT = Layout.of(BLOCK, Columns(("a", "b"), (), "y"))


def test_the_order_of_merging_does_not_matter():
    draw = Draw(LAYOUT, 12, 0)
    first, second, third = (draw(BLOCK.cut(*ends)) for ends in [(0, 50), (50, 130), (130, N)])
    found, other = merge(merge(first, second), third), merge(first, merge(second, third))
    assert (found.n, len(found.block)) == (N, 12)
    np.testing.assert_array_equal(found.block.numbers, other.block.numbers)
    np.testing.assert_array_equal(found.keys, np.sort(np.concatenate([first.keys, second.keys, third.keys]))[:12])
    assert len(np.unique(found.block.numbers[:, 0])) == 12
    assert set(found.block.numbers[:, 0]) <= set(X[:, 0])
    assert not np.array_equal(Draw(LAYOUT, 12, 1)(BLOCK).block.numbers, Draw(LAYOUT, 12, 0)(BLOCK).block.numbers)


def test_rows_come_in_proportion_to_their_weights():
    """One row in ten weighs nine times as much: half of first draws are of these (2,000 draws, 5 sigma)."""
    heavy = np.arange(N) % 10 == 0
    block = Block(X, target=Y, weight=np.where(heavy, 9.0, 1.0))
    first = [Draw(LAYOUT, 1, seed)(block).block.numbers[0] for seed in range(2000)]
    share = np.mean([np.any(np.all(X[heavy] == one, axis=1)) for one in first])
    assert abs(share - 0.5) < 5 * np.sqrt(0.25 / 2000)


def test_a_row_of_weight_zero_is_never_drawn():
    block = Block(X, target=Y, weight=(np.arange(N) < 5).astype(float))
    with np.errstate(divide="ignore"):
        assert len(Draw(LAYOUT, 12, 0)(block).block) == 5


def test_features_are_those_of_the_map_and_their_products_give_the_same_fit():
    """Ridge on the features, from sums of products and from the features themselves."""
    features = nystroem_map(Gaussian(1.0), X, 15, 0)
    marks = Landmarks(LAYOUT, features)
    Z = np.vstack([A for _, A in marks.chunks(BLOCK)])
    np.testing.assert_allclose(Z @ Z.T, features.transform(X) @ features.transform(X).T, atol=1e-8)
    sums = RiskAt(marks, Risk.of(Squared(), BLOCK), (ONE, *marks.labels), np.zeros((len(marks.labels) + 1, 1)))(BLOCK)
    small = small_of_products(sums, True, 1.0, 0.0)
    coef = RNG.normal(size=(3, Z.shape[1]))
    centred, level = Z - Z.mean(axis=0), Y - Y.mean()
    expected = [np.mean((level - centred @ one) ** 2) for one in coef]
    np.testing.assert_allclose(small.mean_squares(coef), expected, rtol=1e-9)
    step = judged(sums, np.zeros((Z.shape[1] + 1, 1)), Parts(np.zeros(Z.shape[1]), np.full(Z.shape[1], 0.1)), True).step
    ridge = np.linalg.solve(centred.T @ centred / N + 0.1 * np.eye(Z.shape[1]), centred.T @ level / N)
    np.testing.assert_allclose(step[1:, 0], ridge, rtol=1e-7, atol=1e-9)
    assert step[0, 0] == pytest.approx(Y.mean() - Z.mean(axis=0) @ ridge)
