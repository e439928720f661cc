"""Layer estimators: `SVC`, classification by the hinge loss; several classes by a vote of pairs."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from surefit.data.design import Design
from surefit.data.scores import labels_of_scores
from surefit.data.tables import validate_data
from surefit.estimators.kinds.labels import class_weighted, encode_labels
from surefit.estimators.kinds.support_vectors import SupportVectorModel, linear_coefficients
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.classifiers import support_vector_classifier
from surefit.guarantee.theorems.training_rows import TrainingSet, broken
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Linear
from surefit.objective.margin import Hinge
from surefit.page import Fact
from surefit.selection.folds import CV, folds_of
from surefit.selection.support_vectors import Pairing
from surefit.solvers.solution import Solution
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.theory.certificates.training_set import Designated


class SVC(ClassifierMixin, SupportVectorModel):
    """Minimise ``mean(max(0, 1 - t (f(x) + b))) + lam * ||f||**2`` for labels ``t`` in {-1, +1}.  Catalogue F-10.

    With more than two classes there is one such problem for every pair of classes, on the rows of these two, and the
    mean is a sum over all ``n``; the class with most wins is predicted, larger scores break ties.  scikit-learn's and
    LIBSVM's ``C`` is ``1 / (2 n lam)``.  There are no probabilities: the hinge loss does not estimate any.

    Parameters
    ----------
    kernel, lams, criterion, cv, select, fit_intercept, max_iter, time_limit, memory, random_state : as in `SVR`;
        limits are for each pair, and folds spread the classes evenly.
    lam : penalty, ``> 0``.  ``None``: the least cross-validated soft error rate on ``lams``, averaged over pairs of
        classes: the mean of ``(1 - t f(x)) / 2`` held to [0, 1], which counts rows near the boundary in part.
    class_weight : ``None``, ``"balanced"`` or ``{label: factor}``; multiplies the sample weights.
    max_violation : largest violation of the optimality conditions at which to stop; margins are 1.

    Attributes
    ----------
    classes_ : (k,).  support_, support_vectors_ : rows that count in some pair.
    dual_coef_ : (pairs, number of support vectors), pairs (0, 1), (0, 2), ..., (1, 2), ...; a positive score is for the
        second class.  intercept_ : (pairs,).  coef_ : (pairs, d), for the kernel ``Linear()`` only (then many rows
        leave no ``dual_coef_``).
    solutions_ : one `Solution` a pair, at the scale of the mean over its rows.  kernel_, lam_, n_iter_ : what was used.
    selection_, lam_path_, criterion_path_, criterion_se_, lam_min_, lam_1se_ : as in `SVR`.

    >>> from surefit.kernels import Linear
    >>> model = SVC(Linear(), lam=0.01).fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[1.4], [1.6]]).tolist()
    ['low', 'high']
    """

    _title = "Support vector classification"

    def __init__(  # noqa: PLR0913  the hyper-parameters of scikit-learn estimators are arguments
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
        max_violation: float = 1e-3,
        max_iter: int | None = None,
        time_limit: float | None = None,
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
        self.max_violation = max_violation
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state

    @certifiable
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> "SVC":
        """Fit to ``X`` (n, d), dense or sparse if the kernel takes it, and labels ``y`` (n,) of any kind."""
        X, y = validate_data(self, X, y, **self._accepted())
        weight = Design.of(X, sample_weight).weight
        self.classes_, codes = encode_labels(y, weight)
        weight = class_weighted(self.class_weight, self.classes_, codes, weight)
        design, rows, counted = self._prepare(X, weight)
        signs, offset = np.zeros(rows.n), bool(self.fit_intercept)
        every = SupportVectorProblem(self.kernel_, rows.X, signs, rows.weight, Hinge(), 1.0, offset)
        pairings = [Pairing(*_of_pair(codes[counted], pair)) for pair in self._pairs()]
        folds = lambda: folds_of(design, codes, self.cv, self.random_state, labelled=True)
        self._choose(every, pairings, folds)
        fits = [self._fit_pair(every, rows.total_weight, pairing) for pairing in pairings]
        self._publish(rows.X, counted, fits, X.dtype)
        for solution in self.solutions_:
            self._warn(solution)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Two classes: the score ``(n,)``, positive for the second.  More: wins of every class, ``(n, k)``.

        To the wins of a class a number below 1/2 is added that grows with its scores, so that no two classes tie
        unless their scores do.
        """
        scores = self._scores(X)
        return self._votes(scores).astype(scores.dtype, copy=False) if len(self.classes_) > 2 else scores[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """The class of every row."""
        scores = self.decision_function(X)
        return labels_of_scores(self.classes_, scores)

    def _designated(self, rows: TrainingSet) -> Designated:
        """Compression on the smallest margin of each row; free offsets cost two rows each."""
        scores, codes = self._scores(rows.given), np.searchsorted(self.classes_, rows.y)
        margins = np.full(rows.n, np.inf)
        for column, (first, second) in zip(scores.T, self._pairs(), strict=True):
            signed = np.where(codes == second, column, np.where(codes == first, -column, np.inf))
            margins = np.minimum(margins, signed)
        intervals = [solution.facts["intercept_interval"] for solution in self.solutions_]
        free = sum(high - low > self.max_violation for low, high in intervals)
        n_support, violated = len(self.support_), self._violated(*self.solutions_)
        if self.class_weight is not None:
            violated += (broken("all rows count alike", "class_weight lets a row count by its class"),)
        return support_vector_classifier(rows, margins, n_support, self.max_violation, free, violated)

    def _solutions(self) -> Sequence[Solution]:
        return self.solutions_

    def _facts(self) -> list[Fact]:
        two = [("Positive scores mean", repr(self.classes_.tolist()[1]))] if len(self.classes_) == 2 else []
        return [*super()._facts(), *two]

    def _row_labels(self) -> tuple[str, ...]:
        return tuple(f"{self.classes_[b]} against {self.classes_[a]}" for a, b in self._pairs())

    def _pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.classes_)), 2))

    def _fit_pair(
        self, every: SupportVectorProblem, total: float, pairing: Pairing
    ) -> tuple[Solution, Any, np.ndarray, np.ndarray]:
        """The solution for two classes, its coefficients for columns (if found first), its rows and their signs."""
        mine, weight = pairing.rows, every.weight[pairing.rows]
        lam = self.lam_ * total / float(weight.sum())
        problem = replace(every, X=every.X[mine], y=pairing.y, weight=weight, lam=lam)
        return *self._solve(problem), mine, pairing.y

    def _publish(self, X: Any, counted: np.ndarray, fits: list, answer_type: Any) -> None:
        for name in ("coef_", "dual_coef_"):
            self.__dict__.pop(name, None)
        weights = np.zeros((len(fits), X.shape[0]))
        for row, (solution, coef, mine, signs) in zip(weights, fits, strict=True):
            row[mine] = solution.coef if coef is None else self._up_to_margin(solution, X[mine], signs)
        inside = np.flatnonzero(np.any(weights != 0, axis=0))
        self.support_, self.support_vectors_ = counted[inside], X[inside]
        if all(coef is None for _, coef, _, _ in fits):
            self.dual_coef_ = weights[:, inside]
        if isinstance(self.kernel_, Linear):
            coefs = [linear_coefficients(X[mine], s.coef) if coef is None else coef for s, coef, mine, _ in fits]
            self.coef_ = np.stack(coefs).astype(answer_type)
        self.solutions_ = tuple(solution for solution, *_ in fits)
        self.intercept_ = np.array([float(solution.intercept) for solution in self.solutions_])
        self.n_iter_ = max(1, sum(solution.n_iter for solution in self.solutions_))

    def _votes(self, scores: np.ndarray) -> np.ndarray:
        wins, confidence = np.zeros((2, len(scores), len(self.classes_)))
        for column, (first, second) in zip(scores.T, self._pairs(), strict=True):
            wins[:, second] += column > 0
            wins[:, first] += column <= 0
            confidence[:, second] += column
            confidence[:, first] -= column
        return wins + confidence / (3 * (np.abs(confidence) + 1))

    def _up_to_margin(self, solution: Solution, X: Any, signs: np.ndarray) -> np.ndarray:
        """1 for the rows whose margin ``t f(x)`` is 1 or less, to ``max_violation``, 0 for the others."""
        return (signs * (X @ solution.coef + solution.intercept) <= 1 + self.max_violation).astype(float)


def _of_pair(codes: np.ndarray, pair: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The rows of two classes, and +1 for those of the second."""
    mine = np.flatnonzero((codes == pair[0]) | (codes == pair[1]))
    return mine, np.where(codes[mine] == pair[1], 1.0, -1.0)
