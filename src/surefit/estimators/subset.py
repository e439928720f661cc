"""Layer estimators: `SubsetRegression`: least squares on the columns that a criterion picks."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.fingerprints import distinct_rows, without_copies
from surefit.estimators.kinds.linear import OneTargetModel
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.regressors import affine_functions
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.page import Fact, number
from surefit.parameters import modest_targets, switch
from surefit.selection.lasso import check_variance, full_model_variance
from surefit.selection.record import CRITERIA as NAMES
from surefit.selection.record import Selection
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.linear.limits import EXHAUSTIVE_LIMIT
from surefit.solvers.linear.plan import subset_plan
from surefit.solvers.linear.subsets import (
    SubsetFit,
    SubsetProblem,
    backward_sequence,
    best_leave_one_out,
    best_of_each_size,
    forward_sequence,
)
from surefit.solvers.solution import ScaledTarget, Solution
from surefit.theory.certificates.training_set import Designated
from surefit.theory.fit.criteria import aic, bic, gaussian_log_likelihood, mallows_cp
from surefit.theory.inference.shrunken import after_search
from surefit.warnings import ChoiceWarning, frames_inside

CRITERIA = ("bic", "aic", "cp", "loo")
SEARCHES = ("auto", "exhaustive", "forward", "backward")
EQUAL = 1e-10
"""Criteria closer than this, relative to their size, are equal: the smaller model is preferred."""


@dataclass(frozen=True)
class Subset:
    """One subset of columns and how it scores; smaller is better for each criterion.

    ``rss`` is the (weighted) residual sum of squares, ``loo`` the same sum over leave-one-out residuals; ``cp`` is nan
    where no noise variance is known.
    """

    columns: tuple[int, ...]
    rss: float
    cp: float
    aic: float
    bic: float
    loo: float


class SubsetRegression(OneTargetModel):
    """Least squares on a subset of the columns: minimise a criterion over subsets ``J``.  Catalogue A-46, S-01..S-04.

    ``cp = RSS(J) + 2 p s2``, ``aic = n log(RSS/n) + 2 p + const``, ``bic`` with ``log(n) p``, ``loo`` the sum of
    squared leave-one-out residuals, with ``p = |J|`` plus one for the intercept.  Among equal criteria the smaller
    subset wins (S-11).  Subsets that could pass through all distinct rows are not considered.

    Parameters
    ----------
    criterion : ``"bic"``, ``"aic"``, ``"cp"`` or ``"loo"``.
    search : ``"exhaustive"``: all subsets, exact, up to 20 columns; ``"forward"``: add the most useful column at a
        time; ``"backward"``: drop the least useful one at a time; ``"auto"``: exhaustive where possible, else forward.
    max_size : largest number of columns; ``None``: as many as the distinct rows allow.
    variance : noise variance for ``cp``; ``None``: from the model with all columns, which then needs more rows than
        coefficients.
    fit_intercept : learn the offset.

    Sample weights count repetitions: ``n`` is their sum in ``aic``, ``bic`` and ``cp``.  ``loo`` leaves equal rows out
    together, and a weighted row with all its weight.

    Attributes
    ----------
    coef_ : (d,), zero outside ``support_``.  intercept_ : float.  support_ : indices of the chosen columns.
    selection_ : the `Selection`: the criterion along the number of columns.
    subsets_ : for every size the subset of least ``rss`` that was found, a `Subset`; with an exhaustive search by
        ``loo``, the chosen subset stands for its size.
    solution_ : status, gap and objective (mean squared error) of the fit on the chosen columns.

    >>> X = [[0.0, 1], [1, 0], [2, 1], [3, 1], [4, 0], [5, 1]]
    >>> model = SubsetRegression().fit(X, [1.1, 3.2, 4.9, 6.8, 8.9, 11.1])
    >>> model.support_, model.coef_.round(3)
    (array([0]), array([1.971, 0.   ]))
    """

    _title = "Least squares on chosen columns"

    def __init__(
        self,
        criterion: str = "bic",
        *,
        search: str = "auto",
        max_size: int | None = None,
        variance: float | None = None,
        fit_intercept: bool = True,
    ):
        self.criterion = criterion
        self.search = search
        self.max_size = max_size
        self.variance = variance
        self.fit_intercept = fit_intercept

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "SubsetRegression":
        """Fit to ``X`` (n, d), dense or sparse, and ``y`` (n,)."""
        self._check_choices()
        design, target, shape = self._validated(X, y, sample_weight)
        scaled = ScaledTarget.of(modest_targets(target))
        problem = SubsetProblem(*without_copies(design, scaled.values), self.fit_intercept)
        largest = self._largest(design)
        variance = self._variance(design, target)
        self.subsets_ = tuple(self._scored(fit, scaled.size, design, variance) for fit in self._found(problem, largest))
        self.selection_ = _chosen_size(self.subsets_, self.criterion)
        chosen = next(one for one in self.subsets_ if len(one.columns) == self.selection_.chosen)
        self.support_ = np.array(chosen.columns, dtype=np.intp)
        self._publish(_fit_on(design, target, self.support_, self.fit_intercept), shape)
        if len(self.support_) == largest < design.d and self.max_size is None:
            self._warn_of_room(design.d)
        return self

    def _warn_of_room(self, d: int) -> None:
        """Say that the rows were too few to judge so many columns."""
        warnings.warn(
            f"criterion {self.criterion!r} chose {len(self.support_)} of {d} columns, as many as the rows allow: so "
            "many fit any target, noise too, and the criterion cannot judge them; give max_size, far below the number "
            "of rows, or use Lasso",
            ChoiceWarning,
            stacklevel=frames_inside(),
        )

    def _planned(self, shape: Shape) -> Plan:
        return subset_plan(shape, self.search)

    def _solver_and_reason(self) -> tuple[str, str]:
        found = subset_plan(Shape(self._fit_record.n, len(self.coef_)), self._as_fitted().search)
        return found.solver, found.reason

    def _no_errors(self) -> str:
        return after_search(type(self).__name__, self.criterion)

    def _facts(self) -> list[Fact]:
        return [
            ("Columns chosen", f"{len(self.support_):,} of {len(self.coef_):,}"),
            ("Chosen by", self.selection_.chosen_by),
            (self.selection_.label, number(self.selection_.value, 6)),
        ]

    def _designated(self, rows: TrainingSet) -> Designated:
        return affine_functions(rows)

    def _check_choices(self) -> None:
        if self.criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(map(repr, CRITERIA))}; got {self.criterion!r}")
        if self.search not in SEARCHES:
            raise ValueError(f"search must be one of {', '.join(map(repr, SEARCHES))}; got {self.search!r}")
        size: Any = self.max_size
        if size is not None and not (isinstance(size, int | np.integer) and size >= 0):
            raise ValueError(f"max_size must be a whole number >= 0, got {size!r}; it bounds the number of columns")
        switch("fit_intercept", self.fit_intercept)
        check_variance(self.variance)

    def _largest(self, design: Design) -> int:
        rows = len(distinct_rows(design.X, design.weight)[0])
        if self.criterion != "loo":  # the others count rows by their weights
            rows = min(int(np.ceil(design.total_weight)), rows)
        room = rows - bool(self.fit_intercept) - 1
        largest = min(design.d, max(room, 0))
        return largest if self.max_size is None else min(largest, int(self.max_size))

    def _variance(self, design: Design, y: np.ndarray) -> float | None:
        if self.variance is not None:
            return float(self.variance)
        if self.criterion != "cp" and design.total_weight <= design.d + bool(self.fit_intercept):
            return None
        return full_model_variance(design, y, self.fit_intercept, "'bic' or 'loo'")

    def _found(self, problem: SubsetProblem, largest: int) -> list[SubsetFit]:
        exhaustive = self.search == "exhaustive" or (self.search == "auto" and problem.d <= EXHAUSTIVE_LIMIT)
        if exhaustive and problem.d > EXHAUSTIVE_LIMIT:
            raise ValueError(
                f"search='exhaustive' visits all 2**{problem.d} subsets, which is refused beyond {EXHAUSTIVE_LIMIT} "
                "columns; use search='forward', or Lasso"
            )
        if not exhaustive:
            sequence = forward_sequence if self.search != "backward" else backward_sequence
            return sequence(problem, largest)
        found = best_of_each_size(problem, largest)
        if self.criterion == "loo":
            best = best_leave_one_out(problem, largest)
            found[len(best.columns)] = best
        return found

    def _scored(self, fit: SubsetFit, size: float, design: Design, variance: float | None) -> Subset:
        n, dof = design.total_weight, len(fit.columns) + bool(self.fit_intercept)
        rss, loo = fit.rss * size**2, fit.loo * size**2  # the problem's target is over its size
        likelihood = gaussian_log_likelihood(rss, n)  # type: ignore[arg-type]
        cp = np.nan if variance is None else float(mallows_cp(rss, dof, variance))
        scores = float(aic(likelihood, dof)), float(bic(likelihood, dof, n))  # type: ignore[arg-type]
        return Subset(fit.columns, rss, cp, *scores, loo)


def _chosen_size(subsets: tuple[Subset, ...], criterion: str) -> Selection:
    """The criterion along the number of columns: of sizes as good up to rounding the smallest.  Catalogue S-11."""
    sizes, curve = np.array([len(one.columns) for one in subsets]), np.array([getattr(s, criterion) for s in subsets])
    least = float(curve.min())
    enough = least + EQUAL * max(abs(least), np.finfo(float).tiny) if np.isfinite(least) else least
    size = int(sizes[np.flatnonzero(curve <= enough)[0]])  # where no subset can be judged, the smallest
    constant = float(curve[0]) if sizes[0] == 0 else np.nan
    words, none = NAMES[criterion][0], np.full(len(sizes), np.nan)
    return Selection(criterion, words, sizes, curve, none, size, size, size, constant, "squares", "columns")


def _fit_on(design: Design, target: np.ndarray, support: np.ndarray, fit_intercept: bool) -> Solution:
    fit = least_squares(Design(design.X[:, support], design.weight), target[:, None], fit_intercept).solution
    coef = np.zeros((design.d, 1))
    coef[support] = fit.coef
    return Solution(coef, fit.intercept, fit.status, fit.gap, fit.objective, fit.n_iter, fit.history, fit.facts)
