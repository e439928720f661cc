"""Layer lab: simulations on a grid, stored in the report, for the sliders to move the curves of theory over.

In: a seed.  Out: plain lists for the page.  Risks at noise 1 are stored: in every single simulation they are multiples
of ``sigma**2``, so that the page shows what a simulation at another ``sigma`` with the same draws would have given.
Catalogue T-11, T-12, T-15, T-16, T-20, T-24.
"""

from __future__ import annotations

from typing import Any

import numpy as np

REPEATS = 60
"""Simulations behind each dot of a risk."""
MEANS = 4000
"""Simulated means behind each dot of a probability."""


def slider_data(seed: int = 0) -> dict[str, Any]:
    """Everything that the page stores.

    >>> data = slider_data()
    >>> sorted(data), list(data["design"])
    (['design', 'deviation', 'errors', 'ridge'], [2, 5, 10, 20, 40])
    """
    rng = np.random.default_rng(seed)
    return {
        "design": {d: _random_designs(rng, d) for d in (2, 5, 10, 20, 40)},
        "errors": {n: _training_and_fresh(rng, n) for n in (20, 50, 100)},
        "ridge": _ridge(rng),
        "deviation": {f"{n},{p}": _deviations(rng, n, p) for n in (10, 50, 200) for p in (0.1, 0.3, 0.5)},
    }


def _random_designs(rng: np.random.Generator, d: int) -> list[list[float]]:
    """``[n, mean excess risk]`` of least squares on Gaussian rows."""
    sizes = range(d + 2, 82, max(1, (80 - d) // 24))
    return [[n, _short(np.mean([np.trace(np.linalg.inv(Z.T @ Z)) for Z in _designs(rng, n, d)]))] for n in sizes]


def _designs(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.normal(size=(REPEATS, n, d))


def _training_and_fresh(rng: np.random.Generator, n: int) -> list[list[float]]:
    """``[d, mean training error, mean fresh error]`` of least squares in a fixed design of ``n`` rows."""
    found = []
    for d in np.unique(np.linspace(1, n - 1, 16).astype(int)).tolist():
        Q = np.linalg.qr(rng.normal(size=(n, d)))[0]
        noise, again = rng.normal(size=(2, n, REPEATS))
        fitted = Q @ (Q.T @ noise)
        found.append([d, _short(np.mean((noise - fitted) ** 2)), _short(np.mean((again - fitted) ** 2))])
    return found


def _ridge(rng: np.random.Generator) -> dict[str, Any]:
    """A fixed design of 30 rows: its spectrum, and for each lam the parts of the mean excess risk of the simulations.

    The error is ``scale * b + sigma * z``: the mean of its square is ``scale**2 B + 2 scale sigma C + sigma**2 V``.
    """
    n, d = 30, 8
    X, theta = rng.normal(size=(n, d)), rng.normal(size=d) / 2
    values, vectors = np.linalg.eigh(X.T @ X / n)
    signal, noise = vectors.T @ theta, vectors.T @ (X.T @ rng.normal(size=(n, REPEATS)) / n)
    dots = []
    for lam in np.geomspace(1e-3, 10, 25).tolist():
        b, z = -lam / (values + lam) * signal, noise / (values + lam)[:, None]
        parts = values @ b**2, np.mean((values * b) @ z), np.mean(values @ z**2)
        dots.append([_short(lam), *map(_short, parts)])
    return {"n": n, "values": [_short(v) for v in values], "signal": [_short(s) for s in signal], "dots": dots}


def _deviations(rng: np.random.Generator, n: int, p: float) -> list[list[float]]:
    """``[t, share of means of n coins that exceed p by t or more]``."""
    above = rng.binomial(n, p, size=MEANS) / n - p
    return [[_short(t), _short(np.mean(above >= t - 1e-12))] for t in np.linspace(0, 0.5, 21)]


def _short(value: Any) -> float:
    return float(f"{float(value):.5g}")
