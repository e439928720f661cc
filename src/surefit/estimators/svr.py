"""Layer estimators: `SVR`, regression by the points on or outside a tube; and rules of thumb for its parameters."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from surefit.data.tables import validate_data
from surefit.estimators.kinds.support_vectors import SupportVectorModel, linear_coefficients
from surefit.guarantee.certifiable import certifiable
from surefit.guarantee.theorems.regressors import support_vector_tube
from surefit.guarantee.theorems.training_rows import TrainingSet
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Linear
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.parameters import modest_targets
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
    lam : penalty, ``> 0``.  ``None``: the rule of thumb ``C = max|y - mean(y)| / mean(k(x, x))`` (S-06), without
        the first factor for the quadratic loss: other units of ``y`` change nothing.  Better is cross-validation.
    epsilon : half-width of the tube, in the units of ``y``.  See `surefit.tube_heuristics`.
    loss : ``"epsilon-insensitive"``, ``max(|y - f| - epsilon, 0)``, or ``"quadratic"``, its square.
    fit_intercept : learn the offset ``b``, never penalised.
    tol : largest violation of the optimality conditions, as a share of the mean distance of ``y`` from its median.
    max_iter : two-variable steps; ``None``: ten million, or 100 for each row.
    time_limit : seconds of the search once the rows are checked, the evaluation of its gap included; ``None``: no
        limit.  Rungs take as many points as there is time for.  With a limit a linear kernel is solved in steps, too.
    memory : bytes of the largest Gram matrix of active points; ``None``: half of the machine's.

    A fit that ends at a limit warns, and is a feasible point with an honest gap.

    Attributes
    ----------
    support_ : rows of the training data with a nonzero weight.  support_vectors_, dual_coef_ : these rows and weights.
    intercept_ : float; intercept_interval_ : all optimal offsets, longer than a point if no support vector lies inside
        its bounds (then the midpoint is taken).  coef_ : (d,), for the kernel ``Linear()`` only.
    kernel_, lam_ : what was used.  solution_ : status, gap, objective, violation.  n_iter_ : steps.
        A linear fit of many rows has no ``dual_coef_``: its ``support_`` are the rows on or outside the tube.

    >>> from surefit.kernels import Linear
    >>> X, y = [[0.0], [1.0]], [0.0, 1.0]
    >>> model = SVR(Linear(), lam=0.5, tol=1e-9).fit(X, y)                                       # C = 0.5
    >>> model.coef_.round(6).tolist(), round(model.intercept_, 6), [round(b, 6) for b in model.intercept_interval_]
    ([0.5], 0.25, [0.1, 0.4])
    """

    _title = "Support vector regression"

    def __init__(  # noqa: PLR0913  the hyper-parameters of scikit-learn estimators are arguments
        self,
        kernel: Kernel | str | None = None,
        lam: float | None = None,
        epsilon: float = 0.1,
        *,
        loss: str = "epsilon-insensitive",
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int | None = None,
        time_limit: float | None = None,
        memory: float | None = None,
    ):
        self.kernel = kernel
        self.lam = lam
        self.epsilon = epsilon
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory = memory

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> "SVR":
        """Fit to ``X`` (n, d), dense or sparse if the kernel takes it, and ``y`` (n,)."""
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}; got {self.loss!r}")
        loss = LOSSES[self.loss](self.epsilon)
        X, y = validate_data(self, X, y, y_numeric=True, **self._accepted())
        rows, counted = self._prepare(X, sample_weight)
        target = modest_targets(np.asarray(y, dtype=np.float64)[counted])
        level = np.average(target, weights=rows.weight) if self.fit_intercept else 0.0
        spread = float(np.max(np.abs(target - level))) if self.loss == "epsilon-insensitive" else 1.0
        self.lam_ = self._settled_lam(rows, spread)
        problem = SupportVectorProblem(
            self.kernel_, rows.X, target, rows.weight, loss, self.lam_, bool(self.fit_intercept)
        )
        self._solve_and_publish(problem, counted, X.dtype)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """``f(x) + b`` for the rows of ``X``, shape ``(n,)``, in tiles and in the precision of ``X``."""
        return self._scores(X)

    def _designated(self, rows: TrainingSet) -> Designated:
        """Compression; where the offset is free within an interval, two more rows count (see `svr_tube_bound`)."""
        slack = self.tol * (float(np.mean(np.abs(rows.y - np.median(rows.y)))) or 1.0)
        free = self.intercept_interval_[1] - self.intercept_interval_[0] > slack
        violated = self._violated(self.solution_)
        return support_vector_tube(rows, float(self.epsilon), len(self.support_), slack, free, violated)

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
            inside = np.flatnonzero(size >= problem.tube - self.tol * problem.spread)
        if coef is not None:
            self.coef_ = coef.astype(answer_type)
        self.support_, self.support_vectors_ = counted[inside], problem.X[inside]
        self.intercept_, self.solution_ = float(solution.intercept), solution
        self.intercept_interval_ = solution.facts["intercept_interval"]
        self.n_iter_ = max(solution.n_iter, 1)
        self._warn(solution)


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
