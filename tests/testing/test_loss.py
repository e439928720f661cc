"""``check_loss`` passes every loss of ours and catches planted mistakes, each by the sentence that names it (L-14)."""

import numpy as np
import pytest

from surefit.objective import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    LogLoss,
    Loss,
    MarginZeroOne,
    PerceptronLoss,
    Pinball,
    Power,
    QuadraticEpsilonInsensitive,
    SoftmaxCrossEntropy,
    Squared,
    SquaredMargin,
    ZeroOne,
)
from surefit.testing import check_loss

OURS = [
    Squared(),
    Absolute(),
    Power(1.0),
    Power(1.5),
    Power(3.0),
    EpsilonInsensitive(0.0),
    EpsilonInsensitive(0.3),
    QuadraticEpsilonInsensitive(0.3),
    Huber(0.5),
    Pinball(0.1),
    Pinball(0.5),
    ZeroOne(),
    MarginZeroOne(),
    Logistic(),
    LogLoss(),
    PerceptronLoss(),
    PerceptronLoss(update_at_zero=True),
    Hinge(),
    SquaredMargin(),
    SoftmaxCrossEntropy(),
]


@pytest.mark.parametrize("loss", OURS, ids=repr)
def test_every_built_in_loss_conforms(loss):
    check_loss(loss)


class LogCosh(Loss):
    """A stranger's correct loss; the mistakes below each change one thing."""

    convex = smooth = twice_differentiable = symmetric = True
    smoothness = 1.0

    def value(self, y, f):
        return np.logaddexp(f - y, y - f) - np.log(2)

    def derivative(self, y, f):
        return np.tanh(f - y)

    def curvature(self, y, f):
        return 1 - np.tanh(f - y) ** 2

    def lipschitz(self, radius):
        return 1.0


class Tent(Loss):
    """Correct, not convex, with kinks: min(|r|, 1)."""

    symmetric = True

    def value(self, y, f):
        return np.minimum(np.abs(np.subtract(f, y)), 1.0)

    def derivative(self, y, f):
        r = np.subtract(f, y)
        return np.sign(r) * (np.abs(r) < 1)

    def curvature(self, y, f):
        return np.zeros_like(np.subtract(f, y))


@pytest.mark.parametrize("loss", [LogCosh(), Tent()], ids=repr)
def test_a_strangers_correct_loss_conforms(loss):
    check_loss(loss)


class WrongSign(LogCosh):
    def derivative(self, y, f):
        return np.tanh(np.subtract(y, f))


class HalfDerivative(LogCosh):
    def derivative(self, y, f):
        return 0.5 * np.tanh(f - y)


class WrongInOneTail(LogCosh):
    """Right except for large residuals of one sign."""

    def derivative(self, y, f):
        return np.where(np.subtract(f, y) < -5, -0.9, np.tanh(np.subtract(f, y)))


class WrongCurvature(LogCosh):
    def curvature(self, y, f):
        return 1 - np.tanh(f - y)


class TooFlat(LogCosh):
    def lipschitz(self, radius):
        return 0.5


class TooSmooth(LogCosh):
    smoothness = 0.5


class TooSmallBound(LogCosh):
    def bound(self, radius):
        return 0.5 * radius


class WrongConjugate(LogCosh):
    def conjugate(self, y, u):
        return super().conjugate(y, u) + 0.1


class ConjugateWithoutTarget(LogCosh):
    def conjugate(self, y, u):
        return super().conjugate(np.zeros_like(y), u)


class ConjugateWithoutDomain(Loss):
    """Absolute loss whose conjugate forgets to be infinite."""

    convex = symmetric = True

    def value(self, y, f):
        return np.abs(np.subtract(f, y))

    def derivative(self, y, f):
        return np.sign(np.subtract(f, y))

    def curvature(self, y, f):
        return np.zeros_like(np.subtract(f, y))

    def conjugate(self, y, u):
        return np.multiply(y, u)


class Lopsided(LogCosh):
    """Pinball-like tilt: no longer symmetric, but still says so."""

    smoothness = 1.0

    def value(self, y, f):
        return super().value(y, f) + 0.3 * (f - y)

    def derivative(self, y, f):
        return super().derivative(y, f) + 0.3

    def lipschitz(self, radius):
        return 1.3


class NotConvex(Tent):
    convex = True


class KinkedButSmooth(ConjugateWithoutDomain):
    smooth = True

    def conjugate(self, y, u):
        return np.where(np.abs(u) <= 1, np.multiply(y, u), np.inf)


class KneedButTwice(Loss):
    """Huber's curvature jumps at the knees."""

    convex = smooth = twice_differentiable = symmetric = True

    def value(self, y, f):
        return Huber(0.7).value(y, f)

    def derivative(self, y, f):
        return Huber(0.7).derivative(y, f)

    def curvature(self, y, f):
        return Huber(0.7).curvature(y, f)


class BadSubgradient(ConjugateWithoutDomain):
    """At the kink, 2 is no subgradient of the absolute value."""

    def derivative(self, y, f):
        r = np.subtract(f, y)
        return np.where(r == 0, 2.0, np.sign(r))


class Overflowing(Loss):
    convex = smooth = twice_differentiable = True
    targets = "signs"

    def value(self, y, f):
        return np.log(1 + np.exp(-np.multiply(y, f)))

    def derivative(self, y, f):
        return -np.asarray(y) / (1 + np.exp(np.multiply(y, f)))

    def curvature(self, y, f):
        p = 1 / (1 + np.exp(-np.multiply(y, f)))
        return p * (1 - p)


class NanFarOut(LogCosh):
    def value(self, y, f):
        return np.where(np.abs(np.subtract(f, y)) > 1e5, np.nan, super().value(y, f))


class SumInsteadOfArray(LogCosh):
    def value(self, y, f):
        return np.sum(super().value(y, f))


class Noise(LogCosh):
    """A value that is no function one could differentiate."""

    def value(self, y, f):
        return super().value(y, f) + np.sin(1e9 * np.subtract(f, y)) ** 2


class Forgetful(LogCosh):
    """Its parameter does not survive a copy."""

    def __init__(self):
        self.tag = object()


MISTAKES = [
    (WrongSign, "derivative is not the slope of value: at y=.*, f=.* it is .*, but differences"),
    (HalfDerivative, "derivative is not the slope of value"),
    (WrongInOneTail, "derivative is not the slope of value"),
    (WrongCurvature, "curvature is not the slope of derivative: at y="),
    (TooFlat, r"lipschitz\(.*\) = 0.5 is too small: at y="),
    (TooSmooth, "smoothness = 0.5 is too small: at y="),
    (TooSmallBound, r"bound\(.*\) = .* is below the value .* at y="),
    (WrongConjugate, "conjugate is wrong: at y="),
    (ConjugateWithoutTarget, "conjugate is wrong: at y="),
    (ConjugateWithoutDomain, "conjugate should be inf outside conjugate_domain, but at y="),
    (Lopsided, "declared symmetric, but value"),
    (NotConvex, "declared convex, but at y=|derivative is not a subgradient"),
    (KinkedButSmooth, "declared smooth, but derivative jumps by 1"),
    (KneedButTwice, "declared twice_differentiable, but curvature jumps by 2 at y=0, f=-?0.7"),
    (BadSubgradient, "derivative is not a subgradient: at y="),
    (Overflowing, "a warning at y=.*overflow"),
    (NanFarOut, "value is NaN at y=0, f="),
    (SumInsteadOfArray, r"value has shape \(\) for y \(2,\) and f \(3, 2\); broadcast them"),
    (Noise, "value has no slope at most points"),
    (Forgetful, "a copy of .* is not equal to it"),
]


@pytest.mark.parametrize(("mistake", "sentence"), MISTAKES, ids=lambda part: getattr(part, "__name__", ""))
def test_a_planted_mistake_is_named(mistake, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_loss(mistake())


def test_a_loss_that_cannot_be_pickled_is_told_why():
    class Local(LogCosh):
        pass

    with pytest.raises(AssertionError, match="cannot be pickled; define its class at the top level of a module"):
        check_loss(Local())


class WrongSoftmaxHessian(Loss):
    """Vector losses are checked along lines: here the Hessian forgets p p'."""

    convex = smooth = twice_differentiable = True
    smoothness = 1.0
    targets = "classes"

    def value(self, y, f):
        return SoftmaxCrossEntropy().value(y, f)

    def derivative(self, y, f):
        return SoftmaxCrossEntropy().derivative(y, f)

    def curvature(self, y, f):
        return SoftmaxCrossEntropy().curvature(y, f)

    def conjugate(self, y, u):
        return SoftmaxCrossEntropy().conjugate(y, u)

    def hessian_product(self, y, f, v):
        return SoftmaxCrossEntropy().curvature(y, f) * v


def test_a_wrong_hessian_product_of_a_vector_loss_is_named():
    with pytest.raises(AssertionError, match="curvature is not the slope of derivative"):
        check_loss(WrongSoftmaxHessian())


@pytest.mark.parametrize(
    ("thing", "remedy"), [(LogCosh, r"call it: LogCosh\(\)"), (None, "derive its class"), ("huber", "derive its class")]
)
def test_what_is_no_loss_is_told_what_would_be(thing, remedy):
    with pytest.raises(TypeError, match=f"check_loss takes an instance of a Loss, got .*; {remedy}"):
        check_loss(thing)
