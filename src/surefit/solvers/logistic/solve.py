"""Layer solvers: the one door through which a logistic problem is solved, at one ``lam`` or along a path.

In: a `LogisticProblem` in the user's units and the name of a solver.  Out: a `Solution` with its gap, or a
`LogisticPath` with warm starts.  Without a penalty, classes that can be separated are found and named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.scale import EPS, column_sizes
from surefit.progress import Task
from surefit.solvers.any_loss.descent import GradientDescent
from surefit.solvers.any_loss.judge import gap_of
from surefit.solvers.any_loss.solve import SolverChoice
from surefit.solvers.any_loss.stochastic import StochasticGradientDescent
from surefit.solvers.linear.untied import ROUNDED_AWAY, Untied, tied_columns, untied
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.coordinates import Coordinates, good_coordinates, hides_outliers
from surefit.solvers.logistic.existence import separation_of
from surefit.solvers.logistic.lbfgs import lbfgs
from surefit.solvers.logistic.newton import Run, newton, newton_cg
from surefit.solvers.logistic.problem import ROUNDING, LogisticProblem
from surefit.solvers.logistic.sparse import proximal_newton
from surefit.solvers.solution import Path, Solution, Status

Solver = Callable[[LogisticProblem, np.ndarray, float, int], Run]

SOLVERS: dict[str, tuple[Solver, int]] = {
    "newton": (newton, 100),
    "newton-cg": (newton_cg, 200),
    "lbfgs": (lbfgs, 2000),
    "prox-newton": (proximal_newton, 2000),
}
STALLED = 1e-3
"""Gap, as a share of the null objective, at which no steps that ended have converged, unless so much was asked for."""
UNSOLVED = (Status.MAX_ITER, Status.ROUNDING)
ITERATIVE = {"gradient": GradientDescent(), "stochastic": StochasticGradientDescent()}


@dataclass(frozen=True, repr=False)
class LogisticPath(Path):
    """Solutions along a grid: ``coefs[l]`` (width, d) and ``intercepts[l]`` (width,) belong to ``lams[l]``."""

    gaps: np.ndarray
    n_iter: int
    status: Status

    def _beside(self) -> dict[str, Any]:
        return {"gap": self.gaps}


def choose_solver(problem: LogisticProblem) -> SolverChoice:
    """Which solver runs, and why.

    >>> print(choose_solver(LogisticProblem.of(np.eye(4), np.array([0, 1, 0, 1]), lam=0.1)))
    newton: few parameters, so each step solves with the exact Hessian
    """
    selects = bool(np.any(problem.absolute))
    return choose_by_shape((problem.n, problem.d, problem.width), selects, problem.penalised, problem.is_sparse)


def choose_by_shape(shape: tuple[int, int, int], selects: bool, penalised: bool, is_sparse: bool) -> SolverChoice:
    """The same for a table of ``(rows, columns, columns of scores)``; ``selects``: the penalty has an L1 part."""
    n, d, width = shape
    parameters = (d + 1) * width
    pairs_of_classes = width * (width + 1) // 2  # blocks of the Hessian that are computed
    work = n * (d + 1.0) ** 2 * pairs_of_classes + parameters**3 / 3
    if selects:
        return SolverChoice("prox-newton", "the penalty is sparse, so a few weighted lassos on a working set solve it")
    allowed = limits.NEWTON_WORK * (1.0 if width == 1 else 5.0) * (1.0 if penalised else 100.0)
    if parameters <= limits.NEWTON_PARAMETERS and work <= allowed:
        return SolverChoice("newton", "few parameters, so each step solves with the exact Hessian")
    if is_sparse:
        return SolverChoice("newton-cg", "a sparse design: products with the Hessian cost no more than a gradient")
    return SolverChoice("lbfgs", "many rows or parameters: few passes, steered by the Hessian of a sample")


def solve_logistic(
    problem: LogisticProblem, solver: Any = "auto", tol: float = 1e-10, max_iter: int | None = None
) -> Solution:
    """Minimise one problem.  ``coef`` of the answer is (d, width), ``intercept`` (width,).  Catalogue A-29, A-30, A-31.

    >>> X, codes = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    >>> solution = solve_logistic(LogisticProblem.of(X, codes, lam=0.05))
    >>> solution.coef.round(6).ravel(), solution.intercept.round(6)
    (array([0.772876]), array([-0.386438]))
    """
    settings = checked_solver(solver)
    if not isinstance(settings, str):
        return _iterated(problem, _limited(settings, max_iter) if isinstance(solver, str) else settings)
    columns = None if problem.penalised else untied_columns(problem)
    if columns is not None:
        none = np.zeros(columns.X.shape[1])
        solution = _solved(replace(problem, X=columns.X, absolute=none, square=none), settings, tol, max_iter)
        return _in_given_columns(problem, columns, solution, tol)
    return _solved(problem, settings, tol, max_iter)


def _solved(problem: LogisticProblem, settings: str, tol: float, max_iter: int | None) -> Solution:
    """The solution in the user's units, once more in better coordinates where those of a sample of rows fail."""

    def solved(coordinates: Coordinates, name: str) -> Solution:
        with _quiet(coordinates, problem):
            return solve_in(coordinates, name, coordinates.problem.null_point(), tol, max_iter)[0]

    coordinates = good_coordinates(problem)
    if not np.all(np.isfinite(coordinates.problem.square)):
        _refuse_vanishing(problem)
    solution = solved(coordinates, settings)
    if np.all(np.isfinite(solution.coef)) and np.isfinite(solution.objective):
        if solution.status not in UNSOLVED or not hides_outliers(problem, coordinates):
            return solution
        again = solved(good_coordinates(problem, always=True), _steadier(problem, settings))
        return again if again.status not in UNSOLVED or again.objective < solution.objective else solution
    _refuse_vanishing(problem)
    return solved(good_coordinates(problem, always=True), settings)  # a wild column hid from the sample of rows


def untied_columns(problem: LogisticProblem) -> Untied | None:
    """Orthogonal columns, where a Hessian of those given would lose some of what they span."""
    A = tied_columns(problem.X, problem.share, problem.fit_intercept)
    return None if A is None else untied(A)


def _in_given_columns(problem: LogisticProblem, columns: Untied, solution: Solution, tol: float) -> Solution:
    """The solution in terms of the columns as they were; what rounding makes of it there is part of its gap."""
    coef, intercept = columns.restore(solution.coef, solution.intercept)
    objective = problem.objective(np.vstack([coef, intercept]))
    rounding = 4.0 * EPS * float(np.max(problem.share @ abs(problem.X) @ np.abs(coef) + np.abs(intercept)))
    gap, facts = solution.gap + abs(objective - solution.objective) + rounding, dict(solution.facts)
    if "separation" in facts:
        found = facts["separation"]
        direction, level = columns.restore(found.coef, found.intercept)
        facts["separation"] = replace(found, coef=direction, intercept=level)
    kept = gap - rounding <= max(tol, ROUNDED_AWAY) * problem.null_value() or not np.isfinite(gap)
    status = solution.status if kept or solution.status is not Status.CONVERGED else Status.ROUNDING
    return replace(
        solution,
        coef=coef,
        intercept=intercept,
        objective=objective,
        gap=gap,
        status=status,
        facts=MappingProxyType(facts),
    )


def logistic_path(
    problem: LogisticProblem, lams: np.ndarray, solver: Any = "auto", tol: float = 1e-10, max_iter: int | None = None
) -> LogisticPath:
    """Solutions for every ``lam`` of a grid, from the largest down, each started at the one before.

    ``problem`` is the one at ``lam = 1``; answers are in the order of ``lams``.
    """
    return PathWalk(problem, solver, tol, max_iter).down(lams)


class PathWalk:
    """A path that can be continued: every ``lam`` starts at the solution of the nearest one so far."""

    def __init__(self, problem: LogisticProblem, solver: Any = "auto", tol: float = 1e-10, max_iter: int | None = None):
        self.problem, self.tol, self.max_iter = problem, tol, max_iter
        self.settings = checked_solver(solver)
        if not isinstance(self.settings, str):
            raise ValueError("a path needs a solver that reaches its tolerance; use solver='auto' or give one lam")
        self._begin(good_coordinates(problem))

    def _begin(self, coordinates: Coordinates) -> None:
        self.coordinates = coordinates
        if not np.all(np.isfinite(coordinates.problem.square)):
            _refuse_vanishing(self.problem)
        self.starts: list[tuple[float, np.ndarray, Run | None]] = [(np.inf, coordinates.problem.null_point(), None)]
        if np.any(coordinates.problem.absolute):  # once for all lams
            _ = coordinates.problem.by_columns, coordinates.problem.fit_intercept and coordinates.problem.mean_square

    def down(self, lams: np.ndarray) -> LogisticPath:
        """Solutions for these ``lams``, from the largest down, in their order."""
        lams = np.asarray(lams, dtype=float)
        with _quiet(self.coordinates, self.problem):
            path = self._walked(lams)
            if path.status is Status.CONVERGED or not hides_outliers(self.problem, self.coordinates):
                return path
            self.settings = _steadier(self.problem, self.settings)
            self._begin(good_coordinates(self.problem, always=True))
            return self._walked(lams)

    def _walked(self, lams: np.ndarray) -> LogisticPath:
        base, L, tell = self.coordinates.problem, len(lams), Task("logistic path", len(lams), "lam")
        coefs, intercepts, gaps = np.empty((L, base.width, base.d)), np.empty((L, base.width)), np.empty(L)
        n_iter, status = 0, Status.CONVERGED
        for step, k in enumerate(np.argsort(-lams, kind="stable")):
            at = base.with_penalty(lams[k] * base.absolute, lams[k] * base.square)
            there = Coordinates(at, self.coordinates.scale, self.coordinates.shift)
            solution = self._from_nearest(there, float(lams[k]))
            coefs[k], intercepts[k], gaps[k] = solution.coef.T, solution.intercept, solution.gap
            n_iter += solution.n_iter
            status = status if solution.status is Status.CONVERGED else solution.status
            tell(step + 1, solution.gap)
        return LogisticPath(lams, coefs, intercepts, gaps, n_iter, status)

    def _from_nearest(self, there: Coordinates, lam: float) -> Solution:
        """The solution at ``lam``; with an L1 part, whose runs are large, only the last one is kept to start from."""
        with np.errstate(divide="ignore", invalid="ignore"):
            away = [abs(np.log(known) - np.log(lam)) for known, _, _ in self.starts]
        _, V, before = self.starts[int(np.nanargmin(away))]
        solution, run = solve_in(there, self.settings, V, self.tol, self.max_iter, before)
        sparse_kind = bool(np.any(there.problem.absolute))
        self.starts = [*([] if sparse_kind else self.starts), (lam, run.V, run if sparse_kind else None)]
        return solution


def joined_paths(paths: Sequence[LogisticPath], order: np.ndarray) -> LogisticPath:
    """One path of several, its values in this ``order``."""
    lams, coefs, intercepts, gaps = (
        np.concatenate([getattr(path, name) for path in paths])[order]
        for name in ("lams", "coefs", "intercepts", "gaps")
    )
    failed = [path.status for path in paths if path.status is not Status.CONVERGED]
    n_iter = sum(path.n_iter for path in paths)
    return LogisticPath(lams, coefs, intercepts, gaps, n_iter, failed[0] if failed else Status.CONVERGED)


def solve_in(
    coordinates: Coordinates,
    solver: str,
    V: np.ndarray,
    tol: float,
    max_iter: int | None,
    before: Run | None = None,
) -> tuple[Solution, Run]:
    """The solution in the user's units and the run to it in ``coordinates``, from the start ``V`` there.

    ``before`` is the run that ended at ``V`` on the same data under another penalty, if there was one.
    """
    problem = coordinates.problem
    name = choose_solver(problem).name if solver == "auto" else solver
    if np.any(problem.absolute) and name != "prox-newton":
        raise ValueError(f"solver {name!r} needs a smooth penalty, and l1_ratio > 0 is not; use solver='auto'")
    run, limit = SOLVERS[name]
    limit = limit if max_iter is None else max_iter
    done = proximal_newton(problem, V, tol, limit, before) if run is proximal_newton else run(problem, V, tol, limit)
    return _judged(_solution(coordinates, done), problem, tol), done


def checked_solver(solver: Any) -> Any:
    """``solver`` if its name is known; an iterative one as its settings."""
    if isinstance(solver, GradientDescent | StochasticGradientDescent):
        return solver
    if isinstance(solver, str) and solver in ITERATIVE:
        return ITERATIVE[solver]
    if not (isinstance(solver, str) and solver in ("auto", *SOLVERS)):
        known = ", ".join(map(repr, ("auto", *SOLVERS, *ITERATIVE)))
        raise ValueError(
            f"solver must be one of {known}, or a GradientDescent or StochasticGradientDescent; got {solver!r}"
        )
    return solver


def _limited(settings: GradientDescent | StochasticGradientDescent, max_iter: int | None) -> Any:
    """Settings known by name, with the limit of the fit."""
    if max_iter is None:
        return settings
    limit = {"max_iter": max_iter} if isinstance(settings, GradientDescent) else {"epochs": max_iter}
    return replace(settings, **limit)  # type: ignore[arg-type]


def _steadier(problem: LogisticProblem, solver: str) -> str:
    """The solver for outliers that a sample of the rows has missed: none that is steered by a sample."""
    steered = solver == "auto" and choose_solver(problem).name == "lbfgs"
    return "newton-cg" if steered else solver


def _quiet(coordinates: Coordinates, problem: LogisticProblem) -> AbstractContextManager[Any]:
    """Large designs may overflow as they come: their fit is judged by its end, and begun again where that is bad."""
    large = coordinates.problem is problem or problem.n * problem.d > limits.WORTH_A_COPY
    return np.errstate(over="ignore", invalid="ignore") if large and not problem.is_sparse else nullcontext()


def _refuse_vanishing(problem: LogisticProblem) -> None:
    """Columns whose squares are zero in floating point have no scale that could be found."""
    sizes = column_sizes(Design.of(problem.X))
    smallest = float(sizes[sizes > 0].min(initial=np.inf))
    if smallest < 1e-140:
        raise ValueError(f"a column of X reaches only {smallest:.0e}, so its squares vanish; rescale the columns")


def _iterated(problem: LogisticProblem, settings: GradientDescent | StochasticGradientDescent) -> Solution:
    """The textbook's iterations in the user's own units, from zero."""
    found = settings.run(problem.as_problem())
    run = Run(found.V.reshape(problem.d + 1, problem.width), found.method, found.status is Status.CONVERGED)
    run.objectives, run.errors = found.objectives, found.lengths
    plain = Coordinates(problem, np.ones(problem.d), np.zeros(problem.d))
    epochs = isinstance(settings, StochasticGradientDescent)
    return _solution(plain, run, Status.EPOCHS_DONE if epochs else Status.MAX_ITER)


def _solution(coordinates: Coordinates, run: Run, otherwise: Status = Status.MAX_ITER) -> Solution:
    problem = coordinates.problem
    at = run.at if run.at is not None else problem.evaluate(run.V)
    objective = at.risk + problem.penalty(run.V)
    status = Status.CONVERGED if run.settled else otherwise
    facts: dict[str, Any] = {"method": run.method, "gradient_norm": _stationarity(problem, run.V, at.gradient)}
    gap = problem.gap(run.V, at) if run.gap is None else run.gap
    if not np.isfinite(objective):
        status = Status.DIVERGED
    elif not problem.penalised:
        gap = _unpenalised_gap(problem, run.V) + ROUNDING * objective
        separation = separation_of(problem, run)
        if separation is not None and separation:
            status = Status.SEPARATED
            direction = coordinates.restore(np.vstack([separation.coef, separation.intercept]))
            facts["separation"] = replace(separation, coef=direction[:-1], intercept=direction[-1])
    V, gap = coordinates.restore(run.V), gap + coordinates.lost(run.V, at.gradient)
    history = {"objective": np.array(run.objectives), "error": np.array(run.errors)}
    gap = min(float(gap), objective) if np.isfinite(objective) else np.inf  # no loss is negative
    return Solution(
        V[:-1], V[-1], status, gap, objective, len(run.objectives), MappingProxyType(history), MappingProxyType(facts)
    )


def _judged(solution: Solution, problem: LogisticProblem, tol: float) -> Solution:
    """The solution, its status corrected where the steps ended for rounding's sake, with a gap that says so.

    Large unpenalised problems have no gap, nor have those with some coefficients that are not penalised.
    """
    known = bool(np.all(problem.absolute + problem.square > 0))
    blurred = known and solution.status is Status.CONVERGED and solution.gap > max(STALLED, tol) * problem.null_value()
    return replace(solution, status=Status.ROUNDING) if blurred else solution


def _stationarity(problem: LogisticProblem, V: np.ndarray, gradient: np.ndarray) -> float:
    """Length of the smallest subgradient of the objective."""
    soft = np.vstack([np.broadcast_to(problem.absolute[:, None], V[:-1].shape), np.zeros((1, problem.width))])
    at_zero = np.maximum(np.abs(gradient) - soft, 0.0)
    return float(np.linalg.norm(np.where(V != 0, gradient + soft * np.sign(V), at_zero)))


def _unpenalised_gap(problem: LogisticProblem, V: np.ndarray) -> float:
    if problem.n * problem.d > limits.GAP_ENTRIES:
        return np.inf
    primal, one = problem.as_problem(), problem.width == 1
    if one and tied_columns(problem.X, problem.share, problem.fit_intercept) is None:
        return gap_of(primal, V[:-1, 0], float(V[-1, 0]))
    gap = primal.gap(V[:-1, 0], V[-1, 0]) if one else primal.gap(V[:-1], V[-1])
    return float(gap) if np.isfinite(gap) else np.inf
