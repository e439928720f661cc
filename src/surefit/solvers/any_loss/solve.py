"""Layer solvers: which solver for which problem, and why; and the one door through which a problem is solved.

In: a `Problem` in the user's units.  Out: a `SolverChoice` with its reason in words, or the `Solution`.  A solver that
does not fit the problem is refused by name, before it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from surefit.objective.loss import Loss
from surefit.objective.penalty import SquaredL2
from surefit.objective.problem import Problem
from surefit.objective.regression import Power
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.descent import gradient_descent
from surefit.solvers.any_loss.direct import direct, is_ridge
from surefit.solvers.any_loss.few_columns import has_few_columns, solve_on_few
from surefit.solvers.any_loss.judge import constant_fit, evaluation_rounding, unprojected_gap
from surefit.solvers.any_loss.lbfgs import lbfgs
from surefit.solvers.any_loss.multipliers import multipliers, needs_envelope
from surefit.solvers.any_loss.newton import newton
from surefit.solvers.any_loss.parts import parts_of
from surefit.solvers.any_loss.prox_newton import proximal_newton
from surefit.solvers.any_loss.proximal import accelerated
from surefit.solvers.any_loss.smoothed import smoothed
from surefit.solvers.any_loss.standardise import SMALLEST_TARGET, Standardised, standardise
from surefit.solvers.any_loss.stochastic import stochastic
from surefit.solvers.linear.untied import ROUNDED_AWAY, tied_columns, untied
from surefit.solvers.solution import BLURRED, Solution, Status

LARGEST_TARGET = 1e140
"""Iterative solvers refuse larger targets: their squares overflow."""


@dataclass(frozen=True)
class SolverChoice:
    """The name of a solver and the sentence that says why it runs."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


@dataclass(frozen=True)
class Solver:
    """A way to minimise a problem: ``run(problem, tol, max_iter)``, how long it may take, and in whose units."""

    run: Callable[[Problem, float, int], Solution]
    max_iter: int
    in_users_units: bool = False


SOLVERS: dict[str, Solver] = {
    "direct": Solver(direct, 1, in_users_units=True),
    "newton": Solver(newton, 200),
    "prox-newton": Solver(proximal_newton, 200),
    "multipliers": Solver(multipliers, 60),
    "smoothed": Solver(smoothed, 60),
    "lbfgs": Solver(lbfgs, 5000),
    "proximal": Solver(accelerated, 20_000),
    "gradient": Solver(gradient_descent, 20_000),
    "stochastic": Solver(stochastic, 100),
}

TEXTBOOK = ("gradient", "stochastic")
"""Solvers whose steps are those of a textbook, in the columns as they are."""


def choose_solver(problem: Problem) -> SolverChoice:
    """The solver for this loss, penalty and shape, and the reason.  Catalogue A-16.

    >>> import numpy as np
    >>> from surefit.objective import Absolute, Huber, SquaredL2
    >>> X, y = np.eye(3), np.zeros(3)
    >>> print(choose_solver(Problem(X, y, Huber(), SquaredL2(), 0.1)))
    newton: the loss is smooth and the penalty a sum of squares, so each step is one linear system
    """
    parts, kinked = parts_of(problem), needs_envelope(problem)
    side = min(problem.X.shape)
    small = side <= limits.SYSTEM_LIMIT
    if problem.loss.targets == "classes":
        raise ValueError(f"{problem.loss!r} needs one score per class, ERM gives one score; use a classifier for it")
    if not problem.loss.convex:
        return _for_non_convex(problem)
    if is_ridge(problem):
        return SolverChoice("direct", "squared loss with a squared penalty needs one factorisation and no iteration")
    if kinked and parts is not None and (small or not parts.smooth):
        return SolverChoice(
            "multipliers", "the loss has kinks; Newton steps on smoothed versions of it end at the exact answer"
        )
    if kinked:
        return SolverChoice(
            "smoothed", "the loss has kinks and the penalty only a prox, so smoothed losses take prox steps"
        )
    if parts is not None and parts.smooth and small:
        reason = "the loss is smooth and the penalty a sum of squares, so each step is one linear system"
        return SolverChoice("newton", reason)
    if parts is not None and not parts.smooth:
        return SolverChoice(
            "prox-newton", "the loss is smooth and the penalty sparse, so a few weighted lassos solve it"
        )
    if problem.penalty.smooth or problem.lam == 0:
        return SolverChoice(
            "lbfgs", f"loss and penalty are smooth, and gradients cost less than a {side} x {side} system"
        )
    return SolverChoice("proximal", "the loss is smooth and the penalty has a prox, so accelerated prox steps solve it")


def _for_non_convex(problem: Problem) -> SolverChoice:
    if problem.loss.smooth and (problem.penalty.smooth or problem.lam == 0):
        return SolverChoice(
            "lbfgs", "the loss is not convex: gradients lead to a stationary point, perhaps not the best"
        )
    if problem.loss.smooth:
        return SolverChoice(
            "proximal", "the loss is not convex: prox steps lead to a stationary point, perhaps not the best"
        )
    if not declares_shape(problem.loss):
        raise ValueError(
            f"{problem.loss!r} declares neither convex nor smooth, and no solver takes either for granted; if it is, "
            "say so in its class: convex = True, smooth = True (surefit.testing.check_loss tries to refute it)"
        )
    raise ValueError(
        f"{problem.loss!r} is neither convex nor smooth, so nothing here can minimise it; "
        "use a convex surrogate such as Hinge() or Logistic()"
    )


def declares_shape(loss: Loss) -> bool:
    """Whether a loss says anything about being convex or smooth, be it that it is not.

    >>> from surefit.objective import ZeroOne
    >>> declares_shape(ZeroOne())
    True
    """
    said = {name for kind in type(loss).__mro__ if kind is not Loss for name in vars(kind)} | set(vars(loss))
    return bool(said & {"convex", "smooth"})


def try_solver(problem: Problem, solver: str) -> None:
    """Have a solver refuse, in its own words, a loss or penalty that it cannot take: it is tried on one row."""
    minimise(replace(problem, X=np.ones((1, 1)), y=problem.y[:1], sample_weight=None), solver, max_iter=1)


def minimise(problem: Problem, solver: str = "auto", tol: float = 1e-10, max_iter: int | None = None) -> Solution:
    """Solve the problem in good coordinates and answer in the user's; the gap is on the scale of the objective.

    Objective and gap are those of the answer: rounding the intercept in the user's units may add to what ``tol`` asks,
    and so does the rounding of the gap itself, below which no gap is known.

    >>> import numpy as np
    >>> from surefit.objective import Squared, SquaredL2
    >>> problem = Problem(np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), Squared(), SquaredL2(), 1.25)
    >>> minimise(problem).coef.round(12)
    array([0.55])
    """
    if problem.lam == 0:
        problem = replace(problem, penalty=SquaredL2())  # an absent penalty must not matter, whatever its form
    name = choose_solver(problem).name if solver == "auto" else checked_name(solver)
    if SOLVERS[name].in_users_units:
        return SOLVERS[name].run(problem, tol, SOLVERS[name].max_iter if max_iter is None else max_iter)
    _check_size(problem)
    standard = standardise(problem)
    solve = lambda part, limit: _solved(part, name, tol, limit, free=solver == "auto")
    few = name in ("prox-newton", "multipliers") and has_few_columns(standard.problem)
    if few:
        solution = solve_on_few(standard.problem, solve, tol, max_iter)
    else:
        solution = _untied(standard.problem, lambda part: solve(part, max_iter), tol, name in TEXTBOOK)
    return _published(standard, solution, tol)


def _published(standard: Standardised, solution: Solution, tol: float) -> Solution:
    """The solution in the user's units, with a gap that counts what rounding can do; the status says if that is much.

    Rounding the intercept is a step away from the answer, which a user can avoid by numbers nearer to zero.  What the
    gap counts because it is a sum of rounded numbers is the worst case, and hardly ever there.
    """
    facts = {key: fact for key, fact in solution.facts.items() if key != "dual"}  # it is as long as the table
    answer = standard.restore(replace(solution, facts=MappingProxyType(facts)))
    if not (np.isfinite(answer.gap) and np.isfinite(answer.objective)):
        return answer
    problem, null = standard.problem, constant_fit(standard.problem)[1]
    unseen = evaluation_rounding(problem, solution.coef, float(solution.intercept), solution.facts.get("dual"))
    of_constant = evaluation_rounding(problem, np.zeros(problem.X.shape[1]), float(solution.intercept))
    moved = answer.gap - solution.gap > max(tol, ROUNDED_AWAY) * null + unseen
    rounded = moved or unseen - of_constant > BLURRED * null
    status = Status.ROUNDING if rounded and answer.status is Status.CONVERGED else answer.status
    return replace(answer, gap=answer.gap + unseen, status=status)


def _untied(problem: Problem, solve: Callable[[Problem], Solution], tol: float, as_it_is: bool) -> Solution:
    """The solution, without a penalty by orthogonal columns where Gram matrices would lose some of what they span.

    Where it must be found by the columns ``as_it_is``, or they also depend on each other, the gap at least knows all
    that they span.  What rounding makes of the answer in terms of the columns given, `_published` adds to the gap.
    """
    A = tied_columns(problem.X, problem.weights, problem.fit_intercept) if problem.lam == 0 else None
    if A is None:
        return solve(problem)
    columns = None if as_it_is else untied(A)
    if columns is None:
        solution = solve(problem)
        coef, intercept, objective = solution.coef, solution.intercept, solution.objective
        gap = max(solution.gap, unprojected_gap(problem, coef, float(intercept)))
    else:
        solution = solve(replace(problem, X=columns.X, penalty=SquaredL2()))
        coef, intercept = columns.restore(solution.coef, solution.intercept)
        objective = problem.primal(coef, intercept)
        gap = solution.gap + abs(objective - solution.objective)
    kept = gap <= max(tol, ROUNDED_AWAY) * constant_fit(problem)[1] or not np.isfinite(gap)
    status = solution.status if kept or solution.status is not Status.CONVERGED else Status.ROUNDING
    return replace(solution, coef=coef, intercept=float(intercept), objective=objective, gap=gap, status=status)


def _solved(problem: Problem, name: str, tol: float, max_iter: int | None, free: bool) -> Solution:
    """The answer of this solver or, where ``free``, of one that suits the shape better or took over."""
    name = _by_shape(name, problem) if free else name
    solution = SOLVERS[name].run(problem, tol, SOLVERS[name].max_iter if max_iter is None else max_iter)
    if free and max_iter is None and name == "prox-newton":
        return _or_by_multipliers(solution, problem, tol)
    return solution


def _by_shape(name: str, problem: Problem) -> str:
    """This solver, or where it is made for fewer columns or rows another for the same penalty."""
    n, d = problem.X.shape
    if name == "prox-newton" and d > limits.SYSTEM_LIMIT:
        return "multipliers" if min(n, d) <= limits.SYSTEM_LIMIT else "proximal"
    return "smoothed" if name == "multipliers" and min(n, d) > limits.SYSTEM_LIMIT else name


def _check_size(problem: Problem) -> None:
    """Refuse targets whose losses, or the tolerances made from them, leave the range of floating point."""
    if problem.loss.targets != "real":
        return
    size = float(np.max(np.abs(problem.y), initial=0.0))
    if size > 0 and not SMALLEST_TARGET <= size <= LARGEST_TARGET:
        raise ValueError(
            f"the largest target is {size:.1e}, and its square is beyond the range of floating point; multiply y (and "
            f"the thresholds of the loss) so that it is between {SMALLEST_TARGET:g} and {LARGEST_TARGET:g}"
        )
    level, null = constant_fit(problem)
    vanishes = isinstance(problem.loss, Power) and null < SMALLEST_TARGET**2 and np.any(problem.y != level)
    if vanishes or not null <= LARGEST_TARGET**2:
        raise ValueError(
            f"{problem.loss!r} of targets as large as {size:.1e} is {null:.1e} on average, beyond the range of "
            "floating point; multiply y by a number that brings it to size one, or use a smaller power"
        )


def _or_by_multipliers(solution: Solution, problem: Problem, tol: float) -> Solution:
    """The solution, or where prox-Newton fell short (a penalty of almost nothing) the better of two."""
    if solution.status is Status.CONVERGED:
        return solution
    other = SOLVERS["multipliers"].run(problem, tol, SOLVERS["multipliers"].max_iter)
    return other if other.gap < solution.gap else solution


def checked_name(solver: str) -> str:
    """``solver``, if there is one of that name."""
    if solver not in SOLVERS:
        raise ValueError(f"solver must be 'auto' or one of {', '.join(map(repr, SOLVERS))}; got {solver!r}")
    return solver
