"""Layer estimators: `OnlineRegressor` for any loss, and `WidrowHoff`, whose total loss has a bound on every stream."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from surefit.estimators.online.protocol import OnlineModel
from surefit.guarantee.certifiable import certifiable
from surefit.objective.loss import Loss
from surefit.objective.regression import Squared
from surefit.objective.words import loss_named
from surefit.parameters import switch
from surefit.solvers.online.state import LinearState, OnlineSettings
from surefit.solvers.online.triangle import StackedRows
from surefit.theory.bounds.online import Regret, gradient_regret_bound, tuned_widrow_hoff_step, widrow_hoff_bound
from surefit.theory.bounds.record import Bound


class OnlineRegressor(RegressorMixin, OnlineModel):
    """Follow the slope of a loss, one row at a time: ``w <- w - s_t * loss'(y, f(x)) * x``.  Catalogue A-26, A-08.

    Every row is predicted before its target is seen; ``mean_loss_`` is the mean loss of these predictions.  A constant
    step keeps moving around the best weights as long as there is noise (E-108): take ``schedule="sqrt"``, or
    ``weights="mean"``, to settle.

    Parameters
    ----------
    loss : a `Loss` of real targets or a word such as ``"huber"``; your own runs in plain Python, slower.
    step : length of a step; for the squared loss the slope is ``2 (f - y)``.
    schedule : ``"constant"``; ``"sqrt"``, ``step / sqrt(t)``; ``"adaptive"``, for every column in its own units
        ``step / (largest |x_j| * sqrt(sum of squared slopes))``.  A step that would overshoot a row of a smooth loss
        (``s_t * smoothness * ||x||**2 > 1``) is shortened to that limit; ``limited_`` counts these rows.
    weights : ``"last"``, or ``"mean"`` of all weights that predicted, for `predict` and ``coef_``.
    fit_intercept : learn an offset as the weight of a constant feature 1.
    bad_rows : ``"raise"`` or ``"skip"`` (and count) rows with NaN, infinity, text (``"1.5"`` too), or far beyond all
        before; a block stops at the first, and the rows before it stay learnt.
    missing : a named feature that a row lacks makes it a bad row (``"raise"``) or counts as ``"zero"``.
    farthest : after 30 rows, a row or target more than so many times as long as all before it is a bad row; before
        that, with no scale to compare with, one beyond ``2**53``.  ``inf`` lets all in.

    Attributes
    ----------
    coef_ : (d,).  intercept_ : float.  rows_, mean_loss_, skipped_, filled_, limited_, waiting_ : what was
        counted; ``filled_``: rows in which a missing feature counted as zero.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(4000, 2))
    >>> model = OnlineRegressor("huber", step=0.02, weights="mean").partial_fit(X, X @ [1.0, -2.0] + 0.5)
    >>> model.coef_.round(1), round(model.intercept_, 1)
    (array([ 1., -2.]), 0.5)
    """

    _takes_floats = True

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        loss: Loss | str = "squared",
        *,
        step: float = 0.01,
        schedule: str = "constant",
        weights: str = "last",
        fit_intercept: bool = True,
        bad_rows: str = "raise",
        missing: str = "raise",
        farthest: float = 1e4,
    ):
        self.loss = loss
        self.step = step
        self.schedule = schedule
        self.weights = weights
        self.fit_intercept = fit_intercept
        self.bad_rows = bad_rows
        self.missing = missing
        self.farthest = farthest

    @certifiable
    def fit(self, X: Any, y: Any, *, certify: float | None = None, random_state: Any = None) -> Any:
        """Start anew and learn from ``X`` (n, d), dense or sparse, and ``y`` (n,) in order, once."""
        self._restart()
        self._learn(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """``X @ coef_ + intercept_``, shape (n,)."""
        return self._scores(X)

    @property
    def coef_(self) -> np.ndarray:
        """The weights, last or mean."""
        return self._counted().weights(self.weights == "mean")[0]

    @property
    def intercept_(self) -> float:
        """The offset, last or mean."""
        return self._counted().weights(self.weights == "mean")[1]

    def regret_bound(self, comparator_norm: float) -> Bound:
        """How much more than any fixed weights of that norm this run can have lost: ``||u||**2 / (2 s) + ...``.

        Any convex loss, any sequence; the constant feature of the intercept counts in the norm.  Needs a constant step
        that was never shortened.
        """
        self._check_constant_step()
        squares = self._counted().number("gradient_squares")
        return gradient_regret_bound(self.step, comparator_norm, np.sqrt([squares]))

    def _check_constant_step(self) -> None:
        state = self._counted()
        if state.settings.schedule != "constant" or state.settings.rule != "explicit":
            raise ValueError("the bound is for a constant step; use schedule='constant' and the explicit rule")
        if self.limited_:
            raise ValueError(
                f"the bound is for a constant step, and the step was shortened on {self.limited_:,} rows; use a "
                "smaller step, or rescale the columns"
            )

    def _online_settings(self) -> OnlineSettings:
        loss = loss_named(self.loss, "real")
        if loss.targets not in ("real", "any"):
            raise ValueError(f"{loss!r} is not for real targets; use OnlineClassifier, or a loss of real numbers")
        return OnlineSettings(loss, **self._check_rules())

    def _number_of(self, y: Any) -> float:
        try:
            return self._not_a_number(y) if isinstance(y, str | bytes) else float(y)
        except (TypeError, ValueError):
            return self._not_a_number(y)

    def _answer(self, score: float) -> float:
        return score

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # one pass over a few rows is not a fit
        return tags


class WidrowHoff(OnlineRegressor):
    """Least mean squares: ``w <- w - factor * step * (f(x) - y) * x``.  Catalogue A-27, A-28, E-084.

    ``factor=2`` is a step along the slope of the squared error; with ``factor=1`` the 2 is in the step.  Both are in
    use: what theorems call ``s`` is ``factor * step``.  Steps with ``s ||x||**2 < 2`` are stable; beyond
    ``s ||x||**2 = 1`` they overshoot, and are shortened.

    On every stream, random or not, ``total loss <= min_u L_u / (1 - s B**2) + ||u||**2 / s`` if all rows have
    ``||x|| <= B`` and ``s < 1 / B**2`` (T-53); `regret` has both sides.

    Parameters
    ----------
    step, schedule, weights, fit_intercept, bad_rows, missing, farthest : as for `OnlineRegressor`.
    factor : 1 or 2.
    rule : ``"explicit"``; ``"implicit"``, ``argmin_v step (v.x - y)**2 + ||v - w||**2 / 2`` (with ``factor=2``), stable
        for every step; ``"normalised"``, its limit for long steps, which fits every row exactly.
    hindsight : keep what `regret` needs, a triangle of ``d**2`` numbers; costs ``O(d**2)`` a row.

    Attributes
    ----------
    As for `OnlineRegressor`.

    >>> model = WidrowHoff(step=0.05, fit_intercept=False, hindsight=True)
    >>> model.partial_fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5]).coef_.round(12)
    array([1.558])
    >>> round(model.mean_loss_ * model.rows_, 4), round(model.regret().best_loss, 4)
    (22.5876, 4.4286)
    """

    def __init__(  # noqa: PLR0913  scikit-learn asks for one argument per setting
        self,
        step: float = 0.01,
        *,
        factor: int = 2,
        rule: str = "explicit",
        schedule: str = "constant",
        weights: str = "last",
        fit_intercept: bool = True,
        hindsight: bool = False,
        bad_rows: str = "raise",
        missing: str = "raise",
        farthest: float = 1e4,
    ):
        self.step = step
        self.factor = factor
        self.rule = rule
        self.schedule = schedule
        self.weights = weights
        self.fit_intercept = fit_intercept
        self.hindsight = hindsight
        self.bad_rows = bad_rows
        self.missing = missing
        self.farthest = farthest

    @classmethod
    def tuned(cls, row_norm: float, comparator_loss: float, comparator_norm: float, **parameters: Any) -> WidrowHoff:
        """With the step whose bound is least against comparators of that total loss and norm.  Catalogue T-54.

        ``row_norm`` bounds ``||x||``, the constant feature of the intercept included.

        >>> round(WidrowHoff.tuned(1.0, 100.0, 2.0).step, 6)
        0.166667
        """
        return cls(tuned_widrow_hoff_step(row_norm, comparator_loss, comparator_norm), factor=1, **parameters)

    def regret(self) -> Regret:
        """The total loss beside that of the best fixed weights in hindsight, and beside the bound of T-53.

        The best weights come from all rows so far; an intercept counts as the weight of a constant feature.
        """
        state = self._counted()
        if "_hindsight" not in self.__dict__:
            raise ValueError("the rows that regret is measured on were not kept; make the model with hindsight=True")
        stacked = self._hindsight.solved()
        best_loss, best = stacked.residual_square(0.0)
        return Regret(state.number("total_loss"), best_loss, best, state.rows, *self._bound(stacked))

    def _bound(self, stacked: Any) -> tuple[Bound | None, str]:
        """The bound of T-53 with its best comparator; or why there is none."""
        s, square = self._effective_step(), self._counted().number("longest") + float(bool(self.fit_intercept))
        try:
            self._check_constant_step()
        except ValueError as error:
            return None, str(error)
        if not s * square < 1 or square == 0:
            return None, f"the bound needs s ||x||**2 < 1, and it reached {s * square:.3g}; use a smaller step"
        penalty = (1 - s * square) / s
        total, u = stacked.residual_square(penalty, penalise_constant=True)
        size = float(np.linalg.norm(u))
        return widrow_hoff_bound(s, float(np.sqrt(square)), max(total - penalty * size**2, 0.0), size), ""

    def _effective_step(self) -> float:
        return self.factor * self.step

    def _online_settings(self) -> OnlineSettings:
        if self.factor not in (1, 2):
            raise ValueError(f"factor must be 1 or 2, got {self.factor!r}; 2 is the slope of the squared error")
        if self.rule not in ("explicit", "implicit", "normalised"):
            raise ValueError(f"rule must be 'explicit', 'implicit' or 'normalised', got {self.rule!r}")
        if self.rule != "explicit" and self.schedule == "adaptive":
            raise ValueError(f"rule={self.rule!r} has one step for all columns; use schedule='constant' or 'sqrt'")
        switch("hindsight", self.hindsight)
        rules = self._check_rules()
        return OnlineSettings(Squared(), **{**rules, "step": rules["step"] * self.factor / 2, "rule": self.rule})

    def _begin(self, state: LinearState) -> None:
        super()._begin(state)
        if self.hindsight:
            self._hindsight = StackedRows(state.width, fit_intercept=state.settings.fit_intercept)

    def _restart(self) -> None:
        super()._restart()
        self.__dict__.pop("_hindsight", None)

    def _watches_rows(self) -> bool:
        return bool(self.hindsight)

    def _seen(self, X: Any, y: np.ndarray) -> None:
        self._hindsight.widen(X.shape[1])
        self._hindsight.add(X.toarray() if hasattr(X, "toarray") else X, y[:, None])
