"""Layer solvers: the mean squared error of coefficients and intercept as they are published, rounded.

In: a `Design`, a target, an answer and the error that is allowed.  Out: the mean squared error.  Where columns are far
from zero (timestamps), products with them cancel against the intercept: residuals are taken with 106 bits then.
"""

import math

import numpy as np

from surefit.compiled.doubled import two_product
from surefit.data.design import Design
from surefit.data.scale import EPS, column_sizes
from surefit.solvers.linear.refine import ExtendedState, gradient_at
from surefit.solvers.solution import ScaledTarget


def mean_squares(design: Design, y: np.ndarray, coef: np.ndarray, intercept: float, allowed: float = 0.0) -> float:
    """``sum_i p_i (y_i - x_i w - b)**2``, off by no more than ``allowed`` where a closer look can see to that.

    >>> X = Design.of([[1e15], [1e15 + 1]])
    >>> mean_squares(X, np.array([1.0, 0.0]), np.array([1.0]), -1e15)
    1.0
    """
    share = design.weight / design.total_weight
    with np.errstate(over="ignore"):
        plain = float(share @ (y - design.matvec(coef) - intercept) ** 2)
        reach = float(np.max(np.abs(y), initial=0.0)) + abs(float(intercept)) + column_sizes(design) @ np.abs(coef)
        error = 4.0 * EPS * reach
        blur = 2.0 * error * np.sqrt(plain) + error * error
    if blur <= 0.25 * allowed or not np.isfinite(blur):
        return plain
    return _sparse(design, y, coef, intercept) if design.is_sparse else _dense(design, y, coef, intercept)


def _dense(design: Design, y: np.ndarray, coef: np.ndarray, intercept: float) -> float:
    scaled, none = ScaledTarget.of(y), np.zeros(design.d)
    state = ExtendedState(coef / scaled.size, none, (float(intercept) / scaled.size, 0.0))
    found = gradient_at(design.X, scaled.values, design.weight, np.ones(design.d), state)
    return float(found.rss.sum()) / design.total_weight * scaled.size * scaled.size


def _sparse(design: Design, y: np.ndarray, coef: np.ndarray, intercept: float) -> float:
    """Columns far from zero are moved to it, and the intercept with them."""
    near = design.settled()
    offset = np.zeros(design.d) if near.offset is None else near.offset
    level = math.fsum([float(intercept), *np.concatenate(two_product(offset, coef)).tolist()])
    return float(design.weight @ ((y - level) - near.matvec(coef)) ** 2) / design.total_weight
