"""Layer solvers: penalties that are sums over coefficients of absolute values and squares, each with its own weight.

In: the penalty of a `Problem`.  Out: `Parts`, its weights per coefficient, which the solvers for such penalties work
with; and two penalties that are not public: `Rescaled`, what a penalty becomes when columns are divided by numbers,
and `WeightedNet`, a penalty given by its weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from surefit.objective.penalty import L1, ElasticNet, Penalty, PNorm, SquaredL2
from surefit.objective.problem import Problem

HEAVIEST = float(np.finfo(float).max) / 8
"""Weights of a penalty beyond this one, which holds any coefficient of a column at zero, count as this."""


@final
class Rescaled(Penalty):
    """``penalty(w / scale)``: what a penalty becomes when the columns are divided by ``scale``.  Catalogue P-08.

    A separable penalty is proxed one scale at a time; those that a solver takes by itself are powers of two, so few of
    them differ.

    >>> Rescaled(L1(), np.array([1.0, 2.0])).prox([3.0, 3.0], 1.0)
    array([2. , 2.5])
    """

    def __init__(self, penalty: Penalty, scale: np.ndarray):
        self.penalty, self.scale = penalty, scale
        if not penalty.separable and np.any(scale != scale.flat[0]):
            raise ValueError(f"{penalty!r} is not separable, so its columns must share one scale")

    def __repr__(self) -> str:
        """As the penalty of the user, who is told about that one and has never seen the scales."""
        return repr(self.penalty)

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return self.penalty.smooth

    @property
    def separable(self) -> bool:  # type: ignore[override]
        return self.penalty.separable

    @property
    def norm(self) -> bool:  # type: ignore[override]
        return self.penalty.norm

    @property
    def strong_convexity(self) -> float:  # type: ignore[override]
        return self.penalty.strong_convexity / float(np.max(self.scale, initial=1.0)) ** 2

    def value(self, w: ArrayLike) -> float:
        return self.penalty.value(np.asarray(w, dtype=float) / self.scale)

    def gradient(self, w: ArrayLike) -> np.ndarray:
        return self.penalty.gradient(np.asarray(w, dtype=float) / self.scale) / self.scale

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        moved = np.asarray(v, dtype=float) / self.scale
        for scale in np.unique(self.scale):
            here = self.scale == scale
            with np.errstate(over="ignore"):
                moved[here] = self.penalty.prox(moved[here], min(step / scale / scale, HEAVIEST))
        return moved * self.scale

    def conjugate(self, u: ArrayLike, lam: float = 1.0) -> float:
        return self.penalty.conjugate(np.asarray(u, dtype=float) * self.scale, lam)

    def dual_norm(self, u: ArrayLike) -> float:
        return self.penalty.dual_norm(np.asarray(u, dtype=float) * self.scale)

    def dual_scaling(self, u: ArrayLike, lam: float) -> float:
        return self.penalty.dual_scaling(np.asarray(u, dtype=float) * self.scale, lam)


@final
class WeightedNet(Penalty):
    """``sum_j (absolute_j |w_j| + square_j w_j**2)`` for coefficients (d,) or (d, k).  Catalogue P-01, P-02, P-08.

    >>> WeightedNet(np.array([1.0, 0.0]), np.array([0.0, 2.0])).value(np.array([-3.0, 2.0]))
    11.0
    """

    separable = True

    def __init__(self, absolute: np.ndarray, square: np.ndarray):
        self.absolute, self.square = absolute, square

    @property
    def smooth(self) -> bool:  # type: ignore[override]
        return not np.any(self.absolute)

    @property
    def strong_convexity(self) -> float:  # type: ignore[override]
        return 2 * float(np.min(self.square, initial=np.inf))

    def _along(self, weights: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The weights in the shape of the coefficients."""
        return weights if w.ndim == 1 else weights[:, None]

    @np.errstate(over="ignore")
    def value(self, w: ArrayLike) -> float:
        w = np.asarray(w, dtype=float)
        return float(np.sum(self._along(self.absolute, w) * np.abs(w) + self._along(self.square, w) * w**2))

    def gradient(self, w: ArrayLike) -> np.ndarray:
        w = np.asarray(w, dtype=float)
        return self._along(self.absolute, w) * np.sign(w) + 2 * self._along(self.square, w) * w

    def prox(self, v: ArrayLike, step: float) -> np.ndarray:
        v = np.asarray(v, dtype=float)
        level = step * self._along(self.absolute, v)
        return (v - np.clip(v, -level, level)) / (1 + 2 * step * self._along(self.square, v))


@dataclass(frozen=True)
class Parts:
    """A penalty of the form ``sum_j absolute_j |w_j| + square_j w_j**2``, with ``lam`` already multiplied in."""

    absolute: np.ndarray
    square: np.ndarray

    @property
    def smooth(self) -> bool:
        return not np.any(self.absolute)


def parts_of(problem: Problem) -> Parts | None:
    """The coefficients of ``|w_j|`` and ``w_j**2`` in ``lam * penalty``, None for a penalty of another form.

    >>> problem = Problem(np.eye(2), np.zeros(2), __import__("surefit").objective.Squared(), ElasticNet(0.25), 2.0)
    >>> parts_of(problem)
    Parts(absolute=array([0.5, 0.5]), square=array([1.5, 1.5]))
    """
    penalty: Penalty = problem.penalty
    d = problem.X.shape[1]
    scale = np.ones(d)
    if problem.lam == 0 or d == 0:
        return Parts(np.zeros(d), np.zeros(d))
    if isinstance(penalty, WeightedNet):
        return Parts(problem.lam * penalty.absolute, problem.lam * penalty.square)
    if isinstance(penalty, Rescaled):
        scale, penalty = penalty.scale, penalty.penalty
    ratio = _l1_share(penalty)
    if ratio is None:
        return None
    with np.errstate(over="ignore"):  # and not divided by squares, which leave the range of numbers sooner
        absolute, square = problem.lam * ratio / scale, problem.lam * (1 - ratio) / scale / scale
    return Parts(np.minimum(absolute, HEAVIEST), np.minimum(square, HEAVIEST))


def _l1_share(penalty: Penalty) -> float | None:
    if isinstance(penalty, SquaredL2):
        return 0.0
    if isinstance(penalty, L1) or (isinstance(penalty, PNorm) and penalty.order == 1):
        return 1.0
    return penalty.l1_ratio if isinstance(penalty, ElasticNet) else None
