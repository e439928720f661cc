"""Penalties in parts: what absolute values and squares a penalty is made of, in any units."""

import numpy as np
import pytest

from surefit.objective import L1, L2, Absolute, ElasticNet, Huber, PNorm, Problem, SquaredL2
from surefit.solvers.any_loss.parts import Rescaled, WeightedNet, parts_of
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.any_loss.standardise import standardise
from surefit.solvers.solution import Status
from surefit.testing import check_penalty

RNG = np.random.default_rng(0)


X = RNG.standard_normal((30, 3)) * [1e3, 1e-4, 1.0] + [1e6, 0.0, 5.0]


Y = RNG.standard_normal(30)


PENALTIES = [SquaredL2(), L1(), ElasticNet(0.3), L2(), PNorm(3.0)]


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_a_rescaled_penalty_passes_the_suite_for_penalties(penalty):
    scale = np.array([0.5, 4.0, 1.0]) if penalty.separable else np.full(3, 4.0)
    rescaled = Rescaled(penalty, scale)
    v, step = np.array([3.0, -2.0, 0.4]), 0.7
    best = rescaled.prox(v, step)
    cost = lambda w: 0.5 * np.sum((w - v) ** 2) + step * rescaled.value(w)
    for _ in range(200):
        assert cost(best) <= cost(best + 1e-3 * RNG.standard_normal(3)) + 1e-12
    u = RNG.standard_normal(3)
    w = RNG.standard_normal(3)
    assert u @ w <= 0.4 * rescaled.value(w) + rescaled.conjugate(u, 0.4) + 1e-12
    scaled = rescaled.dual_scaling(u, 0.4) * u
    assert np.isfinite(rescaled.conjugate(scaled, 0.4))


def test_one_scale_passes_the_public_suite():
    check_penalty(Rescaled(L2(), np.array(4.0)))
    check_penalty(Rescaled(SquaredL2(), np.array(0.5)))


def test_scales_that_differ_are_refused_for_a_penalty_that_is_not_separable():
    with pytest.raises(ValueError, match="not separable"):
        Rescaled(L2(), np.array([1.0, 2.0]))


def test_the_parts_of_a_penalty_rebuild_it():
    for penalty in (SquaredL2(), L1(), ElasticNet(0.3), PNorm(1.0)):
        standard = standardise(Problem(X, Y, Huber(), penalty, 0.3)).problem
        parts, w = parts_of(standard), RNG.standard_normal(3)
        rebuilt = np.sum(parts.absolute * np.abs(w) + parts.square * w**2)
        assert rebuilt == pytest.approx(0.3 * standard.penalty.value(w), rel=1e-12)
    assert parts_of(Problem(X, Y, Huber(), L2(), 0.3)) is None


@pytest.mark.parametrize("shape", [(4,), (4, 3)])
def test_a_weighted_net_is_its_prox_and_its_gradient(shape):
    """The prox solves ``w - v + step * gradient(w) = 0`` where no coefficient is zero."""
    rng = np.random.default_rng(0)
    net = WeightedNet(rng.random(4), rng.random(4))
    v = 5.0 + rng.random(shape)
    w = net.prox(v, 0.3)
    np.testing.assert_allclose(w - v + 0.3 * net.gradient(w), 0.0, atol=1e-12)
    assert not np.any(net.prox(1e-6 * v, 10.0))
    change = 1e-6 * rng.normal(size=shape)
    slope = np.sum(net.gradient(w) * change)
    assert (net.value(w + change) - net.value(w - change)) / 2 == pytest.approx(slope, rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("penalty", [SquaredL2(), L1(), ElasticNet(0.5)], ids=str)
@pytest.mark.parametrize("loss", [Absolute(), Huber()], ids=str)
@pytest.mark.parametrize("units", [(1e138, 1e162), (1e-160, 1.0)])
def test_columns_whose_squares_are_beyond_the_range_of_numbers_are_fitted_without_noise(units, loss, penalty):
    """A column of tiny entries would need a coefficient whose penalty no fit is worth: it gets none that counts."""
    A = np.random.default_rng(0).normal(size=(8, 2))
    answer = minimise(Problem(A * units, A[:, 0], loss, penalty, 0.1))
    assert answer.status is Status.CONVERGED
    alone = minimise(Problem(A[:, 1:], A[:, 0], loss, penalty, 0.1)).objective if units[0] < 1 else 0.0
    assert answer.objective == pytest.approx(alone, rel=1e-9, abs=1e-12)
