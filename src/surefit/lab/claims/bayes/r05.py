"""Layer lab: how an excess risk splits.  Catalogue R-05, R-06, R-07, R-08."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.risk import (
    ball_approximation,
    decompose_excess_risk,
    estimation_by_uniform_deviation,
    lipschitz_approximation_bound,
)


def split(rng, wrong=False):
    """Risks of ten predictors: the parts of one of them add up."""
    risks, bayes = rng.uniform(0.3, 0.9, size=10), 0.2
    parts = decompose_excess_risk(risks[0], risks.min(), bayes)
    second = -parts.approximation if wrong else parts.approximation
    return risks[0] - bayes, parts.estimation + second


def deviation(rng, wrong=False):
    """The estimation error of the empirical minimiser over three terms; two predictors nearly attain it."""
    gap = rng.uniform(0.1, 0.3)
    risks = np.array([0.5, 0.5 - gap])
    empirical = np.array([0.5 - gap, 0.5 - gap + 1e-3 * rng.uniform()])
    found = estimation_by_uniform_deviation(risks, empirical)
    bound = found.risk_above + found.optimisation + found.risk_below
    return found.estimation_error, bound - found.risk_above / 2 if wrong else bound


def ball(rng, d, wrong=False):
    """The price of a ball by direct minimisation over it, on a grid of multipliers, beside the closed form."""
    A = rng.normal(size=(d, d))
    second, theta = A @ A.T / d + 0.1 * np.eye(d), rng.normal(size=d)
    radius = 0.5 * np.linalg.norm(theta)
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        w = np.linalg.solve(second + middle * np.eye(d), second @ theta)
        low, high = (middle, high) if np.linalg.norm(w) > radius else (low, middle)
    price = (w - theta) @ second @ (w - theta)
    found = ball_approximation(second, theta, radius, misfit=0.3)
    return [price, 0.3], [found.constrained * (2 if wrong else 1), found.unconstrained]


def lipschitz(rng, d, wrong=False):
    """Absolute loss with one constant feature along ``theta``: the bound is attained."""
    theta, size = rng.normal(size=d), rng.uniform(0.5, 2.0)
    norm = np.linalg.norm(theta)
    radius = rng.uniform(0.2, 0.8) * norm
    direction = theta / norm
    observed = abs(size * direction @ theta - size * radius)  # |<theta, phi> - <w, phi>| for the best w of the ball
    bound = lipschitz_approximation_bound(1.0, size, theta, radius)
    return observed, bound * radius / norm if wrong else bound


CLAIMS = (
    Claim(
        id="R-05",
        title="Estimation and approximation error",
        statement="Risk - R* = [Risk - min_H Risk] + [min_H Risk - R*]",
        assumptions=(),
        kind=Kind.EXACT,
        draw=split,
        mistake="the parts subtracted",
    ),
    Claim(
        id="R-06",
        title="Estimation error by uniform deviation",
        statement="Risk(f) - min Risk <= sup(Risk - Rhat) + [Rhat(f) - Rhat(f_H)] + sup(Rhat - Risk)",
        assumptions=(),
        kind=Kind.AT_MOST,
        draw=deviation,
        mistake="half of the first term",
    ),
    Claim(
        id="R-07",
        title="The price of a ball and of linearity",
        statement="min_ball Risk - R* = (min_ball - min_linear) + (min_linear - R*)",
        assumptions=("squared loss",),
        kind=Kind.EXACT,
        draw=ball,
        mistake="the price of the ball doubled",
        settings={"d": 3},
        draws=60,
        tolerance=1e-7,
    ),
    Claim(
        id="R-08",
        title="The price of a ball for Lipschitz losses",
        statement="min_ball Risk - Risk(theta) <= L E||phi|| (||theta|| - D)_+",
        assumptions=("the loss is L-Lipschitz",),
        kind=Kind.AT_MOST,
        draw=lipschitz,
        mistake="a factor D / ||theta|| too many",
        settings={"d": 4},
    ),
)
