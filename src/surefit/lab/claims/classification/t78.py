"""Layer lab: derivatives of the logistic likelihood.  Catalogue T-78, T-81."""

from typing import Any

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.risk.calculus import finite_difference


def logistic(rng, n, d, wrong=False):
    """Gradient and a column of the Hessian beside central differences."""
    X, w, y = rng.normal(size=(n, d)), rng.normal(size=d), rng.integers(0, 2, size=n)
    p = lambda v: 1 / (1 + np.exp(-X @ v))
    value = lambda v: np.sum(y * (X @ v) - np.logaddexp(0, X @ v))
    gradient = lambda v: X.T @ (y - p(v))
    curvature = p(w) if wrong else p(w) * (1 - p(w))
    seen = [finite_difference(value, w), finite_difference(gradient, w).T.ravel()]
    return np.concatenate(seen), np.concatenate([gradient(w), -(X.T @ (curvature[:, None] * X)).ravel()])


def softmax(rng, n, d, wrong=False):
    """Gradient of the multinomial likelihood beside central differences; equal shifts of all classes change nothing."""
    X, W, y = rng.normal(size=(n, d)), rng.normal(size=(d, 3)), rng.integers(0, 3, size=n)
    Y = np.eye(3)[y]
    value = lambda v: np.sum((S := X @ v.reshape(d, 3)) * Y) - np.sum(np.log(np.exp(S).sum(axis=1)))
    S = X @ W
    P = np.exp(S) / (1 if wrong else np.exp(S).sum(axis=1)[:, None])
    return finite_difference(value, W.ravel()), (X.T @ (Y - P)).ravel()


SHARED: dict[str, Any] = {"assumptions": (), "kind": Kind.EXACT, "settings": {"n": 12, "d": 3}, "tolerance": 9e-7}
CLAIMS = (
    Claim(
        id="T-78",
        title="Logistic calculus",
        statement="g' = g (1 - g); gradient X'(y - p), Hessian -X' diag(p (1 - p)) X",
        draw=logistic,
        mistake="p in place of p (1 - p)",
        **SHARED,
    ),
    Claim(
        id="T-81",
        title="Softmax calculus",
        statement="the gradient is X'(Y - P)",
        draw=softmax,
        mistake="probabilities that do not sum to one",
        **SHARED,
    ),
)
