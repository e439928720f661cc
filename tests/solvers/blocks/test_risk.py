"""Sums of any smooth loss over blocks: derivatives, prox-Newton steps, and a gap that is never below what is left."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.columns import Columns
from surefit.data.blocks.layout import Layout
from surefit.objective import Huber, Logistic, Squared
from surefit.solvers.any_loss.parts import Parts
from surefit.solvers.blocks.newton import ONE, merge
from surefit.solvers.blocks.risk import ProofAt, Risk, RiskAt, judged, proven

RNG = np.random.default_rng(4)
N, D = 80, 3
X = RNG.normal(size=(N, D))
Y = X @ [1.0, -2.0, 0.0] + RNG.standard_t(2, size=N)
WEIGHT = RNG.uniform(0.5, 2.0, N)
NUMBERS = Block(X, target=Y, weight=WEIGHT)
LABELS = Block(X, target=Codes((Y + RNG.normal(size=N) > 0).astype(int), ("no", "yes")), weight=WEIGHT)
LAYOUT = Layout.of(NUMBERS, Columns(("a", "b", "c"), (), "y"))
CASES = [(Huber(1.0), NUMBERS, ()), (Squared(), NUMBERS, ()), (Logistic(), LABELS, ("no", "yes"))]
each_loss = pytest.mark.parametrize(("loss", "block", "classes"), CASES, ids=["Huber", "Squared", "Logistic"])


def sums_at(risk, block, V, cuts=(N,), **options):
    work = RiskAt(LAYOUT, risk, (ONE, *LAYOUT.labels), V, **options)
    parts = [work(block.cut(start, stop)) for start, stop in zip((0, *cuts), cuts, strict=False)]
    total = parts[0]
    for part in parts[1:]:
        total = merge(total, part)
    return total


@each_loss
def test_the_gradient_is_the_difference_of_the_loss_and_blocks_add_up(loss, block, classes):
    risk, V, step = Risk.of(loss, block, classes), RNG.normal(size=(D + 1, 1)), 1e-6
    at, cut = sums_at(risk, block, V), sums_at(risk, block, V, (9, 40, N))
    np.testing.assert_allclose(cut.gradient, at.gradient, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(cut.hessian, at.hessian, rtol=1e-10, atol=1e-11)
    for k in range(D + 1):
        moved = np.zeros((D + 1, 1))
        moved[k] = step
        rise = sums_at(risk, block, V + moved).loss - sums_at(risk, block, V - moved).loss
        assert rise / (2 * step) == pytest.approx(float(at.gradient[k, 0]), abs=1e-5)


@each_loss
@pytest.mark.parametrize("weights", [(0.0, 0.1), (0.2, 0.0), (0.2, 0.1)], ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_gap_closes_at_the_minimum_and_is_never_below_what_is_left(loss, block, classes, weights, fit_intercept):
    """Damped steps: half of a step at a time reaches the minimum of these losses from zero."""
    risk, V = Risk.of(loss, block, classes), np.zeros((D + 1, 1))
    parts = Parts(*(np.full(D, one) for one in weights))
    seen = []
    for _ in range(60):
        seen.append(judged(sums_at(risk, block, V), V, parts, fit_intercept))
        V = V + 0.5 * seen[-1].step
    least = seen[-1].objective
    assert all(one.gap >= one.objective - least - 1e-11 for one in seen)
    assert seen[-1].gap < 1e-8
    assert fit_intercept or V[0, 0] == 0


@each_loss
def test_without_a_penalty_the_slopes_of_a_newton_step_prove_the_minimum(loss, block, classes):
    risk, V, none = Risk.of(loss, block, classes), np.zeros((D + 1, 1)), Parts(np.zeros(D), np.zeros(D))
    for _ in range(40):
        sums = sums_at(risk, block, V)
        V = V + 0.5 * judged(sums, V, none, True).step
    sums = sums_at(risk, block, V)
    step = judged(sums, V, none, True).step
    found = ProofAt(LAYOUT, risk, (ONE, *LAYOUT.labels), V, step, 0.0)(block)
    assert 0 <= proven(found, sums, True) < 1e-8
    found[1] += 1.0
    assert proven(found, sums, True) == np.inf
