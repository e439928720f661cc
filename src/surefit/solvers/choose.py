"""Layer solvers: which solver for which problem, and why; and the one door through which a problem is solved.

In: a `Problem` in the user's units.  Out: a `Choice` with its reason in words, or the `Solution`.  A solver that does
not fit the problem is refused by name, before it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from surefit.objective.problem import Problem
from surefit.solvers.multipliers import multipliers, needs_envelope
from surefit.solvers.newton import newton
from surefit.solvers.solution import Solution
from surefit.solvers.standardise import parts_of, standardise

SYSTEM_LIMIT = 4000
"""Largest side of a linear system that is still factorised at every step."""


@dataclass(frozen=True)
class Choice:
    """The name of a solver and the sentence that says why it runs."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True)
class Solver:
    """A way to minimise a problem: ``run(problem, tol, max_iter)``, and how many iterations it may take."""

    run: Callable[[Problem, float, int], Solution]
    max_iter: int


SOLVERS: dict[str, Solver] = {
    "newton": Solver(newton, 200),
    "multipliers": Solver(multipliers, 60),
}


def choose_solver(problem: Problem) -> Choice:
    """The solver for this loss, penalty and shape, and the reason.  Catalogue A-16.

    >>> import numpy as np
    >>> from surefit.objective import Absolute, Huber, SquaredL2
    >>> X, y = np.eye(3), np.zeros(3)
    >>> print(choose_solver(Problem(X, y, Huber(), SquaredL2(), 0.1)))
    newton: the loss is smooth and the penalty a sum of squares, so each step is one 3 x 3 linear system
    """
    parts = parts_of(problem)
    side = min(problem.X.shape)
    if not needs_envelope(problem) and parts is not None and parts.smooth:
        reason = "the loss is smooth and the penalty a sum of squares, so each step is one"
        return Choice("newton", f"{reason} {side} x {side} linear system")
    return Choice("multipliers", "the loss has kinks; smoothed versions of it take Newton steps to the exact answer")


def minimise(problem: Problem, solver: str = "auto", tol: float = 1e-10, max_iter: int | None = None) -> Solution:
    """Solve the problem in good coordinates and answer in the user's; the gap is on the scale of the objective.

    >>> import numpy as np
    >>> from surefit.objective import Squared, SquaredL2
    >>> problem = Problem(np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), Squared(), SquaredL2(), 1.25)
    >>> minimise(problem).coef.round(12)
    array([0.55])
    """
    standard = standardise(problem)
    name = choose_solver(standard.problem).name if solver == "auto" else checked_name(solver)
    chosen = SOLVERS[name]
    return standard.restore(chosen.run(standard.problem, tol, chosen.max_iter if max_iter is None else max_iter))


def checked_name(solver: str) -> str:
    """``solver``, if there is one of that name."""
    if solver not in SOLVERS:
        raise ValueError(f"solver must be 'auto' or one of {', '.join(map(repr, SOLVERS))}; got {solver!r}")
    return solver
