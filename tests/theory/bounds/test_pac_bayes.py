"""PAC-Bayes for linear classifiers.  Simulations accuse a right bound with probability below 1e-4."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from surefit.theory.bounds import pac_bayes_linear, pac_bayes_with_prior
from surefit.theory.means.concentration import largest_mean


def two_clouds(rng, n, d=5, shift=1.0):
    """Labels +-1, features N(t * shift * e_1, I)."""
    t = rng.choice([-1.0, 1.0], size=n)
    X = rng.standard_normal((n, d))
    X[:, 0] += shift * t
    return X, t


def cosines(w, X, t):
    return t * (X @ w) / np.linalg.norm(X, axis=1) / np.linalg.norm(w)


def test_the_constant_two_root_n_is_large_enough_for_every_n():
    """Maurer's sum_k C(n, k) (k/n)**k (1 - k/n)**(n-k) <= 2 sqrt(n)."""
    for n in [*range(1, 60), 300, 2000]:
        k = np.arange(n + 1)
        assert binom.pmf(k, n, k / n).sum() <= 2 * math.sqrt(n) * (1 + 1e-12)


def test_the_best_scale_beats_a_grid_and_the_value_solves_its_equation():
    X, t = two_clouds(np.random.default_rng(0), 300)
    m = cosines(np.eye(5)[0], X, t)
    bound = pac_bayes_linear(m)
    at = lambda mu: largest_mean(norm.cdf(-mu * m).mean(), (mu**2 / 2 + math.log(2 * math.sqrt(300) / 0.05)) / 300)
    assert bound.value <= min(at(mu) for mu in np.geomspace(0.01, 100, 500)) * (1 + 1e-4)
    np.testing.assert_allclose(bound.value, at(bound.inputs["scale"]), rtol=1e-9)
    np.testing.assert_allclose(bound.empirical, norm.cdf(-bound.inputs["scale"] * m).mean(), rtol=1e-12)


@pytest.mark.verify
@pytest.mark.parametrize("prior", [False, True])
def test_it_holds_on_training_rows_and_the_training_error_does_not(prior, protocol):
    """n = 60 rows in 5 dimensions, w from the same rows; errors of Gibbs and of the sign on 4000 fresh rows (standard
    error below 0.008, allowed for); 150 samples, 5000 or with a prior 1000 under ``make verify``, delta = 0.05."""
    rng, misses, sabotaged, R = np.random.default_rng(1), 0, 0, protocol.of(150, 1000 if prior else 5000)
    fresh, labels = two_clouds(rng, 4000)
    for _ in range(R):
        X, t = two_clouds(rng, 60)
        w, half = X.T @ t, X[:30].T @ t[:30]
        cosine = float(w @ half / np.linalg.norm(w) / np.linalg.norm(half))
        m = cosines(w, X, t)
        bound = pac_bayes_with_prior(m[30:], cosine) if prior else pac_bayes_linear(m)
        truth = cosines(w, fresh, labels)
        gibbs = norm.cdf(-bound.inputs["scale"] * truth).mean()
        misses += bound.value < gibbs - 0.02 or bound.inputs["deterministic"] < np.mean(truth <= 0) - 0.02
        sabotaged += bound.empirical < gibbs - 0.02
    assert misses <= protocol.allowed(R)
    assert sabotaged > protocol.allowed(R)


def test_every_prior_scale_pays_its_part_of_delta():
    """One of seven scales at delta is that scale alone at delta / 7; the value solves its equation."""
    m, scales = np.full(400, 0.2), (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
    many = pac_bayes_with_prior(m, 0.8, prior_scales=scales)
    alone = [pac_bayes_with_prior(m, 0.8, prior_scales=(eta,), delta=0.05 / 7).value for eta in scales]
    np.testing.assert_allclose(many.value, min(alone), rtol=1e-12)
    mu, eta = many.inputs["scale"], many.inputs["prior_scale"]
    allowed = ((mu**2 - 1.6 * mu * eta + eta**2) / 2 + math.log(2 * math.sqrt(400) * 7 / 0.05)) / 400
    np.testing.assert_allclose(many.value, largest_mean(norm.cdf(-0.2 * mu), allowed), rtol=1e-9)


def test_a_prior_from_other_rows_helps_where_margins_are_small():
    m = np.full(1000, 0.1)
    assert pac_bayes_with_prior(m, 0.99).value < pac_bayes_linear(m).value
    assert pac_bayes_with_prior(m, 0.0).value > pac_bayes_linear(m).value


@pytest.mark.parametrize(
    "wrong", [lambda: pac_bayes_linear([2.0]), lambda: pac_bayes_linear([]), lambda: pac_bayes_with_prior([0.5], 1.5)]
)
def test_bad_input_is_refused_with_a_remedy(wrong):
    with pytest.raises(ValueError, match=r"must be .*; "):
        wrong()
