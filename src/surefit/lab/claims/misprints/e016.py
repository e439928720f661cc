"""Layer lab: misprints about online learning fail.  Catalogue E-016, E-017, E-019, E-084, E-095, E-096, E-105."""

import numpy as np

from surefit.lab.claim import Claim, Kind, Verdict


def implicit(rng, wrong=False):
    """The minimiser of ``(w'x - y)**2 + ||w - w_t||`` is not a step along ``2 eta``; with eta and a half it is."""
    x, w, y, eta = rng.normal(size=2), rng.normal(size=2), rng.normal(), 0.2
    if wrong:
        best = w - 2 * eta * (w @ x - y) / (1 + 2 * eta * x @ x) * x  # of eta (w'x - y)^2 + ||w - w_t||^2 / 2
        return best, w - 2 * eta * (best @ x - y) * x
    along = x / np.linalg.norm(x)
    steps = np.linspace(-3, 3, 20_001)
    values = ((w @ x + steps * (along @ x)) - y) ** 2 + np.abs(steps)
    return w + steps[values.argmin()] * along, w - 2 * eta * (w @ x - y) * x


def unsquared(rng, wrong=False):
    """Total errors on ``x = 1``, ``y = a < 1`` over the bound at ``u = a``: ``a / s`` over ``a**2 / s``."""
    a, step, w, total = rng.uniform(0.3, 0.7), rng.uniform(0.02, 0.1), 0.0, 0.0
    for _ in range(500):
        total += (w - a) ** 2 if wrong else abs(w - a)
        w -= step * (w - a)
    return total, a**2 / step


def factor(rng, wrong=False):
    """The mean loss against an adversary over ``eta / (1 - eta)`` times that of the comparator."""
    eta, rounds, w, total = 0.05, 500, 0.0, 0.0
    for _ in range(rounds):
        y = -1.0 if w >= 0 else 1.0
        total += (w - y) ** 2
        w -= eta * (w - y)
    return total / rounds, (1 if wrong else eta) / (1 - eta)


def ascends(rng, wrong=False):
    """Ten steps of ``w + 2 eta (w'x - y) x``: the loss grows; with a minus it falls."""
    x, w, y = rng.normal(size=3), rng.normal(size=3), rng.normal()
    x /= np.linalg.norm(x)
    before, sign = (w @ x - y) ** 2, -1.0 if wrong else 1.0
    for _ in range(10):
        w = w + sign * 0.2 * (w @ x - y) * x
    return (w @ x - y) ** 2, before


def forgetful(rng, wrong=False):
    """Gradient steps that begin at zero each time end at a ridge solution; those that go on end at least squares."""
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    step, w = 0.4 / np.linalg.eigvalsh(X.T @ X)[-1], np.zeros(2)
    for _ in range(3000):
        w = (w if wrong else 0.0) - step * (X.T @ (X @ w - y))
    return w, np.linalg.lstsq(X, y, rcond=None)[0]


def idle(rng, wrong=False):
    """Steps that are assigned to another variable leave the start unchanged, far from the solution."""
    X, w = rng.normal(size=(30, 2)), np.zeros(2)
    X /= np.linalg.norm(X, axis=1)[:, None]
    y = X @ [1.0, 2.0]
    for _ in range(2000 if wrong else 30):
        i = rng.integers(30)
        moved = w - 0.3 * (X[i] @ w - y[i]) * X[i]
        w = moved if wrong else w
    return w + 1, np.array([1.0, 2.0]) + 1


def minus(rng, wrong=False):
    """The minimiser of squares minus ``lam ||w||**2`` is longer than without it; with a plus it is shorter."""
    x, y = rng.uniform(1, 2, size=5), rng.uniform(1, 2, size=5)
    sign = 1.0 if wrong else -1.0
    return abs(x @ y / (x @ x + sign * 1.0)), abs(x @ y / (x @ x))


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
            "E-016",
            "what a step minimises",
            "(w'x - y)^2 + ||w - w_t||",
            "eta (.)^2 + ||.||^2 / 2",
            Kind.EXACT,
            implicit,
        ),
        ("E-017", "losses that are not squared", "L = sum |w'x - y|", "L = sum (w'x - y)^2", Kind.AT_MOST, unsquared),
        ("E-019", "the factor of the comparator", "eta / (1 - eta)", "1 / (1 - eta)", Kind.AT_MOST, factor),
        ("E-084", "the sign of a step", "w + 2 eta (w'x - y) x lowers the loss", "minus", Kind.AT_MOST, ascends),
        ("E-095", "descent that forgets", "w' <- 0 in every round", "w' <- w", Kind.EXACT, forgetful),
        ("E-096", "descent that stands still", "w is never updated", "w <- w'", Kind.EXACT, idle),
        ("E-105", "a penalty with a minus", "risk minus lam ||w||^2 shortens w", "plus", Kind.AT_MOST, minus),
    )
)
