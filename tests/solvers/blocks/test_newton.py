"""Sums over blocks: loss, gradient and Hessian of logistic regression, as on all rows at once.  Catalogue T-81."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.columns import Columns
from surefit.data.blocks.layout import Layout
from surefit.solvers.blocks.newton import ONE, NewClass, SumsAt, codes_of, judged, merge, sorted_classes

RNG = np.random.default_rng(3)
N = 60
X = RNG.normal(size=(N, 2))
NAMES = ("high", "low", "middle")
CODES = RNG.integers(0, 3, N)
WEIGHT = RNG.uniform(0.5, 2.0, N)
COLUMNS = Columns(("a", "b"), (), "y")


def block_of(classes):
    codes = np.minimum(CODES, classes - 1)
    return Block(X, target=Codes(codes, NAMES[:classes]), weight=WEIGHT)


def sums_at(V, classes, cuts=(N,)):
    block = block_of(classes)
    layout = Layout.of(block, COLUMNS)
    work = SumsAt(layout, NAMES[:classes], (ONE, *layout.labels), V)
    parts = [work(block.cut(start, stop)) for start, stop in zip((0, *cuts), cuts, strict=False)]
    total = parts[0]
    for part in parts[1:]:
        total = merge(total, part)
    return total


def width(classes):
    return 1 if classes == 2 else classes


@pytest.mark.parametrize("classes", [2, 3])
def test_the_gradient_and_the_hessian_are_differences_of_the_loss(classes):
    V, step = RNG.normal(size=(3, width(classes))), 1e-5
    at = sums_at(V, classes)
    for k in range(V.size):
        moved = np.zeros(V.size)
        moved[k] = step
        up, down = (sums_at(V + sign * moved.reshape(V.shape), classes) for sign in (1, -1))
        assert (up.loss - down.loss) / (2 * step) == pytest.approx(at.gradient.ravel()[k], abs=1e-6)
        slopes = (up.gradient - down.gradient) / (2 * step)
        i, a = np.unravel_index(k, V.shape)
        np.testing.assert_allclose(at.hessian[a, i].T, slopes, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
def test_blocks_add_up_to_all_rows(classes):
    V = RNG.normal(size=(3, width(classes)))
    whole, parts = sums_at(V, classes), sums_at(V, classes, (7, 31, N))
    assert parts.n == whole.n == N
    np.testing.assert_allclose(parts.hessian, whole.hessian, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(parts.gradient, whole.gradient, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_steps_lead_to_the_minimum_and_the_gap_is_never_below_what_is_left(classes, fit_intercept):
    V, square, seen = np.zeros((3, width(classes))), np.array([0.0, 0.1, 0.1]), []
    for _ in range(8):
        seen.append(judged(sums_at(V, classes), V, square, fit_intercept))
        V = V + seen[-1].step
    least = seen[-1].objective
    assert seen[-1].decrement < 1e-14
    assert all(one.gap >= one.objective - least - 1e-12 for one in seen)
    assert seen[-1].gap < 1e-10
    assert fit_intercept or np.all(V[0] == 0)


def test_a_class_that_the_first_block_did_not_have_is_named():
    with pytest.raises(NewClass, match=r"\['middle'\] are not in the first block; shuffle the rows"):
        codes_of(block_of(3), NAMES[:2])


def test_classes_that_are_numbers_are_in_the_order_of_numbers():
    assert sorted_classes(["10", "9", "2"]) == ("2", "9", "10")
    assert sorted_classes(["b", "10", "a"]) == ("10", "a", "b")
