"""Layer objective: losses for two classes, mostly of the margin ``t * f`` with labels ``t`` in {-1, +1}.

In: labels and real scores ``f``, arrays that broadcast.  Out: value, derivative in ``f``, curvature, conjugate,
constants.  Only ``ZeroOne`` is symmetric in label and score.  Constants hold on ``|f| <= radius``.  Labels are not
checked on each call; ``check_targets`` does that once.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, xlogy

from surefit.objective.loss import Loss, finite_inside, floats, residual
from surefit.objective.regression import whole_line


@final
class ZeroOne(Loss):
    """``1`` where the predicted label differs from the true one, any number of classes.  Catalogue L-01.

    Its mean is 1 - accuracy.  Here ``f`` is a label (numbers or strings).  The derivative is 0 almost everywhere and
    of no use for fitting.

    >>> ZeroOne().value(["cat", "dog"], ["cat", "cat"])
    array([0., 1.])
    """

    convex = smooth = False
    symmetric = unit_range = True
    targets = "any"

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.not_equal(y, f).astype(float)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(self.value(y, f))

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(self.value(y, f))

    def bound(self, radius: float) -> float:
        return 1.0


@final
class MarginZeroOne(Loss):
    """``1`` where ``t * f <= 0``: a score of exactly 0 is an error for either label.  Catalogue L-02, E-023.

    It exceeds ``ZeroOne`` on ``sign_labels(f)`` exactly where ``f == 0`` and the label equals the one given to a tie.

    >>> MarginZeroOne().value([1, -1, -1], [0.5, 0.5, 0.0])
    array([0., 1., 1.])
    """

    convex = smooth = False
    unit_range = True
    targets = "signs"

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return (margin(y, f) <= 0).astype(float)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(margin(y, f))

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(margin(y, f))

    def bound(self, radius: float) -> float:
        return 1.0


@final
class Logistic(Loss):
    """``log(1 + exp(-t * f))`` with labels ``t`` in {-1, +1}; derivative ``-t * sigmoid(-t * f)``.  Catalogue L-09.

    1-Lipschitz with a 1/4-Lipschitz derivative.  With labels 0/1 the formula would ignore every 0 (E-061): map them
    with ``2 * y - 1`` or use ``LogLoss``.

    >>> Logistic().value(1, [0.0, 1.0, -2.0]).round(9)
    array([0.69314718, 0.31326169, 2.12692801])
    """

    convex = smooth = twice_differentiable = True
    smoothness = 0.25
    targets = "signs"

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return softplus(-margin(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        t, f = floats(y, f)
        return -t * expit(-t * f)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        m = margin(y, f)
        return expit(m) * expit(-m)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        return negative_entropy(-np.asarray(y, dtype=float) * np.asarray(u, dtype=float))

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return unit_towards_label(y)

    def lipschitz(self, radius: float) -> float:
        return 1.0

    def bound(self, radius: float) -> float:
        return float(softplus(radius))


@final
class LogLoss(Loss):
    """``-y * log(p) - (1 - y) * log(1 - p)`` with ``p = sigmoid(f)`` and ``y`` from 0 to 1.  Catalogue L-10.

    Computed from the score as ``log(1 + exp(f)) - y * f``, so it is finite for every score.  Equals ``Logistic`` with
    ``t = 2 * y - 1`` for labels 0 and 1.  For a soft label it is the Kullback-Leibler divergence plus the entropy of
    the label, not the divergence itself (E-101): the divergence is ``value(y, f) + conjugate(y, 0)``.

    >>> score = np.log(0.8 / 0.2)
    >>> float(LogLoss().value(1, score).round(9))
    0.223143551
    """

    convex = smooth = twice_differentiable = True
    smoothness = 0.25
    targets = "probabilities"

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        y, f = floats(y, f)
        return y * softplus(-f) + (1 - y) * softplus(f)  # no difference of large numbers, unlike softplus(f) - y f

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        y, f = floats(y, f)
        return (1 - y) * expit(f) - y * expit(-f)  # sigmoid(f) - y, with full relative accuracy for hard labels

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        y, f = np.broadcast_arrays(*floats(y, f))
        return expit(f) * expit(-f)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        return negative_entropy(np.asarray(y, dtype=float) + np.asarray(u, dtype=float))

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        y = np.asarray(y, dtype=float)
        return -y, 1 - y

    def lipschitz(self, radius: float) -> float:
        return 1.0

    def bound(self, radius: float) -> float:
        return float(softplus(radius))


@final
class PerceptronLoss(Loss):
    """``max(0, -t * f)`` with labels ``t`` in {-1, +1}: pay only for the wrong side.  Catalogue L-12.

    The subgradient is ``-t`` where ``t * f < 0`` and 0 where ``t * f > 0``.  At ``f == 0`` it is 0, or ``-t`` with
    ``update_at_zero=True``, which reproduces the perceptron that also updates on ties.  The zero score is always a
    global minimiser, of value 0.

    >>> PerceptronLoss().value(1, [-2.0, 0.0, 3.0])
    array([2., 0., 0.])
    >>> float(PerceptronLoss(update_at_zero=True).derivative(1, 0.0))
    -1.0
    """

    convex = True
    targets = "signs"

    def __init__(self, update_at_zero: bool = False):
        self.update_at_zero = update_at_zero

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.abs(np.minimum(margin(y, f), 0.0))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        t, f = floats(y, f)
        wrong = t * f <= 0 if self.update_at_zero else t * f < 0
        return np.where(wrong, -t, 0.0)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(margin(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        s = -np.asarray(y, dtype=float) * np.asarray(u, dtype=float)
        return finite_inside(s, 0.0, 1.0, np.zeros_like(s))

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return unit_towards_label(y)

    def lipschitz(self, radius: float) -> float:
        return 1.0

    def bound(self, radius: float) -> float:
        return float(radius)


@final
class Hinge(Loss):
    """``max(0, 1 - t * f)`` with labels ``t`` in {-1, +1}: the support-vector loss.  Catalogue F-10.

    The subgradient is ``-t`` where ``t * f < 1`` and 0 elsewhere, the kink ``t * f == 1`` included.

    >>> Hinge().value(1, [-1.0, 1.0, 2.0])
    array([2., 0., 0.])
    """

    convex = True
    targets = "signs"

    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.maximum(0.0, 1 - margin(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        t, f = floats(y, f)
        return np.where(t * f < 1, -t, 0.0)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.zeros_like(margin(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        s = -np.asarray(y, dtype=float) * np.asarray(u, dtype=float)
        return finite_inside(s, 0.0, 1.0, -s)

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return unit_towards_label(y)

    def lipschitz(self, radius: float) -> float:
        return 1.0

    def bound(self, radius: float) -> float:
        return 1.0 + radius


@final
class SquaredMargin(Loss):
    """``(1 - t * f)**2 = (t - f)**2`` with labels ``t`` in {-1, +1}: least squares on labels.  Catalogue L-13.

    It also penalises being "too right": a margin of 2 costs 1.

    >>> SquaredMargin().value(1, [-1.0, 1.0, 2.0])
    array([4., 0., 1.])
    """

    convex = smooth = twice_differentiable = True
    smoothness = 2.0
    targets = "signs"

    @np.errstate(over="ignore")
    def value(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return residual(y, f) ** 2

    @np.errstate(over="ignore")
    def derivative(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return 2 * residual(y, f)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> np.ndarray:
        return np.full_like(residual(y, f), 2.0)

    @np.errstate(over="ignore")
    def conjugate(self, y: ArrayLike, u: ArrayLike) -> np.ndarray:
        u = np.asarray(u, dtype=float)
        return u * np.asarray(y, dtype=float) + u**2 / 4

    def conjugate_domain(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        return whole_line(y)

    def lipschitz(self, radius: float) -> float:
        return 2.0 * (1.0 + radius)

    def bound(self, radius: float) -> float:
        return (1.0 + radius) ** 2


def sign_labels(f: ArrayLike, sign_zero: int = -1) -> np.ndarray:
    """Labels -1 and +1 of the scores ``f``; a score of exactly 0 gets ``sign_zero``.  Catalogue L-02, E-028.

    >>> sign_labels([0.3, 0.0, -2.0]), sign_labels(0.0, sign_zero=1)
    (array([ 1, -1, -1]), array(1))
    """
    if sign_zero not in (-1, 1):
        raise ValueError(f"sign_zero must be -1 or +1, got {sign_zero!r}; it is the label given to a score of 0")
    f = np.asarray(f)
    return np.where(f == 0, sign_zero, np.where(f > 0, 1, -1))


def margin(y: ArrayLike, f: ArrayLike) -> np.ndarray:
    """``t * f``, positive where the score is on the side of the label."""
    t, f = floats(y, f)
    return t * f


def softplus(z: ArrayLike) -> np.ndarray:
    """``log(1 + exp(z))`` without overflow."""
    return np.logaddexp(np.zeros_like(z), z)


def negative_entropy(p: np.ndarray) -> np.ndarray:
    """``p log(p) + (1 - p) log(1 - p)`` on [0, 1], ``inf`` outside: the conjugate of ``softplus``."""
    inside = np.clip(p, 0.0, 1.0)
    return finite_inside(p, 0.0, 1.0, xlogy(inside, inside) + xlogy(1 - inside, 1 - inside))


def unit_towards_label(y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The interval of ``u`` with ``-t * u`` in [0, 1], for each label."""
    t = np.asarray(y, dtype=float)
    return np.minimum(-t, 0.0), np.maximum(-t, 0.0)
