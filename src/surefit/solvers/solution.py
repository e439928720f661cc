"""Layer solvers: the frozen records in which every solver answers."""

from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any

import numpy as np

from surefit.data.scale import power_of_two
from surefit.page import Page, Readable, Table, frame, number


class Status(Enum):
    """How a solver ended; the value is the sentence a user reads."""

    EXACT = "solved directly; the error left is rounding"
    CONVERGED = "converged: the requested tolerance was reached"
    LOW_RANK = "solved for an approximation of low rank; how far the whole problem's minimum lies below is not known"
    MAX_ITER = (
        "stopped at the iteration limit before reaching the tolerance; accept a looser one, raise max_iter where the "
        "model has it, or scale the data"
    )
    ROUNDING = (
        "stopped where rounding hides further progress, before reaching the tolerance; accept a looser one, or scale "
        "the data"
    )
    TIME_LIMIT = (
        "stopped at the time limit before reaching the tolerance; raise time_limit, or accept a looser one: look at "
        "the gap"
    )
    EPOCHS_DONE = "all epochs were run; a stochastic method has no tolerance to reach: look at the gap"
    SEPARATED = "the classes can be separated, so the likelihood has no maximum; use lam > 0"
    OUT_OF_RANGE = (
        "solved, but the objective or its gap leaves the range of floating point numbers in the units of y; rescale y"
    )
    DIVERGED = "the iterates grow without bound: the step is too long; lower it, or leave it to be chosen"


def gap_in_units(gap: float, size: float) -> float:
    """``gap * size**2``, the gap for a target that was divided by ``size``; a bound also where that underflows.

    >>> gap_in_units(0.5, 2.0), gap_in_units(0.5, 1e-200), gap_in_units(0.0, 1e-200)
    (2.0, 2.2250738585072014e-308, 0.0)
    """
    with np.errstate(over="ignore", under="ignore"):
        scaled = float(np.float64(gap) * size * size)
    return max(scaled, float(np.finfo(np.float64).tiny)) if gap > 0.0 else scaled


BLURRED = 1e-2
"""Share of the null objective, that of the best constant, from which on a gap that rounding leaves is no answer.

Such gaps bound the worst that rounding can do, and it does a hundredth of that or less.  Data that are centred and
scaled stay far below, and so do years with a moderate ``lam``.
"""

SOLVED = (Status.EXACT, Status.CONVERGED, Status.OUT_OF_RANGE)
"""How a solver ends that did what was asked of it."""


def status_in_units(status: Status, *numbers: float) -> Status:
    """``status``, or that the objective or the gap, given in the units of the target, is beyond all numbers.

    >>> status_in_units(Status.EXACT, 1.0, float("inf")).name
    'OUT_OF_RANGE'
    """
    return Status.OUT_OF_RANGE if status in SOLVED and not np.all(np.isfinite(numbers)) else status


@dataclass(frozen=True)
class Solution:
    """The answer to one problem, with what is needed to judge it.

    ``gap`` bounds ``objective`` minus the smallest possible objective.  ``history`` holds one array per quantity that
    an iterative solver recorded, ``facts`` what a direct one found out (method, rank, condition number).
    """

    coef: np.ndarray
    intercept: Any
    status: Status
    gap: float
    objective: float
    n_iter: int = 0
    history: MappingProxyType = field(default_factory=lambda: MappingProxyType({}))
    facts: MappingProxyType = field(default_factory=lambda: MappingProxyType({}))

    @property
    def ending(self) -> str:
        """How the search ended and, where that is known, how far from the minimum: the text of warnings."""
        if not np.isfinite(self.gap):
            return self.status.value
        return f"{self.status.value} (duality gap {self.gap:.1e}, objective {self.objective:.4g})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "history": dict(self.history), "facts": dict(self.facts)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        frozen = {key: MappingProxyType(state[key]) for key in ("history", "facts")}
        self.__dict__.update(state, **frozen)


@dataclass(frozen=True)
class ScaledTarget:
    """Targets divided by ``size``, the power of two just below the largest of them: an exact division.

    Solvers work on ``values``, whose squares neither overflow nor vanish; `restore` leads back to the user's units.

    >>> scaled = ScaledTarget.of(np.array([3.0, -5.0]))
    >>> scaled.values, scaled.size
    (array([ 0.75, -1.25]), 4.0)
    """

    values: np.ndarray
    size: float

    @staticmethod
    def of(y: np.ndarray) -> "ScaledTarget":
        size = float(power_of_two(np.asarray(np.max(np.abs(y), initial=0.0))))
        return ScaledTarget(y / size, size)

    def restore(self, solution: Solution) -> Solution:
        """The solution for the targets as they were: coefficients times ``size``, squares times ``size**2``."""
        with np.errstate(over="ignore"):
            gap, objective = gap_in_units(solution.gap, self.size), solution.objective * self.size * self.size
            coef, intercept = solution.coef * self.size, solution.intercept * self.size
        status = status_in_units(solution.status, gap, objective)
        return replace(solution, coef=coef, intercept=intercept, gap=gap, objective=objective, status=status)


class ReadablePath(Readable):
    """Coefficients along ``lam``, as text, HTML and data frame."""

    coefs: np.ndarray
    intercepts: np.ndarray

    def _page(self) -> Page:
        lams, coefs = self._lams(), self.coefs
        columns = {"nonzero": np.count_nonzero(coefs.reshape(len(lams), -1), axis=1), **self._beside()}
        columns["|coefficients|"] = np.abs(coefs).reshape(len(lams), -1).sum(axis=1)
        names = [number(lam) for lam in lams]
        cells = lambda k, room: [_cell(column[k]) for column in columns.values()]
        table = Table(names, tuple(columns), cells, "lam", rows=20, rest="to_frame() has all, with coefficients")
        size = " x ".join(f"{side:,}" for side in coefs.shape[1:])
        return Page("Coefficients along lam", (("lam", f"{len(lams):,}"), ("Coefficients", size)), table)

    def _lams(self) -> np.ndarray:
        raise NotImplementedError

    def _beside(self) -> dict[str, Any]:
        """What is known at every ``lam`` beside coefficients."""
        return {}

    def to_frame(self, names: Any = None) -> Any:
        """One row for each ``lam``: the intercept, then a column for each coefficient, called by ``names`` if given.

        Several rows of coefficients at one ``lam`` (targets, classes) are numbered: ``x0 [1]``.
        """
        lams, d = self._lams(), self.coefs.shape[-1]
        names = [f"x{j}" for j in range(d)] if names is None else list(map(str, names))
        if len(names) != d:
            raise ValueError(f"names must have {d} entries, one per column, got {len(names)}; give all, or none")
        coefs, intercepts = self.coefs.reshape(len(lams), -1, d), self.intercepts.reshape(len(lams), -1)
        columns: dict[str, Any] = {}
        for k in range(coefs.shape[1]):
            mark = "" if coefs.shape[1] == 1 else f" [{k}]"
            columns[f"intercept{mark}"] = intercepts[:, k]
            columns.update({f"{name}{mark}": coefs[:, k, j] for j, name in enumerate(names)})
        return frame(columns, lams, "lam")


def _cell(value: Any) -> str:
    if isinstance(value, Status):
        return value.name.lower()
    return f"{value:,}" if isinstance(value, int | np.integer) else number(float(value), 3)


@dataclass(frozen=True, repr=False)
class Path(ReadablePath):
    """Solutions along a grid: row ``k`` of ``coefs`` belongs to ``lams[k]``.

    >>> print(Path(np.array([1.0, 0.1]), np.array([[0.0], [2500.0]]), np.zeros(2)))
    Coefficients along lam
    ================================================================================
    lam                                  2    Coefficients                         1
    --------------------------------------------------------------------------------
    lam  nonzero  |coefficients|
    1          0               0
    0.1        1           2,500
    --------------------------------------------------------------------------------
    """

    lams: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray

    def _lams(self) -> np.ndarray:
        return self.lams
