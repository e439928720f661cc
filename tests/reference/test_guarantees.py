"""Published simulations of guarantees, on laws with the same truth: certified as sharply, and missed no oftener.

The laws behind the published numbers are not all recorded.  Those here have the same true risks, so bounds must agree
up to simulation error, which every test states.
"""

import numpy as np
import pytest

from surefit import SVC, SVR, KernelRidge
from surefit.kernels import Gaussian
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import hoeffding
from surefit.theory.means.sequences import martingale_kl


def wave(rng, n):
    x = rng.uniform(-3, 3, size=(n, 1))
    return x, np.sin(2 * x[:, 0]) + 0.2 * rng.standard_normal(n)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("n", "epsilon", "truth", "bound"),
    [(400, 0.35, 0.094, 0.144), (400, 0.435, 0.043, 0.079), (100, 0.29, 0.193, 0.322)],
)
def test_tubes_are_certified_at_their_published_widths(n, epsilon, truth, bound, protocol):
    """50 fits (``make verify``: 300, as published): means within 0.012 of the published ones, the laws not being the
    same; misses at most .007 as published."""
    rng, found = np.random.default_rng(0), []
    fresh, target = wave(rng, 4000)
    for _ in range(protocol.of(50, 300)):
        x, y = wave(rng, n)
        model = SVR(Gaussian(0.7), lam=0.5 / n, epsilon=epsilon, max_violation=1e-4).fit(x, y)
        found.append((np.mean(np.abs(target - model.predict(fresh)) > epsilon), model.certificate().bound))
    truths, bounds = np.transpose(found)
    assert truths.mean() == pytest.approx(truth, abs=0.012)
    assert bounds.mean() == pytest.approx(bound, abs=0.012)
    assert np.mean(bounds < truths) <= 0.007


@pytest.mark.verify
def test_the_margin_of_a_machine_is_certified_at_the_published_level(protocol):
    """n = 400: P(t f < 1) of .151 certified at .209, error .060, missed by at most .007 of 300 fits.  30 fits here
    (``make verify``: 300), means within .006: three standard errors of the mean of 30."""
    rng, found, R = np.random.default_rng(0), [], protocol.of(30, 300)
    cloud = lambda n: (lambda t: (rng.standard_normal((n, 2)) + 1.12 * t[:, None], t))(rng.choice([-1.0, 1.0], size=n))
    fresh, labels = cloud(4000)
    for _ in range(R):
        X, t = cloud(400)
        model = SVC(Gaussian(3.0), lam=0.05 / 400, max_violation=1e-4).fit(X, t)
        margins = labels * model.decision_function(fresh)
        found.append((np.mean(margins < 1), np.mean(margins <= 0), model.certificate().bound))
    small, wrong, bound = np.mean(found, axis=0)
    assert small == pytest.approx(0.151, abs=0.006)
    assert bound == pytest.approx(0.209, abs=0.006)
    assert wrong == pytest.approx(0.060, abs=0.006)
    assert np.mean([value < share for share, _, value in found]) <= 0.007


CAPPED = {
    # the capped mean, published and ours on this law; betting and Hoeffding with the declared range
    200: (0.0278, 0.0221, 0.080, 0.20),
    400: (0.0162, 0.0147, 0.044, 0.14),
    1000: (0.0107, 0.0101, 0.022, 0.09),
    2000: (0.0086, 0.0087, 0.014, 0.07),
}


@pytest.mark.parametrize("n", CAPPED)
def test_a_cap_from_training_rows_beats_a_declared_range(n):
    """Kernel ridge with risk .007 and Var(y) = .0206, a fifth held out, 12 samples: with the declared range [0, 1] the
    published means of betting and Hoeffding.  The cap follows the tail of the noise, which is not published: with the
    normal noise here it is lower for few rows, so the capped mean is below the published one and is held to its own
    (of 40 samples) from both sides.  All to 6 %, or four standard errors of the mean of 12 where these are more."""
    rng, found = np.random.default_rng(n), []
    for _ in range(12):
        x = rng.uniform(size=(n, 1))
        y = np.clip(0.5 + 0.167 * np.sin(2 * np.pi * x[:, 0]) + 0.082 * rng.standard_normal(n), 0, 1)
        m = n // 5
        model = KernelRidge(Gaussian(0.2), 1e-4).fit(x[m:], y[m:])
        squares = (y[:m] - model.predict(x[:m])) ** 2
        capped = model.certificate(x[:m], y[:m], delta=0.15).further[1]  # of the three statements, this one has 0.05
        assert capped.delta == pytest.approx(0.05)
        found.append((capped.bound, betting(squares), hoeffding(squares), squares.mean()))
    cap, declared, wide, risk = np.mean(found, axis=0)
    assert risk == pytest.approx(0.007, abs=0.0008)
    published, own, betted, plain = CAPPED[n]
    assert cap <= 1.06 * published
    assert cap == pytest.approx(own, rel=max(0.06, 4 * np.std([row[0] for row in found]) / own / np.sqrt(12)))
    assert declared == pytest.approx(betted, rel=0.06)
    assert round(wide, 2) == plain


@pytest.mark.verify
def test_one_pass_of_a_perceptron_is_certified_at_the_published_level(protocol):
    """n = 500, mean risk of the iterates .174 certified at .229, missed by .007 of 300 streams.  300 streams here
    (``make verify``: 5000): means within .004, misses at most .007."""
    rng, n, d, flip, R = np.random.default_rng(0), 500, 5, 0.045, protocol.of(300)
    losses, risks, w = np.zeros((R, n)), np.full((R, n), 0.5), np.zeros((R, d))
    for i in range(n):
        x = rng.standard_normal((R, d))
        t = np.sign(x[:, 0]) * np.where(rng.random(R) < flip, -1, 1)
        size = np.linalg.norm(w, axis=1)
        started = size > 0
        angle = np.arccos(np.clip(w[started, 0] / size[started], -1, 1)) / np.pi
        risks[started, i] = flip + (1 - 2 * flip) * angle
        losses[:, i] = t * np.sum(w * x, axis=1) <= 0
        w += (losses[:, i] * t)[:, None] * x
    bound, risk = martingale_kl(losses), risks.mean(axis=1)
    assert risk.mean() == pytest.approx(0.174, abs=0.004)
    assert bound.mean() == pytest.approx(0.229, abs=0.004)
    assert np.mean(bound < risk) <= 0.007
