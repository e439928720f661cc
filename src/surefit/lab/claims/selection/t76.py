"""Layer lab: leave-one-out without refitting, and conformal intervals on it.  Catalogue T-76, S-03, S-04."""

import numpy as np

from surefit.data.design import Design
from surefit.estimators.ridge import Ridge
from surefit.lab.claim import Claim, Kind, breaks
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.fit.loo import exact_loo
from surefit.theory.intervals.online_ridge import ConformalRidge


def draw(rng, n, d, lam, wrong=False):
    """Residuals by the formula beside those of ``n`` refits with ``n lam`` fixed."""
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    shortcut = exact_loo(spectral_factor(Design.of(X), True), y, np.array([lam]))[0]
    rest = lambda i: np.arange(n) != i
    refit = lambda i: Ridge(lam if wrong else lam * n / (n - 1)).fit(X[rest(i)], y[rest(i)]).predict(X[i : i + 1])[0]
    return shortcut, [y[i] - refit(i) for i in range(n)]


def ranks(rng, n, d, wrong=False):
    """Conformal p-values of a stream with heavy tails: the new row is one of the fit, so that all rows are alike."""
    X, y, found = rng.normal(size=(n, d)), rng.standard_t(2, size=n), []
    state = ConformalRidge(d, seed=int(rng.integers(2**32)))
    for k, (x, target) in enumerate(zip(X, y, strict=True)):
        found.append(state.step(x, target)[2])
        if wrong and k > d:
            A = np.column_stack([np.ones(k + 1), X[: k + 1]])
            off = np.abs(y[: k + 1] - A @ np.linalg.lstsq(A[:k], y[:k], rcond=None)[0])
            others, own = off[:k], off[k]
            found[-1] = (np.sum(others > own) + rng.random()) / (k + 1)
    return found, 1.0


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=("no leverage is 1", "n lam is kept in the refits"),
        kind=Kind.EXACT,
        draw=draw,
        mistake="lam kept in place of n lam",
        settings={"n": 10, "d": 3, "lam": 0.3},
        draws=15,
        broken=breaks("no leverage is 1", lambda s: s["lam"] <= 0 and s["n"] <= s["d"] + 1),
    )


CLAIMS = (
    named("T-76", "Leave-one-out identity", "y_i - f_{-i}(x_i) = (y_i - f(x_i)) / (1 - H_ii)"),
    named("S-03", "Leave-one-out by refitting", "n refits give the sum that the shortcut gives"),
    named("S-04", "Leave-one-out shortcut", "one fit gives all left-out residuals"),
    Claim(
        id="T-76b",
        title="Full conformal intervals of ridge, all levels",
        statement="ranks of new rows' residuals, each in the fit to all rows so far, are uniform and independent",
        assumptions=("rows are exchangeable",),
        kind=Kind.RANKS,
        draw=ranks,
        mistake="the new row is left out of the fit that the others are in",
        settings={"n": 40, "d": 3},
        uses=("T-76",),
    ),
)
