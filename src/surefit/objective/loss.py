"""Layer objective: ``Loss``, what a wrong prediction costs, and the facts that solvers and theorems need about it.

In: targets ``y`` and predictions ``f`` (arrays that broadcast).  Out: values, derivatives and curvatures in ``f``,
convex conjugates, Lipschitz constants and bounds.  A loss knows nothing of features, weights or penalties.

Convention at kinks: ``derivative`` returns one fixed subgradient, stated in the docstring of each loss (zero wherever
zero is a subgradient, unless a parameter says otherwise), and ``curvature`` the second derivative on the flatter side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from surefit.parameters import Parametrised

# A point computed to lie on the edge of a conjugate's domain may miss it by rounding; this much counts as inside.
EDGE = 1e-12


class Loss(Parametrised, ABC):
    """The cost ``value(y, f)`` of predicting ``f`` where the truth is ``y``.

    A loss of your own needs three methods and the facts that are true of it; all the rest has a default.  Facts are
    promises that solvers and certificates rely on: ``surefit.testing.check_loss`` tries to refute them.

    - ``convex``: convex in ``f``.
    - ``smooth``: differentiable in ``f`` everywhere, with a continuous derivative.
    - ``twice_differentiable``: ``curvature`` is the second derivative everywhere, not only almost everywhere.
    - ``symmetric``: ``value(y, f) == value(f, y)``, targets and predictions being of one kind.
    - ``unit_range``: no value is below 0 or above 1, whatever the data.
    - ``smoothness``: Lipschitz constant of the derivative in ``f``, ``inf`` if there is none.
    - ``targets``: ``"real"``, ``"signs"`` (-1 and +1), ``"probabilities"`` (0 to 1), ``"classes"`` (0, 1, ..., k-1)
      or ``"any"``.

    Catalogue L-14.

    >>> class LogCosh(Loss):
    ...     convex = smooth = twice_differentiable = symmetric = True
    ...     smoothness = 1.0
    ...     def value(self, y, f):
    ...         return np.logaddexp(f - y, y - f) - np.log(2)
    ...     def derivative(self, y, f):
    ...         return np.tanh(f - y)
    ...     def curvature(self, y, f):
    ...         return 1 - np.tanh(f - y) ** 2
    >>> LogCosh()
    LogCosh()
    >>> float(np.round(LogCosh().conjugate(0.0, 0.5), 12))                       # by default computed numerically
    0.130812035941
    """

    convex: bool = False
    smooth: bool = False
    twice_differentiable: bool = False
    symmetric: bool = False
    unit_range: bool = False
    smoothness: float = np.inf
    targets: str = "real"

    @abstractmethod
    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        """The loss itself, elementwise over the broadcast of ``y`` and ``f``."""

    @abstractmethod
    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        """Derivative in ``f``; at a kink, the subgradient that the docstring of the loss names."""

    @abstractmethod
    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        """Second derivative in ``f`` where it exists."""

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        """``sup_f u * f - value(y, f)``, ``inf`` outside its domain.

        The default bisects for ``derivative(y, f) = u`` and returns an upper bound that is tight to rounding, so that
        a duality gap built on it never flatters.  It needs a convex loss.
        """
        if not self.convex:
            raise NotImplementedError(
                f"{self!r} is not declared convex, so it has no useful conjugate; "
                "set convex = True if it is, or write conjugate yourself"
            )
        return bisected_conjugate(self, y, u)

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Ends ``(low, high)`` of the interval on which ``conjugate(y, .)`` is finite: the range of the derivative.

        The default reads them off the derivative far out.
        """
        y = np.asarray(y, dtype=float)
        with np.errstate(all="ignore"):
            low = np.asarray(self.derivative(y, np.full_like(y, -1e150)), dtype=float)
            high = np.asarray(self.derivative(y, np.full_like(y, 1e150)), dtype=float)
        return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)

    def lipschitz(self, radius: float) -> float:
        """Lipschitz constant in ``f`` on ``|f - y| <= radius`` (on ``|f| <= radius`` if targets are not real)."""
        return np.inf

    def bound(self, radius: float) -> float:
        """Largest value on ``|f - y| <= radius`` (on ``|f| <= radius`` if targets are not real)."""
        return np.inf

    def balanced(self, y: ArrayLike, u: ArrayLike, weights: ArrayLike) -> np.ndarray:
        """A dual point near ``u`` with ``sum(weights * u) == 0`` that stays in the domain of the conjugate.

        ``clip(u - c, low, high)`` with the shift ``c`` that balances; what an unpenalised intercept asks of a dual
        point.  Assumes a loss bounded below, so that ``low <= 0 <= high``.
        """
        return shifted_to_balance(
            np.asarray(u, dtype=float), np.asarray(weights, dtype=float), self.conjugate_domain(y)
        )

    def check_targets(self, y: ArrayLike) -> np.ndarray:
        """``y`` as an array, if this loss accepts it; otherwise an error that says which targets it takes."""
        return checked_targets(self, y)


def floats(y: ArrayLike, f: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """``y`` and ``f`` as floating arrays; a floating type that is already there is kept."""
    f = np.asarray(f)
    if f.dtype.kind != "f":
        f = f.astype(float)
    y = np.asarray(y)
    if y.dtype.kind != "f":
        y = y.astype(f.dtype)
    return y, f


@np.errstate(over="ignore")
def residual(y: ArrayLike, f: ArrayLike) -> np.ndarray:
    """``f - y`` in floating point, integers and booleans included."""
    y, f = floats(y, f)
    return f - y


def finite_inside(u: np.ndarray, low: float, high: float, value: np.ndarray) -> np.ndarray:
    """``value`` where ``low <= u <= high`` up to rounding, ``inf`` elsewhere."""
    slack = EDGE * max(abs(low), abs(high))
    return np.where((u >= low - slack) & (u <= high + slack), value, np.inf)


def shifted_to_balance(u: np.ndarray, weights: np.ndarray, domain: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """``clip(u - c, *domain)`` with the ``c`` that makes its weighted sum zero, by bisection."""
    low, high = domain
    mean = weights @ u / weights.sum()
    if np.all((u - mean >= low) & (u - mean <= high)):
        return u - mean
    left, right = u.min(), u.max()  # the weighted sum is >= 0 at the left end, <= 0 at the right one
    for _ in range(200):
        middle = 0.5 * (left + right)
        if middle in (left, right):
            break
        left, right = (middle, right) if weights @ np.clip(u - middle, low, high) > 0 else (left, middle)
    return np.clip(u - 0.5 * (left + right), low, high)


@np.errstate(over="ignore", invalid="ignore")
def bisected_conjugate(loss: Loss, y: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Upper bound on ``sup_f u * f - loss(y, f)``, tight to rounding, from a bracket of ``derivative = u``.

    With ``left <= f* <= right`` the tangent at ``left`` gives
    ``u f* - loss(f*) <= u left - loss(left) + (u - slope(left)) (right - left)``, and the same from the right.
    """
    y, u = np.broadcast_arrays(np.asarray(y, dtype=float), np.asarray(u, dtype=float))
    left, right = y - 1.0, y + 1.0
    for doubling in range(100):
        too_high, too_low = loss.derivative(y, left) > u, loss.derivative(y, right) < u
        if not np.any(too_high | too_low):
            break
        left, right = np.where(too_high, left - 2.0**doubling, left), np.where(too_low, right + 2.0**doubling, right)
    for _ in range(120):
        middle = 0.5 * (left + right)
        below = loss.derivative(y, middle) < u
        left, right = np.where(below, middle, left), np.where(below, right, middle)
    slope_left, slope_right = loss.derivative(y, left), loss.derivative(y, right)
    width = right - left
    from_left = u * left - loss.value(y, left) + (u - slope_left) * width
    from_right = u * right - loss.value(y, right) + (slope_right - u) * width
    bracketed = (slope_left <= u) & (u <= slope_right)
    return np.where(bracketed, np.minimum(from_left, from_right), np.inf)


def checked_targets(loss: Loss, y: ArrayLike) -> np.ndarray:
    """``y`` as an array if the loss takes all its entries, else a ``ValueError`` naming the first it does not take."""
    y = np.asarray(y)
    if loss.targets == "any":
        return y
    allowed, remedy = {
        "real": (np.isfinite(y), "drop or impute the missing targets"),
        "signs": (np.isin(y, (-1, 1)), "map 0/1 labels with 2*y - 1, or use LogLoss()"),
        "probabilities": ((y >= 0) & (y <= 1), "map -1/+1 labels with (y + 1)/2, or use Logistic()"),
        "classes": ((y >= 0) & (y == np.floor(y)), "number the classes 0, 1, ..., k-1"),
    }[loss.targets]
    if not np.all(allowed):
        wrong = np.ravel(y)[np.argmin(np.ravel(allowed))]
        raise ValueError(f"{loss!r} takes targets that are {TARGETS[loss.targets]}, got {wrong}; {remedy}")
    return y


def check_shapes(loss: Loss, y: np.ndarray) -> None:
    """Refuse a loss that does not return one number for each target, as one does that takes the mean itself."""
    few = np.resize(y, 2)
    for function in (loss.value, loss.derivative, loss.curvature):
        with np.errstate(all="ignore"):
            shape = np.shape(function(few, np.zeros(2)))
        if shape != (2,):
            raise ValueError(
                f"{function.__name__} of {loss!r} has shape {shape} for 2 targets; return one number for each of them "
                "(the fit takes the mean), and let surefit.testing.check_loss look at it"
            )


TARGETS = {
    "real": "finite real numbers",
    "signs": "-1 or +1",
    "probabilities": "between 0 and 1",
    "classes": "whole numbers from 0",
    "any": "anything",
}
