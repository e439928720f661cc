"""Layer estimators: `LeastSquares`, with classical inference where its theory holds."""

from functools import cache
from typing import Any, cast, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.scale import column_sizes
from surefit.estimators.blocks.linear import LeastSquaresOfBlocks
from surefit.estimators.kinds.dependence import redundant_in, warn_of_dependence
from surefit.estimators.kinds.linear import LinearModel, column_names
from surefit.estimators.kinds.summarised import described
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.factored import LinearRows
from surefit.guarantee.intervals import LinearIntervals
from surefit.guarantee.theorems.regressors import affine_functions
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.names import hinted
from surefit.objective.penalty import SquaredL2
from surefit.objective.problem import Problem
from surefit.objective.regression import Squared
from surefit.page import listed
from surefit.solvers.any_loss.descent import GradientDescent
from surefit.solvers.any_loss.stochastic import StochasticGradientDescent
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.linear.factor import TriangularFactor
from surefit.solvers.linear.least_squares import FactoredFit, least_squares
from surefit.solvers.linear.plan import descent_plan, linear_plan
from surefit.solvers.solution import Solution
from surefit.theory.certificates.training_set import Designated
from surefit.theory.inference.influence import Influence
from surefit.theory.inference.linear import Covariance, LinearFit, checked_choice, coefficient_table
from surefit.theory.inference.stored import StoredPages
from surefit.theory.inference.summary import Summary, summarise, with_dropped
from surefit.theory.inference.tables import CoefficientTable, checked_level

DIRECT = ("auto", "cholesky", "qr", "svd")
ITERATIVE = {"gradient": GradientDescent(), "stochastic": StochasticGradientDescent()}


class LeastSquares(LeastSquaresOfBlocks, LinearIntervals, LinearModel):
    """Ordinary (weighted) least squares: minimise ``mean((y - X w - b)**2)``.  Catalogue A-01..A-08, D-03.

    Exact to the last digit that the data allow: Cholesky where the condition number permits it, otherwise QR at unit
    column size, then refinement with residuals in twice the working precision.  Where columns depend on each other the
    shortest minimiser is returned, with a warning that names them.

    Parameters
    ----------
    fit_intercept : learn the offset ``b``.
    solver : ``"auto"``, ``"cholesky"``, ``"qr"``, ``"svd"``, or an iterative one for study: ``"gradient"``,
        ``"stochastic"``, or a `GradientDescent` or `StochasticGradientDescent` with settings of your own; their
        history is in ``solution_.history``.

    Attributes
    ----------
    coef_ : (d,), or (k, d) for ``k`` targets.  intercept_ : float, or (k,).
    solution_ : the `Solution`: status, gap, objective, and in ``facts`` the method, rank and condition number.
    rank_ : number of independent columns (after centring).

    Sample weights act as repetitions on the fit; in `summary` they are precisions (variance ``s2 / w_i``) and never
    numbers of rows: repeat rows that were counted.  HC0 to HC3 also hold where weights say only how much a row matters.

    >>> model = LeastSquares().fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5])
    >>> model.coef_.round(12), round(model.intercept_, 12), model.solution_.facts["method"]
    (array([1.1]), 1.1, 'qr')
    """

    _title = "Least squares"

    def __init__(self, fit_intercept: bool = True, *, solver: Any = "auto"):
        self.fit_intercept = fit_intercept
        self.solver = solver

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "LeastSquares":
        """Fit to ``X`` (n, d), dense or sparse, and ``y`` (n,) or (n, k)."""
        design, targets, shape = self._validated(X, y, sample_weight)
        if isinstance(self.solver, str) and self.solver in DIRECT:
            fit = least_squares(design, targets, self.fit_intercept, self.solver)
            self._publish(fit.solution, shape)
            self.rank_ = fit.solution.facts.get("rank")
            warn_of_dependence(self, fit, shape[0])
            self._remember(factored=LinearRows(design, targets, 0.0, bool(self.fit_intercept), fit=fit))
        else:
            self._publish(_iterated(_iterative(self.solver), design, targets, self.fit_intercept), shape)
            self.rank_ = None
        return self

    def _planned(self, shape: Shape) -> Plan:
        if isinstance(self.solver, str) and self.solver in DIRECT:
            return linear_plan(shape, self.solver)
        settings = _iterative(self.solver)
        if isinstance(settings, StochasticGradientDescent):
            return descent_plan(shape, "stochastic", settings.epochs)
        return descent_plan(shape, "gradient", settings.max_iter)

    def _designated(self, rows: TrainingSet) -> Designated:
        return affine_functions(rows)

    def linear_fit(self) -> LinearFit:
        """The record from which all inference starts: see `surefit.theory.inference.linear`.

        Refuses, saying why, where the classical theory does not hold: dependent columns, no residual degrees of
        freedom, several targets, an iterative solver, or a model that has been loaded without its data.
        """
        check_is_fitted(self, "coef_")
        if "step" in self.solution_.facts:
            raise ValueError("standard errors hold for the exact minimiser, not for iterates; use solver='auto'")
        record = self._fit_record
        if record.factored is None:
            raise ValueError(
                "the training data do not travel with a stored model, only its inference() and summary() do; fit again"
            )
        record.refuse_changed("standard errors", record.factored.pair)
        design, targets, fit = record.factored.design, record.factored.targets, record.factored.fit
        _refuse_without_factor(design, targets, fit)
        redundant = redundant_in(fit)
        if len(redundant) and design.n_counted > self.rank_ + fit.A.fit_intercept:
            _refuse_redundant([column_names(self)[j] for j in redundant])
        return _record(design, targets, fit, column_names(self), record.target_name)

    @hinted
    def inference(self, *, covariance: Any = "classical", level: float = 0.95) -> CoefficientTable:
        """Standard errors, t and p values and intervals, intercept first; ``covariance`` may be HC0 to HC3."""
        stored = self._stored(covariance, level)
        if stored is not None:
            table = cast(CoefficientTable, stored.table)
            if np.any(absent := np.isnan(table.estimate)):
                _refuse_redundant([table.names[j] for j in np.flatnonzero(absent)])
            return table
        return coefficient_table(self.linear_fit(), covariance, level)

    def influence(self) -> Influence:
        """Leverages, studentised residuals, Cook's distance, DFFITS and DFBETAS of every row."""
        return Influence(self.linear_fit())

    @hinted
    def summary(self, *, covariance: Any = "classical", level: float = 0.95) -> Summary:
        """The regression table: prints in a terminal, renders in a notebook.

        Columns that can be written with others are marked NA, and the table is that of a fit without them.  Where there
        are no standard errors at all, the coefficients are shown with the reason.
        """
        check_is_fitted(self, "coef_")
        checked_level(level)
        checked_choice("covariance", covariance, Covariance)
        try:
            return self._stored(covariance, level) or self._page(covariance, level)
        except ValueError as refusal:
            return described(self, str(refusal))

    def _stored(self, covariance: Any, level: float) -> Summary | None:
        """What a stored model keeps of its summary; None if the model has its rows."""
        kept = self._fit_record.pages
        return None if kept is None else kept.page(covariance, level)

    def _page(self, covariance: Any, level: float = 0.95, fit: Any = None) -> Summary:
        fit, kept = fit or self._fit_of_table()
        found, names = summarise(fit, covariance, level), column_names(self)
        if len(kept) == len(names):
            return found
        first = int(fit.fit_intercept)
        return with_dropped(found, ("intercept",) * first + names, [*range(first), *(first + kept)])

    def _fit_of_table(self) -> tuple[LinearFit, np.ndarray]:
        """The record of a fit without redundant columns, and the numbers of those that it is to."""
        record, everything = self._fit_record, np.arange(np.atleast_2d(self.coef_).shape[1])
        rows = record.factored
        redundant = () if rows is None else redundant_in(rows.fit)
        if not len(redundant) or rows.design.n_counted <= self.rank_ + rows.fit_intercept:
            return self.linear_fit(), everything
        record.refuse_changed("standard errors", record.factored.pair)
        _refuse_without_factor(rows.design, rows.targets, rows.fit)
        kept, names = np.setdiff1d(everything, redundant), column_names(self)
        part = Design(rows.design.X[:, kept], rows.design.weight)
        again = least_squares(part, rows.targets, rows.fit_intercept)
        return _record(part, rows.targets, again, [names[j] for j in kept], record.target_name), kept

    def _pages_to_store(self) -> StoredPages | None:
        if self._fit_record.factored is None:
            return None
        fit, (n, d) = cache(self._fit_of_table), self._fit_record.factored.size
        page = lambda covariance: self._page(covariance, fit=fit())
        quick = StoredPages.of(page, ["classical"])
        robust = StoredPages.of(page, get_args(Covariance)[1:], 4.0 * n * (d + 1) ** 2)
        return StoredPages({**quick.pages, **robust.pages})


def _iterative(solver: Any) -> GradientDescent | StochasticGradientDescent:
    if isinstance(solver, GradientDescent | StochasticGradientDescent):
        return solver
    if isinstance(solver, str) and solver in ITERATIVE:
        return ITERATIVE[solver]  # type: ignore[return-value]
    known = ", ".join(map(repr, (*DIRECT, *ITERATIVE)))
    raise ValueError(
        f"solver must be one of {known}, or a GradientDescent or StochasticGradientDescent; got {solver!r}"
    )


def _iterated(
    solver: GradientDescent | StochasticGradientDescent, design: Design, targets: np.ndarray, fit_intercept: bool
) -> Solution:
    if targets.shape[1] > 1:
        raise ValueError("the iterative solvers take one target at a time; use solver='auto' for several")
    problem = Problem(design.X, targets[:, 0], Squared(), SquaredL2(), 0.0, design.weight, bool(fit_intercept))
    answer = solver.solve(problem)
    return Solution(
        answer.coef[:, None], np.array([answer.intercept]), answer.status, answer.gap, answer.objective,
        answer.n_iter, answer.history, answer.facts,
    )  # fmt: skip


def _record(design: Design, targets: np.ndarray, fit: FactoredFit, names: Any, name: str) -> LinearFit:
    fit_intercept = fit.A.fit_intercept
    return LinearFit(
        design.X, targets[:, 0], fit.solution.coef[:, 0], float(fit.solution.intercept[0]),
        _inverse_root(fit),
        sample_weight=None if design.has_unit_weights else design.weight,
        fit_intercept=fit_intercept, names=names, target_name=name,
        method=_described(fit.solution), residuals=fit.residual[:, 0],
        rank=fit.solution.facts["rank"] + fit_intercept,
    )  # fmt: skip


def _refuse_redundant(names: list[str]) -> None:
    raise ValueError(
        f"{listed(names)} can be written with the other columns, so single coefficients are not determined by the data "
        f"and have no standard errors; drop {'this column' if len(names) == 1 else 'these columns'}"
    )


def _refuse_without_factor(design: Design, targets: np.ndarray, fit: FactoredFit) -> None:
    """Where there is nothing to compute standard errors from, or no longer."""
    if targets.shape[1] > 1:
        raise ValueError(
            f"y has {targets.shape[1]} columns that share their noise, which one-target formulas ignore; "
            "fit and summarise one column of y at a time"
        )
    if fit.factor is None:
        raise ValueError(
            "this large sparse design was solved by iterations because its columns are nearly dependent or too many to "
            "factorise, so single coefficients have no standard errors; drop redundant columns"
        )
    for size, what in ((np.max(np.abs(targets)), "y"), (np.max(column_sizes(design)), "X")):
        if size != 0.0 and not 1e-140 < size < 1e140:
            raise ValueError(f"the squares of {what} leave the range of floating point numbers; rescale it")
    residual = targets - design.matvec(fit.solution.coef) - fit.solution.intercept
    size = np.max(np.abs(targets)) + np.max(column_sizes(design) @ np.abs(fit.solution.coef))
    if not np.max(np.abs(residual - fit.residual)) <= 1e-9 * size:
        raise ValueError("X or y has been changed in place since the fit; fit again to have its summary")


def _inverse_root(fit: FactoredFit) -> np.ndarray:
    """``L`` with ``L L' = inv([1 X]' W [1 X])`` from the factor of the centred design, intercept first."""
    A, factor, fit_intercept = fit.A, fit.factor, fit.A.fit_intercept
    p = A.d + fit_intercept
    assert factor is not None
    if factor.rank < A.d:
        return np.zeros((p, p))  # the record refuses before it looks
    centred = (
        factor.inverse_root() if isinstance(factor, TriangularFactor) else factor.coef(np.diag(1 / factor.singular))
    )
    slopes = centred / A.scale[:, None]
    if not fit_intercept:
        return slopes
    root = np.zeros((p, p))
    root[0, 0] = A.design.total_weight**-0.5
    origin = 0.0 if A.design.offset is None else A.design.offset / A.scale
    root[0, 1:] = -(A.shift + A.shift_low + origin) @ centred
    root[1:, 1:] = slopes
    return root


def _described(solution: Solution) -> str:
    rounds = solution.facts.get("refinements", 0)
    return f"{solution.facts['method']}" + (f", {rounds} refinement{'s' * (rounds != 1)}" if rounds else "")
