"""Layer *theory*: risks and how they decompose, for any loss.

In: a loss, responses and predictions, or the risks of the members of a class.  Out: small frozen records whose parts
add up to the whole.  A loss is anything with a method ``value(y, f)``, or a plain function ``(y, f) -> array``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

LossFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]


class HasValue(Protocol):
    """A loss object: ``value(y, f)`` gives the loss of each prediction."""

    def value(self, y: np.ndarray, f: np.ndarray) -> np.ndarray: ...


LossLike = HasValue | LossFunction


def loss_function(loss: LossLike) -> LossFunction:
    """The function ``(y, f) -> array`` of a loss object, or the function itself."""
    function = getattr(loss, "value", loss)
    if not callable(function):
        raise TypeError(
            f"loss must have a method value(y, f) or be a function of (y, f), got {loss!r}; pass one of them"
        )
    return function


@dataclass(frozen=True)
class RiskEstimate:
    """A mean of independent losses with its standard error."""

    value: float
    standard_error: float
    n: int


def empirical_risk(
    loss: LossLike, y: np.ndarray, predictions: np.ndarray, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """``mean_i loss(y_i, f_i)``, or the weighted mean; ``predictions`` of shape ``(..., n)``.  Catalogue R-02.

    Unbiased for the risk of a predictor that was fixed before the sample was seen.

    >>> float(empirical_risk(lambda y, f: (y - f) ** 2, np.array([1.0, 3.0]), np.array([1.0, 1.0])))
    2.0
    """
    y, f = np.asarray(y), np.asarray(predictions)
    if y.size == 0 or f.shape[-1:] != y.shape[-1:]:
        raise ValueError(f"predictions of shape {f.shape} do not fit y of shape {y.shape}; one prediction per response")
    losses = np.asarray(loss_function(loss)(y, f), dtype=float)
    return np.average(losses, axis=-1, weights=sample_weight)


def estimated_risk(loss: LossLike, y: np.ndarray, predictions: np.ndarray) -> RiskEstimate:
    """Risk of a fixed predictor from ``n >= 2`` independent test points, with its standard error.  Catalogue R-01.

    >>> estimated_risk(lambda y, f: np.abs(y - f), np.array([1.0, 3.0]), np.array([0.0, 0.0]))
    RiskEstimate(value=2.0, standard_error=1.0, n=2)
    """
    losses = np.asarray(loss_function(loss)(np.asarray(y), np.asarray(predictions)), dtype=float)
    if losses.ndim != 1 or len(losses) < 2:
        raise ValueError(
            f"a standard error needs at least two losses in a row, got shape {losses.shape}; add test points"
        )
    return RiskEstimate(float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(len(losses))), len(losses))


@dataclass(frozen=True)
class ExcessRisk:
    """``risk - bayes_risk = estimation + approximation``."""

    estimation: float
    approximation: float

    @property
    def total(self) -> float:
        """The excess risk."""
        return self.estimation + self.approximation


def decompose_excess_risk(risk: float, best_in_class: float, bayes_risk: float) -> ExcessRisk:
    """Estimation error ``risk - best_in_class`` plus approximation error ``best_in_class - bayes_risk``.

    The estimation error is ``>= 0`` only for predictors in the class.  Catalogue R-04, R-05.

    >>> decompose_excess_risk(risk=0.4, best_in_class=0.3, bayes_risk=0.25).total.__round__(12)
    0.15
    """
    if best_in_class < bayes_risk - 1e-12 * abs(bayes_risk) or risk < bayes_risk - 1e-12 * abs(bayes_risk):
        raise ValueError(
            f"no risk can be below the Bayes risk {bayes_risk} (risk {risk}, best in class {best_in_class}); "
            "evaluate all three under the same law"
        )
    return ExcessRisk(risk - best_in_class, best_in_class - bayes_risk)


@dataclass(frozen=True)
class UniformDeviation:
    """The estimation error of a chosen member and the three terms that bound it."""

    estimation_error: float
    risk_above: float  # sup over the class of Risk - Rhat
    optimisation: float  # Rhat(chosen) - Rhat(best member); <= slack of the optimiser
    risk_below: float  # sup over the class of Rhat - Risk

    @property
    def bound(self) -> float:
        """``risk_above + optimisation + risk_below``, at least the estimation error."""
        return self.risk_above + self.optimisation + self.risk_below

    @property
    def two_sided_bound(self) -> float:
        """``2 sup |Rhat - Risk| + max(optimisation, 0)``, at least `bound`."""
        return 2 * max(self.risk_above, self.risk_below) + max(self.optimisation, 0.0)


def estimation_by_uniform_deviation(
    risks: np.ndarray, empirical_risks: np.ndarray, chosen: int | None = None
) -> UniformDeviation:
    """``Risk(f) - min Risk <= sup(Risk - Rhat) + [Rhat(f) - Rhat(f_best)] + sup(Rhat - Risk)`` on a finite class.

    ``risks`` and ``empirical_risks`` hold one entry for each member; ``chosen`` is the index of ``f`` and defaults to
    the empirical risk minimiser (for which the middle term is ``<= 0``).  Catalogue R-06.

    >>> terms = estimation_by_uniform_deviation([0.2, 0.3], [0.25, 0.21])
    >>> round(terms.estimation_error, 12), round(terms.bound, 12)
    (0.1, 0.1)
    """
    true, seen = np.asarray(risks, dtype=float), np.asarray(empirical_risks, dtype=float)
    if true.shape != seen.shape or true.ndim != 1 or len(true) == 0:
        raise ValueError(f"risks {true.shape} and empirical risks {seen.shape} differ; give one of each per member")
    f = int(np.argmin(seen)) if chosen is None else chosen
    best = int(np.argmin(true))
    return UniformDeviation(
        float(true[f] - true[best]),
        float(np.max(true - seen)),
        float(seen[f] - seen[best]),
        float(np.max(seen - true)),
    )


@dataclass(frozen=True, eq=False)
class ApproximationSplit:
    """Approximation error of a norm ball: the price of the ball plus the price of linearity, both ``>= 0``."""

    constrained: float  # inf over the ball minus inf over all coefficients
    unconstrained: float  # inf over all coefficients minus the Bayes risk
    coef: np.ndarray  # the best coefficients in the ball
    multiplier: float  # coef = (Sigma + multiplier I)^-1 Sigma theta

    @property
    def total(self) -> float:
        """``inf over the ball - Bayes risk``."""
        return self.constrained + self.unconstrained


def ball_approximation(
    second_moment: np.ndarray, theta: np.ndarray, radius: float, misfit: float = 0.0
) -> ApproximationSplit:
    """Approximation error of ``{<th, phi>: ||th|| <= radius}`` for squared loss, in closed form.

    ``inf_ball Risk - R* = min_{||th|| <= radius} ||th - theta||_Sigma**2 + misfit``, where ``theta`` minimises the risk
    over all coefficients, ``Sigma = E phi phi^T`` and ``misfit = inf_th Risk - R*``.  The minimiser is population ridge
    ``(Sigma + nu I)^-1 Sigma theta`` with ``nu`` such that its norm is ``radius``.  Catalogue R-07.

    >>> split = ball_approximation(np.eye(2), [3.0, 4.0], radius=1.0)
    >>> round(split.constrained, 9), split.coef.round(9).tolist(), round(split.multiplier, 9)
    (16.0, [0.6, 0.8], 4.0)
    """
    theta = np.asarray(theta, dtype=float)
    if not radius > 0 or misfit < 0:
        raise ValueError(f"radius must be > 0 and misfit >= 0, got {radius} and {misfit}; check their order")
    values, vectors = np.linalg.eigh(np.asarray(second_moment, dtype=float))
    values = np.clip(values, 0.0, None)
    values = np.where(values > len(values) * np.finfo(float).eps * values[-1], values, 0.0)
    turned = vectors.T @ theta

    def shrunk(nu: float) -> np.ndarray:
        return np.divide(values, values + nu, out=np.zeros_like(values), where=values > 0) * turned

    multiplier = 0.0
    if np.linalg.norm(shrunk(0.0)) > radius:
        largest = float(np.linalg.norm(values * turned)) / radius  # ||shrunk(nu)|| <= ||Sigma theta|| / nu
        multiplier = float(brentq(lambda nu: np.linalg.norm(shrunk(nu)) - radius, 0.0, largest, xtol=1e-15, rtol=1e-14))
    shift = shrunk(multiplier) - turned
    return ApproximationSplit(float(np.sum(values * shift**2)), misfit, vectors @ shrunk(multiplier), multiplier)


def lipschitz_approximation_bound(
    lipschitz: float, mean_feature_norm: float, theta: np.ndarray, radius: float
) -> float:
    """``inf_{||th|| <= radius} Risk - Risk(theta) <= L E||phi(X)|| (||theta|| - radius)_+``.

    For a loss that is ``L``-Lipschitz in the prediction and any ``theta``; proved with the projection of ``theta`` on
    the ball, so it is an inequality.  Zero when ``theta`` is in the ball.  Catalogue R-08.

    >>> lipschitz_approximation_bound(1.0, 2.0, [3.0, 4.0], radius=1.0)
    8.0
    """
    if min(lipschitz, mean_feature_norm, radius) < 0:
        raise ValueError("lipschitz, mean_feature_norm and radius must be >= 0; pass norms, not signed quantities")
    return lipschitz * mean_feature_norm * max(float(np.linalg.norm(theta)) - radius, 0.0)


@dataclass(frozen=True, eq=False)
class PointwiseRisk:
    """``E (H(x) - Y)**2 = noise + squared_bias + variance`` at each of the points."""

    noise: float
    squared_bias: np.ndarray
    variance: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """The expected squared error on a fresh response at each point."""
        return self.noise + self.squared_bias + self.variance


def pointwise_bias_variance(weights: np.ndarray, signal: np.ndarray, truth: np.ndarray, sigma: float) -> PointwiseRisk:
    """Bias and variance at ``m`` points of a predictor that is linear in the training responses, exactly.

    ``H(x_j) = sum_i weights[j, i] y_i`` with ``E y = signal`` (shape ``(n,)``) and uncorrelated noise of variance
    ``sigma**2``; ``truth`` (shape ``(m,)``) holds ``f(x_j)``.  The test noise must be independent of the training
    sample.  Catalogue R-10, T-82.

    >>> shrunken_mean = pointwise_bias_variance(np.full((1, 10), 0.5 / 10), np.full(10, 2.0), [2.0], sigma=1.0)
    >>> shrunken_mean.total.round(12).tolist()
    [2.025]
    """
    weights = np.atleast_2d(np.asarray(weights, dtype=float))
    bias = weights @ np.asarray(signal, dtype=float) - np.asarray(truth, dtype=float)
    return PointwiseRisk(sigma**2, bias**2, sigma**2 * np.sum(weights**2, axis=1))


def replicated_bias_variance(predictions: np.ndarray, truth: np.ndarray, sigma: float) -> PointwiseRisk:
    """The same split estimated from ``(R, m)`` predictions of ``R >= 2`` independent training samples, any predictor.

    The squared bias is corrected for the noise of the mean (``- variance / R``), so each part is unbiased (and the
    squared bias can come out slightly negative).  Catalogue R-10.

    >>> replicated_bias_variance([[1.0], [3.0]], [2.0], sigma=0.5).variance.tolist()
    [2.0]
    """
    runs = np.asarray(predictions, dtype=float)
    if runs.ndim != 2 or len(runs) < 2:
        raise ValueError(f"predictions must have shape (R, m) with R >= 2, got {runs.shape}; repeat the training")
    variance = runs.var(axis=0, ddof=1)
    return PointwiseRisk(sigma**2, (runs.mean(axis=0) - truth) ** 2 - variance / len(runs), variance)
