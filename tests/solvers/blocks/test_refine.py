"""One more pass in twice the precision: a wrong answer becomes the exact one in one step."""

from fractions import Fraction

import numpy as np
import pytest

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import Columns
from surefit.data.blocks.layout import Layout
from surefit.solvers.blocks.factor import Factorise, Target
from surefit.solvers.blocks.refine import GradientAt, corrected, merge, start
from surefit.solvers.blocks.small import small

RNG = np.random.default_rng(2)
X = RNG.normal(size=(50, 2)) + 1e6
Y = X @ [1.0, -1.0] + RNG.normal(size=50)
BLOCK = Block(X, target=Y)
LAYOUT = Layout.of(BLOCK, Columns(("a", "b"), (), "y"))
TARGET = Target.of(BLOCK, True)
SMALL = small(Factorise(LAYOUT, TARGET)(BLOCK), LAYOUT, TARGET)


def exact(lam):
    """Ridge in rational numbers: two columns, an intercept that is not penalised."""
    rows = [[Fraction(one) for one in row] for row in X.tolist()]
    y, n = [Fraction(one) for one in Y.tolist()], len(Y)
    means, level = [sum(column) / n for column in zip(*rows, strict=True)], sum(y) / n
    a, b = ([row[j] - means[j] for row in rows] for j in range(2))
    t = [one - level for one in y]
    dot = lambda u, v: sum(p * q for p, q in zip(u, v, strict=True))
    saa, sbb, sab = dot(a, a) + n * Fraction(lam), dot(b, b) + n * Fraction(lam), dot(a, b)
    sat, sbt = dot(a, t), dot(b, t)
    det = saa * sbb - sab * sab
    first, second = (sbb * sat - sab * sbt) / det, (saa * sbt - sab * sat) / det
    return np.array([float(first), float(second)]), float(level - first * means[0] - second * means[1])


@pytest.mark.parametrize("lam", [0.0, 0.5])
def test_a_step_from_a_wrong_point_is_exact_to_the_last_digits(lam):
    coef, intercept = exact(lam)
    state = start(SMALL, LAYOUT, TARGET, coef * (1 + 1e-6))
    work = GradientAt(LAYOUT, TARGET, state)
    found = merge(work(BLOCK.cut(0, 20)), work(BLOCK.cut(20, 50)))
    better = corrected(SMALL, LAYOUT, TARGET, state, found, lam)
    np.testing.assert_allclose(better.coef, coef, rtol=1e-12)
    assert better.intercept == pytest.approx(intercept, rel=1e-9)


def test_the_excess_that_a_step_removes_is_known():
    coef, _ = exact(0.0)
    off = coef + np.array([1e-3, 0.0])
    state = start(SMALL, LAYOUT, TARGET, off)
    found = corrected(SMALL, LAYOUT, TARGET, state, GradientAt(LAYOUT, TARGET, state)(BLOCK), 0.0)
    gain = 50 * float(np.diff(SMALL.mean_squares(np.stack([coef, off])))[0])
    assert found.excess == pytest.approx(gain, rel=1e-6)
