"""Layer display: the axes to draw on, and the axis of ``lam`` that all figures share."""

from typing import Any

import numpy as np


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
    ax.set_xlim(float(lams.max()), float(lams.min()))
    ax.set_xlabel("lam  (penalty falls to the right)")


def ordered_positive(lams: np.ndarray) -> np.ndarray:
    """Indices of the positive ``lams`` in increasing order; ``lam = 0`` has no place on a logarithmic axis."""
    order = np.argsort(lams, kind="stable")
    return order[lams[order] > 0]
