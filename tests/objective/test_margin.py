"""Losses for two classes (catalogue L-01, L-02, L-09, L-10, L-12, L-13, F-10)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import rel_entr
from sklearn.metrics import accuracy_score, log_loss

from surefit.objective import (
    Hinge,
    Logistic,
    LogLoss,
    MarginZeroOne,
    PerceptronLoss,
    SquaredMargin,
    ZeroOne,
    sign_labels,
)

MARGINS = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize("t", [-1, 1])
def test_values_of_the_figure_of_classification_losses(t):
    """F-10 at margins -2, -1, 0, 1, 2, for either label."""
    table = {
        MarginZeroOne(): [1, 1, 1, 0, 0],
        PerceptronLoss(): [2, 1, 0, 0, 0],
        SquaredMargin(): [9, 4, 1, 0, 1],
        Logistic(): [2.126928011, 1.313261688, 0.693147181, 0.313261688, 0.126928011],
        Hinge(): [3, 2, 1, 0, 0],
    }
    for loss, expected in table.items():
        np.testing.assert_allclose(loss.value(t, t * MARGINS), expected, atol=1e-9)


def test_mean_zero_one_loss_is_one_minus_accuracy():
    """L-01, any number of classes and any labels."""
    rng = np.random.default_rng(0)
    for labels in (np.arange(4), np.array(["a", "b", "c"])):
        y, guess = rng.choice(labels, 60), rng.choice(labels, 60)
        assert ZeroOne().value(y, guess).mean() == pytest.approx(1 - accuracy_score(y, guess))


def test_margin_error_exceeds_label_error_only_on_ties_of_a_negative_label():
    """L-02 and E-023: a score of 0 happens for w != 0, for example w = (1, 0) and x = (0, 1)."""
    score = np.dot([1.0, 0.0], [0.0, 1.0])
    assert MarginZeroOne().value(-1, score) == 1
    assert ZeroOne().value(-1, sign_labels(score)) == 0
    f, t = np.meshgrid([-1.5, 0.0, 0.7], [-1, 1])
    excess = MarginZeroOne().value(t, f) - ZeroOne().value(t, sign_labels(f))
    np.testing.assert_array_equal(excess, (f == 0) & (t == -1))


def test_the_label_of_a_tie_is_a_parameter():
    """E-028."""
    assert sign_labels(0.0) == -1
    assert sign_labels(-0.0, sign_zero=1) == 1
    np.testing.assert_array_equal(sign_labels([-2.0, 3.0], sign_zero=1), [-1, 1])
    with pytest.raises(ValueError, match=r"sign_zero must be -1 or \+1, got 0; it is the label"):
        sign_labels(0.0, sign_zero=0)


@settings(deadline=None, derandomize=True)
@given(st.floats(-700, 700), st.sampled_from([0.0, 1.0]))
def test_log_loss_equals_logistic_loss_with_mapped_labels(f, y):
    """L-10 with t = 2 y - 1, in every method."""
    t = 2 * y - 1
    for name in ("value", "derivative", "curvature"):
        assert getattr(LogLoss(), name)(y, f) == pytest.approx(getattr(Logistic(), name)(t, f), rel=1e-12, abs=1e-300)


def test_log_loss_reference_values():
    """L-10: eta = 0.8, y = 1; and the log-loss of scikit-learn on a sample."""
    logit = lambda p: np.log(p / (1 - p))
    assert LogLoss().value(1, logit(0.8)) == pytest.approx(0.223143551, abs=1e-9)
    p, y = np.array([0.1, 0.6, 0.97]), np.array([0, 1, 0])
    assert LogLoss().value(y, logit(p)).mean() == pytest.approx(log_loss(y, p))


def test_soft_log_loss_is_a_divergence_plus_an_entropy():
    """L-10 and E-101: 0.794651199 is not the divergence 0.183786897; adding conjugate(y, 0) makes it that."""
    y, eta = 0.3, 0.6
    f = np.log(eta / (1 - eta))
    assert LogLoss().value(y, f) == pytest.approx(0.794651199, abs=1e-9)
    divergence = rel_entr(y, eta) + rel_entr(1 - y, 1 - eta)
    assert divergence == pytest.approx(0.183786897, abs=1e-9)
    assert LogLoss().value(y, f) + LogLoss().conjugate(y, 0.0) == pytest.approx(divergence, abs=1e-12)
    assert LogLoss().conjugate(1.0, 0.0) == 0  # no entropy in a hard label: there the two agree


def test_perceptron_subgradient_at_zero_is_a_choice():
    """L-12: 0, or -t to reproduce the update on ties."""
    for t in (-1, 1):
        assert PerceptronLoss().derivative(t, 0.0) == 0
        assert PerceptronLoss(update_at_zero=True).derivative(t, 0.0) == -t
        assert PerceptronLoss().derivative(t, -2.0 * t) == -t
        assert PerceptronLoss(update_at_zero=True).derivative(t, 2.0 * t) == 0


def test_hinge_subgradient_at_its_kink_is_zero():
    for t in (-1, 1):
        assert Hinge().derivative(t, float(t)) == 0
        assert Hinge().derivative(t, 0.999 * t) == -t


def test_squared_margin_is_squared_distance_to_the_label():
    """L-13: (1 - t f)**2 = (t - f)**2 because t**2 = 1."""
    t, f = np.meshgrid([-1.0, 1.0], np.linspace(-3, 3, 13))
    np.testing.assert_allclose(SquaredMargin().value(t, f), (1 - t * f) ** 2, atol=1e-14)


@pytest.mark.parametrize("loss", [Logistic(), LogLoss(), PerceptronLoss(), Hinge(), SquaredMargin()], ids=repr)
def test_huge_scores_give_no_warning_and_no_nan(loss):
    for y in (1.0, 0.0 if loss == LogLoss() else -1.0):
        for f in (-1e300, -800.0, 800.0, 1e300):
            for result in (loss.value(y, f), loss.derivative(y, f), loss.curvature(y, f)):
                assert not np.isnan(result)
    wrong = loss.value(1.0, -1e300)
    assert wrong == pytest.approx(1e300) or loss == SquaredMargin()


def test_logistic_tails_keep_their_relative_accuracy():
    """exp(-t f) far on the right side, not 0 and not rounding noise."""
    assert Logistic().value(1, 40.0) == pytest.approx(np.exp(-40.0), rel=1e-12)
    assert LogLoss().value(0, -40.0) == pytest.approx(np.exp(-40.0), rel=1e-12)
    assert LogLoss().derivative(1, 40.0) == pytest.approx(-np.exp(-40.0), rel=1e-12)


def test_only_zero_one_is_symmetric():
    """E-064."""
    flags = {loss: loss.symmetric for loss in (Logistic(), LogLoss(), PerceptronLoss(), Hinge(), SquaredMargin())}
    assert not any(flags.values())
    assert ZeroOne().symmetric


@pytest.mark.parametrize(
    ("loss", "y"), [(Logistic(), 1.0), (Logistic(), -1.0), (LogLoss(), 0.3), (Hinge(), -1.0), (PerceptronLoss(), 1.0)]
)
def test_conjugate_is_the_brute_force_supremum(loss, y):
    f = np.linspace(-30, 30, 120_001)
    low, high = loss.conjugate_domain(y)
    for share in (0.1, 0.5, 0.8):
        u = low + share * (high - low)
        assert loss.conjugate(y, u) == pytest.approx(np.max(u * f - loss.value(y, f)), abs=1e-6)
    assert loss.conjugate(y, high + 0.01) == np.inf
    assert loss.conjugate(y, low - 0.01) == np.inf
