"""Layer *theory*: PAC-Bayes bounds for linear classifiers with Gaussian posteriors.

In: margins normalised by both lengths, ``t_i <w, x_i> / (||w|| ||x_i||)`` in ``[-1, 1]`` (cosines in a kernel's space
serve as well).  Out: `Bound` on the error of the randomised (Gibbs) classifier; that of ``sign(<w, x>)`` is at most
twice it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import ndtr

from surefit.parameters import all_numbers, finite_vector, within
from surefit.theory.bounds.record import INDEPENDENT, Bound, checked_count
from surefit.theory.means.arguments import failure_probability
from surefit.theory.means.concentration import largest_mean


def pac_bayes_linear(margins: np.ndarray, *, delta: float = 0.05, n: int | None = None) -> Bound:
    """``kl(Rhat_Q || R_Q) <= (mu**2 / 2 + log(2 sqrt(n) / delta)) / n`` with ``Q = N(mu w / ||w||, I)``, best ``mu``.

    ``Rhat_Q = mean Phi(-mu m_i)`` for the normalised margins ``m_i`` (n,), prior ``N(0, I)``.  The theorem holds for
    all posteriors at once, so ``mu`` costs nothing, and ``w`` may come from the same rows.  Where ``sign(<w, x>)``
    errs, at least half of ``Q`` errs: ``inputs["deterministic"]`` is twice the value (Langford
    and Shawe-Taylor 2003; Maurer 2004 for the constant).  ``n`` is for planning: the bound if as many rows had margins
    like these.

    >>> bound = pac_bayes_linear(np.full(2000, 0.5))
    >>> round(bound.value, 4), bound.inputs["deterministic"] == 2 * bound.value
    (0.0167, True)
    """
    m = _normalised(margins)
    n = len(m) if n is None else checked_count(n)
    log_term = math.log(2 * math.sqrt(n) / failure_probability(delta))
    value, scale = _best_scale(m, lambda mu: (mu**2 / 2 + log_term) / n, n)
    return _record(m, delta, value, {"scale": scale, "divergence": scale**2 / 2, "n": n}, "pac-bayes")


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
    cosine = within("prior_cosine", prior_cosine, (-1, 1), "it is <w, w0> / (||w|| ||w0||)")
    scales = finite_vector("prior_scales", prior_scales, "give scales >= 0 that were fixed before").tolist()
    if min(scales) < 0:
        raise ValueError(f"prior_scales must be >= 0, got {min(scales)}; turn w0 round instead")
    log_term = math.log(2 * math.sqrt(len(m)) * len(scales) / failure_probability(delta))
    divergence = lambda mu, eta: (mu**2 - 2 * mu * eta * cosine + eta**2) / 2

    def best(eta: float) -> tuple[float, float, float]:
        return *_best_scale(m, lambda mu: (divergence(mu, eta) + log_term) / len(m), len(m)), eta

    value, scale, eta = min(best(eta) for eta in scales)
    numbers = {"scale": scale, "prior_scale": eta, "divergence": divergence(scale, eta), "prior_cosine": cosine}
    numbers["n_prior_scales"] = len(scales)
    return _record(m, delta, value, numbers, "pac-bayes with a learnt prior")


def _best_scale(m: np.ndarray, allowed: Callable[[np.ndarray], np.ndarray], n: int) -> tuple[float, float]:
    """The smallest bound over a grid of scales ``mu`` of the posterior, refined around the best, and its ``mu``."""
    scales = np.geomspace(0.01, 10 * math.sqrt(n), 60)
    for _ in range(2):
        values = largest_mean(_gibbs_errors(m, scales), allowed(scales))
        best = int(np.argmin(values))
        found = float(values[best]), float(scales[best])
        scales = np.geomspace(scales[max(best - 1, 0)], scales[min(best + 1, len(scales) - 1)], 41)
    return found


def _gibbs_errors(m: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """``mean_i Phi(-mu m_i)`` for every ``mu``, a block of rows at a time."""
    blocks = np.array_split(m, math.ceil(len(m) / (1 << 14)))
    return sum((ndtr(-np.outer(scales, block)).sum(axis=1) for block in blocks), np.zeros(len(scales))) / len(m)


def _normalised(margins: np.ndarray) -> np.ndarray:
    remedy = "divide t_i <w, x_i> by ||w|| and by ||x_i||"
    m = all_numbers("margins", margins, remedy)
    if m.ndim != 1 or len(m) == 0 or not np.all(np.abs(m) <= 1 + 1e-9):
        raise ValueError(f"margins must be a vector in [-1, 1]; {remedy}")
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
