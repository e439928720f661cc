"""Layer selection: which ``lam`` of a path: by cross-validation over the whole path, or by AIC, BIC or Cp.

In: a design, a target, a grid and a way to solve the path.  Out: a `LamChoice`: the criterion along the grid, its
standard error where it has one, and the two candidates.  Rows that are equal (same features, same target) always share
a fold, and folds do not depend on the order of the rows, so a row of weight ``k`` counts exactly as ``k`` copies.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.model_selection import check_cv

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.data.fingerprints import fingerprints
from surefit.data.scale import column_sizes
from surefit.parameters import generator, positive
from surefit.progress import Task
from surefit.selection.choice import SOLVED, LamChoice
from surefit.selection.fold_products import FoldProducts
from surefit.solvers.lasso.columns import is_whole
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.problem import Known
from surefit.solvers.lasso.ranks import support_ranks
from surefit.solvers.linear.factor import cholesky_factor
from surefit.solvers.linear.least_squares import least_squares
from surefit.theory.fit.criteria import aic, bic, gaussian_log_likelihood, mallows_cp, noise_variance
from surefit.threads import map_in_order

PathSolver = Callable[[Design, np.ndarray, np.ndarray, Known | None], SparsePath]
"""From rows, targets, a grid and, where they are known, products of the columns."""

WORTH_A_THREAD = 200_000
"""Entries of the design from which folds run side by side."""

USUAL_FOLDS = 10
"""Largest number of folds of a default."""


class CrossValidation:
    """Mean squared error on held-out rows along the path of the other rows, fold by fold.  Catalogue S-05.

    Of tall designs all folds share one Gram matrix, less the held-out rows' of each.
    """

    def __init__(self, design: Design, y: np.ndarray, folds: Iterable[Any], fit_intercept: bool):
        self.design, self.y = design, y
        self.splits = some_splits([(train, test) for train, test in folds if np.any(design.weight[test] > 0)])
        for train, _ in self.splits:
            if not np.any(design.weight[train] > 0):
                raise ValueError("a fold leaves no row of positive weight to fit on; use fewer folds or more rows")
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


def in_parallel(task: Callable[[Any], Any], items: list[Any], entries: int, tell: Task) -> list[Any]:
    """``[task(item) for item in items]``, for large designs on a thread per core with BLAS itself single-threaded.

    Threads of BLAS would wait for each other; independent folds do not.  ``tell`` hears how many items are left.
    """
    done: list[Any] = []
    for result in map(task, items) if entries < WORTH_A_THREAD else map_in_order(task, items):
        done.append(result)
        tell(len(done), len(items) - len(done))
    return done


def some_splits(splits: list[Any]) -> list[Any]:
    """``splits``, unless there are none, as of a generator that was used before."""
    if not splits:
        raise ValueError(
            "cv gives no split with a held-out row of positive weight; give a number of folds, a splitter, or a list "
            "of (train, test) rows (a generator gives its splits only once)"
        )
    return splits


def given_splits(design: Design, y: np.ndarray, cv: Any) -> Iterator[Any]:
    try:
        for train, test in check_cv(cv).split(design.X, y):
            yield row_numbers(train, design.n), row_numbers(test, design.n)
    except ValueError as error:
        if "groups" not in str(error):
            raise
        raise ValueError(
            f"cv={cv!r} needs to know the groups, which fit does not take; pass the splits as a list: "
            f"cv=list({cv!r}.split(X, y, groups))"
        ) from error


def row_numbers(part: Any, n: int) -> np.ndarray:
    """One side of a split of ``n`` rows as row numbers, also if it is given as a mask.

    >>> row_numbers([True, False, True], 3)
    array([0, 2])
    """
    part = np.asarray(part)
    if part.dtype == bool and part.shape == (n,):
        return np.flatnonzero(part)
    whole = part.ndim == 1 and (part.dtype.kind in "iu" or part.size == 0)
    if not whole or np.any((part < -n) | (part >= n)):
        raise ValueError(f"cv must split rows 0 to {n - 1}, got {part!r}; give row numbers, or one mask entry per row")
    return part.astype(np.intp, copy=False)


def fold_indices(design: Design, y: np.ndarray, cv: Any, random_state: Any) -> Iterator[Any]:
    """``(train, test)`` for each fold: of shuffled folds if ``cv`` is a number, else what the splitter ``cv`` gives."""
    if not isinstance(cv, int | np.integer):
        return given_splits(design, y, cv)
    groups = equal_rows(design, y)
    check_folds(int(cv), int(groups.max(initial=-1)) + 1)
    return dealt_folds(groups, int(cv), random_state)


def check_folds(cv: int, n_different: int) -> None:
    """Refuse less than two folds, and more than there are different rows.

    Up to ten folds, the number of defaults, are as many as there are rows instead: few rows are left out one by one.

    >>> check_folds(1000, 100)
    Traceback (most recent call last):
        ...
    ValueError: cv=1000 folds are more than the 100 different rows; give at most cv=100, which leaves out one row at
    a time
    """
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, a splitter or an iterable of splits, got {cv!r}")
    if cv > max(n_different, USUAL_FOLDS) and n_different > 1:
        raise ValueError(
            f"cv={cv} folds are more than the {n_different} different rows; give at most cv={n_different}, which "
            "leaves out one row at a time"
        )


def dealt_folds(groups: np.ndarray, cv: int, random_state: Any) -> Iterator[Any]:
    """Groups of equal rows (`equal_rows`) dealt to ``cv`` shuffled folds, or to as many as there are groups."""
    n_groups = int(groups.max(initial=-1)) + 1
    if n_groups < 2:
        raise ValueError(
            f"cross-validation needs at least 2 different rows of positive weight, got n_samples = {n_groups}; "
            "give lam, or more rows"
        )
    folds = np.empty(n_groups + 1, dtype=np.intp)
    folds[generator(random_state).permutation(n_groups)] = np.arange(n_groups) % cv
    folds[-1] = -1  # rows of weight zero take no part
    of_row = folds[groups]
    return (
        (np.flatnonzero((of_row != k) & (of_row >= 0)), np.flatnonzero(of_row == k)) for k in range(min(cv, n_groups))
    )


def equal_rows(design: Design, y: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows and independent of their order; -1 for rows of weight zero.

    Rows are equal if all their numbers are, told by fingerprint; rows that only come close (timestamps, labels far
    from zero) are different rows.  Along a random projection the numbers grow, so that neither a change of units nor
    sparse storage deals other folds.

    >>> equal_rows(Design.of([[2.0], [1.7e12], [1.7e12 + 1], [2.0]]), np.zeros(4)).tolist()
    [0, 1, 2, 0]
    """
    counted = np.flatnonzero(design.weight)
    rows, target = Design(design.X[counted], design.weight[counted]), y[counted]
    prints, first, member = np.unique(fingerprints(rows.X, target), return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.intp)
    place[np.lexsort((prints, projected(rows, target)[first]))] = np.arange(len(first))
    groups = np.full(design.n, -1, dtype=np.intp)
    groups[counted] = place[member]
    return groups


def projected(rows: Design, y: np.ndarray) -> np.ndarray:
    """A random combination of the features and the target of each row, columns at unit size, shape ``(n,)``.

    Each row is summed by itself, in the order of its columns: a matrix product may round equal rows differently.
    """
    rng, scale = np.random.default_rng(0), column_sizes(rows)
    direction = rng.normal(size=rows.d) / np.where(scale > 0, scale, 1.0)
    largest = max(float(np.abs(y).max(initial=0.0)), np.finfo(float).tiny)
    if rows.is_sparse:
        features = rows.matvec(direction)
    else:
        blocks = (np.multiply(rows.dense_rows(part), direction, order="C") for part in rows.row_slices())
        features = np.concatenate([np.zeros(0), *(block.sum(axis=1) for block in blocks)])
    return features + rng.normal() * (y / largest)


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
