"""Layer lab: misprints about kernels and costs fail.  Catalogue E-023, E-029, E-034, E-052..E-069."""

import numpy as np

from surefit.kernels import Gaussian
from surefit.lab.claim import Claim, Kind, Verdict
from surefit.lab.counting import Count, dot


def orthogonal(rng, wrong=False):
    """The norm of a vector with ``w'x = 0``: printed as zero."""
    x = rng.normal(size=2)
    w = np.array([-x[1], x[0]]) * (0.0 if wrong else 1.0)
    return 1 + np.linalg.norm(w) * (abs(w @ x) < 1e-12), 1.0


def twice(rng, wrong=False):
    """``lam`` times a penalty that contains ``lam``: the ridge solution is that of ``lam**2``."""
    x, y, lam = rng.normal(size=6), rng.normal(size=6), 0.3
    weight = lam * (1.0 if wrong else lam)
    return x @ y / (x @ x + weight), x @ y / (x @ x + lam)


def gradient_cost(rng, wrong=False):
    """Multiplications of a full gradient step: printed as d."""
    n, d, count = int(rng.integers(5, 30)), int(rng.integers(2, 9)), Count()
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    residual = [dot(row, w, count) for row in X]
    _ = [dot(column, residual, count) for column in X.T]
    return count.multiplications, 2 * n * d if wrong else d


def minimum(rng, wrong=False):
    """The smallest eigenvalue of ``min(x, z)`` on numbers of both signs, from below: printed as not negative."""
    x = rng.uniform(0.1, 2.0, size=4) * (1.0 if wrong else np.array([1.0, -1.0, 1.0, -1.0]))
    K = np.minimum(x[:, None], x[None])
    return 1 - np.linalg.eigvalsh(K)[0] / np.abs(K).max() - 1e-9, 1.0


def bandwidth(rng, wrong=False):
    """A Gram matrix at a huge bandwidth: printed as the identity; it is all ones."""
    X = rng.normal(size=(5, 2))
    K = Gaussian(1e6).gram(X)
    return K, np.ones((5, 5)) if wrong else np.eye(5)


def labels(rng, wrong=False):
    """The margin loss with labels 0 and 1 does not depend on the score where the label is 0."""
    score = rng.normal()
    loss = lambda t, f: np.log1p(np.exp(-t * f))
    negative = -1.0 if wrong else 0.0
    return loss(negative, score + 1) + 1, loss(-1.0, score + 1) + 1


def averaged(rng, wrong=False):
    """``1/n`` outside of loss and penalty: the ridge solution is that of ``lam / n``."""
    X, y, lam, n = rng.normal(size=(8, 2)), rng.normal(size=8), 0.5, 8
    inside = np.linalg.solve(X.T @ X / n + lam * np.eye(2), X.T @ y / n)
    outside = np.linalg.solve(X.T @ X / n + lam * (1 if wrong else 1 / n) * np.eye(2), X.T @ y / n)
    return outside, inside


def forming(rng, wrong=False):
    """Multiplications to form ``X'X``: printed as n d."""
    n, d, count = int(rng.integers(5, 30)), int(rng.integers(2, 9)), Count()
    X = rng.normal(size=(n, d))
    _ = [dot(a, c, count) for a in X.T for c in X.T]
    return count.multiplications, n * d**2 if wrong else n * d


CLAIMS = tuple(
    Claim(
        id=entry,
        title=f"Misprint: {title}",
        statement=f"printed: {printed}",
        assumptions=(),
        kind=kind,
        draw=draw,
        mistake=f"corrected: {corrected}",
        draws=20,
        expected=Verdict.REFUTED,
    )
    for entry, title, printed, corrected, kind, draw in (
        (
            "E-023",
            "a plane through a point",
            "y w'x = 0 only if w = 0",
            "or x is orthogonal to w",
            Kind.EXACT,
            orthogonal,
        ),
        ("E-029", "lam in the penalty", "lam Omega with Omega = lam ||w||^2", "Omega = ||w||^2", Kind.EXACT, twice),
        ("E-034", "the cost of a gradient step", "O(d)", "O(n d)", Kind.EXACT, gradient_cost),
        ("E-052", "min(x, z) on all numbers", "a kernel on R", "a kernel on [0, inf)", Kind.AT_MOST, minimum),
        ("E-054", "a large bandwidth", "K is the identity", "K is all ones", Kind.EXACT, bandwidth),
        ("E-061", "labels of the margin loss", "labels 0 and 1", "labels -1 and 1", Kind.EXACT, labels),
        (
            "E-062",
            "where 1/n stands",
            "outside of loss and penalty",
            "before the loss alone",
            Kind.EXACT,
            averaged,
        ),
        ("E-069", "the cost of normal equations", "O(n d + d^3)", "O(n d^2 + d^3)", Kind.EXACT, forming),
    )
)
