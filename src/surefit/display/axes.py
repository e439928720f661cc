"""Layer display: the axes to draw on, and the axis of ``lam`` that all figures share."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

ALONE = 10.0
"""Factor to either side of a ``lam`` that has the axis to itself."""


def axes_for(ax: Any) -> Any:
    """``ax``, or new axes of a readable size; an error that says what to install where matplotlib is missing."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("drawing needs matplotlib, which is not installed; pip install surefit[plot]") from error
    return plt.subplots(figsize=(7.0, 4.5), layout="constrained")[1]


def lam_axis(ax: Any, lams: np.ndarray) -> None:
    """A logarithmic axis on which the penalty falls from left to right, so that models grow along it."""
    ax.set_xscale("log")
    left, right = float(lams.max()), float(lams.min())
    room = ALONE if left == right else 1.0
    ax.set_xlim(left * room, right / room)
    ax.set_xlabel("lam  (penalty falls to the right)")


def plain_numbers(axis: Any) -> None:
    """Commas between thousands on ``axis``; matplotlib's own style from ten millions on, where they take much room."""
    largest = max(map(abs, axis.get_view_interval()))
    if 1e3 <= largest < 1e7:
        axis.set_major_formatter("{x:,.0f}")


def ordered_positive(lams: np.ndarray) -> np.ndarray:
    """Indices of the positive ``lams`` in increasing order; ``lam = 0`` has no place on a logarithmic axis.

    >>> ordered_positive(np.array([1.0, 0.0, 0.1])).tolist()
    [2, 0]
    """
    order = np.argsort(lams, kind="stable")
    kept = order[lams[order] > 0]
    if not len(kept):
        raise ValueError("no lam > 0 to draw on a logarithmic axis; fit with lams that are positive")
    return kept


def marker_of(lams: np.ndarray) -> dict[str, str]:
    """Line options by which a single ``lam`` shows: a line through one point cannot be seen."""
    return {"marker": "o"} if len(lams) == 1 else {}


def published(estimator: Any, name: str, what: str, instead: str) -> Any:
    """What a fitted model publishes under ``name``; where there is nothing, an error that says why and what to do.

    ``what`` is the word for it, and ``instead`` what else a model fitted at one ``lam`` offers.
    """
    kind = type(estimator).__name__
    if not hasattr(estimator, "fit"):
        raise ValueError(f"{kind} is not a fitted model, so it has no {what}; pass the estimator, or {instead}")
    if hasattr(estimator, "steps"):
        raise ValueError(f"the {what} belongs to the last step of a {kind}; pass pipeline[-1]")
    check_is_fitted(estimator)
    found = getattr(estimator, name, None)
    if found is None and hasattr(estimator, "subsets_"):
        raise ValueError(f"{kind} has no lam, so there is no {what} over it; its scores of every size are in subsets_")
    if found is None and (not hasattr(estimator, "lams") or estimator.lam is None):
        raise ValueError(f"{kind} keeps no {what} over lam; fit it for several lam and {instead}")
    if found is None:
        raise ValueError(f"{kind} has no {name}, because lam was given; fit with lam=None, or {instead}")
    return found
