"""Layer selection: which ``lam`` of a path: by cross-validation over the whole path, or by AIC, BIC or Cp.

In: a design, a target, a grid and a way to solve the path.  Out: a `LamChoice`: the criterion along the grid, its
standard error where it has one, and the two candidates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.scale import column_sizes, power_of_two
from surefit.data.units import column_spreads
from surefit.parameters import positive
from surefit.progress import Task
from surefit.selection.choice import SOLVED, LamChoice, negligible, surely_held_back
from surefit.selection.fold_products import FoldProducts
from surefit.selection.folds import Fold, in_parallel
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.problem import Known
from surefit.solvers.lasso.ranks import support_ranks
from surefit.solvers.lasso.walk import Start, end_of
from surefit.solvers.linear.least_squares import least_squares
from surefit.theory.fit.criteria import aic, bic, gaussian_log_likelihood, mallows_cp, noise_variance

PathSolver = Callable[[Design, np.ndarray, np.ndarray, Known | None, Start | None], SparsePath]
"""From rows, targets, a grid and, where they are known, products of the columns and the end of an earlier path."""


class CrossValidation:
    """Mean squared error on held-out rows along the path of the other rows, fold by fold.  Catalogue S-05.

    All rows count.  Of tall designs all folds share one Gram matrix, less the held-out rows' of each.  A later call
    goes on from where the paths of the one before ended.
    """

    def __init__(self, design: Design, y: np.ndarray, folds: list[Fold], fit_intercept: bool):
        self.design, self.y, self.splits = design, y, folds
        self.near = design.begun_nearby() if fit_intercept else design
        self.sums = FoldProducts.of(design, y, self.splits, fit_intercept)
        self.weights = [float(design.weight[test].sum()) for _, test in self.splits]
        self.constants = [self._of_constant(train, test) for train, test in self.splits]
        self.starts: list[Start | None] = [None] * len(self.splits)

    def __call__(self, lams: np.ndarray, solve: PathSolver) -> LamChoice:
        """The criterion for these ``lams``."""
        design, y, sums = self.design, self.y, self.sums

        def held_out(fold: int) -> np.ndarray:
            train, test = self.splits[fold]
            start = self.starts[fold]
            if sums is None:
                path = solve(Design(design.X[train], design.weight[train]), y[train], lams, None, start)
            else:
                path = solve(sums.rest(test), y, lams, partial(sums.without, fold), start)
            self.starts[fold] = end_of(path)
            residual = residuals(self.near, y, path.coefs, path.intercepts, (train, test))
            return design.weight[test] @ residual**2 / self.weights[fold]

        tell = Task("choosing lam", len(self.splits), "fold")
        errors = in_parallel(held_out, list(range(len(self.splits))), design.n * design.d, tell)
        return LamChoice.over_folds(lams, errors, self.weights, self.constants)

    def _of_constant(self, train: np.ndarray, test: np.ndarray) -> float:
        weight, y = self.design.weight, self.y
        return float(np.average((y[test] - np.average(y[train], weights=weight[train])) ** 2, weights=weight[test]))


def residuals(
    near: Design, y: np.ndarray, coefs: np.ndarray, intercepts: np.ndarray, fold: Fold | None = None
) -> np.ndarray:
    """What fits to the training rows of a fold leave of the targets of its other rows, or of all rows; (m, lams).

    Columns far from zero are ``near`` it: in the user's numbers rounding would move residuals, and with them the
    choice.  The intercept that belongs to them is computed anew, since one for columns far from zero is rounded.
    """
    train, test = (slice(None), slice(None)) if fold is None else fold
    if near.offset is not None:
        share = near.weight[train] / near.weight[train].sum()
        intercepts = share @ y[train] - (share @ near.X[train]) @ coefs.T
    return y[test, None] - (near.X[test] @ coefs.T + intercepts)


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
    near = design.begun_nearby() if fit_intercept else design
    residual = residuals(near, y, path.coefs, path.intercepts)
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


ENTERED = 1.5
"""How many times ``lam`` the entry of a column may be that is not in: at the optimum it is at most one."""


@dataclass(frozen=True)
class LassoEnd:
    """The fit at the smallest ``lam`` of a path: its mean squared error, that of the mean, and the columns' pulls.

    ``pull`` (d,) is the mean product of the residuals with the centred column over its standard deviation (without an
    intercept: with the column over its root mean square): its square is what the column by itself could take of the
    error.
    """

    lam: float
    coef: np.ndarray
    risk: float
    null: float
    pull: np.ndarray
    spread: np.ndarray

    @staticmethod
    def of(path: SparsePath, design: Design, y: np.ndarray, fit_intercept: bool, spread: np.ndarray) -> "LassoEnd":
        """The last fit of ``path``; ``spread`` holds the columns' `pull_units`."""
        last, share = int(np.argmin(path.lams)), design.weight / design.total_weight
        near = design.begun_nearby() if fit_intercept else design
        residual = residuals(near, y, path.coefs[[last]], path.intercepts[[last]])[:, 0]
        level = float(share @ y) if fit_intercept else 0.0
        moved = residual - share @ residual if fit_intercept else residual
        pull = near.rmatvec(share * moved) / np.where(spread > 0, spread, 1.0)
        risk, null = float(share @ residual**2), float(share @ (y - level) ** 2)
        return LassoEnd(float(path.lams[last]), path.coefs[last], risk, null, pull, spread)

    def matters(self, penalty: SparsePenalty, tol: float) -> bool:
        """Whether without the penalty the fit could be better by an amount worth having."""
        held = self.lam * penalty.value(self.coef) + float(self.pull @ self.pull)
        return not negligible(held, self.risk, self.null, tol)

    def held_back(self, penalty: SparsePenalty, n_rows: int) -> float:
        """The largest ``lam`` that lets in a column which surely explains something; 0 if there is none."""
        weights, gain = penalty.absolute_weights(len(self.pull)), np.square(self.pull)
        waiting = surely_held_back(gain, self.risk, self.null, n_rows) & (weights > 0)
        entry = 2.0 * np.abs(self.pull) * self.spread / (penalty.l1_ratio * np.where(weights > 0, weights, 1.0))
        waiting &= (self.coef != 0) | (entry <= ENTERED * self.lam)  # a bound on signs keeps others out, and no unit
        return float(np.max(entry[waiting], initial=0.0))


def pull_units(design: Design, fit_intercept: bool) -> np.ndarray:
    """What the pulls of the columns are measured by: standard deviations, or root mean squares without intercept."""
    if fit_intercept:
        return column_spreads(design)
    unit, share = power_of_two(column_sizes(design)), design.weight / design.total_weight
    if design.is_sparse:
        X = design.X.multiply(1.0 / unit).tocsr()
        return unit * np.sqrt(np.asarray(X.multiply(X).T @ share).ravel())
    return unit * np.sqrt(share @ np.square(design.X / unit))
