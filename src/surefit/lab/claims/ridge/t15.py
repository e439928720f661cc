"""Layer lab: the expected excess risk of ridge, bias and variance.  Catalogue T-15, R-09, S-08."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.ridge import ridge_risk_curve


def draw(rng, n, d, sigma, lam, wrong=False):
    """Excess risks of ridge on 100 samples of the noise."""
    X, theta = rng.normal(size=(n, d)), rng.normal(size=d)
    S = X.T @ X / n
    y = (X @ theta)[:, None] + sigma * rng.normal(size=(n, 100))
    off = np.linalg.solve(S + lam * np.eye(d), X.T @ y / n) - theta[:, None]
    curve = ridge_risk_curve(X, theta, sigma, lam)
    predicted = curve.squared_bias[0] - curve.variance[0] if wrong else curve.squared_bias[0] + curve.variance[0]
    return np.einsum("ij,ik,kj->j", off, S, off), predicted


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=("the mean is linear", "noise is uncorrelated with variance sigma^2"),
        kind=Kind.MEAN,
        draw=draw,
        mistake="the variance subtracted",
        settings={"n": 50, "d": 10, "sigma": 2.0, "lam": 0.3},
        uses=("T-08", "T-14"),
    )


CLAIMS = (
    named(
        "T-15",
        "Expected excess risk of ridge",
        "lam^2 w*'(S + lam I)^-2 S w* + (sigma^2 / n) tr(S^2 (S + lam I)^-2)",
    ),
    named("R-09", "Bias and variance in a fixed design", "E ||w - w*||^2_S = ||E w - w*||^2_S + E ||w - E w||^2_S"),
)
