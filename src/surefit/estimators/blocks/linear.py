"""Layer estimators: least squares, ridge, lasso and elastic net of blocks.

In: a model with its settings and a source.  Out: the model, fitted.  One pass leaves a triangle.  A second corrects the
coefficients with residuals in twice the precision, or has the exact leave-one-out errors of a grid of ``lam``; folds of
a lasso need none.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from surefit.data.blocks.layout import Features
from surefit.data.scale import EPS
from surefit.estimators.blocks.reading import OfBlocks, Reading, reading
from surefit.parameters import checked_grid
from surefit.selection.choice import LamChoice, walked_down, warn_of_choice
from surefit.selection.grids import LASSO_PER_DECADE, LEAST_SHRUNKEN, lasso_lams, ridge_lams, smallest_eigenvalue
from surefit.selection.lasso import LassoEnd, pull_units
from surefit.selection.record import Selection
from surefit.solvers.blocks import factor as factoring
from surefit.solvers.blocks import loo, refine
from surefit.solvers.blocks.factor import Factor, Factorise, Target
from surefit.solvers.blocks.small import Small, held_out_squares, small
from surefit.solvers.lasso.path import SparsePath, SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path
from surefit.solvers.lasso.walk import Start, end_of
from surefit.solvers.linear.factor import SpectralFactor, spectral_factor
from surefit.solvers.linear.least_squares import least_squares, ridge, solve_spectral
from surefit.solvers.solution import SOLVED, Path, Solution, Status, status_in_units
from surefit.theory.fit.smoother import degrees_of_freedom

FOLDS = 5
"""Folds of a lasso that chooses ``lam``: rows are dealt to them by their number."""

SCALED = "scale the columns in the source"
"""What to do where a penalty depends on their units; no pass is made for their spreads."""


class LeastSquaresOfBlocks(OfBlocks):
    """What `LeastSquares` gains."""

    def fit_blocks(self: Any, source: Any, target: str | None = None, *, passes: int | None = None, **options: Any) -> (
        Any
    ):  # fmt: skip
        """Fit to rows that are read block by block, each pass in constant memory; see ``docs/scale.md``.

        ``passes=1`` gives the digits of plain QR, two (the default where the source can be read again) those of a fit
        in memory.  Columns of words become indicators; ``blocks_`` says what was read.
        """
        with reading(self, source, target, **options) as read:
            factor, scale = _factor(self, read)
            part = small(factor, read.layout, scale)
            fit = least_squares(part.design, part.targets, False, "qr")
            found = _answer(fit.solution, part)
            if _passes(passes, read) > 1 and fit.solution.facts["rank"] == part.R.shape[1]:
                found = _refined(read, part, scale, found, 0.0)
            _publish(self, found, factor, read)
            self.rank_ = fit.solution.facts["rank"]
        return self


class RidgeOfBlocks(OfBlocks):
    """What `Ridge` gains."""

    selection_: Selection | None

    def fit_blocks(self: Any, source: Any, target: str | None = None, *, passes: int | None = None, **options: Any) -> (
        Any
    ):  # fmt: skip
        """Fit to rows that are read block by block, each pass in constant memory; see ``docs/scale.md``.

        With ``lam=None`` a second pass takes the exact leave-one-out errors of all ``lams``; equal rows are left out
        one by one.  With a ``lam``, it corrects the coefficients as for `LeastSquares`.
        """
        self._check_choices()
        if self.radius is not None or self.criterion != "loo" or self.standardise:
            raise ValueError("fit_blocks takes lam or criterion='loo', in the units of the columns; leave radius and "
                             "standardise at their defaults")  # fmt: skip
        self._stop_streaming()
        with reading(self, source, target, **options) as read:
            factor, scale = _factor(self, read)
            part = small(factor, read.layout, scale)
            self.selection_ = None if self.lam is not None else by_loo(self, read, read.layout, part, scale)
            self.lam_ = float(self.lam) if self.selection_ is None else self.selection_.chosen
            found = _answer(ridge(part.design, part.targets, self.lam_, False).solution, part)
            if self.selection_ is None and _passes(passes, read) > 1:
                found = _refined(read, part, scale, found, self.lam_)
            _publish(self, found, factor, read)
        return self

    def _refuse_stream(self, what: str) -> None:
        """An error where rows are needed that a fit to blocks does not keep."""
        if "blocks_" in self.__dict__:
            raise ValueError(f"{what} need the training rows, and a fit to blocks keeps none; fit to rows in memory, "
                             "or hold rows out: fit_blocks(..., certify=0.05) leaves blocks_.certificate")  # fmt: skip
        super()._refuse_stream(what)  # type: ignore[misc]


class LassoOfBlocks(OfBlocks):
    """What `Lasso` and `ElasticNet` gain."""

    selection_: Selection | None

    def fit_blocks(self: Any, source: Any, target: str | None = None, **options: Any) -> Any:
        """Fit to rows that are read block by block, in one pass and constant memory; see ``docs/scale.md``.

        ``lam=None`` is chosen by five folds, to which rows are dealt by their number; each has a triangle of its own.
        The default grid is walked down as that of ``fit``, until the penalty no longer matters.
        """
        if self.criterion != "cv" or self.standardise:
            raise ValueError("fit_blocks takes criterion='cv', in the units of the columns; leave standardise False")
        penalty = SparsePenalty(getattr(self, "l1_ratio", 1.0), self.penalty_weights, self.positive)
        with reading(self, source, target, **options) as read:
            factor, scale = _factor(self, read, 1 if self.lam is not None else FOLDS)
            part = small(factor, read.layout, scale)
            self.selection_ = None
            if self.lam is None:
                self.selection_ = _by_folds(self, read, factor, scale, part, penalty)
            self.lam_ = float(self.lam) if self.selection_ is None else self.selection_.chosen
            path = _path(self, part, np.array([self.lam_]), penalty)
            facts = MappingProxyType({"method": "lasso of a triangle", "n": factor.n})
            intercept, doubt = part.published_intercept(path.coefs[0])
            squares, blur = float(part.mean_squares(path.coefs)[0]), part.rounding(path.coefs[0])
            objective = squares + doubt + self.lam_ * penalty.value(path.coefs[0])
            gap = float(path.gaps[0]) + doubt + blur * (2.0 * np.sqrt(squares) + blur)
            status = status_in_units(path.statuses[0], gap, objective)
            if status in SOLVED and gap > _allowed(part, penalty, float(self.tol)):
                status = Status.ROUNDING
            found = Solution(path.coefs[0][:, None], np.array([intercept]), status, gap, objective, facts=facts)
            self.gap_ = found.gap
            if status not in SOLVED:
                warnings.warn(f"{type(self).__name__}: {found.ending}", ConvergenceWarning, stacklevel=2)
            _publish(self, found, factor, read)
        return self


def _factor(model: Any, read: Reading, folds: int = 1) -> tuple[Factor, Target]:
    """The first pass; afterwards the layout knows all levels."""
    scale = Target.of(read.first, bool(model.fit_intercept))
    work = Factorise(read.layout, scale, bool(model.fit_intercept), folds)
    found: Factor = read.run(work, factoring.merge, "factorising")
    read.layout = read.layout.completed(found.features)
    return found, scale


def _passes(wanted: int | None, read: Reading) -> int:
    if wanted is not None and wanted not in (1, 2):
        raise ValueError(f"passes must be 1 or 2, got {wanted}; the second corrects what rounding did in the first")
    return (1 if read.source.once else 2) if wanted is None else wanted


def _answer(solution: Solution, part: Small) -> Solution:
    """The solution of the small design as that of all rows; its gap does not know what rounding did to the triangle."""
    coef = solution.coef[:, 0]
    facts = MappingProxyType({**solution.facts, "method": "stacked triangles", "n": part.n})
    intercept = np.atleast_1d(part.intercept(coef))
    return Solution(coef[:, None], intercept, Status.EXACT, np.inf, solution.objective, facts=facts)


def _refined(read: Reading, part: Small, scale: Target, found: Solution, lam: float) -> Solution:
    state = refine.start(part, read.layout, scale, found.coef[:, 0])
    gradient = read.run(refine.GradientAt(read.layout, scale, state), refine.merge, "refining")
    better = refine.corrected(part, read.layout, scale, state, gradient, lam)
    condition, d = float(found.facts.get("condition", 1.0)), len(better.coef)
    left = (10.0 * d * EPS * condition) ** 2 * better.excess
    moved = np.linalg.norm(part.R, axis=0) @ np.abs(better.coef)
    moved += np.sqrt(part.weight) * (abs(better.intercept) + np.abs(part.means) @ np.abs(better.coef))
    gap = (left + float(EPS * moved) ** 2) / part.weight
    objective = float(part.mean_squares(better.coef[None])[0]) + lam * float(better.coef @ better.coef)
    facts = MappingProxyType({**found.facts, "method": "stacked triangles, refined", "refinements": 1})
    return Solution(better.coef[:, None], np.array([better.intercept]), Status.EXACT, gap, objective, facts=facts)


def _publish(model: Any, found: Solution, factor: Factor, read: Reading) -> None:
    model.solution_, model.n_iter_ = found, 1
    model.coef_, model.intercept_ = found.coef[:, 0].copy(), float(found.intercept[0])
    read.finish(model, factor.n)


def by_loo(
    model: Any,
    read: Reading,
    features: Features,
    part: Small,
    scale: Target,
    lams_of: Callable[[SpectralFactor], np.ndarray] = ridge_lams,
) -> Selection:
    """``lam`` by the exact leave-one-out errors of one more pass; ``lams_of`` makes the grid if none was given."""
    spectral = spectral_factor(part.design, False)
    grid = lams_of(spectral) if model.lams is None else checked_grid(model.lams)
    coefs = solve_spectral(spectral, part.targets, grid)[0][:, :, 0]
    at = loo.spectrum(part, features, grid)
    sums = read.run(loo.LeaveOut(features, scale, at, part.fit_intercept), loo.merge, "leaving rows out")
    curve, se = loo.curve(part, sums, coefs)
    share = 1.0 - 1.0 / part.n if part.fit_intercept and part.n > 1 else 1.0
    constant = float(part.t @ part.t) / part.weight / share**2
    found = LamChoice(grid, curve, se, constant)
    matters = spectral.rank > 0 and found.lam_min > LEAST_SHRUNKEN * smallest_eigenvalue(spectral)
    ends = () if model.lams is None else ("high", "low") if matters else ("high",)
    warn_of_choice(found, True, model, ends, SCALED)
    dof = degrees_of_freedom(spectral, grid).trace + int(part.fit_intercept)
    path = Path(grid, coefs, part.intercept(coefs))
    return Selection.of(found, "loo", model.select, "MSE", dof=dof, path=path)


def _allowed(part: Small, penalty: SparsePenalty, tol: float) -> float:
    """The gap with which ``tol`` is reached; what rounding the mean of the target costs is no fault of the search."""
    free = part.R[:, penalty.feature_weights(part.R.shape[1]) == 0]
    left = part.t - free @ np.linalg.lstsq(free, part.t)[0] if free.shape[1] else part.t
    _, least = part.published_intercept(np.zeros(part.R.shape[1]))
    return tol * float(left @ left) / part.weight + least


def _path(model: Any, part: Small, grid: np.ndarray, penalty: SparsePenalty, start: Start | None = None) -> SparsePath:
    design, y, tol = part.design, part.targets[:, 0], float(model.tol)
    return elastic_net_path(design, y, grid, penalty, fit_intercept=False, tol=tol, start=start)


def _by_folds(
    model: Any, read: Reading, factor: Factor, scale: Target, part: Small, penalty: SparsePenalty
) -> Selection:
    """By the criterion along the grid; a default one is walked down as that of a fit in memory."""
    design, y, folds = part.design, part.targets[:, 0], _Folds(model, read, factor, scale, penalty)
    spread = pull_units(design, False)
    spread = np.where(spread > 0, spread, 1.0)
    paths: list[SparsePath] = []

    def judge(lams: np.ndarray) -> LamChoice:
        paths.append(_path(model, part, lams, penalty, end_of(paths[-1]) if paths else None))
        return folds(lams)

    end = lambda: LassoEnd.of(paths[-1], design, y, False, spread)
    matters = lambda: end().matters(penalty, model.tol)
    if model.lams is not None:
        choice = judge(checked_grid(model.lams))
    else:
        choice = judge(lasso_lams(design, y, penalty, False, spread=spread, rows=factor.n))
        if len(choice.lams) > 1:
            held_back = lambda: end().held_back(penalty, factor.n)
            choice = walked_down(choice, judge, matters, LASSO_PER_DECADE, held_back=held_back)
    warn_of_choice(choice, model.lams is not None, model, model._open_ends(choice, matters), SCALED)
    return Selection.of(choice, "cv", model.select, "MSE")


class _Folds:
    """The mean squared error on the rows of each fold along the path of the others; a later call goes on from there."""

    def __init__(self, model: Any, read: Reading, factor: Factor, scale: Target, penalty: SparsePenalty):
        self.model, self.layout, self.factor, self.scale, self.penalty = model, read.layout, factor, scale, penalty
        self.rests = [small(factor, read.layout, scale, without=fold) for fold in range(FOLDS)]
        self.starts: list[Start | None] = [None] * FOLDS

    def __call__(self, grid: np.ndarray) -> LamChoice:
        errors, constants = [], []
        for fold, rest in enumerate(self.rests):
            path = _path(self.model, rest, grid, self.penalty, self.starts[fold])
            self.starts[fold] = end_of(path)
            nothing = np.vstack([path.coefs, np.zeros((1, path.coefs.shape[1]))])
            offsets = rest.intercept(nothing)
            found = held_out_squares(self.factor, self.layout, self.scale, fold, nothing, offsets)
            errors.append(found[:-1])
            constants.append(found[-1])
        return LamChoice.over_folds(grid, errors, self.factor.weights, constants)
