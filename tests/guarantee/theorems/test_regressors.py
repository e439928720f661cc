"""Theorems for regressors without held-out rows: what they bound, and against which constant."""

import numpy as np
import pytest

from surefit.guarantee.theorems.regressors import (
    CutLosses,
    _missed_by_constants,
    linear_ball,
    refuse_wide_targets,
    support_vector_tube,
)
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.theory.certificates.certificate import Standing

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
Y = X @ [1.0, -1.0] + RNG.normal(size=80)


def rows(y=Y, answers=None):
    return TrainingSet(X, X, y, np.zeros(len(y)) if answers is None else answers, None, 0.05)


@pytest.mark.parametrize("power", [1, 2])
def test_predictions_are_cut_to_the_range_of_the_targets_and_the_range_is_declared(power):
    far = np.full(80, 1e9)
    found = CutLosses.of(rows(answers=far), power)
    assert found.mean == pytest.approx(np.mean(np.abs(Y - Y.max()) ** power))
    assert found.largest == pytest.approx(np.ptp(Y) ** power)
    assert found.known.standing is Standing.DECLARED
    best = np.mean(Y) if power == 2 else np.median(Y)
    assert found.constant < found.constant_seen == pytest.approx(np.mean(np.abs(Y - best) ** power))


def test_a_longer_weight_vector_or_an_intercept_makes_a_larger_bound():
    short, long, offset = (
        linear_ball(rows(), np.array([w, 0.0]), b, 2, 2, bool(b)).value
        for w, b in ((1.0, 0.0), (50.0, 0.0), (1.0, 50.0))
    )
    assert short < long < offset


def test_targets_without_a_range_leave_no_theorem():
    found = linear_ball(rows(np.full(80, 3.0)), np.ones(2), 0.0, 2, 2, True)
    assert found.method == "none"
    assert "all targets are equal" in found.assumptions[0].evidence


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0, 100.0])
def test_the_best_constant_misses_what_the_fullest_window_leaves(epsilon):
    """Brute force: some constant at a distance epsilon above a target is best."""
    least = min(np.mean(np.abs(Y - (t + epsilon)) > epsilon * (1 + 1e-9) + 1e-9) for t in Y)
    assert _missed_by_constants(Y, epsilon) == pytest.approx(least)


def test_a_tube_around_everything_with_few_support_vectors_is_certified_to_miss_little():
    good = support_vector_tube(rows(answers=Y + 0.1), 0.5, 3, 0.0, True, ())
    none = support_vector_tube(rows(answers=Y + 0.1), 0.5, 80, 0.0, True, ())
    assert good.value < 0.35 < 0.99 < none.value
    assert good.constant < good.constant_seen == pytest.approx(_missed_by_constants(Y, 0.5))


def test_targets_whose_square_is_no_number_are_refused():
    refuse_wide_targets(np.array([0.0, 1e150]))
    with pytest.raises(ValueError, match="divided by a power of ten"):
        refuse_wide_targets(np.array([0.0, 1e160]))
