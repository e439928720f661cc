"""Losses of a residual (catalogue L-03 to L-08, F-08)."""

import numpy as np
import pytest

from surefit.objective import Absolute, EpsilonInsensitive, Huber, Pinball, Power, QuadraticEpsilonInsensitive, Squared

ALL = [
    Squared(),
    Absolute(),
    Power(1.5),
    Power(3.0),
    EpsilonInsensitive(0.5),
    QuadraticEpsilonInsensitive(0.5),
    Huber(1.0),
]
R = np.linspace(-3, 3, 25)


def test_values_of_the_figure_of_regression_losses():
    """F-08 with epsilon = 0.5 and threshold 1, at residuals 0, 0.5, 1, 2."""
    r = np.array([0, 0.5, 1, 2])
    np.testing.assert_allclose(EpsilonInsensitive(0.5).value(0, r), [0, 0, 0.5, 1.5])
    np.testing.assert_allclose(QuadraticEpsilonInsensitive(0.5).value(0, r), [0, 0, 0.25, 2.25])
    np.testing.assert_allclose(Huber(1.0).value(0, r), [0, 0.25, 1, 3])


def test_reference_values_of_the_catalogue():
    assert Squared().value(1.0, 3.0) == 4  # L-03
    assert (Power(3.0).value(0.0, -2.0), Power(3.0).derivative(0.0, -2.0)) == (8, -12)  # L-05
    np.testing.assert_allclose(EpsilonInsensitive(0.2).value(0.0, [0.1, -0.7]), [0, 0.5])  # L-06
    np.testing.assert_allclose(QuadraticEpsilonInsensitive(0.2).value(0.0, 1.0), 0.64)  # L-07
    np.testing.assert_allclose(QuadraticEpsilonInsensitive(0.2).derivative(0.0, 1.0), 1.6)
    np.testing.assert_allclose(Huber(1.0).value(0.0, [0.5, 1, 3]), [0.25, 1, 5])  # L-08


@pytest.mark.parametrize(
    ("special", "general"),
    [
        (Absolute(), Power(1.0)),
        (Squared(), Power(2.0)),
        (Absolute(), EpsilonInsensitive(0.0)),
        (Squared(), QuadraticEpsilonInsensitive(0.0)),
        (Squared(), Huber(1e6)),
    ],
    ids=repr,
)
def test_general_losses_reduce_to_special_ones(special, general):
    """L-05 at p = 1 and 2, L-06 and L-07 at epsilon = 0, L-08 at a large threshold: in every method."""
    y = np.array([0.0, 1.0, -2.0])[:, None]
    u = np.linspace(-0.9, 0.9, 7)
    for name in ("value", "derivative", "curvature"):
        np.testing.assert_allclose(getattr(general, name)(y, R), getattr(special, name)(y, R), atol=1e-12)
    np.testing.assert_allclose(general.conjugate(y, u), special.conjugate(y, u), atol=1e-12)
    assert general.smooth == special.smooth
    assert general.smoothness == special.smoothness
    assert general.lipschitz(3.0) == pytest.approx(special.lipschitz(3.0))
    assert general.bound(3.0) == pytest.approx(special.bound(3.0))


def test_huber_over_twice_its_threshold_tends_to_absolute_loss():
    """L-08: as the threshold falls, value / (2 threshold) tends to |r|, with error threshold / 2."""
    c = 1e-6
    np.testing.assert_allclose(Huber(c).value(0.0, R) / (2 * c), np.abs(R), atol=c)


def test_subgradients_at_kinks_are_zero():
    """The pinned convention: absolute at 0, the closed tube, both of its edges."""
    assert Absolute().derivative(1.0, 1.0) == 0
    assert Power(1.0).derivative(1.0, 1.0) == 0
    np.testing.assert_array_equal(EpsilonInsensitive(0.5).derivative(0.0, [-0.5, 0.0, 0.5]), [0, 0, 0])
    np.testing.assert_array_equal(EpsilonInsensitive(0.5).derivative(0.0, [-0.6, 0.6]), [-1, 1])


def test_curvature_at_knees_is_that_of_the_flatter_side():
    assert Huber(1.0).curvature(0.0, 1.0) == 0
    assert QuadraticEpsilonInsensitive(0.5).curvature(0.0, 0.5) == 0
    assert Power(1.5).curvature(0.0, 0.0) == np.inf


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_huge_residuals_give_no_warning_and_no_nan(loss):
    for f in (1e300, -1e300, 1.7e308):
        for result in (loss.value(-f / 1.1, f), loss.derivative(-f / 1.1, f), loss.curvature(-f / 1.1, f)):
            assert not np.isnan(result)
    assert loss.value(0.0, 1e300) >= 1e150


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_integers_booleans_and_float32_are_taken_as_numbers(loss):
    expected = loss.value(np.array([0.0, 1.0]), np.array([2.0, 0.0]))
    np.testing.assert_allclose(loss.value(np.array([0, 1]), np.array([2, 0])), expected)
    np.testing.assert_allclose(loss.value(np.array([False, True]), np.array([2.0, 0.0])), expected)
    small = np.array([2.0, 0.0], dtype=np.float32)
    assert loss.value(np.array([0, 1]), small).dtype == np.float32
    assert loss.derivative(np.array([0, 1]), small).dtype == np.float32
    assert loss.curvature(np.array([0, 1]), small).dtype == np.float32


@pytest.mark.parametrize("loss", ALL, ids=repr)
def test_conjugate_is_the_brute_force_supremum(loss):
    """sup over a fine grid of u f - value; the grid misses the supremum by at most curvature * spacing**2."""
    f = np.linspace(-40, 40, 160_001)
    for y, u in [(0.0, 0.3), (1.5, -0.8), (-2.0, 0.95)]:
        assert loss.conjugate(y, u) == pytest.approx(np.max(u * f - loss.value(y, f)), abs=1e-5)


def test_conjugates_of_lipschitz_losses_are_infinite_beyond_the_constant():
    for loss in (Absolute(), Power(1.0), EpsilonInsensitive(0.2)):
        assert loss.conjugate(3.0, 1.01) == np.inf
    assert Huber(0.5).conjugate(3.0, 1.01) == np.inf
    assert np.isfinite(Huber(0.5).conjugate(3.0, 1.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Power(0.5), "power must be >= 1, got 0.5; below 1 the loss is not convex"),
        (lambda: Power(np.nan), "power must be finite and > 0, got nan"),
        (lambda: Pinball(1.0), "quantile must lie between 0 and 1, got 1.0; use 0.5"),
        (lambda: Pinball(0.0), "quantile must be finite and > 0, got 0.0; use 0.5"),
        (lambda: Huber(0.0), "threshold must be finite and > 0, got 0.0; use Squared"),
        (lambda: EpsilonInsensitive(-0.1), "epsilon must be >= 0, got -0.1; use epsilon=0"),
        (lambda: QuadraticEpsilonInsensitive(-0.1), "epsilon must be >= 0, got -0.1; use epsilon=0"),
    ],
)
def test_parameters_outside_their_domain_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_pinball_at_one_half_is_half_of_absolute_loss():
    """In every method; the conjugate of half a loss is half of the conjugate at twice the slope."""
    half, y = Pinball(0.5), np.array([0.0, 1.0, -2.0])[:, None]
    for name in ("value", "derivative", "curvature"):
        np.testing.assert_allclose(2 * getattr(half, name)(y, R), getattr(Absolute(), name)(y, R), atol=1e-15)
    u = np.linspace(-0.6, 0.6, 13)
    np.testing.assert_allclose(2 * half.conjugate(y, u), Absolute().conjugate(y, 2 * u), atol=1e-15)
    assert half.symmetric
    assert not Pinball(0.4).symmetric


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.9])
def test_the_best_constant_under_pinball_loss_is_the_quantile(quantile):
    """Brute force over a grid: at most a share ``quantile`` of the targets below it, at most ``1 - quantile`` above."""
    y = np.random.default_rng(4).exponential(size=37)
    best = y[np.argmin([Pinball(quantile).value(y, constant).mean() for constant in y])]
    assert np.mean(y < best) <= quantile
    assert np.mean(y > best) <= 1 - quantile


def test_pinball_conjugate_is_finite_between_its_slopes_only():
    loss = Pinball(0.9)
    np.testing.assert_allclose(loss.conjugate(3.0, [-0.9, 0.0, 0.1]), [-2.7, 0.0, 0.3], atol=1e-15)
    assert np.all(loss.conjugate(3.0, [-0.91, 0.11]) == np.inf)
    assert (loss.lipschitz(2.0), loss.bound(2.0)) == (0.9, 1.8)
