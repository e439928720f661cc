"""Layer estimators: `plan` before a fit and `explain` after it, for every model.

In: a model and the shape of a table, or a fitted model.  Out: a `Plan` (solver, memory, seconds and the reason), or a
sentence that says which solver ran, why, how it ended, and how ``lam`` was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from surefit.names import hinted
from surefit.parameters import whole
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.solution import Solution, Status

UNKNOWN_FOLDS = 5


class Planned:
    """A model that says what a fit will need, and what it did.

    Subclasses plan for a `Shape`, and give the name and the reason of the solver that ran.
    """

    @hinted
    def plan(self, X: Any, d: int | None = None, *, n_outputs: int | None = None) -> Plan:
        """What a fit to the table ``X``, or to ``X`` rows of ``d`` columns, would need; nothing is fitted.

        ``n_outputs`` is the number of targets or of classes; None: one target, two classes.  The choice of ``lam`` is
        included.  Seconds are operations over rates that are measured once per process, and iterations are those of
        typical data: expect them to be right within a factor of three.
        """
        least = 2 if is_classifier(self) else 1
        wanted = least if n_outputs is None else whole("n_outputs", n_outputs, "it counts targets or classes", least=1)
        return self._planned(Shape.of(X, d, max(wanted, least)))

    def explain(self) -> str:
        """Which solver ran and why, how it ended, and how ``lam`` was chosen; `plan` says before what will run."""
        check_is_fitted(self)
        name, reason = self._solver_and_reason()
        return "; ".join([f"{name}: {reason}", self._ended(), *self._choice_of_lam()])

    def _planned(self, shape: Shape) -> Plan:
        raise NotImplementedError

    def _solver_and_reason(self) -> tuple[str, str]:
        """The solver that ran, and why: what the solution says, or what the plan did."""
        facts = self._solutions()[0].facts
        return str(facts["method"]), str(facts["reason"])

    def _solutions(self) -> Sequence[Solution]:
        return (self.solution_,)  # type: ignore[attr-defined]

    def _ended(self) -> str:
        """How the search ended; of several problems, the one with the largest gap."""
        worst = max(self._solutions(), key=lambda one: one.gap if np.isfinite(one.gap) else np.inf)
        text = worst.status.value
        if worst.status is not Status.EXACT and worst.n_iter > 0:
            text += f", after {worst.n_iter:,} iterations"
        return text if not np.isfinite(worst.gap) else f"{text} with a duality gap of {worst.gap:.1e}"

    def _choice_of_lam(self) -> list[str]:
        found = getattr(self, "selection_", None)
        return [] if found is None else [f"{found.parameter}={found.chosen:.3g} was chosen by {found.chosen_by}"]


def n_folds(cv: Any) -> int:
    """How many folds a choice has: a number, what a splitter says, or five where only running it would tell.

    >>> from sklearn.model_selection import KFold
    >>> n_folds(10), n_folds(KFold(3)), n_folds(iter([]))
    (10, 3, 5)
    """
    if isinstance(cv, int | np.integer):
        return int(cv)
    try:
        return int(cv.get_n_splits())
    except (AttributeError, TypeError, ValueError):
        return len(cv) if isinstance(cv, list | tuple) else UNKNOWN_FOLDS
