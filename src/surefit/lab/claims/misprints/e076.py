"""Layer lab: misprints about support vectors and dimensions fail.  Catalogue E-074, E-076, E-077, E-082, E-110."""

import itertools

import numpy as np

from surefit.estimators.svr import SVR
from surefit.kernels import Gaussian
from surefit.lab.claim import Claim, Kind, Verdict
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
        kind=Kind.AT_MOST if entry == "E-076" else Kind.EXACT,
        draw=draw,
        mistake=f"corrected: {corrected}",
        repeats=10,
        tolerance=9e-7,
        expected=Verdict.REFUTED,
    )
    for entry, title, printed, corrected, draw in (
        ("E-074", "the solution of kernel ridge", "sum_i k(x_i, x)", "sum_i a_i k(x_i, x)", coefficients),
        ("E-076", "constraints joined by or", "the box may be left", "all constraints at once", box),
        ("E-077", "where support vectors lie", "strictly outside the tube", "on or outside the tube", on_the_tube),
        ("E-082", "the offset of the quadratic tube", "y - epsilon - f", "y - epsilon - a / C - f", offset),
        ("E-110", "dimension from patterns", "all patterns at d points give dimension d", "at least d", patterns),
    )
)
