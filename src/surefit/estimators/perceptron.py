"""Layer estimators: `Perceptron` and `KernelPerceptron`."""

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from surefit.data.tables import validate_data
from surefit.estimators.kinds.kernel import kernel_or_default
from surefit.estimators.kinds.planned import Planned
from surefit.estimators.kinds.two_classes import LinearTwoClass, TwoClassClassifier
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.classifiers import kernel_classifier, perceptron_run
from surefit.guarantee.theorems.training_rows import KernelFunction, TrainingSet, kernel_settings
from surefit.kernels.kernel import Kernel
from surefit.page import Fact
from surefit.parameters import whole
from surefit.selection.settle import settled
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.halfspaces.perceptron import PerceptronRun, kernel_perceptron, perceptron
from surefit.solvers.halfspaces.plan import epochs_plan, kernel_epochs_plan
from surefit.solvers.halfspaces.separability import is_separable, max_margin
from surefit.theory.certificates.certificate import Assumption
from surefit.theory.certificates.training_set import Designated

ORDERS = ("cyclic", "random")
WEIGHTS = ("last", "mean")
VISITS = "one row at a time is visited, and added to the weights if it is wrong"


class Perceptron(LinearTwoClass):
    """Add ``t x`` to the weights for every row on the wrong side, until none is.  Catalogue A-33, A-34.

    Finds a separating hyperplane if there is one, after at most ``(longest row / margin)**2`` updates (T-56; see
    `convergence_bound`).  If there is none it never settles: take ``weights="mean"``, or `LogisticRegression`, or
    `min_disagreement` for the fewest mistakes.  Two classes; no sample weights, because the order of the rows matters
    and a repeated row is not a heavier one.

    Parameters
    ----------
    order : ``"cyclic"``: rows in order until an epoch is clean.  ``"random"``: rows drawn with replacement, which is
        stochastic subgradient descent on the perceptron loss with step 1; stops when all rows are right.
    weights : ``"last"``, or ``"mean"`` over all visits of a row (averaged perceptron), which is steadier on data that
        are not separable.
    sign_zero : ``None``: a score of 0 is a mistake for either label while learning and means ``classes_[0]`` in
        `predict`; the result separates strictly.  -1 or +1: a score of 0 counts as ``classes_[0]`` or ``classes_[1]``,
        in learning and in `predict`.
    fit_intercept : learn an intercept as the weight of a constant feature 1, so it counts in the length of the rows.
    max_epochs : passes over the data at most.
    random_state : seed of ``order="random"`` and of the rows that ``certify`` holds out.

    Attributes
    ----------
    coef_ : (1, d).  intercept_ : (1,).  classes_ : the two labels; positive scores mean the second.
    n_updates_ : updates made.  n_iter_ : epochs, the clean one included.  converged_ : whether every row is right.
    mistakes_ : (n,), how often each row caused an update: ``coef_ = (mistakes_ * t) @ X`` for the last weights.

    >>> corners, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]
    >>> model = Perceptron().fit(corners, y)
    >>> model.coef_, model.intercept_, model.n_updates_, round(model.convergence_bound(corners, y), 9)
    (array([[3., 2.]]), array([-4.]), 18, 51.0)
    """

    _title = "Perceptron"

    def __init__(
        self,
        order: str = "cyclic",
        weights: str = "last",
        *,
        sign_zero: int | None = None,
        fit_intercept: bool = True,
        max_epochs: int = 1000,
        random_state: Any = 0,
    ):
        self.order = order
        self.weights = weights
        self.sign_zero = sign_zero
        self.fit_intercept = fit_intercept
        self.max_epochs = max_epochs
        self.random_state = random_state

    def _planned(self, shape: Shape) -> Plan:
        return epochs_plan(shape, "perceptron", whole("max_epochs", self.max_epochs, "1000 is the default"))

    def _solver_and_reason(self) -> tuple[str, str]:
        return "perceptron", VISITS

    def _ended(self) -> str:
        return _how_it_ended(self)

    @certifiable
    def fit(self, X: Any, y: Any, *, certify: float | None = None) -> "Perceptron":
        """Fit to ``X`` (n, d), dense or sparse, and two classes ``y`` (n,)."""
        X, t, answer_type = self._validated(X, y)
        run = perceptron(
            X,
            t,
            fit_intercept=bool(self.fit_intercept),
            sign_zero=self.sign_zero,
            draws=order_of(self),
            max_epochs=whole("max_epochs", self.max_epochs, "1000 is the default"),
        )
        averaged = self.weights == "mean"
        coef = run.mean_coef if averaged else run.coef
        self._publish(coef, run.mean_intercept if averaged else run.intercept, answer_type)
        _publish_run(self, run)
        return self

    def _facts(self) -> list[Fact]:
        ended = "yes" if self.converged_ else "no"
        return [*super()._facts(), ("Updates", f"{self.n_updates_:,}"), ("Every row is right", ended)]

    def _designated(self, rows: TrainingSet) -> Designated:
        return swept(self, rows, ()) if one_sweep(self) else super()._designated(rows)

    def convergence_bound(self, X: Any, y: Any) -> float:
        """The most updates that any order of these rows can cause: ``||u||**2 * max ||x||**2``.  Catalogue T-56, T-57.

        ``u`` is the shortest vector with ``t u . x >= 1``, the constant feature included if there is an intercept.
        Infinite if the classes are not separable.  Tight: orthonormal rows attain it.
        """
        check_is_fitted(self)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=False)
        unknown = ~np.isin(np.asarray(y), self.classes_)
        if np.any(unknown):
            raise ValueError(
                f"y holds {np.asarray(y)[unknown][0]!r}, and the classes of the model are {self.classes_.tolist()}; "
                "leave other labels out"
            )
        rows = X.toarray() if sparse.issparse(X) else X
        if self.fit_intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
        t = np.where(np.asarray(y) == self.classes_[1], 1, -1)
        return max_margin(rows, t).perceptron_bound if is_separable(rows, t, fit_intercept=False) else np.inf


class KernelPerceptron(Planned, TwoClassClassifier):
    """The perceptron in the feature space of a kernel: ``f(x) = sum_i c_i k(x_i, x)``.  Catalogue A-33.

    Each row that is wrong gets ``t`` added to its weight ``c_i``; rows that never were wrong are forgotten.  Memory
    grows with the number of rows times that of the rows that caused an update.  `Perceptron` says the rest.

    Parameters
    ----------
    kernel : a `Kernel`; ``None``: ``Gaussian("median")``.
    order, weights, sign_zero, max_epochs, random_state : as for `Perceptron`.
    fit_intercept : add 1 to the kernel.

    Attributes
    ----------
    dual_coef_ : (1, m), the weights of the rows that caused updates.  support_ : their indices.
    support_vectors_ : (m, d), those rows.  kernel_ : the kernel, settled for the data.
    n_updates_, n_iter_, converged_, mistakes_, classes_ : as for `Perceptron`.

    >>> from surefit.kernels import Polynomial
    >>> corners, xor = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> KernelPerceptron(Polynomial(degree=2)).fit(corners, xor).predict(corners)
    array([0, 1, 1, 0])
    """

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        *,
        order: str = "cyclic",
        weights: str = "last",
        sign_zero: int | None = None,
        fit_intercept: bool = True,
        max_epochs: int = 1000,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.order = order
        self.weights = weights
        self.sign_zero = sign_zero
        self.fit_intercept = fit_intercept
        self.max_epochs = max_epochs
        self.random_state = random_state

    def _planned(self, shape: Shape) -> Plan:
        return kernel_epochs_plan(shape, whole("max_epochs", self.max_epochs, "1000 is the default"))

    def _solver_and_reason(self) -> tuple[str, str]:
        return "kernel perceptron", VISITS

    def _ended(self) -> str:
        return _how_it_ended(self)

    @certifiable
    def fit(self, X: Any, y: Any, *, certify: float | None = None) -> "KernelPerceptron":
        """Fit to ``X`` (n, d) and two classes ``y`` (n,)."""
        X, t, answer_type = self._validated(X, y)
        self._check_sign_zero((None, -1, 1))
        self.kernel_ = settled([kernel_or_default(self.kernel)], X, np.ones(X.shape[0]), self)[0]
        run = kernel_perceptron(
            lambda i: self.kernel_.block(X[i : i + 1], X)[0] + float(bool(self.fit_intercept)),
            t,
            sign_zero=self.sign_zero,
            draws=order_of(self),
            max_epochs=whole("max_epochs", self.max_epochs, "1000 is the default"),
        )
        weights = run.mean_coef if self.weights == "mean" else run.coef
        self.support_ = np.flatnonzero(run.mistakes)
        self.support_vectors_ = X[self.support_].astype(answer_type, copy=False)
        self.dual_coef_ = weights[self.support_].astype(answer_type)[None]
        _publish_run(self, run)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """``sum_i c_i k(x_i, x)`` for each row, shape (n,); positive for ``classes_[1]``."""
        X = self._new_rows(X)
        weights = self.dual_coef_[0].astype(np.float64)
        scores = self.kernel_.times(X, self.support_vectors_, weights)
        return (scores + weights.sum() * bool(self.fit_intercept)).astype(X.dtype, copy=False)

    def _designated(self, rows: TrainingSet) -> Designated:
        violated = kernel_settings(kernel_or_default(self.kernel), self.kernel_)
        if one_sweep(self):
            return swept(self, rows, violated)
        coef, offset = self.dual_coef_[0], bool(self.fit_intercept)
        function = KernelFunction.of(self.kernel_, self.support_vectors_, coef, coef.sum(), offset)
        return kernel_classifier(rows, function, self._signs(rows.y) * self.decision_function(rows.given), violated)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = kernel_or_default(self.kernel).takes_sparse
        return tags


def order_of(model: Any) -> np.random.Generator | None:
    """None for rows in order, a seeded generator for rows drawn at random; refuses parameters that it does not know."""
    for name, known in (("order", ORDERS), ("weights", WEIGHTS)):
        if getattr(model, name) not in known:
            raise ValueError(f"{name} must be one of {known}, got {getattr(model, name)!r}; see the class docstring")
    if model.order == "cyclic":
        return None
    return np.random.default_rng(check_random_state(model.random_state).randint(2**31))


def one_sweep(model: Any) -> bool:
    """Whether rows that never were wrong left no trace: the last weights, from rows in their order."""
    return model.order == "cyclic" and model.weights == "last"


def swept(model: Any, rows: TrainingSet, violated: tuple[Assumption, ...]) -> Designated:
    """Compression for a run over the rows in their order."""
    if model.sign_zero is None:
        wrong = model._signs(rows.y) * model.decision_function(rows.given) <= 0
    else:
        wrong = rows.answers != rows.y
    return perceptron_run(rows, model.mistakes_, wrong, violated)


def _how_it_ended(model: Any) -> str:
    ended = "every row is right" if model.converged_ else "stopped at max_epochs while rows were wrong"
    return f"{ended}, after {model.n_updates_:,} updates in {model.n_iter_:,} epochs"


def _publish_run(model: Any, run: PerceptronRun) -> None:
    model.mistakes_, model.n_updates_, model.n_iter_ = run.mistakes, run.n_updates, run.n_epochs
    model.converged_ = run.converged
    if not run.converged and model.weights == "last":
        warnings.warn(
            f"{type(model).__name__} still makes mistakes after {run.n_epochs} epochs, as it always will on classes "
            "that are not separable; use weights='mean', raise max_epochs, or ask is_separable",
            ConvergenceWarning,
            stacklevel=4,
        )
