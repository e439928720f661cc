"""Layer estimators: `SVR`, regression by the points on or outside a tube; and rules of thumb for its parameters."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from surefit.data.scale import weighted_median
from surefit.data.tables import validate_data
from surefit.estimators.kinds.support_vectors import SupportVectorModel, linear_coefficients
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.regressors import support_vector_tube
from surefit.guarantee.theorems.training_rows import TrainingSet, broken
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Linear
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.parameters import modest_targets
from surefit.selection.folds import CV, folds_of
from surefit.selection.support_vectors import Pairing
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.theory.certificates.training_set import Designated

LOSSES: dict[str, type[EpsilonInsensitive] | type[QuadraticEpsilonInsensitive]] = {
    "epsilon-insensitive": EpsilonInsensitive,
    "quadratic": QuadraticEpsilonInsensitive,
}


class SVR(RegressorMixin, SupportVectorModel):
    """Minimise ``mean(loss(y, f(x) + b)) + lam * ||f||**2`` where residuals up to ``epsilon`` cost nothing.

    ``f(x) = sum_i dual_coef_[i] k(x_i, x)`` over the support vectors: the points on or outside the tube ``|y - f| <=
    epsilon`` (only those outside, for the quadratic loss).  Catalogue A-18, A-19, A-21, T-73, P-04, C-10.

    scikit-learn's and LIBSVM's ``C`` is ``1 / (2 n lam)``: ``convert_lambda(C, "sklearn.SVR", n)``.

    Parameters
    ----------
    kernel : a `Kernel` or a word as in `KernelRidge`; ``None``: ``Gaussian("median")``.  ``Linear()`` with many rows is
        solved for its coefficients.
    lam : penalty, ``> 0``.  ``None``: the least cross-validated loss on ``lams``.
    epsilon : half-width of the tube, in the units of ``y``.  ``None``: a tenth of the mean distance of ``y`` from its
        median (from 0 without an offset), so that other units of ``y`` change nothing; ``epsilon_`` says what that was.
        See also `surefit.tube_heuristics`.
    lams : grid to choose from; ``None``: half-decades from where hardly anything is fitted down, until the loss has
        risen again or the penalty no longer matters.  Candidates are solved roughly, from one ``lam`` to the next on a
        Gram matrix that all folds share (up to 8,000 rows).
    criterion : ``"cv"``, the loss on held-out folds, is all there is.
    cv : number of shuffled folds (equal rows stay together), or a scikit-learn splitter, or an iterable of splits.
    select : ``"min"``: the minimiser of the criterion; ``"one_se"``: the largest ``lam`` within one standard error.
    loss : ``"epsilon-insensitive"``, ``max(|y - f| - epsilon, 0)``, or ``"quadratic"``, its square.
    fit_intercept : learn the offset ``b``, never penalised.
    max_violation : largest violation of the optimality conditions at which to stop, as a share of the mean distance
        of ``y`` from its median.
    max_iter : two-variable steps; ``None``: ten million, or 100 for each row.
    time_limit : seconds of the search once ``lam`` is chosen, the evaluation of its gap included; ``None``: no
        limit.  Rungs take as many points as there is time for.  With a limit a linear kernel is solved in steps, too.
    memory : bytes of the largest Gram matrix of active points; ``None``: half of the machine's.
    random_state : seed of the folds and of the rows that ``certify`` holds out.

    A fit that ends at a limit warns, and is a feasible point with an honest gap.

    Attributes
    ----------
    support_ : rows of the training data with a nonzero weight.  support_vectors_, dual_coef_ : these rows and weights.
    intercept_ : float; intercept_interval_ : all optimal offsets, longer than a point if no support vector lies inside
        its bounds (then the midpoint is taken).  coef_ : (d,), for the kernel ``Linear()`` only.
    kernel_, lam_, epsilon_ : what was used.  selection_ : the `Selection`, or None if ``lam`` was given; lam_path_,
        criterion_path_, criterion_se_, lam_min_, lam_1se_ : its grid, the loss on it with its standard error, both
        choices.  solution_ : status, gap, objective, violation.  n_iter_ : steps.
        A linear fit of many rows has no ``dual_coef_``: its ``support_`` are the rows on or outside the tube.

    >>> from surefit.kernels import Linear
    >>> X, y = [[0.0], [1.0]], [0.0, 1.0]
    >>> model = SVR(Linear(), lam=0.5, epsilon=0.1, max_violation=1e-9).fit(X, y)                          # C = 0.5
    >>> model.coef_.round(6).tolist(), round(model.intercept_, 6), [round(b, 6) for b in model.intercept_interval_]
    ([0.5], 0.25, [0.1, 0.4])
    """

    _title = "Support vector regression"

    def __init__(  # noqa: PLR0913  the hyper-parameters of scikit-learn estimators are arguments
        self,
        kernel: Kernel | str | None = None,
        lam: float | None = None,
        epsilon: float | None = None,
        *,
        loss: str = "epsilon-insensitive",
        lams: Any = None,
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
        self.epsilon = epsilon
        self.loss = loss
        self.lams = lams
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
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None) -> "SVR":
        """Fit to ``X`` (n, d), dense or sparse if the kernel takes it, and ``y`` (n,)."""
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}; got {self.loss!r}")
        X, y = validate_data(self, X, y, y_numeric=True, **self._accepted())
        design, rows, counted = self._prepare(X, sample_weight)
        y = np.asarray(y, dtype=np.float64)
        target, offset = modest_targets(y[counted]), bool(self.fit_intercept)
        self.epsilon_ = tenth_of_spread(target, rows.weight, offset) if self.epsilon is None else self.epsilon
        loss = LOSSES[self.loss](self.epsilon_)
        problem = SupportVectorProblem(self.kernel_, rows.X, target, rows.weight, loss, 1.0, offset)
        folds = lambda: folds_of(design, y, self.cv, self.random_state)
        self._choose(problem, [Pairing(np.arange(rows.n), target)], folds)
        problem = replace(problem, lam=self.lam_)
        self._solve_and_publish(problem, counted, X.dtype)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """``f(x) + b`` for the rows of ``X``, shape ``(n,)``, in tiles and in the precision of ``X``."""
        return self._scores(X)

    def _designated(self, rows: TrainingSet) -> Designated:
        """Compression; where the offset is free within an interval, two more rows count (see `svr_tube_bound`)."""
        slack = self.max_violation * (float(np.mean(np.abs(rows.y - np.median(rows.y)))) or 1.0)
        free = self.intercept_interval_[1] - self.intercept_interval_[0] > slack
        violated = self._violated(self.solution_)
        if self.epsilon is None:
            reason = "epsilon was taken from the same rows, and compression needs it fixed; give epsilon"
            violated += (broken("epsilon was fixed before these rows were seen", reason),)
        return support_vector_tube(rows, float(self.epsilon_), len(self.support_), slack, free, violated)

    def _solve_and_publish(self, problem: SupportVectorProblem, counted: np.ndarray, answer_type: Any) -> None:
        """Solve and publish."""
        for name in ("coef_", "dual_coef_"):
            self.__dict__.pop(name, None)
        solution, coef = self._solve(problem)
        if coef is None:
            inside = np.flatnonzero(solution.coef)
            self.dual_coef_ = solution.coef[inside]
            if isinstance(self.kernel_, Linear):
                coef = linear_coefficients(problem.X[inside], self.dual_coef_)
        else:
            size = np.abs(problem.y - problem.X @ coef - solution.intercept)
            inside = np.flatnonzero(size >= problem.tube - self.max_violation * problem.spread)
        if coef is not None:
            self.coef_ = coef.astype(answer_type)
        self.support_, self.support_vectors_ = counted[inside], problem.X[inside]
        self.intercept_, self.solution_ = float(solution.intercept), solution
        self.intercept_interval_ = solution.facts["intercept_interval"]
        self.n_iter_ = max(solution.n_iter, 1)
        self._warn(solution)


def tenth_of_spread(y: np.ndarray, weight: np.ndarray, offset: bool) -> float:
    """A tenth of the weighted mean distance of the targets from their median, or from 0 without an offset.

    0.1 in the units of targets that are all equal.

    >>> tenth_of_spread(np.array([0.0, 10.0, 20.0]), np.ones(3), True)
    0.6666666666666667
    """
    level = weighted_median(y, weight) if offset else 0.0
    return 0.1 * (float(np.average(np.abs(y - level), weights=weight)) or 1.0)


def tube_heuristics(y: Any) -> dict[str, float]:
    """Two readings of "``epsilon`` near the average difference of the targets".  Catalogue S-06.

    ``"pairs"`` is the mean of ``|y_i - y_j|`` over all pairs, ``"successive"`` the mean difference of neighbours in the
    order given.  Both are starting points for a search, and usually too wide.

    >>> found = tube_heuristics([3.0, 2, 1, 4, 7, 6])
    >>> {name: round(value, 6) for name, value in found.items()}
    {'pairs': 2.866667, 'successive': 1.8}
    """
    y = np.asarray(y, dtype=np.float64)
    if y.ndim != 1 or len(y) < 2 or not np.all(np.isfinite(y)):
        raise ValueError(
            f"need at least two finite targets (n,), got shape {y.shape}; there is no difference otherwise"
        )
    n = len(y)
    pairs = 2 * float(np.sort(y) @ (2 * np.arange(n) - n + 1)) / (n * (n - 1))
    return {"pairs": pairs, "successive": float(np.mean(np.abs(np.diff(y))))}
