"""Layer *theory*: PAC-Bayes bounds for linear classifiers with Gaussian posteriors.

In: margins normalised by both lengths, ``t_i <w, x_i> / (||w|| ||x_i||)`` in ``[-1, 1]`` (cosines in a kernel's space
serve as well).  Out: `Bound` on the error of the randomised (Gibbs) classifier; that of ``sign(<w, x>)`` is at most
twice it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, rel_entr

from surefit.theory.bounds.record import INDEPENDENT, Bound, checked_delta


def largest_mean(observed: float, divergence: float) -> float:
    """The largest ``p`` in ``[q, 1]`` with ``kl(q || p) <= c`` between Bernoulli laws, ``q`` being ``observed``.

    >>> round(largest_mean(0.0, 0.1), 6), largest_mean(1.0, 0.1)
    (0.095163, 1.0)
    """
    q = min(max(float(observed), 0.0), 1.0)
    excess = lambda p: rel_entr(q, p) + rel_entr(1 - q, 1 - p) - divergence
    if q == 1.0 or excess(1 - 1e-16) <= 0:
        return 1.0
    return float(brentq(excess, q, 1 - 1e-16, xtol=1e-15)) if divergence > 0 else q


def pac_bayes_linear(margins: np.ndarray, *, delta: float = 0.05) -> Bound:
    """``kl(Rhat_Q || R_Q) <= (mu**2 / 2 + log(2 sqrt(n) / delta)) / n`` with ``Q = N(mu w / ||w||, I)``, best ``mu``.

    ``Rhat_Q = mean Phi(-mu m_i)`` for the normalised margins ``m_i`` (n,), prior ``N(0, I)``.  The theorem holds for
    all posteriors at once, so ``mu`` costs nothing, and ``w`` may come from the same rows.  Where ``sign(<w, x>)``
    errs, at least half of ``Q`` errs: ``inputs["deterministic"]`` is twice the value.  Beyond the lectures (Langford
    and Shawe-Taylor 2003; Maurer 2004 for the constant).

    >>> bound = pac_bayes_linear(np.full(2000, 0.5))
    >>> round(bound.value, 4), bound.inputs["deterministic"] == 2 * bound.value
    (0.0167, True)
    """
    m = _normalised(margins)
    log_term = math.log(2 * math.sqrt(len(m)) / checked_delta(delta))
    value, scale = _best_scale(m, lambda mu: (mu**2 / 2 + log_term) / len(m))
    return _record(m, delta, value, {"scale": scale, "divergence": scale**2 / 2}, "pac-bayes")


def pac_bayes_with_prior(
    margins: np.ndarray,
    prior_cosine: float,
    *,
    prior_scales: Sequence[float] = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0),
    delta: float = 0.05,
) -> Bound:
    """The same with prior ``N(eta w0 / ||w0||, I)``, ``w0`` learnt from *other* rows than ``margins`` come from.

    ``KL = (mu**2 - 2 mu eta c + eta**2) / 2`` with ``c = prior_cosine``, the cosine between ``w`` and ``w0``; each of
    the ``prior_scales`` ``eta`` may use its part of ``delta``.

    >>> pac_bayes_with_prior(np.full(2000, 0.1), 1.0).value < pac_bayes_linear(np.full(2000, 0.1)).value
    True
    """
    m = _normalised(margins)
    if not -1 <= prior_cosine <= 1:
        raise ValueError(f"prior_cosine must be in [-1, 1], got {prior_cosine}; it is <w, w0> / (||w|| ||w0||)")
    log_term = math.log(2 * math.sqrt(len(m)) * len(prior_scales) / checked_delta(delta))
    divergence = lambda mu, eta: (mu**2 - 2 * mu * eta * prior_cosine + eta**2) / 2
    value, scale, eta = min(
        (*_best_scale(m, lambda mu, eta=eta: (divergence(mu, eta) + log_term) / len(m)), eta) for eta in prior_scales
    )
    numbers = {"scale": scale, "prior_scale": eta, "divergence": divergence(scale, eta), "prior_cosine": prior_cosine}
    numbers["n_prior_scales"] = len(prior_scales)
    return _record(m, delta, value, numbers, "pac-bayes with a learnt prior")


def _best_scale(m: np.ndarray, allowed) -> tuple[float, float]:
    """The smallest bound over the scale ``mu`` of the posterior, and its ``mu``."""
    at = lambda log_scale: largest_mean(float(np.mean(ndtr(-math.exp(log_scale) * m))), allowed(math.exp(log_scale)))
    grid = np.linspace(math.log(0.01), math.log(10 * math.sqrt(len(m))), 60)
    values = [at(point) for point in grid]
    best = int(np.argmin(values))
    inside = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    found = minimize_scalar(at, bounds=inside, method="bounded", options={"xatol": 1e-6})
    return min((float(found.fun), math.exp(found.x)), (values[best], math.exp(grid[best])))


def _normalised(margins: np.ndarray) -> np.ndarray:
    m = np.asarray(margins, dtype=float)
    if m.ndim != 1 or len(m) == 0 or not np.all(np.abs(m) <= 1 + 1e-9):
        raise ValueError("margins must be a vector in [-1, 1]; divide t_i <w, x_i> by ||w|| and by ||x_i||")
    return m


def _record(m: np.ndarray, delta: float, value: float, numbers: dict[str, float], method: str) -> Bound:
    empirical = float(np.mean(ndtr(-numbers["scale"] * m)))
    prior = "features and kernel were fixed before these rows were seen"
    if "prior_scale" in numbers:
        prior += ", and the prior was learnt from other rows"
    return Bound(
        value,
        empirical,
        delta,
        method,
        (INDEPENDENT, prior, "value is the error of the randomised classifier; that of its mean is at most twice it"),
        {"n": len(m), **numbers, "deterministic": 2 * value},
        2 * value >= 1,
        "Langford and Shawe-Taylor 2003; Maurer 2004",
    )
