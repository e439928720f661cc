"""Layer solvers: the lasso and the elastic net along a grid of ``lam``.

In: a `Design`, a target, a grid in any order, a `SparsePenalty`.  Out: a `SparsePath` whose gaps bound the
suboptimality of every solution.  The walk down the grid is in `walk.py`.
"""

from dataclasses import replace

import numpy as np

from surefit.data.design import Design
from surefit.solvers.lasso.columns import takes_full_gram
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.problem import Known, LassoProblem
from surefit.solvers.lasso.walk import Answer, PathRun, Start
from surefit.solvers.linear.factor import check_underflow
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.solution import Status, gap_in_units, status_in_units
from surefit.threads import blas_threads_for

LEAST = 1e-30
"""A ``lam`` below this share of where the penalty begins to matter is replaced by it in the search; its gap is that of
the ``lam`` given."""


def lam_max(design: Design, y: np.ndarray, penalty: SparsePenalty, fit_intercept: bool = True) -> float:
    """The smallest ``lam`` at which all penalised coefficients are zero: ``2 max_j |x_j' P r0| / (v_j l1_ratio)``.

    ``P = diag(p)``, and ``r0`` is the residual of the best intercept and unpenalised features alone.  Catalogue A-22.

    >>> lam_max(Design.of([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), SparsePenalty())
    2.75
    """
    return LassoProblem.of(design, y, penalty, fit_intercept).lam_max


def elastic_net_path(  # noqa: PLR0913  the one door to all paths
    design: Design,
    y: np.ndarray,
    lams: np.ndarray,
    penalty: SparsePenalty,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    max_iter: int = 1000,
    known: Known | None = None,
    start: Start | None = None,
) -> SparsePath:
    """Minimise ``sum_i p_i (y_i - x_i w - b)**2 + lam sum_j v_j (l1_ratio |w_j| + (1 - l1_ratio) w_j**2)``.

    One solution for each of ``lams >= 0``, in any order; ``y`` has shape ``(n,)``.  Its duality gap is at most ``tol``
    times the objective of the best intercept and unpenalised features alone; where rounding or ``max_iter`` rounds
    for one ``lam`` end the search before, ``statuses`` say so and the gap is still right.  ``lam = 0`` is plain least
    squares, non-negative least squares with ``penalty.positive``.  ``known`` saves forming the Gram matrix of all
    columns anew, ``start`` the way down to where an earlier path of the same problem ended.  Catalogue A-22, T-84.

    >>> X = Design.of([[0.0], [1], [2], [3]])
    >>> path = elastic_net_path(X, np.array([1.0, 3, 2, 5]), np.array([0.5, 1.25]), SparsePenalty())
    >>> path.coefs.ravel().round(6), path.intercepts.round(6)
    (array([0.9, 0.6]), array([1.4 , 1.85]))
    """
    if not tol > 0:
        raise ValueError(f"tol must be > 0, got {tol!r}; it bounds the gap relative to the null objective")
    lams = _checked_lams(lams)
    full_gram = takes_full_gram(design)
    # products for the Gram matrix of all columns run on threads of our own
    work = 0.0 if full_gram else float(design.n) * design.d * min(design.n, design.d)
    with blas_threads_for(work):
        problem = LassoProblem.of(design, np.asarray(y, dtype=np.float64), penalty, fit_intercept, full_gram, known)
    decreasing = np.argsort(-lams, kind="stable")
    order = decreasing[lams[decreasing] > 0]
    run = PathRun(problem, np.maximum(lams[order], _least(problem)), tol, max_iter, start)
    coefs, intercepts, gaps = np.zeros((len(lams), design.d)), np.zeros(len(lams)), np.zeros(len(lams))
    statuses = [Status.EXACT] * len(lams)
    with blas_threads_for(work):
        answers = dict(zip(order.tolist(), run.solve(), strict=True))
    for position in np.flatnonzero(lams == 0).tolist():
        if penalty.positive:
            answers[position] = _non_negative(problem, tol)
        else:
            fit = least_squares(design, np.asarray(y)[:, None], fit_intercept).solution
            coefs[position], intercepts[position], gaps[position] = fit.coef[:, 0], fit.intercept[0], fit.gap
            enough = gap_in_units(_allowed(problem, tol) / design.total_weight, problem.size_of_y)
            statuses[position] = fit.status if fit.gap <= enough else Status.ROUNDING
    size = problem.size_of_y
    for position, answer in answers.items():
        answer, intercept = _final(problem, _judged(problem, float(lams[position]), answer, tol), tol)
        coefs[position, answer.support], intercepts[position] = answer.coef * size, intercept * size
        published = coefs[position, answer.support]
        check_underflow(design, answer.coef[:, None], published[:, None], answer.support)
        gaps[position] = gap_in_units(answer.gap / design.total_weight, size)
        statuses[position] = status_in_units(answer.status, float(gaps[position]))
    return SparsePath(lams, coefs, intercepts, gaps, tuple(statuses), run.n_iter)


def _least(problem: LassoProblem) -> float:
    """The smallest ``lam`` that is searched for: squares may still shrink all where the L1 part has long vanished."""
    return LEAST * min(problem.lam_max, problem.lam_of_squares)


def _judged(problem: LassoProblem, lam: float, answer: Answer, tol: float) -> Answer:
    """The answer for the columns that were asked about, where others stood in for the unpenalised ones.

    An answer that did not reach the tolerance is looked at once more: the fault may be that of the plain gap.  So is
    one that was computed for a larger ``lam``.  The best intercept and unpenalised features alone have a gap of at most
    their sum of squares: they take the place of an answer that rounding has led further astray.
    """
    null = problem.null
    if not answer.gap <= null.residual_square:
        answer = replace(answer, support=null.support, coef=null.coef)
    enough = tol * problem.null.residual_square
    if problem.rotation is not None:
        coef, gap = problem.in_user_columns(lam, answer.support, answer.coef, enough)
        answer = replace(answer, support=np.flatnonzero(coef), coef=coef[np.flatnonzero(coef)])
    elif lam == 0 or (answer.status is Status.CONVERGED and lam >= _least(problem)):
        return answer
    else:
        gap = problem.gap_at(lam, answer.support, answer.coef, enough)
    failed = Status.ROUNDING if answer.status is Status.CONVERGED else answer.status
    return replace(answer, gap=gap, status=Status.CONVERGED if gap <= enough else failed)


def _final(problem: LassoProblem, answer: Answer, tol: float) -> tuple[Answer, float]:
    """The answer with its intercept, whose rounding is part of the gap and so of how the search ended.

    What rounding the mean of the target costs is no fault of the search: no intercept can be closer.
    """
    intercept, doubt = problem.intercept(answer.support, answer.coef)
    gap = answer.gap + doubt * problem.design.total_weight
    rounded = answer.status is Status.CONVERGED and gap > _allowed(problem, tol)
    return replace(answer, gap=gap, status=Status.ROUNDING if rounded else answer.status), intercept


def _allowed(problem: LassoProblem, tol: float) -> float:
    """The gap with which the tolerance is reached, on the scale of the sum of squares."""
    _, least = problem.intercept(problem.free.features[:0], np.zeros(0))
    return tol * problem.null.residual_square + least * problem.design.total_weight


def _checked_lams(lams: np.ndarray) -> np.ndarray:
    lams = np.atleast_1d(np.asarray(lams, dtype=np.float64))
    if lams.ndim != 1 or not np.all(np.isfinite(lams)) or np.any(lams < 0):
        raise ValueError("lams must be finite numbers >= 0 in one dimension; lam = 0 is plain least squares")
    return lams


def _non_negative(problem: LassoProblem, tol: float) -> Answer:
    """Least squares with ``w >= 0``: the problem with no feature penalised."""
    bare = replace(problem, weights=np.zeros(problem.design.d))
    point, enough = bare.null, tol * problem.null.residual_square
    gap = bare.gap(0.0, point, bare.rounding, enough)
    status = Status.CONVERGED if gap <= enough else Status.ROUNDING
    return Answer(point.support, point.coef, gap, status)
