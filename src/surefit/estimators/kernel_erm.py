"""Layer estimators: `KernelERM`, any smooth loss over the functions of a kernel's space."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from surefit.data.design import Design
from surefit.data.scores import labels_of_scores
from surefit.estimators.blocks.kernels import KernelRiskOfBlocks
from surefit.estimators.kinds.kernel_risk import KernelRisk
from surefit.estimators.kinds.labels import encode_labels
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.regressors import kernel_ball
from surefit.guarantee.theorems.training_rows import TrainingSet, kernel_settings
from surefit.kernels.kernel import Kernel
from surefit.objective.loss import Loss
from surefit.objective.regression import Squared
from surefit.objective.words import loss_named
from surefit.parameters import modest_targets
from surefit.selection.folds import CV
from surefit.solvers.kernel.limits import LANDMARKS
from surefit.theory.certificates.training_set import Designated


def _classifies(model: Any) -> bool:
    return _targets_of(model) in ("signs", "classes")


def _targets_of(model: Any) -> str:
    """The kind of targets of the model's loss; real ones for what is no loss, which `fit` refuses."""
    try:
        return "real" if model.loss is None else loss_named(model.loss).targets
    except ValueError:
        return "real"


class KernelERM(KernelRiskOfBlocks, KernelRisk):
    """Regularised risk over functions: minimise ``mean(loss(y_i, f(x_i) + b)) + lam * ||f||**2``.  Catalogue A-17.

    By the representer theorem the minimiser is ``f = sum_j dual_coef_j k(x_j, .)``: the penalty grows strictly with the
    norm, so every minimiser is of that form (Catalogue T-68, E-058), and ``||f||**2 = a'K a`` (Catalogue P-04).
    ``Squared()`` is kernel ridge regression, ``Logistic()`` is `KernelLogistic`.

    A regressor for losses of real targets, a classifier for losses of labels.

    Parameters
    ----------
    loss : a convex and smooth ``Loss``, yours included; ``None``: ``Squared()``; a word: ``"squared"``,
        ``"huber"`` or ``"logistic"``.  Losses with kinks are refused.
    kernel, lam, lams, criterion, cv, select, fit_intercept, solver, n_landmarks, memory, random_state : as in
        `KernelLogistic`;
        for real targets the folds are plain ones.

    Attributes
    ----------
    kernel_, points_, dual_coef_, intercept_, lam_, selection_, lam_path_, criterion_path_, criterion_se_, lam_min_,
        lam_1se_, solution_ : as in `KernelLogistic`.  classes_ : the labels, if it classifies.

    >>> from surefit.kernels import Gaussian
    >>> model = KernelERM(Squared(), Gaussian(1.0), lam=0.1).fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5])
    >>> model.dual_coef_.round(8)
    array([-1.81247936,  1.60146067, -2.11854841,  2.3295671 ])
    """

    def __init__(  # noqa: PLR0913  the objective, the choice of lam, and what may be spent
        self,
        loss: Loss | str | None = None,
        kernel: Kernel | str | None = None,
        lam: float | None = None,
        *,
        lams: Any = None,
        criterion: str = "cv",
        cv: Any = CV,
        select: str = "min",
        fit_intercept: bool = True,
        solver: str = "auto",
        n_landmarks: int = LANDMARKS,
        memory: float | None = None,
        random_state: Any = 0,
    ):
        self.loss = loss
        self.kernel = kernel
        self.lam = lam
        self.lams = lams
        self.criterion = criterion
        self.cv = cv
        self.select = select
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.n_landmarks = n_landmarks
        self.memory = memory
        self.random_state = random_state

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> KernelERM:
        """Fit to ``X`` (n, d) and ``y`` (n,): numbers, or labels of any kind for a loss of labels."""
        loss = self._loss()
        design, y = self._validated(X, y, sample_weight)
        targets, n_classes = self._targets(loss, design, y)
        self._minimise(design, targets, loss, n_classes)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The value of the function, a probability for a loss of probabilities, or a label for a loss of labels."""
        if not _classifies(self):
            scores = self._scores(X)
            return expit(scores) if self._loss().targets == "probabilities" else scores
        scores = self.decision_function(X)
        return labels_of_scores(self.classes_, scores)

    @available_if(_classifies)
    def decision_function(self, X: Any) -> np.ndarray:
        """``f(x) + b``: (n,), positive for the second of two classes; (n, k) for more, the largest score wins."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 2 else scores

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of the labels, or the share ``R**2`` of the variance that is explained."""
        judge = accuracy_score if _classifies(self) else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))

    def _designated(self, rows: TrainingSet) -> Designated:
        violated = kernel_settings(self._kernel(), self.kernel_)
        if not _classifies(self):
            power = 2 if isinstance(self._loss(), Squared) else 1
            return kernel_ball(rows, self._function(), power, violated)
        return self._designated_by_margin(rows, self._loss().targets == "signs")

    def _loss(self) -> Loss:
        loss = Squared() if self.loss is None else loss_named(self.loss)
        if not (loss.convex and loss.smooth):
            raise ValueError(
                f"{loss!r} is not convex and smooth, which Newton's method needs; use SVR or SVC for tubes and hinges, "
                "Huber(threshold) with a small threshold instead of the absolute loss"
            )
        return loss

    def _targets(self, loss: Loss, design: Design, y: Any) -> tuple[np.ndarray, int]:
        """The targets as the loss takes them, and the number of classes."""
        if not _classifies(self):
            targets = np.asarray(y, dtype=np.float64)
            loss.check_targets(modest_targets(targets[design.weight > 0]))
            return targets, 1
        self.classes_, codes = encode_labels(y, design.weight)
        if loss.targets == "classes":
            return codes, len(self.classes_)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass, and "
                f"{loss!r} tells two classes apart; use KernelLogistic, or SoftmaxCrossEntropy()"
            )
        return 2.0 * codes - 1, 2

    def _outputs(self, n_classes: int) -> int | None:
        return n_classes if self._loss().targets == "classes" else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if _classifies(self):
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(multi_class=_targets_of(self) == "classes")
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags
