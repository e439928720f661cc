"""Layer estimators: `KernelRidgeClassifier`, least squares on signs, with exact full conformal sets of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.scores import labels_of_scores
from surefit.data.tables import validate_data
from surefit.estimators.kinds.kernel_squares import KernelSquares
from surefit.estimators.kinds.labels import class_factors, encode_labels
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.factored import KernelRows
from surefit.guarantee.intervals import promises_broken
from surefit.guarantee.stored_intervals import StoredTargets
from surefit.guarantee.theorems.classifiers import kernel_classifier
from surefit.guarantee.theorems.training_rows import TrainingSet, no_theorem_for_labels
from surefit.names import hinted
from surefit.progress import working
from surefit.selection.folds import CV
from surefit.solvers.kernel.limits import LANDMARKS
from surefit.theory.certificates.training_set import Designated
from surefit.theory.intervals.class_sets import PredictionSets
from surefit.theory.intervals.full_class_sets import full_class_sets
from surefit.theory.means.arguments import checked_coverage


class KernelRidgeClassifier(ClassifierMixin, KernelSquares):
    """Kernel ridge on labels as numbers: minimise ``mean((t - f(x))**2) + lam * ||f||**2``.  Catalogue A-12, A-06.

    ``t`` is +1 for the second of two classes, -1 for the first.  More classes get one function each, with +1 for the
    class and -1 for all others, from one factorisation; the largest score wins.  It is linear in the targets, so
    leave-one-out is exact, and so are full conformal sets of labels: `predict_set` needs no hold-out.  There are no
    probabilities; use `KernelLogistic` for them.

    Parameters
    ----------
    kernel, lam, lams, select, fit_intercept, solver, n_landmarks, max_residual, memory, random_state : as
        in `KernelRidge`.
    class_weight : ``None``, ``"balanced"`` or ``{label: factor}``; multiplies the sample weights.
    criterion : ``"loo"``: the mean squared exact leave-one-out error of the scores; ``"cv"``: that on held-out folds,
        for rows that come in groups.
    cv : number of shuffled folds, in which classes are spread evenly, or a splitter, or an iterable of splits.

    Attributes
    ----------
    classes_ : (k,).  dual_coef_ : (m,) for two classes, (m, k) for more: the weights of ``points_``.
    intercept_, lam_, kernel_, plan_, solution_, selection_, lam_path_, criterion_path_, criterion_se_, lam_min_,
        lam_1se_ : as in `KernelRidge`.

    >>> from surefit.kernels import Gaussian
    >>> X, y = [[0.0], [1], [2], [3], [4], [5]], ["low", "low", "low", "high", "high", "high"]
    >>> model = KernelRidgeClassifier(Gaussian(1.0), lam=0.1).fit(X, y)
    >>> model.predict([[2.2], [2.8]]).tolist()
    ['low', 'high']
    >>> model.predict_set([[0.5], [2.5]], coverage=0.8).labels
    [['low'], ['high', 'low']]
    """

    def __init__(  # noqa: PLR0913 - the hyper-parameters of scikit-learn estimators are arguments
        self,
        kernel: Any = None,
        lam: float | None = None,
        *,
        lams: Any = None,
        class_weight: Any = None,
        criterion: str = "loo",
        cv: Any = CV,
        select: str = "min",
        fit_intercept: bool = True,
        solver: str = "auto",
        n_landmarks: int = LANDMARKS,
        max_residual: float = 1e-8,
        memory: float | None = None,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.lam = lam
        self.lams = lams
        self.class_weight = class_weight
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.max_residual = max_residual
        self.memory = memory
        self.random_state = random_state

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> KernelRidgeClassifier:
        """Fit to ``X`` (n, d), dense (or sparse, if the kernel takes it), and labels ``y`` (n,) of any kind."""
        self._check_settings()
        X, y = validate_data(self, X, y, **self._accepted())
        design = Design.of(X.astype(np.float64, copy=False), sample_weight)
        self.classes_, codes = encode_labels(y, design.weight)
        folds, rows, codes = self._folds(design, codes, labelled=True), design.counted(), codes[design.weight > 0]
        factors = class_factors(self.class_weight, self.classes_, codes, rows.weight)
        two = len(self.classes_) == 2
        signs = 2.0 * np.eye(len(self.classes_))[codes] - 1.0
        self._minimise(Design(rows.X, rows.weight * factors[codes]), signs[:, 1:] if two else signs, folds, two)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """``f(x)``: (n,), positive for the second of two classes; (n, k) for more, the largest score wins."""
        return self._scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of every row; ``f = 0`` exactly goes to the first of two."""
        scores = self.decision_function(X)
        return labels_of_scores(self.classes_, scores)

    @hinted
    def predict_set(self, X: Any, coverage: float = 0.9, *, equal_rows_are_draws: bool = False) -> PredictionSets:
        """Sets of labels for new rows ``X`` that hold the true one with probability ``coverage``; none is empty.

        Full conformal, exact, without a hold-out: every label of every new row is tried as if it were its own, which
        takes O(n k) each and no refit.  ``n * lam`` stays fixed.  The promise is an average over training sets, and
        holds if ``lam`` and the kernel were given; where they come from the same rows, ``guaranteed`` is 0 and the
        statement says what to do.  Rows must be exchangeable, so fits with unequal weights are refused.
        ``equal_rows_are_draws`` is your word that rows which equal others repeat by nature and are no copies.
        """
        check_is_fitted(self)
        coverage, rows, record = checked_coverage(coverage), self._kept_rows(), self._fit_record
        X = self._checked_rows(X).astype(np.float64, copy=False)
        if record.rows is not None:
            record.refuse_changed("sets", (rows.system.X, record.rows.y))
        broken = promises_broken(record, rows.tuned, equal_rows_are_draws)
        label = np.argmax(rows.targets, axis=1) if rows.targets.shape[1] > 1 else (rows.targets[:, 0] > 0).astype(int)
        with working("sets of labels"):
            response = replace(rows, targets=rows.targets[:, :1]).response
            return full_class_sets(response, (rows.system.X, label), X, self.classes_, coverage, broken)

    def _kept_rows(self) -> KernelRows:
        """The training rows with their targets, also of a model that was stored, if its points are all rows."""
        self._revive()
        if self._fit_record.factored is None:
            raise ValueError(
                "the training rows of a fit on landmarks do not travel with a stored model; fit again, or use "
                "surefit.calibrate(model, X_new, y_new).predict_set(X), whose sets can be stored"
            )
        return self._fit_record.factored

    def _intervals_to_store(self) -> StoredTargets | None:
        return self._targets_to_store()

    def _designated(self, rows: TrainingSet) -> Designated:
        if len(self.classes_) > 2:
            return no_theorem_for_labels(rows, "the margin bound is about two classes and one score")
        signs = np.where(rows.y == self.classes_[1], 1.0, -1.0)
        each, violated = self._among_kernels(rows)
        return kernel_classifier(each, self._function(), signs * self._scores(rows.given), violated)
