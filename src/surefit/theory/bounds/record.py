"""Layer *theory*: what every bound returns, and what a radius read off the fitted model costs.

In: numbers.  Out: `Bound`, a statement with everything that went into it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from surefit.parameters import non_negative, positive, whole
from surefit.theory.means.arguments import failure_probability

INDEPENDENT = "rows are independent draws of one law, and future rows come from the same law"
FIXED_BEFORE = "features, kernel, lam and every other choice were fixed before these rows were seen"
NO_INTERCEPT = "the class has no intercept beyond what the features or the kernel contain"


@dataclass(frozen=True)
class Bound:
    """An upper bound that fails with probability at most ``delta`` over the draw of the sample (0: never).

    ``value`` bounds what ``method`` and ``reference`` name; ``empirical`` is the part that was measured; ``inputs`` are
    all numbers that went in; ``vacuous`` if it says no more than was known before any data.
    """

    value: float
    empirical: float
    delta: float
    method: str
    assumptions: tuple[str, ...]
    inputs: Mapping[str, float]
    vacuous: bool
    reference: str

    @property
    def slack(self) -> float:
        """``value - empirical``: what is paid for not knowing the law."""
        return self.value - self.empirical


@dataclass(frozen=True)
class Fitted:
    """A norm read off the fitted model, to be paid for: the smallest ``radius = start * 2**j >= norm``.

    Bounds hold for a radius fixed before the data.  Here they hold for all ``j = 0, 1, ...`` at once, the ``j``-th with
    the share ``1 / ((j + 1)(j + 2))`` of the failure probability; the shares add up to 1.  ``start`` must not depend on
    the data.

    >>> Fitted(5.0).radius, round(1 / Fitted(5.0).share)
    (8.0, 20)
    """

    norm: float
    start: float = 1.0

    @property
    def steps(self) -> int:
        """``j``, the number of doublings."""
        positive("start", self.start, "it is the first radius that is tried")
        non_negative("norm", self.norm, "it is the norm of fitted coefficients")
        radius = float(self.start)
        for j in itertools.count():
            if radius >= self.norm:
                return j
            radius *= 2.0
            if math.isinf(radius):
                raise ValueError(
                    f"norm = {self.norm:.3g} is beyond every radius {self.start:g} * 2**j that is a number; rescale "
                    "the columns or the targets"
                )
        raise AssertionError("unreachable")

    @property
    def radius(self) -> float:
        """The radius of the ball that the fitted model is in."""
        return self.start * 2.0**self.steps

    @property
    def share(self) -> float:
        """The part of ``delta`` that this radius may use."""
        return 1 / ((self.steps + 1) * (self.steps + 2))


Radius = float | Fitted


def settled(radius: Radius, delta: float) -> tuple[float, float, str]:
    """Radius, failure probability left for it, and the assumption in words."""
    if isinstance(radius, Fitted):
        return radius.radius, delta * radius.share, f"the first radius {radius.start:g} did not depend on the data"
    positive("radius", radius, "it bounds the norm of the coefficients")
    return float(radius), delta, "the radius was fixed before these rows were seen; use Fitted(norm) if it was not"


def checked_count(n: int) -> int:
    """``n`` if it can be a number of rows."""
    return whole("n", n, "it counts the rows")


def checked_mean(empirical: float, name: str = "empirical") -> float:
    """``empirical`` if it can be the mean of losses, which are not negative."""
    return non_negative(name, empirical, "it is a mean of losses that are 0 or more")


def deviation(n: int, delta: float, loss_bound: float = 1.0) -> float:
    """``M sqrt(log(1 / delta) / (2 n))``: how far the mean of ``n`` losses in ``[0, M]`` falls below its expectation.

    One-sided Hoeffding, and McDiarmid for functions that move by at most ``M / n`` when a row is replaced; both sides
    at once have twice the failure probability.  Catalogue T-24, T-26, T-27, E-045, E-046.

    >>> round(deviation(1000, 0.05), 9)
    0.038702276
    """
    loss_bound = positive("loss_bound", loss_bound, "losses must lie in [0, loss_bound]")
    return loss_bound * math.sqrt(math.log(1 / failure_probability(delta)) / (2 * checked_count(n)))
