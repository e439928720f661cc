"""Bounds valid at all times, and for losses that depend on the past."""

import numpy as np
import pytest

from surefit.theory.means.concentration import chernoff, hoeffding
from surefit.theory.means.sequences import (
    RATES,
    betting_sequence,
    cesa_bianchi_gentile,
    martingale_bernstein,
    martingale_kl,
)


@pytest.mark.parametrize(
    ("n", "mean", "azuma", "textbook", "kl", "independent"),
    [
        (500, 0.01, 0.0647, 0.396, 0.0305, 0.0251),
        (500, 0.1, 0.1547, 0.676, 0.1473, 0.1360),
        (5000, 0.1, 0.1173, 0.194, 0.1139, 0.1107),
        (50000, 0.1, 0.1055, 0.118, 0.1043, 0.1033),
    ],
)
def test_online_to_batch_equals_its_published_numbers(n, mean, azuma, textbook, kl, independent):
    x = (np.arange(n) < round(n * mean)).astype(float)
    assert round(float(hoeffding(x)), 4) == azuma
    assert round(float(cesa_bianchi_gentile(x)), 3) == textbook
    assert round(float(martingale_kl(x)), 4) == kl
    assert round(float(chernoff(x)), 4) == independent


def test_martingale_kl_is_the_root_of_its_definition():
    x = np.random.default_rng(0).random(70)
    b = martingale_kl(x)
    mixture = np.mean(np.exp(-RATES * x.sum() - 70 * np.log(1 - b * (1 - np.exp(-RATES)))))
    assert mixture == pytest.approx(20.0, rel=1e-9)


def test_martingale_bernstein_is_never_worse_than_the_best_single_stake_with_a_union():
    x = 0.3 + 0.05 * np.random.default_rng(1).random(300)
    past = np.concatenate([[0.5], (0.5 + np.cumsum(x)[:-1]) / np.arange(2, 301)])
    stakes = np.logspace(-2.5, np.log10(0.95), 64)
    psi = -np.log1p(-stakes) - stakes
    union = x.mean() + np.min((np.log(64 / 0.05) + psi * np.sum((x - past) ** 2)) / (stakes * 300))
    assert martingale_bernstein(x) <= union + 1e-12


def test_the_inequality_behind_martingale_bernstein_holds():
    """exp(l u - psi(l) u^2) <= 1 + l u for u >= -1 and 0 <= l < 1, on a fine grid."""
    u, rate = np.meshgrid(np.linspace(-1, 1, 401), np.linspace(0, 0.99, 100))
    psi = -np.log1p(-rate) - rate
    assert np.all(np.exp(rate * u - psi * u**2) <= 1 + rate * u + 1e-12)


def test_the_betting_sequence_never_rises():
    x = np.random.default_rng(6).random(60)
    bounds = [betting_sequence(x[:t]) for t in range(1, 61)]
    assert np.all(np.diff(bounds) <= 1e-11)
