"""Layer estimators: `Adaline`, least squares on labels, one row at a time."""

from typing import Any

import numpy as np

from surefit.estimators.kinds.two_classes import LinearTwoClass
from surefit.estimators.perceptron import order_of
from surefit.guarantee.certifiable import certifiable
from surefit.parameters import whole
from surefit.solvers.cost import Plan, Shape
from surefit.solvers.halfspaces.adaline import adaline
from surefit.solvers.halfspaces.plan import epochs_plan


class Adaline(LinearTwoClass):
    """Follow the labels as numbers: ``w <- w + step * (t - f(x)) x`` with ``t`` in {-1, +1}.  Catalogue A-35, L-13.

    Stochastic gradient descent on ``mean((t - f(x))**2)``, so it tends to least squares on the labels as the step gets
    small, and unlike the perceptron it settles on data that are not separable.  It also punishes rows for being too far
    on the right side.  Two classes; no sample weights, because the order of the rows matters.

    Parameters
    ----------
    step : ``> 0``; the factor 2 of the gradient is in it.  Stable while ``step * (||x||**2 + 1) < 2`` for all rows;
        ``None``: an eighth of that limit.
    order : ``"cyclic"`` or ``"random"`` (drawn with replacement).
    weights : ``"mean"`` over the second half of the epochs, which forgets the start and averages the noise of a
        constant step, or ``"last"``.
    sign_zero : the class of a score of exactly 0: -1 for ``classes_[0]``, +1 for ``classes_[1]``.
    fit_intercept : learn an intercept as the weight of a constant feature 1.
    epochs : passes over the data.
    random_state : seed of ``order="random"`` and of the rows that ``certify`` holds out.

    Attributes
    ----------
    coef_ : (1, d).  intercept_ : (1,).  classes_ : the two labels.  step_ : the step taken.

    >>> model = Adaline(step=0.1, weights="last", epochs=1).fit([[0], [1], [2], [3]], [-1, 1, -1, 1])
    >>> model.coef_.round(9), model.intercept_.round(9)
    (array([[0.3203]]), array([0.0391]))
    """

    _title = "Adaline"

    def __init__(
        self,
        step: float | None = None,
        *,
        order: str = "cyclic",
        weights: str = "mean",
        sign_zero: int = 1,
        fit_intercept: bool = True,
        epochs: int = 100,
        random_state: Any = 0,
    ):
        self.step = step
        self.order = order
        self.weights = weights
        self.sign_zero = sign_zero
        self.fit_intercept = fit_intercept
        self.epochs = epochs
        self.random_state = random_state

    def _planned(self, shape: Shape) -> Plan:
        return epochs_plan(shape, "adaline", whole("epochs", self.epochs, "100 is the default"))

    def _solver_and_reason(self) -> tuple[str, str]:
        return "adaline", f"one row at a time, with a step of {self.step_:.3g}"

    def _ended(self) -> str:
        return f"all {self._as_fitted().epochs:,} epochs were run; a stochastic method has no tolerance to reach"

    @certifiable
    def fit(self, X: Any, y: Any, *, certify: float | None = None) -> "Adaline":
        """Fit to ``X`` (n, d), dense or sparse, and two classes ``y`` (n,)."""
        X, t, answer_type = self._validated(X, y)
        self._check_sign_zero((-1, 1))
        epochs = whole("epochs", self.epochs, "100 is the default")
        run = adaline(X, t, step=self.step, fit_intercept=bool(self.fit_intercept), draws=order_of(self), epochs=epochs)
        self.step_ = run.step
        averaged = self.weights == "mean"
        coef, intercept = (run.mean_coef, run.mean_intercept) if averaged else (run.coef, run.intercept)
        if not (np.all(np.isfinite(coef)) and np.isfinite(intercept)):
            raise ValueError(
                f"the weights of Adaline grew beyond all bounds with step={run.step:g}; lower it, or leave it None"
            )
        self._publish(coef, intercept, answer_type)
        return self
