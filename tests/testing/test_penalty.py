"""``check_penalty`` passes every penalty of ours and catches planted mistakes (P-01 to P-03, P-07, P-08)."""

import numpy as np
import pytest

from surefit.objective import L1, L2, ElasticNet, Penalty, PNorm, SquaredL2
from surefit.objective.penalty import soft_threshold
from surefit.testing import check_penalty

OURS = [SquaredL2(), L1(), L2(), ElasticNet(0.0), ElasticNet(0.3), ElasticNet(1.0), PNorm(1), PNorm(1.5), PNorm(np.inf)]


@pytest.mark.parametrize("penalty", OURS, ids=repr)
def test_every_built_in_penalty_conforms(penalty):
    check_penalty(penalty)


class Lasso(Penalty):
    """A stranger's correct norm; the mistakes below each change one thing."""

    separable = norm = True

    def value(self, w):
        return float(np.sum(np.abs(w)))

    def gradient(self, w):
        return np.sign(w)

    def prox(self, v, step):
        return soft_threshold(v, step)

    def dual_norm(self, u):
        return float(np.max(np.abs(u)))


class NonNegative(Penalty):
    """Correct, an indicator: infinite off the orthant, no conjugate given."""

    separable = True

    def value(self, w):
        return 0.0 if np.min(w) >= 0 else np.inf

    def gradient(self, w):
        return np.zeros_like(w)

    def prox(self, v, step):
        return np.maximum(v, 0.0)


@pytest.mark.parametrize("penalty", [Lasso(), NonNegative()], ids=repr)
def test_a_strangers_correct_penalty_conforms(penalty):
    check_penalty(penalty)


class DoubleThreshold(Lasso):
    def prox(self, v, step):
        return soft_threshold(v, 2 * step)


class StepForgotten(Lasso):
    def prox(self, v, step):
        return soft_threshold(v, 1.0)


class HardThreshold(Lasso):
    def prox(self, v, step):
        return np.where(np.abs(v) > step, v, 0.0)


class WrongGradient(Lasso):
    def gradient(self, w):
        return 0.5 * np.sign(w)


class WrongKink(Lasso):
    def gradient(self, w):
        return np.where(w == 0, 1.5, np.sign(w))


class WrongDualNorm(Lasso):
    def dual_norm(self, u):
        return float(np.sqrt(np.sum(np.square(u))))


class TooSmallDualNorm(Lasso):
    def dual_norm(self, u):
        return 0.9 * float(np.max(np.abs(u)))


class SquareCalledNorm(Penalty):
    norm = True

    def value(self, w):
        return float(np.sum(np.square(w)))

    def gradient(self, w):
        return 2 * w

    def prox(self, v, step):
        return v / (1 + 2 * step)

    def conjugate(self, u, lam=1.0):
        return float(np.sum(np.square(u))) / (4 * lam)

    def dual_norm(self, u):
        return float(np.sqrt(np.sum(np.square(u))))

    def dual_scaling(self, u, lam):
        return 1.0


class HalfSquareProx(SquareCalledNorm):
    """The proximal map of ||w||**2 / 2: the factor 1/2 that this library does not have."""

    norm = False

    def prox(self, v, step):
        return v / (1 + step)


class WrongConjugate(SquareCalledNorm):
    norm = False

    def conjugate(self, u, lam=1.0):
        return float(np.sum(np.square(u))) / (2 * lam)


class UnscaledConjugate(SquareCalledNorm):
    norm = False

    def conjugate(self, u, lam=1.0):
        return float(np.sum(np.square(u))) / 4


class TooStronglyConvex(SquareCalledNorm):
    norm = False
    strong_convexity = 3.0


class NotConvex(Penalty):
    def value(self, w):
        return float(np.sum(np.sqrt(np.abs(w))))

    def gradient(self, w):
        return np.sign(w)

    def prox(self, v, step):
        return np.asarray(v)


class NotSeparable(Penalty):
    separable = norm = True

    def value(self, w):
        return L2().value(w)

    def gradient(self, w):
        return L2().gradient(w)

    def prox(self, v, step):
        return L2().prox(v, step)

    def dual_norm(self, u):
        return L2().dual_norm(u)


class KinkedButSmooth(Lasso):
    smooth = True


class ScalarProx(Lasso):
    def prox(self, v, step):
        return float(np.sum(v))


MISTAKES = [
    (DoubleThreshold, "prox is not a minimiser"),
    (StepForgotten, "prox is not a minimiser"),
    (HardThreshold, "prox is not a minimiser"),
    (WrongGradient, "gradient is not (the slope of value|a subgradient)"),
    (WrongKink, "gradient is not a subgradient: the tangent at"),
    (WrongDualNorm, "dual_norm of the gradient at|conjugate is wrong"),
    (TooSmallDualNorm, "dual_norm (is too small|of the gradient at)|conjugate is too small"),
    (SquareCalledNorm, "declared a norm, but not homogeneous at"),
    (HalfSquareProx, "prox is not a minimiser"),
    (WrongConjugate, "conjugate is wrong at lam="),
    (UnscaledConjugate, "conjugate is (wrong|too small) at lam="),
    (TooStronglyConvex, "value is not strongly convex with 3: halfway between"),
    (NotConvex, "value is not convex: halfway between"),
    (NotSeparable, "declared separable, but at"),
    (KinkedButSmooth, "declared smooth, but gradient jumps by 1"),
    (ScalarProx, r"prox changes the shape \(1,\) to \(\)"),
]


@pytest.mark.parametrize(("mistake", "sentence"), MISTAKES, ids=lambda part: getattr(part, "__name__", ""))
def test_a_planted_mistake_is_named(mistake, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_penalty(mistake())


class Pairs(Penalty):
    """Correct for an even number of columns: the lengths of neighbours, which come in together."""

    norm = True

    def value(self, w):
        return float(self._lengths(w).sum() / 2)

    def dual_norm(self, u):
        return float(self._lengths(u).max())

    def gradient(self, w):
        lengths = self._lengths(w)
        return np.divide(w, lengths, out=np.zeros(len(w)), where=lengths > 0)

    def prox(self, v, step):
        return self.gradient(v) * np.maximum(self._lengths(v) - step, 0.0)

    def _lengths(self, w):
        return np.repeat(np.hypot(*np.reshape(w, (-1, 2)).T), 2)


class SquaredPairs(Pairs):
    """Smooth, and no norm."""

    smooth, norm, strong_convexity = True, False, 2.0

    def value(self, w):
        return float(np.sum(np.reshape(w, (-1, 2)) ** 2))

    def gradient(self, w):
        return 2.0 * np.asarray(w)

    def prox(self, v, step):
        return np.asarray(v) / (1 + 2 * step)


class SlowPairs(Pairs):
    def prox(self, v, step):
        return super().prox(v, step / 2)


class KinkedPairs(Pairs):
    smooth = True


def test_a_penalty_of_a_fixed_number_of_columns_is_checked_at_that_number():
    check_penalty(Pairs(), columns=4)
    check_penalty(SquaredPairs(), columns=4)
    with pytest.raises(AssertionError, match="prox is not a minimiser"):
        check_penalty(SlowPairs(), columns=4)
    with pytest.raises(AssertionError, match="declared smooth, but gradient jumps by 1"):
        check_penalty(KinkedPairs(), columns=4)
    with pytest.raises(ValueError, match="columns must be a whole number >= 1, got 0; leave it None"):
        check_penalty(Pairs(), columns=0)
