"""Layer theory: intervals that are wide where the design is thin: residuals in units of what the fit knows of a row.

In: a `Response` and new rows.  Out: `PredictionIntervals` by jackknife+ or full conformal prediction, whose scores are
``|y - f(x)| / sqrt(1 + G(x, x))`` for rows outside of the fit, ``|r_i| / sqrt(1 - H_ii)`` for rows inside: studentised
residuals.  The gain ``G(x, x)`` of a row in its own prediction is its leverage before it joins the fit.  With equal
noise everywhere, errors of new predictions are that much larger, so that intervals of one width are too wide where the
training rows are dense and too narrow where they are not.  Coverage is that of the plain scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.theory.certificates.wording import at_least
from surefit.theory.intervals.conformal import SOLVED, PredictionIntervals, Promise, conformal_rank
from surefit.theory.intervals.full import conformal_pieces
from surefit.theory.intervals.jackknife import EXCHANGEABLE, FIXED, NOT_CONDITIONAL, OUTWARD, over_chunks
from surefit.theory.intervals.response import Gains, Response


def studentised_jackknife_plus(
    response: Response, X_new: Any, coverage: float = 0.9, broken: tuple[str, ...] = ()
) -> PredictionIntervals:
    """Jackknife+ with left-out residuals in units of ``sqrt(1 + G_{-i})``: ends ``f_{-i}(x) -+ s_i sigma_{-i}(x)``.

    ``s_i = |e_i| sqrt(1 - H_ii)``, since ``1 + G_{-i}(x_i, x_i) = 1 / (1 - H_ii)``, and ``sigma_{-i}(x)**2 = 1 + G(x,
    x) + g_i(x)**2 / (1 - H_ii)``.  Both belong to the fit without row ``i`` alone, so the theorem of jackknife+ holds
    for these scores as for plain ones: probability at least ``2 coverage - 1``.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> from surefit.theory.intervals.response import LinearResponse
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> response = LinearResponse(factor, np.array([1.0, 3, 2, 5]), 0.0)
    >>> studentised_jackknife_plus(response, [[1.5], [10.0]], coverage=0.8).width.round(2)
    array([ 4.09, 21.21])
    """
    rank, room = conformal_rank(len(response.residual), coverage), response.room
    left_out, defined = response.left_out, np.isfinite(response.left_out)
    finite, largest = np.where(defined, left_out, 0.0), np.max(np.abs(response.residual))
    score = np.abs(finite) * np.sqrt(room)

    def ends(gains: Gains) -> np.ndarray:
        fits = gains.prediction[:, None] - gains.gain * finite
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(1.0 + gains.own[:, None] + gains.gain**2 / room)
            low, high = fits - score * spread, fits + score * spread
        low[:, ~defined], high[:, ~defined] = -np.inf, np.inf
        low[np.isinf(gains.own)], high[np.isinf(gains.own)] = -np.inf, np.inf
        low.partition(len(finite) - rank, axis=1)
        high.partition(rank - 1, axis=1)
        found = np.array([low[:, len(finite) - rank], high[:, rank - 1]])
        return found + OUTWARD * SOLVED * (np.abs(gains.prediction) + largest + np.abs(found))

    guaranteed = max(2 * coverage - 1, 0.0)
    promise = Promise(
        coverage, guaranteed, "jackknife+, studentised",
        f"A new target lies in its interval with probability at least {at_least(guaranteed)}, on average over training "
        f"sets; typically with about {at_least(coverage)}.",
        (EXCHANGEABLE, FIXED, NOT_CONDITIONAL), broken,
    )  # fmt: skip
    return promise.intervals(*over_chunks(response, X_new, ends))


def studentised_full_conformal(
    response: Response, X_new: Any, coverage: float = 0.9, broken: tuple[str, ...] = ()
) -> PredictionIntervals:
    """Full conformal prediction with the studentised residuals of the fit to all ``n + 1`` rows, exactly.

    Adding the row ``(x, y)`` leaves ``1 - H_ii + g_i(x)**2 / (1 + G(x, x))`` of row ``i`` and ``1 / (1 + G(x, x))`` of
    the new one, whatever ``y``: residuals over their roots are affine in ``y`` still, and the set comes from one sort.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> from surefit.theory.intervals.response import LinearResponse
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> response = LinearResponse(factor, np.array([1.0, 3, 2, 5]), 0.0)
    >>> studentised_full_conformal(response, [[1.5]], coverage=0.8).width.round(2)
    array([4.09])
    """
    residual, room = response.residual, response.room
    largest = np.max(np.abs(residual))

    def ends(gains: Gains) -> np.ndarray:
        return np.transpose([_ends(*one) for one in zip(gains.prediction, gains.gain, gains.own, strict=True)])

    def _ends(prediction: float, gain: np.ndarray, own: float) -> np.ndarray:
        if not np.isfinite(own):
            return np.array([-np.inf, np.inf])
        unit = 1.0 / np.sqrt((1.0 + own) * room + gain**2)  # sqrt(1 - H'_new) / sqrt(1 - H'_ii)
        slack = SOLVED * (abs(prediction) + largest) / (1.0 + own)
        pieces = conformal_pieces(residual * unit, gain * unit, coverage, slack)
        return prediction + (1.0 + own) * pieces[[0, -1], [0, 1]]

    promise = Promise(
        coverage, coverage, "full conformal, studentised",
        f"A new target lies in its interval with probability at least {at_least(coverage)}, on average over training "
        "sets.",
        (EXCHANGEABLE, FIXED, NOT_CONDITIONAL), broken,
    )  # fmt: skip
    return promise.intervals(*over_chunks(response, X_new, ends))
