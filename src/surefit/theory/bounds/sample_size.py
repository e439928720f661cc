"""Layer *theory*: how many rows are needed, and what a given number of rows can promise.

In: an accuracy and a confidence, or a number of rows.  Out: the other.  `rows_needed` turns any bound around; the
closed forms are those of textbooks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from surefit.parameters import non_negative, positive, whole, within
from surefit.theory.bounds.finite import class_size
from surefit.theory.bounds.rademacher import checked_factor
from surefit.theory.bounds.record import Bound, checked_count
from surefit.theory.means.arguments import failure_probability


def rows_needed(
    promise: Callable[[int], float | Bound], target: float, *, at_least: int = 1, at_most: int = 10**9
) -> int:
    """The smallest ``n`` with ``promise(n) <= target``, for a promise that falls with ``n``.  Catalogue S-12.

    ``promise`` is any bound as a function of the sample size.  How many rows until 20 support vectors certify that
    at most 10 % of the fresh rows leave the tube?

    >>> from surefit.theory.bounds.compression import compression_risk
    >>> rows_needed(lambda n: compression_risk(n, 20), 0.1, at_least=20)
    351
    """
    if not callable(promise):
        raise ValueError(f"promise must be a function of the number of rows, got {promise!r}; give lambda n: bound(n)")
    target = within("target", target, (-math.inf, math.inf), "it is the bound to be reached")
    at_least = whole("at_least", at_least, "it is the fewest rows to try")
    at_most = whole("at_most", at_most, "it is the most rows to try, no fewer than at_least", least=at_least)
    reached = lambda n: (lambda found: found.value if isinstance(found, Bound) else found)(promise(n)) <= target
    low, high = at_least - 1, at_least
    while not reached(high):
        if high >= at_most:
            raise ValueError(
                f"the target {target:g} is not reached with {at_most} rows; ask for less or use another bound"
            )
        low, high = high, min(2 * high, at_most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def hoeffding_rows(accuracy: float, delta: float, *, loss_bound: float = 1.0) -> int:
    """Rows for one predictor: ``n >= M**2 log(1 / delta) / (2 eps**2)``.  Catalogue T-24, S-12.

    >>> hoeffding_rows(0.05, 0.05)
    600
    """
    accuracy = positive("accuracy", accuracy, "it is the deviation that is allowed")
    return _whole(_square(_range(loss_bound) / accuracy) * math.log(1 / failure_probability(delta)) / 2)


def hoeffding_failure(n: int, accuracy: float, *, loss_bound: float = 1.0) -> float:
    """``exp(-2 n (eps / M)**2)``: at most the probability that a mean falls ``eps`` short; twice it for both sides.

    Catalogue T-24.

    >>> round(2 * hoeffding_failure(1000, 0.05), 9)
    0.013475894
    """
    accuracy = non_negative("accuracy", accuracy, "it is how far the mean falls short")
    return math.exp(-2 * checked_count(n) * _square(accuracy / _range(loss_bound)))


def finite_class_rows(accuracy: float, delta: float, n_hypotheses: int, *, loss_bound: float = 1.0) -> int:
    """Rows after which empirical risk minimisation over a finite class is within ``eps`` of its best member.

    ``n >= 2 M**2 / eps**2 log(2 |H| / delta)``: both deviations below ``eps / 2`` for all members.  Catalogue T-83,
    S-12.

    >>> finite_class_rows(0.1, 0.05, 100)
    1659
    """
    accuracy = positive("accuracy", accuracy, "it is the excess risk that is allowed")
    log_term = math.log(2 * class_size(n_hypotheses) / failure_probability(delta))
    return _whole(2 * _square(_range(loss_bound) / accuracy) * log_term)


def finite_class_excess(n: int, delta: float, n_hypotheses: int, *, loss_bound: float = 1.0) -> float:
    """The excess risk ``M sqrt(2 log(2 |H| / delta) / n)`` that `finite_class_rows` rows promise.  Catalogue T-83.

    >>> round(finite_class_excess(1659, 0.05, 100), 4)
    0.1
    """
    log_term = math.log(2 * class_size(n_hypotheses) / failure_probability(delta))
    return _range(loss_bound) * math.sqrt(2 * log_term / checked_count(n))


def least_squares_rows(accuracy: float, d: int, *, sigma: float = 1.0) -> int:
    """Rows until least squares at a fixed design has expected excess risk ``sigma**2 d / n <= eps``.  Catalogue T-83.

    >>> least_squares_rows(0.1, 10)
    100
    """
    accuracy = positive("accuracy", accuracy, "it is the excess risk that is allowed")
    return max(_columns(d), _whole(_variance(sigma) * d / accuracy))


def gaussian_least_squares_rows(accuracy: float, d: int, *, sigma: float = 1.0) -> int:
    """Rows until least squares on a Gaussian design has ``sigma**2 d / (n - d - 1) <= eps``.  Catalogue T-20, T-83.

    >>> gaussian_least_squares_rows(0.1, 10)
    111
    """
    accuracy = positive("accuracy", accuracy, "it is the excess risk that is allowed")
    return _columns(d) + 1 + max(1, _whole(_variance(sigma) * d / accuracy))


def lipschitz_linear_rows(
    accuracy: float, *, radius: float = 1.0, lipschitz: float = 1.0, feature_bound: float = 1.0, factor: float = 2.0
) -> int:
    """Rows until `bounded_erm_excess` is at most ``eps``: ``(2 L R D / eps)**2``; ``factor=4`` is usual.

    Catalogue T-42, T-83, E-048.

    >>> lipschitz_linear_rows(0.1), lipschitz_linear_rows(0.1, factor=4)
    (400, 1600)
    """
    accuracy = positive("accuracy", accuracy, "it is the excess risk that is allowed")
    sizes = {"radius": radius, "lipschitz": lipschitz, "feature_bound": feature_bound}
    product = math.prod(non_negative(name, value, "it is a size") for name, value in sizes.items())
    return _whole(_square(checked_factor(factor) * product / accuracy))


def _range(loss_bound: float) -> float:
    return positive("loss_bound", loss_bound, "losses must lie in [0, loss_bound]")


def _columns(d: int) -> int:
    return whole("d", d, "it counts the columns")


def _variance(sigma: float) -> float:
    return _square(non_negative("sigma", sigma, "it is the standard deviation of the noise"))


def _square(value: float) -> float:
    return value * value  # infinite where ** raises


def _whole(n: float) -> int:
    if not math.isfinite(n):
        raise ValueError("so many rows are beyond all numbers; ask for less accuracy")
    return max(1, math.ceil(n * (1 - 1e-12)))  # 100.00000000000001 rows are 100 rows
