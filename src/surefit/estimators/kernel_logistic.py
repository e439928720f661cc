"""Layer estimators: `KernelLogistic`, class probabilities from a function in a kernel's space."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax
from sklearn.base import ClassifierMixin

from surefit.data.scores import labels_of_scores
from surefit.estimators.blocks.kernels import KernelRiskOfBlocks
from surefit.estimators.kinds.kernel_risk import KernelRisk
from surefit.estimators.kinds.labels import class_weighted, encode_labels
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.kernels.kernel import Kernel
from surefit.objective.margin import Logistic
from surefit.objective.softmax import SoftmaxCrossEntropy
from surefit.selection.folds import CV
from surefit.solvers.kernel.limits import LANDMARKS
from surefit.theory.certificates.training_set import Designated


class KernelLogistic(KernelRiskOfBlocks, ClassifierMixin, KernelRisk):
    """Kernel logistic regression: minimise ``mean(log(1 + exp(-t_i f(x_i)))) + lam * ||f||**2``.  Catalogue A-32.

    ``f = sum_j dual_coef_j k(x_j, .)``, so that ``||f||**2 = a'K a``, and ``t`` is +1 for the second of two classes,
    -1 for the first, whatever they are called (Catalogue E-061).  More classes get one function each and the softmax
    loss ``-log(p_y)`` (Catalogue L-11), the penalty being the sum of the squared norms; with two classes that would be
    this problem at half the ``lam``.  The probabilities are those of the model, not of votes.

    Parameters
    ----------
    kernel : a ``Kernel`` or a word as in `KernelRidge`; ``None``: ``Gaussian("median")``.
    lam : penalty ``> 0`` against the mean loss (Catalogue E-062).  ``None``: the least cross-validated log-loss on
        ``lams``; no leave-one-out is exact for this loss.
    lams : grid to choose from; ``None``: half-decades from the mean of ``k(x, x)`` down, until the log-loss has clearly
        risen again or the penalty no longer matters.  Above 1,000 rows candidates are judged on 300 landmarks, which
        ``selection_.chosen_by`` then says; the chosen one is fitted as planned.
    class_weight : ``None``, ``"balanced"`` or ``{label: factor}``; multiplies the sample weights.
    criterion : ``"cv"``, the loss on held-out folds, is all there is.
    cv : number of folds, in which classes are spread evenly and equal rows stay together; or a splitter, or splits.
    select : ``"min"``: the minimiser of the criterion; ``"one_se"``: the largest ``lam`` within one standard error.
    fit_intercept : learn an offset ``b``, never penalised (one for each class, summing to zero).
    solver : ``"exact"``, ``"nystroem"``, or ``"auto"``: exact while it fits into ``memory``; see `plan`.
    n_landmarks : points of the Nystroem approximation, fewer where ``memory`` asks for it.
    memory : bytes the fit may take beside the data; ``None``: half of the machine's.
    random_state : seed of the folds, the landmarks and of the rows that ``certify`` holds out.

    Attributes
    ----------
    classes_ : (k,).  kernel_ : the kernel with its bandwidth.  points_, dual_coef_, intercept_ : the fitted function,
        ``dual_coef_`` of shape (m,) for two classes and (m, k) for more.  lam_ : the penalty used.  plan_ : the `Plan`.
    selection_ : the `Selection`, or None if ``lam`` was given.  lam_path_, criterion_path_, criterion_se_, lam_min_,
        lam_1se_ : its grid, the cross-validated log-loss on it, its standard error, both choices.
    solution_ : the `Solution`: status, duality gap, objective, and in ``facts`` the method and why it was taken.

    >>> from surefit.kernels import Gaussian
    >>> model = KernelLogistic(Gaussian(1.0), lam=0.01).fit([[0.0], [1], [2], [3]], ["no", "yes", "no", "yes"])
    >>> model.dual_coef_.round(8)
    array([-3.40397429,  5.05791387, -5.05791387,  3.40397429])
    >>> model.predict_proba([[1.0]]).round(3)
    array([[0.405, 0.595]])
    """

    def __init__(  # noqa: PLR0913  the objective, the choice of lam, and what may be spent
        self,
        kernel: Kernel | str | None = None,
        lam: float | None = None,
        *,
        lams: Any = None,
        class_weight: Any = None,
        criterion: str = "cv",
        cv: Any = CV,
        select: str = "min",
        fit_intercept: bool = True,
        solver: str = "auto",
        n_landmarks: int = LANDMARKS,
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
        self.memory = memory
        self.random_state = random_state

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> KernelLogistic:
        """Fit to ``X`` (n, d) and labels ``y`` (n,) of any kind, at least two of them."""
        design, y = self._validated(X, y, sample_weight)
        self.classes_, codes = encode_labels(y, design.weight)
        design = replace(design, weight=class_weighted(self.class_weight, self.classes_, codes, design.weight))
        if len(self.classes_) == 2:
            self._minimise(design, 2.0 * codes - 1, Logistic(), 2)
        else:
            self._minimise(design, codes, SoftmaxCrossEntropy(), len(self.classes_))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """``f(x) + b``: (n,), positive for the second of two classes; (n, k) for more, the largest score wins."""
        return self._scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """The more probable class of every row; ``f = 0`` exactly goes to the first."""
        scores = self.decision_function(X)
        return labels_of_scores(self.classes_, scores)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, shape (n, k)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return np.exp(log_softmax(scores, axis=1))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms, finite where a probability rounds to zero."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([log_expit(-scores), log_expit(scores)])
        return log_softmax(scores, axis=1)

    def _designated(self, rows: TrainingSet) -> Designated:
        return self._designated_by_margin(rows, len(self.classes_) == 2)

    def _outputs(self, n_classes: int) -> int | None:
        return None if n_classes <= 2 else n_classes
