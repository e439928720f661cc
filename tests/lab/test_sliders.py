"""Stored simulations lie on the curves that the sliders move.  Catalogue T-11, T-12, T-15, T-20, T-24."""

import json

import numpy as np

from surefit.lab.sliders import slider_data

DATA = json.loads(json.dumps(slider_data()))


def test_risks_of_random_designs_and_errors_are_near_their_formulas():
    """Means of 60 simulations; a spread of 60 % at the worst size is 8 % of a standard error, times five."""
    for d, dots in DATA["design"].items():
        far = [(n, excess) for n, excess in dots if n > int(d) + 8]
        assert all(abs(excess * (n - int(d) - 1) / int(d) - 1) < 0.6 for n, excess in far)
    for n, dots in DATA["errors"].items():
        for d, training, fresh in dots:
            share = d / int(n)
            noise = 5 * np.sqrt(2 / (60 * int(n)))  # five standard errors of a mean of 60 n squares, or more
            assert abs(training - (1 - share)) < noise
            assert abs(fresh - (1 + share)) < 2 * noise


def test_parts_of_the_risk_of_ridge_add_up():
    ridge = DATA["ridge"]
    values, signal = np.array(ridge["values"]), np.array(ridge["signal"])
    for lam, bias, _, variance in ridge["dots"]:
        assert np.isclose(bias, values @ (lam / (values + lam) * signal) ** 2, rtol=1e-3)
        exact = np.sum((values / (values + lam)) ** 2) / ridge["n"]
        assert abs(variance / exact - 1) < 5 * np.sqrt(2 / 60)


def test_no_share_exceeds_the_bound_by_more_than_chance():
    for name, dots in DATA["deviation"].items():
        n = int(name.split(",")[0])
        for t, share in dots:
            bound = np.exp(-2 * n * t**2)
            assert share <= bound + 5 * np.sqrt(bound / 4000)
