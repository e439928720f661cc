"""Layer estimators: `ERM`, any loss with any penalty on a linear class."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from surefit.data.tables import validate_data
from surefit.estimators.blocks.risk import RiskOfBlocks
from surefit.estimators.kinds.linear import LinearRisk
from surefit.estimators.kinds.summarised import brief
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.classifiers import linear_classifier
from surefit.guarantee.theorems.regressors import linear_ball
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.objective.loss import Loss
from surefit.objective.margin import Logistic, LogLoss, sign_labels
from surefit.objective.penalty import Penalty
from surefit.objective.problem import Problem
from surefit.objective.regression import Squared
from surefit.objective.words import loss_named
from surefit.page import Fact, number
from surefit.solvers.any_loss.solve import SolverChoice, checked_name, minimise, try_solver
from surefit.solvers.cost import Plan, Shape
from surefit.theory.certificates.training_set import Designated

STAND_IN_ROWS = 1_000
"""Rows on which features are counted for a plan."""


class ERM(RiskOfBlocks, LinearRisk):
    """Regularised empirical risk minimisation: ``mean(loss(y, <w, phi(x)> + b)) + lam * penalty(w)``.

    Any ``Loss`` and any ``Penalty``, yours included: a loss of your own is ten lines (see ``docs/user-loss.md``), and
    `surefit.testing.check_loss` tells whether they are right.  Catalogue A-16, A-45.

    Parameters
    ----------
    loss : what a wrong prediction costs; ``None``: ``Squared()``; a word such as ``"huber"``, ``"absolute"``,
        ``"logistic"`` or ``"hinge"``: that loss with its default parameters.
    penalty : what large coefficients cost; ``None``: ``SquaredL2()``.
    features : a transformer ``phi`` applied first, such as ``Polynomial(2)``; ``None``: the columns as they are.
    lam : weight of the penalty against the mean loss, ``>= 0``; at the default 0 there is no penalty.
    solver : ``"auto"`` (see `plan`), ``"direct"``, ``"newton"``, ``"prox-newton"``, ``"multipliers"``,
        ``"smoothed"``, ``"lbfgs"``, ``"proximal"``, ``"gradient"`` or ``"stochastic"``.
    fit_intercept : learn the offset ``b``, never penalised.
    standardise : penalise ``s_j w_j`` in place of ``w_j``, with ``s_j`` the standard deviation of column ``j``, so that
        no column's unit matters; ``coef_`` stays in your units.  For penalties that are sums over the columns.
    tol : largest duality gap accepted (optimality residual where there is no gap), relative to the best constant.
    max_iter : limit of the solver's iterations (epochs if stochastic); ``None``: the solver's own.

    Attributes
    ----------
    coef_ : (D,), one for each column of ``phi``.  intercept_ : float.  features_ : the fitted transformer, or None.
    activation_ : how `predict` reads a score: ``"identity"`` for real targets, ``"sigmoid"`` for ``Logistic`` and
        ``LogLoss`` (the probability of the positive class), ``"sign"`` for other losses of a margin.
    solution_ : the `Solution`: status, gap, objective, history, and in ``facts`` the method.

    >>> from surefit.objective import L1, Huber
    >>> X, y = [[0.0], [1], [2], [3]], [1.0, 3, 2, 5]
    >>> model = ERM(Huber(10.0), L1(), lam=0.5).fit(X, y)
    >>> model.coef_.round(9), round(model.intercept_, 9)
    (array([0.9]), 1.4)
    >>> print(ERM(Huber(10.0), L1(), lam=0.5).plan(1_000, 20).reason)
    the loss is smooth and the penalty sparse, so a few weighted lassos solve it
    """

    _title = "Empirical risk minimisation"

    def __init__(  # noqa: PLR0913  the parts of the objective and how to minimise it
        self,
        loss: Loss | str | None = None,
        penalty: Penalty | None = None,
        features: Any = None,
        lam: float = 0.0,
        *,
        solver: str = "auto",
        fit_intercept: bool = True,
        standardise: bool = False,
        tol: float = 1e-8,
        max_iter: int | None = None,
    ):
        self.loss = loss
        self.penalty = penalty
        self.features = features
        self.lam = lam
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.standardise = standardise
        self.tol = tol
        self.max_iter = max_iter

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "ERM":
        """Fit to ``X`` (n, d), dense or sparse, and ``y`` (n,) of the kind that the loss takes."""
        self._check_limits()
        check_features(self.features)
        X, y, sample_weight, answer_type = self._one_target(X, y, sample_weight)
        self.features_ = None if self.features is None else clone(self.features).fit(X, y)
        problem = self._problem(self._mapped(X), y, self._loss(), sample_weight)
        self._choice = self._solver_for(problem)
        self.activation_ = activation_of(problem.loss)
        self._accept(minimise(problem, self.solver, self.tol, self.max_iter), answer_type)
        return self

    def scores(self, X: Any) -> np.ndarray:
        """The score ``<coef_, phi(x)> + intercept_``, shape (n,)."""
        check_is_fitted(self, "coef_")
        sparse_kind = "csr" if get_tags(self).input_tags.sparse else False
        X = validate_data(self, X, accept_sparse=sparse_kind, dtype=[np.float64, np.float32], reset=False)
        return np.asarray(self._mapped(X) @ self.coef_) + self.intercept_

    def predict(self, X: Any) -> np.ndarray:
        """The score through the activation: a mean, a probability of the positive class, or a label -1 or +1."""
        score = self.scores(X)
        if self.activation_ == "identity":
            return score
        return expit(score) if self.activation_ == "sigmoid" else sign_labels(score)

    def _answers(self, X: Any) -> np.ndarray:
        """Predictions on the scale of ``y``: the sign of the score where ``y`` is -1 or +1."""
        return sign_labels(self.scores(X)) if self._answers_labels() else self.predict(X)

    def _answers_labels(self) -> bool:
        return self._loss().targets == "signs"

    def _no_errors(self) -> str:
        return (
            "there is no general theory of standard errors for any loss with any penalty; use LeastSquares, Ridge or "
            "LogisticRegression where one of them has this objective, or fit to resampled rows (bootstrap)"
        )

    def _facts(self) -> list[Fact]:
        penalty = "SquaredL2()" if self.penalty is None else brief(self.penalty)
        return [
            ("Loss", brief(self._loss())),
            ("Penalty", penalty if self.lam > 0 else "none"),
            ("Objective", number(self.solution_.objective, 6)),
        ]

    def _column_names(self) -> tuple[str, ...]:
        named = getattr(self.features_, "get_feature_names_out", None)
        if self.features_ is None:
            return super()._column_names()
        if named is None:
            return tuple(f"phi{j}" for j in range(len(self.coef_)))
        return tuple(map(str, named(getattr(self, "feature_names_in_", None))))

    def _designated(self, rows: TrainingSet) -> Designated:
        rows, offset = replace(rows, X=self._mapped(rows.X)), bool(self.fit_intercept)
        if self._answers_labels():
            return linear_classifier(rows, self.coef_, self.intercept_, rows.y, offset)
        power = 2 if isinstance(self._loss(), Squared) else 1
        return linear_ball(rows, self.coef_, self.intercept_, 2, power, offset)

    def _planned(self, shape: Shape) -> Plan:
        check_features(self.features)
        if self.features is not None:  # as many columns as rows without structure get
            rows = np.random.default_rng(0).normal(size=(min(shape.n, STAND_IN_ROWS), shape.d))
            shape = replace(shape, d=clone(self.features).fit_transform(rows).shape[1], stored=None)
        if self.solver != "auto":
            try_solver(self._stand_in(shape, self._loss()), self.solver)
        plan = super()._planned(shape)
        beside = 0 if self.features is None else 8 * shape.n * shape.d  # the features themselves; the table is given
        return replace(plan, memory_bytes=plan.memory_bytes + beside)

    def _planned_loss(self) -> Loss:
        return self._loss()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.features, "transform"):
            tags.input_tags.sparse = get_tags(self.features).input_tags.sparse
        return tags

    def _loss(self) -> Loss:
        return Squared() if self.loss is None else loss_named(self.loss)

    def _solver_for(self, problem: Problem) -> SolverChoice:
        if self.solver == "auto":
            return super()._solver_for(problem)
        return SolverChoice(checked_name(self.solver), f"asked for by solver={self.solver!r}")

    def _mapped(self, X: Any) -> Any:
        return X if self.features_ is None else self.features_.transform(X)


def check_features(features: Any) -> None:
    """Refuse what is neither None nor an instance of a transformer."""
    if features is None or (hasattr(features, "transform") and not isinstance(features, type)):
        return
    raise ValueError(
        f"features must be a transformer such as Polynomial(2), got {features!r}; leave it None for the columns as "
        "they are"
    )


def activation_of(loss: Loss) -> str:
    """How a score becomes a prediction.  Catalogue A-45.

    >>> activation_of(Logistic()), activation_of(Squared())
    ('sigmoid', 'identity')
    """
    if isinstance(loss, Logistic | LogLoss):
        return "sigmoid"
    return "sign" if loss.targets == "signs" else "identity"
