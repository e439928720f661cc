"""Layer selection: which ``lam`` of a path: by cross-validation over the whole path, or by AIC, BIC or Cp.

In: a design, a target, a grid and a way to solve the path.  Out: a `LamChoice`: the criterion along the grid, its
standard error where it has one, and the two candidates.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.parameters import positive
from surefit.progress import Task
from surefit.selection.choice import SOLVED, LamChoice
from surefit.selection.fold_products import FoldProducts
from surefit.selection.folds import Fold, in_parallel
from surefit.solvers.lasso.columns import is_whole
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.problem import Known
from surefit.solvers.lasso.ranks import support_ranks
from surefit.solvers.linear.factor import cholesky_factor
from surefit.solvers.linear.least_squares import least_squares
from surefit.theory.fit.criteria import aic, bic, gaussian_log_likelihood, mallows_cp, noise_variance

PathSolver = Callable[[Design, np.ndarray, np.ndarray, Known | None], SparsePath]
"""From rows, targets, a grid and, where they are known, products of the columns."""


class CrossValidation:
    """Mean squared error on held-out rows along the path of the other rows, fold by fold.  Catalogue S-05.

    All rows count.  Of tall designs all folds share one Gram matrix, less the held-out rows' of each.
    """

    def __init__(self, design: Design, y: np.ndarray, folds: list[Fold], fit_intercept: bool):
        self.design, self.y, self.splits = design, y, folds
        self.sums = FoldProducts.of(design, y, self.splits, fit_intercept)
        self.weights = [float(design.weight[test].sum()) for _, test in self.splits]
        self.constants = [self._of_constant(train, test) for train, test in self.splits]

    def __call__(self, lams: np.ndarray, solve: PathSolver) -> LamChoice:
        """The criterion for these ``lams``."""
        design, y, sums = self.design, self.y, self.sums

        def held_out(fold: int) -> np.ndarray:
            train, test = self.splits[fold]
            if sums is None:
                path = solve(Design(design.X[train], design.weight[train]), y[train], lams, None)
            else:
                path = solve(sums.rest(test), y, lams, partial(sums.without, fold))
            residual = y[test, None] - (design.X[test] @ path.coefs.T + path.intercepts)
            return design.weight[test] @ residual**2 / self.weights[fold]

        tell = Task("choosing lam", len(self.splits), "fold")
        errors = in_parallel(held_out, list(range(len(self.splits))), design.n * design.d, tell)
        return LamChoice.over_folds(lams, errors, self.weights, self.constants)

    def _of_constant(self, train: np.ndarray, test: np.ndarray) -> float:
        weight, y = self.design.weight, self.y
        return float(np.average((y[test] - np.average(y[train], weights=weight[train])) ** 2, weights=weight[test]))


def degrees_of_freedom(design: Design, path: SparsePath, penalty: SparsePenalty, fit_intercept: bool) -> np.ndarray:
    """Effective number of fitted coefficients along the path, intercept included.

    Lasso: the rank of the columns with a nonzero coefficient, which is their number unless some depend on others.
    Elastic net: the trace of the ridge smoother on the support ``S``, ``tr(G (G + lam (1 - l1_ratio) V)^{-1})`` with
    ``G`` the weighted covariance of the columns in ``S``.
    """
    if penalty.l1_ratio == 1.0:
        return support_ranks(design, path.coefs != 0, fit_intercept) + float(fit_intercept)
    weights, traces = penalty.square_weights(design.d), np.zeros(len(path.lams))
    ever = np.flatnonzero(np.any(path.coefs != 0, axis=0))
    some = Design(design.X[:, ever], design.weight)
    whole = centre(some, fit_intercept).gram() / design.total_weight if is_whole(some) else None
    for k, (lam, coef) in enumerate(zip(path.lams, path.coefs[:, ever], strict=True)):
        support = np.flatnonzero(coef)
        if whole is None:
            chosen = Design(some.X[:, support], design.weight)
            gram = centre(chosen, fit_intercept).gram() / design.total_weight
        else:
            gram = whole[np.ix_(support, support)]
        traces[k] = _smoother_trace(gram, lam * (1 - penalty.l1_ratio) * weights[ever[support]])
    return traces + float(fit_intercept)


def _smoother_trace(gram: np.ndarray, ridge: np.ndarray) -> float:
    """``tr(G (G + R)^{-1})`` for a diagonal ``R``, or of the least-squares solution where ``G + R`` is nearly singular.

    >>> _smoother_trace(np.diag([1.0, 3.0]), np.array([1.0, 1.0]))
    1.25
    """
    if not len(gram):
        return 0.0
    factor = cholesky_factor(gram, ridge)
    if factor is None:
        return float(np.trace(np.linalg.lstsq(gram + np.diag(ridge), gram, rcond=None)[0]))
    root = linalg.solve_triangular(factor.R, np.eye(len(gram)), check_finite=False) / factor.size[:, None]
    return len(gram) - float(ridge @ np.sum(root**2, axis=1))


def by_criterion(
    name: str,
    design: Design,
    y: np.ndarray,
    path: SparsePath,
    dof: np.ndarray,
    variance: float | None,
    fit_intercept: bool,
) -> LamChoice:
    """AIC, BIC or Cp along a path; a model with no residual degree of freedom is not judged.  Catalogue S-01, S-02."""
    residual = y[:, None] - (design.X @ path.coefs.T + path.intercepts)
    rss, n = design.weight @ residual**2, design.total_weight
    constant = float(design.weight @ (y - np.average(y, weights=design.weight)) ** 2)
    rss, dof = np.append(rss, constant), np.append(dof, 1.0)
    if name == "cp":
        variance = full_model_variance(design, y, fit_intercept, "'cv' or 'bic'") if variance is None else variance
        curve = mallows_cp(rss, dof, variance)
    else:
        likelihood = gaussian_log_likelihood(rss, n)  # type: ignore[arg-type]
        curve = aic(likelihood, dof) if name == "aic" else bic(likelihood, dof, n)  # type: ignore[arg-type]
    curve = np.where(dof < n, curve, np.inf)
    size = max(float(np.min(np.abs(curve[:-1]))), np.finfo(float).tiny)
    noise = min(1e-6 * n / size, SOLVED)  # what the tolerance of the path can do to the likelihood of n rows
    return LamChoice(path.lams, curve[:-1], np.full(len(path.lams), np.nan), float(curve[-1]), noise)


def check_variance(variance: Any) -> None:
    """Refuse a noise variance that is neither None nor a number ``> 0``."""
    if variance is not None:
        positive("variance", variance, "leave it None to have it estimated")


def full_model_variance(design: Design, y: np.ndarray, fit_intercept: bool, instead: str) -> float:
    """The noise variance that ``"cp"`` needs, from least squares on all columns.  Catalogue S-01.

    Its degrees of freedom are the rank of the columns, so a column stored twice counts once.  ``instead`` names the
    criteria to turn to where there are too few rows for it.

    >>> full_model_variance(Design.of([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), True, "'cv'")
    1.35
    """
    rank = support_ranks(design, np.ones((1, design.d), dtype=bool), fit_intercept)[0]
    dof = int(rank) + bool(fit_intercept)
    if design.total_weight <= dof:
        raise ValueError(
            f"criterion='cp' estimates the noise from the model with all columns, of {dof} independent coefficients, "
            f"but there are only n_samples = {design.total_weight:g}; give variance, or use criterion={instead}"
        )
    rss = least_squares(design, y[:, None], fit_intercept).solution.objective * design.total_weight
    return noise_variance(rss, design.total_weight, dof)  # type: ignore[arg-type]
