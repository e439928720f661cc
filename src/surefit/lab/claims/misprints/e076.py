"""Layer lab: misprints about support vectors fail.  Catalogue E-074, E-076, E-077, E-080, E-082, E-085, E-110."""

import itertools

import numpy as np
from scipy.optimize import minimize

from surefit.estimators.svr import SVR
from surefit.kernels import Gaussian
from surefit.lab.claim import Claim, Kind, Verdict
from surefit.objective.regression import EpsilonInsensitive
from surefit.solvers.online.dual import DualSettings, dual_passes
from surefit.theory.bounds.shattering import pseudo_dimension


def coefficients(rng, wrong=False):
    """Predictions of kernel ridge from kernel values alone, without their coefficients."""
    X, y = rng.normal(size=(6, 1)), rng.normal(size=6)
    K = Gaussian(1.0).gram(X)
    a = np.linalg.solve(K + 0.1 * np.eye(6), y)
    return K @ (a if wrong else np.ones(6)), y - 0.1 * a


def box(rng, wrong=False):
    """The dual objective at a large multiplier over its value at the box: without the box it has no end."""
    C, epsilon = rng.uniform(0.5, 2.0), 0.1
    value = lambda a: a * (1.0 - 2 * epsilon)  # K = 0, y = (0, 1), multipliers a and -a
    return value(C if wrong else 100 * C), value(C)


def on_the_tube(rng, wrong=False):
    """The share of support vectors strictly outside of the tube: printed as all."""
    X = rng.uniform(-2, 2, size=(40, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=40)
    model = SVR(Gaussian(0.7), lam=1e-3, epsilon=0.2, max_violation=1e-9).fit(X, y)
    off = np.abs(y - model.predict(X))[model.support_] - 0.2
    return np.mean(off > (-1e-5 if wrong else 1e-5)), 1.0


def from_below(rng, wrong=False):
    """The maximum of the quadratic tube's dual with multipliers of at least C, or of zero, beside the least cost."""
    X, y, C, epsilon = rng.normal(size=(4, 1)), rng.normal(size=4), rng.uniform(0.5, 2.0), 0.1
    K = Gaussian(1.0).gram(X)

    def cost(b):
        """``||f||**2 / 2 + (C / 2) sum of squared excesses``, and its gradient."""
        over = K @ b - y
        excess = np.sign(over) * np.maximum(np.abs(over) - epsilon, 0)
        return b @ K @ b / 2 + C / 2 * excess @ excess, K @ (b + C * excess)

    def minus_dual(both):
        b = both[:4] - both[4:]
        slope = (K + np.eye(4) / C) @ b - y
        value = b @ (slope - y) / 2 + epsilon * both.sum()
        return value, np.concatenate([slope, -slope]) + epsilon

    tight = {"jac": True, "method": "L-BFGS-B", "options": {"ftol": 1e-15, "gtol": 1e-10}}
    least, from_ = minimize(cost, np.zeros(4), **tight).fun, 0.0 if wrong else C
    return -minimize(minus_dual, np.full(8, from_), bounds=[(from_, None)] * 8, **tight).fun, least


def returned(rng, wrong=False):
    """The largest error of the function returned by dual steps, over the tube that its rows are brought into."""
    X, y, epsilon = np.arange(6.0)[:, None], rng.uniform(0.5, 1.0, size=6), 0.1
    K = Gaussian(1.0).gram(X)
    up, down = dual_passes(K, y, DualSettings(Gaussian(1.0), EpsilonInsensitive(epsilon), 1e3), 400)
    return np.abs(K @ (up - down if wrong else down) - y).max(), epsilon * (1 + 1e-6)


def offset(rng, wrong=False):
    """The offset of the quadratic tube from one row: its own slack ``a / C`` belongs to it."""
    C, epsilon, target = rng.uniform(0.5, 2.0), 0.1, rng.normal()
    slack = rng.uniform(0.1, 0.5)  # xi = a / C > 0 on a row above the tube, K = 0
    b = target - epsilon - slack
    a = slack * C
    return 10 + target - epsilon - (a / C if wrong else 0.0), 10 + b


def patterns(rng, wrong=False):
    """All patterns at two points give dimension at least two; the class of all functions on three points has three."""
    values = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    return pseudo_dimension(values), 3.0 if wrong else 2.0


CLAIMS = tuple(
    Claim(
        id=entry,
        title=f"Misprint: {title}",
        statement=f"printed: {printed}",
        assumptions=(),
        kind=Kind.AT_MOST if entry in ("E-076", "E-085") else Kind.EXACT,
        draw=draw,
        mistake=f"corrected: {corrected}",
        draws=10,
        tolerance=9e-7,
        expected=Verdict.REFUTED,
    )
    for entry, title, printed, corrected, draw in (
        ("E-074", "the solution of kernel ridge", "sum_i k(x_i, x)", "sum_i a_i k(x_i, x)", coefficients),
        ("E-076", "constraints joined by or", "the box may be left", "all constraints at once", box),
        ("E-077", "where support vectors lie", "strictly outside the tube", "on or outside the tube", on_the_tube),
        ("E-080", "multipliers of the quadratic tube", "all are at least C", "all are at least 0", from_below),
        ("E-082", "the offset of the quadratic tube", "y - epsilon - f", "y - epsilon - a / C - f", offset),
        ("E-085", "what dual steps return", "sum a_t k(x_t, .)", "sum (a'_t - a_t) k(x_t, .)", returned),
        ("E-110", "dimension from patterns", "all patterns at d points give dimension d", "at least d", patterns),
    )
)
