"""Means of losses while they come: the same bounds as from all losses at once."""

import numpy as np
import pytest

from surefit.theory.means.running import RunningMean
from surefit.theory.means.sequences import bernoulli_sequence, martingale_bernstein, martingale_kl


@pytest.mark.parametrize("upper", [1.0, 4.0])
def test_bounds_from_three_numbers_are_those_from_all_losses(upper):
    losses = upper * np.random.default_rng(0).beta(1, 6, 300)
    running = RunningMean(upper)
    for start in range(0, 300, 17):
        running.update(losses[start : start + 17])
    assert running.mean == pytest.approx(losses.mean())
    assert running.mean_risk_bound(0.1) == pytest.approx(martingale_kl(losses, 0.1, upper=upper))
    bernstein = martingale_bernstein(losses, 0.1, upper=upper)
    assert running.mean_risk_bound(0.1, "bernstein") == pytest.approx(bernstein)
    assert running.risk_bound(0.1) == pytest.approx(bernoulli_sequence(losses, 0.1, upper=upper))


def test_blocks_change_no_bit():
    losses = np.random.default_rng(1).random(500)
    whole, parts = RunningMean(), RunningMean()
    whole.update(losses)
    for start in range(0, 500, 7):
        parts.update(losses[start : start + 7])
    assert (whole.n, whole.total, whole.spread) == (parts.n, parts.total, parts.spread)


def test_before_the_first_loss_nothing_is_known():
    running = RunningMean(3.0)
    assert (running.mean_risk_bound(), running.risk_bound(), np.isnan(running.mean)) == (3.0, 3.0, True)
    with pytest.raises(ValueError, match="'kl' or 'bernstein'"):
        running.mean_risk_bound(method="best")
    with pytest.raises(ValueError, match="upper"):
        RunningMean(0.0)
