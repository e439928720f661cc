"""Layer estimators: `OnlineSVR`, support vector regression on a stream, with any kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surefit.estimators.online.protocol import OnlineModel
from surefit.guarantee.certifiable import certifiable
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Linear, kernel_named
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.parameters import positive, whole
from surefit.solvers.online.dual import DualSettings, DualState, dual_passes

LOSSES = {"epsilon-insensitive": EpsilonInsensitive, "quadratic": QuadraticEpsilonInsensitive}


class OnlineSVR(RegressorMixin, OnlineModel):
    """Support vector regression, one row at a time, in the dual: ``f(x) = sum_s w_s k(x_s, x)``.  Catalogue A-39.

    Each row is predicted; if it lies outside the tube it gets a weight, a step along the dual kept in its box, and is
    remembered.  `fit` with many ``passes`` over the same rows reaches the batch answer of
    ``SVR(kernel, lam=1 / (2 * n * row_weight), epsilon, fit_intercept=False)``.

    There is no free intercept: in the dual it asks the weights of all rows to sum to zero, so that none could move by
    itself.  ``Polynomial(1)``, the kernel ``x'z + 1``, has an offset, ``dual_coef_.sum()``, which is penalised like
    every other weight; targets far from zero are better centred first.

    Parameters
    ----------
    kernel : a `Kernel` with its parameters given (a stream has no rows to take the median distance of) or a word;
        ``None``: ``Linear()``.
    row_weight : weight of the loss of each row against ``||f||**2 / 2``, ``> 0``: LIBSVM's ``C``, and the largest
        weight of a row for the linear tube.
    epsilon : half-width of the tube, in the units of ``y``.
    loss : ``"epsilon-insensitive"``, ``max(|y - f| - epsilon, 0)``, or ``"quadratic"``, its square.
    step : length of a step along the dual; ``None``: ``1 / k(x, x)``, the best for a row by itself.
    budget : the most rows that are remembered; ``None``: all that got a weight.  Beyond it the row with the smallest
        ``|w_s| sqrt(k(x_s, x_s))`` is forgotten: ``removed_`` counts them, and the sum of these terms,
        ``removed_norm_``, times ``sqrt(k(x, x))`` bounds what that has changed in ``f(x)`` directly.
    passes : how often `fit` sweeps over its rows; ``partial_fit`` and ``learn_one`` see each row once.  More than one
        holds a Gram matrix of all rows, and needs ``budget=None``.
    bad_rows, missing, farthest : as for `OnlineRegressor`.

    Attributes
    ----------
    support_vectors_, dual_coef_ : the rows remembered and their weights.  coef_ : (d,), for the kernel ``Linear()``
        only.  rows_, mean_loss_, skipped_, waiting_, removed_, removed_norm_ : what was counted.

    >>> from surefit.kernels import Gaussian
    >>> x = np.linspace(0, 6, 300)[:, None]
    >>> order = np.random.default_rng(0).permutation(300)
    >>> model = OnlineSVR(Gaussian(1.0), epsilon=0.05).partial_fit(x[order], np.sin(x[order, 0]))
    >>> bool(np.max(np.abs(model.predict(x) - np.sin(x[:, 0]))) < 0.1), len(model.dual_coef_) < 100
    (True, True)
    """

    fit_intercept = False

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        kernel: Kernel | str | None = None,
        row_weight: float = 1.0,
        epsilon: float = 0.1,
        *,
        loss: str = "epsilon-insensitive",
        step: float | None = None,
        budget: int | None = None,
        passes: int = 1,
        bad_rows: str = "raise",
        missing: str = "raise",
        farthest: float = 1e4,
    ):
        self.kernel = kernel
        self.row_weight = row_weight
        self.epsilon = epsilon
        self.loss = loss
        self.step = step  # type: ignore[assignment]  # None lets the kernel decide
        self.budget = budget
        self.passes = passes
        self.bad_rows = bad_rows
        self.missing = missing
        self.farthest = farthest

    @certifiable
    def fit(self, X: Any, y: Any, *, certify: float | None = None, random_state: Any = None) -> Any:
        """Start anew and learn from ``X`` (n, d) and ``y`` (n,) in order, ``passes`` times."""
        self._restart()
        passes = whole("passes", self.passes, "1 sees each row once")
        if passes == 1:
            self._learn(X, y)
            return self
        if self.budget is not None:
            raise ValueError("passes > 1 sweeps over all rows, so that none may be forgotten; leave budget None")
        block = self._checked_block(X, y)
        rows, targets = block.rows, block.targets
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        self._learn(rows, targets)  # counts, and refuses what cannot be learnt from
        self._sweep(rows, targets, passes)
        return self

    def _sweep(self, rows: np.ndarray, targets: np.ndarray, passes: int) -> None:
        state = self._state
        good = np.isfinite(targets) & np.all(np.isfinite(rows), axis=1)
        up, down = dual_passes(state.settings.kernel.gram(rows[good]), targets[good], state.settings, passes)
        used = np.flatnonzero(up != down)
        reach = state.settings.kernel.diag(rows[good])
        state.points, state.kept = rows[good][used].copy(), len(used)
        state.multipliers = np.column_stack([up, down, reach])[used]

    def predict(self, X: Any) -> np.ndarray:
        """``sum_s w_s k(x_s, x)``, shape (n,)."""
        rows = self._new_rows(X)
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        state = self._state
        if state.kept == 0:
            return np.zeros(dense.shape[0], dtype=dense.dtype)
        found = state.settings.kernel.times(dense, state.points[: state.kept], state.weights)
        return np.asarray(found).astype(dense.dtype, copy=False)

    @property
    def support_vectors_(self) -> np.ndarray:
        """The rows remembered, (m, d)."""
        return self._counted().points[: self._counted().kept].copy()

    @property
    def dual_coef_(self) -> np.ndarray:
        """Their weights, (m,)."""
        return self._counted().weights.copy()

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the columns, for the linear kernel."""
        state = self._counted()
        if not isinstance(state.settings.kernel, Linear):
            raise AttributeError("coefficients of columns exist for the kernel Linear() only; see dual_coef_")
        return state.weights @ state.points[: state.kept] if state.kept else np.zeros(state.width)

    @property
    def removed_(self) -> int:
        """Rows that the budget made it forget."""
        return self._counted().removed

    @property
    def removed_norm_(self) -> float:
        """The sum of ``|w_s| sqrt(k(x_s, x_s))`` over the rows that were forgotten."""
        return self._counted().removed_norm

    def _new_state(self, width: int) -> DualState:
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}; got {self.loss!r}")
        kernel = Linear() if self.kernel is None else kernel_named(self.kernel)
        if "'median'" in repr(kernel):
            raise ValueError(
                f"{kernel!r} takes its bandwidth from rows, which a stream does not have at its start; give the "
                "bandwidth as a number, such as Gaussian(1.0)"
            )
        weight = positive("row_weight", self.row_weight, "it weighs the loss of each row")
        step = None if self.step is None else positive("step", self.step, "leave it None for 1 / k(x, x)")
        budget = None if self.budget is None else whole("budget", self.budget, "None remembers every row it needs")
        settings = DualSettings(kernel, LOSSES[self.loss](self.epsilon), weight, step, budget, **self._check_rows())
        return DualState(settings, width, points=np.zeros((0, width)))

    def _number_of(self, y: Any) -> float:
        try:
            return self._not_a_number(y) if isinstance(y, str | bytes) else float(y)
        except (TypeError, ValueError):
            return self._not_a_number(y)

    def _answer(self, score: float) -> float:
        return score

    def _new_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return super()._new_rows(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # one pass over a few rows is not a fit
        return tags
