"""Layer estimators: `RobustRegression`, linear fits that a few wild targets cannot carry away."""

from dataclasses import replace
from typing import Any

import numpy as np

from surefit.data.design import Design
from surefit.data.fingerprints import fingerprints
from surefit.data.scale import EPS, weighted_median
from surefit.estimators.blocks.risk import RiskOfBlocks
from surefit.estimators.kinds.dependence import warn_of_dependence
from surefit.estimators.kinds.linear import LinearRisk
from surefit.estimators.kinds.summarised import brief
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.regressors import linear_ball
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.objective.loss import Loss
from surefit.objective.penalty import Penalty
from surefit.objective.problem import Problem
from surefit.objective.regression import Absolute, Huber
from surefit.objective.words import loss_named
from surefit.page import Fact, number
from surefit.solvers.any_loss.judge import constant_fit
from surefit.solvers.any_loss.multipliers import first_width
from surefit.solvers.any_loss.plan import any_loss_plan
from surefit.solvers.any_loss.softened import Softened
from surefit.solvers.any_loss.solve import minimise
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.linear.least_squares import FactoredFit, least_squares
from surefit.solvers.linear.untied import may_depend
from surefit.solvers.solution import Solution
from surefit.theory.certificates.training_set import Designated

EFFICIENT = 1.345
"""Huber threshold in standard deviations at which a fit to Gaussian noise keeps 95 % of the efficiency of least
squares."""

NORMAL_MEDIAN = 0.6744897501960817
"""Median of ``|Z|`` for a standard normal ``Z``: what turns a median absolute residual into a standard deviation."""


SOFT = 0.003
"""Width of the softened absolute loss that tells the threshold, as a share of the noise: its minimiser is close to that
of absolute loss, and yet one.  A third of it or three times as much moves the threshold on 2,344 prices of houses by
3 %."""

HARDER = 12.0
"""How many times as many steps the softened fits take as a fit of Huber loss: two fits, and mostly sharp bends."""

PASSED = 10.0
"""Residuals up to so many widths of the softened loss are those of rows that absolute loss would pass through: rows
that it would not are rarely so near, and in a softened fit few of the others are farther away."""


class RobustRegression(RiskOfBlocks, LinearRisk):
    """Minimise ``mean(loss(y, X w + b)) + lam * penalty(w)`` for a loss that forgives outliers.  Catalogue A-20.

    The fit is computed on centred and scaled columns with the penalty carried over exactly, and for targets less their
    median where that is far from zero and the loss one of this library's.  So timestamps in milliseconds or targets in
    the millions change nothing but the last digits of the intercept, which the gap counts; the problem solved is the
    one written here.

    Parameters
    ----------
    loss : ``Huber(threshold)``, ``Absolute()``, ``EpsilonInsensitive(epsilon)``, ``QuadraticEpsilonInsensitive(...)``,
        ``Power(power)`` or any convex ``Loss`` for real targets; thresholds and tubes are in the units of ``y``.
        Outliers are forgiven by losses that grow linearly: the first three, not squares, the quadratic tube or
        powers above 1.  No loss forgives outliers among the features.
        ``None`` or ``"huber"``: Huber with a threshold of 1.345 standard deviations of the noise, estimated from the
        median absolute residual of an absolute-loss fit (its kink rounded off, so that one fit is the best); absolute
        loss where that fit meets more than half of the rows exactly.
        ``loss_`` says which that was.  Other words, such as ``"absolute"``, are losses with their default parameters.
    penalty : ``SquaredL2()`` (also if ``None``), ``L1()``, ``ElasticNet(...)`` or another ``Penalty``.
    lam : penalty weight ``>= 0`` against the mean loss.  The default 0 is the plain M-estimator, whatever the penalty:
        no criterion for choosing ``lam`` is exact for these losses, so none is chosen behind your back.
    fit_intercept : learn the offset ``b``, never penalised.
    standardise : penalise ``s_j w_j`` in place of ``w_j``, with ``s_j`` the standard deviation of column ``j``, so that
        no column's unit matters; ``coef_`` stays in your units.  For penalties that are sums over the columns.
    tol : largest duality gap accepted, as a share of the objective of the best constant.
    max_iter : limit of the solver's iterations; ``None``: the solver's own.

    Attributes
    ----------
    coef_ : (d,).  intercept_ : float.  loss_ : the loss used.  n_iter_ : iterations.
    solution_ : the `Solution`: status, gap, objective, history, and in ``facts`` the method.

    >>> from surefit.objective import Absolute
    >>> X, y = [[0.0], [1], [2], [3], [4]], [1.0, 3, 5, 7, 900]
    >>> model = RobustRegression(loss=Absolute()).fit(X, y)
    >>> model.coef_.round(9), round(model.intercept_, 9)
    (array([2.]), 1.0)
    """

    _title = "Robust regression"

    def __init__(
        self,
        loss: Loss | str | None = None,
        penalty: Penalty | None = None,
        lam: float = 0.0,
        *,
        fit_intercept: bool = True,
        standardise: bool = False,
        tol: float = 1e-10,
        max_iter: int | None = None,
    ):
        self.loss = loss
        self.penalty = penalty
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.standardise = standardise
        self.tol = tol
        self.max_iter = max_iter

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "RobustRegression":
        """Fit to ``X`` (n, d), dense or sparse, and ``y`` (n,)."""
        self._check_limits()
        X, y, sample_weight, answer_type = self._one_target(X, y, sample_weight)
        if self._loss_given():
            loss = loss_named(self.loss, targets="real")
        else:
            loss = calibrated_huber(self._problem(X, y, Absolute(), sample_weight))
        if loss.targets != "real" or not loss.convex:
            raise ValueError(
                f"loss must be a convex Loss for real targets, got {loss!r}; use Huber(1.0) or Absolute() here, and "
                "ERM for losses of labels"
            )
        self.loss_ = loss
        problem = self._problem(X, y, loss, sample_weight)
        self._choice = self._solver_for(problem)
        self._accept(minimise(problem, tol=self.tol, max_iter=self.max_iter), answer_type)
        dependent = None if problem.lam > 0 else _dependent(problem)
        if dependent is not None:
            warn_of_dependence(self, dependent, answer_type)
        return self

    def _planned(self, shape: Shape) -> Plan:
        plan = super()._planned(shape)
        if self._loss_given():
            return plan
        before = any_loss_plan(self._solver_for(self._stand_in(shape, Softened(1.0))), shape)
        reason = f"{plan.reason}, after a fit by absolute loss that tells the threshold"
        return replace(plan, work=HARDER * before.work + plan.work, reason=reason)

    def _planned_loss(self) -> Loss:
        return loss_named(self.loss, targets="real") if self._loss_given() else Huber()

    def _loss_given(self) -> bool:
        return self.loss is not None and not (isinstance(self.loss, str) and self.loss.lower() == "huber")

    def _no_errors(self) -> str:
        if self.lam == 0:
            return (
                f"the spread of coefficients under {brief(self.loss_)} depends on the density of the noise, which is "
                "not estimated here; fit to resampled rows (bootstrap), or use LeastSquares with covariance='HC3'"
            )
        return (
            f"lam={self.lam:g} shrinks the coefficients by a bias that the data do not tell; use lam=0 and resampled "
            "rows (bootstrap), or LeastSquares"
        )

    def _facts(self) -> list[Fact]:
        return [("Loss", brief(self.loss_)), ("Objective", number(self.solution_.objective, 6))]

    def _designated(self, rows: TrainingSet) -> Designated:
        return linear_ball(rows, self.coef_, self.intercept_, 2, 1, bool(self.fit_intercept))


def _dependent(problem: Problem) -> FactoredFit | None:
    """Least squares on the same columns, which tells how they depend on each other; None if there is no doubt."""
    design = Design.of(problem.X, problem.sample_weight)
    if not may_depend(design, problem.fit_intercept):
        return None
    return least_squares(design, problem.y[:, None], problem.fit_intercept)


def calibrated_huber(problem: Problem) -> Huber | Absolute:
    """Huber loss with a threshold of 1.345 noise standard deviations, from an absolute-loss fit of the same problem.

    The deviation is the weighted median of the absolute residuals over 0.6745.  Only the rows that the fit passes
    through by having as many coefficients are left out of it, since they say nothing about the noise; so outliers
    cannot choose the threshold, however large, as long as they are fewer than half of the rows that are left.  Where
    even that median is rounding, the honest rows lie on the fit exactly: absolute loss keeps them there.

    Absolute loss may have many minimisers with other residuals each, so it is softened, by a width that is narrowed
    until it is small beside the median found.  On rows that lie on a plane that never happens.  Catalogue A-20.
    """
    width = SOFT * first_width(problem, constant_fit(problem)[1])
    _, first, member = np.unique(fingerprints(problem.X, problem.y), return_index=True, return_inverse=True)
    weights = np.bincount(member, problem.weights)  # a row of weight k is k equal rows
    while True:
        fit = minimise(replace(problem, loss=Softened(width)))
        sizes = np.abs(problem.y - problem.scores(fit.coef, fit.intercept))[first]
        kept = _speaking(sizes, weights, PASSED * width, problem.X.shape[1] + problem.fit_intercept)
        spread = weighted_median(sizes[kept], weights[kept]) if np.any(kept) else 0.0
        if not spread > rounding_of(problem, fit):
            return Absolute()
        if not SOFT * spread < 0.5 * width:
            return Huber(EFFICIENT * spread / NORMAL_MEDIAN)
        width = SOFT * spread


def _speaking(sizes: np.ndarray, weights: np.ndarray, passed: float, free: int) -> np.ndarray:
    """The rows that say something about the noise: all but the ``free`` smallest of those that are ``passed`` through.

    Of sizes that only rounding tells apart the lighter row is left out first.

    >>> _speaking(np.array([0.0, 5.0, 0.1, 7.0]), np.ones(4), 1.0, 1).tolist()
    [False, True, True, True]
    """
    order = np.lexsort((weights, np.round(sizes / passed, 6)))
    kept = sizes > passed
    kept[order[free:]] = True
    return kept


def rounding_of(problem: Problem, fit: Solution) -> float:
    """The size below which a residual is rounding.

    That is what rounding leaves of the terms of ``x_i w + b - y_i``, which may cancel (timestamps), and of the mean
    deviation, at which the fit was computed: there outliers enter, but only in the last digit.
    """
    y, weights = problem.y, problem.weights
    deviations = np.abs(y - weighted_median(y, weights))
    terms = abs(problem.X) @ np.abs(fit.coef) + np.abs(fit.intercept) + np.abs(y)
    return 4.0 * EPS * (weighted_median(terms, weights) + float(weights @ deviations))
