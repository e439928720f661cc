"""Layer guarantee: the theorem that each kind of regressor gets if it is to be certified without held-out rows.

In: a fitted model and its training rows.  Out: `Designated`.

    ridge and other linear models      Rademacher complexity of an L2 ball on these rows
    lasso and elastic net              the same of an L1 ball
    kernel models                      the same of the ball of the kernel
    least squares, subsets             pseudo-dimension
    support vectors                    compression: the tube becomes a prediction band

All but the last bound the mean of ``|error|`` or its square for predictions cut to the range of the targets, which is
an assumption: without a range no bound on a mean exists.  Cutting moves predictions closer, so complexities stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from surefit.guarantee.seen.division import row_shuffle
from surefit.guarantee.theorems.training_rows import KernelFunction, TrainingSet, compressed, no_theorem
from surefit.page import number
from surefit.theory.bounds.complexity import column_ball_bound, power_loss_lipschitz
from surefit.theory.bounds.compression import svr_tube_bound
from surefit.theory.bounds.pseudo_dimension import pseudo_dimension_bound
from surefit.theory.bounds.rademacher import empirical_rademacher_bound, rademacher_bound
from surefit.theory.bounds.record import Bound, Fitted
from surefit.theory.bounds.shattering import squared_loss_dimension
from surefit.theory.certificates.certificate import Assumption, Standing
from surefit.theory.certificates.training_set import (
    FIXED_COLUMNS,
    UNIFORM,
    Designated,
    by_bound,
    plain_remedy,
    quantile_remedy,
)
from surefit.theory.certificates.wording import at_most
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import dkw_slack, lower_bound

MOST_SPREAD = 1e150
"""Spread of targets whose square is still a number."""
ROUNDING = 1e-12
"""Room for targets that are equal but for rounding, in shares of them."""
NAMES = {1: "the mean absolute error", 2: "the mean squared error"}


def refuse_wide_targets(y: np.ndarray) -> None:
    """Raise ``ValueError`` if the largest squared error that targets allow is no number."""
    spread = float(np.ptp(np.asarray(y, dtype=np.float64)))
    if not spread <= MOST_SPREAD:
        raise ValueError(
            f"the targets spread over {spread:.2g}, and the square of it is beyond floating point; fit to y divided by "
            "a power of ten"
        )


@dataclass(frozen=True)
class CutLosses:
    """``|error|**power`` with predictions cut to the range of the training targets; the range is an assumption."""

    mean: float
    constant: float
    constant_seen: float
    width: float
    power: int
    known: Assumption
    remedy: str

    @staticmethod
    def of(rows: TrainingSet, power: int) -> CutLosses:
        y = rows.y.astype(np.float64)
        low, high = float(y.min()), float(y.max())
        text = f"every target lies in [{number(low)}, {number(high)}]"
        known = Assumption(text, Standing.DECLARED, "as those of the training rows do; predictions are cut to it")
        cut = np.abs(y - np.clip(rows.answers, low, high))
        centre = float(np.mean(y) if power == 2 else np.median(y))
        lost = np.abs(y - centre) ** power
        bets = partial(betting, seed=row_shuffle(rows.X, y).seed)
        constant = float(lower_bound(bets, lost, rows.delta, upper=(high - low) ** power)) if high > low else 0.0
        remedy = quantile_remedy(y - rows.answers, rows.delta)
        return CutLosses(float(np.mean(cut**power)), constant, float(np.mean(lost)), high - low, power, known, remedy)

    @property
    def largest(self) -> float:
        return self.width**self.power

    @property
    def lipschitz(self) -> float:
        return power_loss_lipschitz(self.power, self.width)

    def about(self, violated: Sequence[Assumption] = ()) -> dict[str, Any]:
        """Everything of a `Designated` but its bound."""
        return {
            "quantity": f"{NAMES[self.power]} of its predictions, cut to the range of the targets,",
            "assumptions": (*violated, self.known, FIXED_COLUMNS, UNIFORM),
            "largest": self.largest,
            "constant": self.constant,
            "constant_seen": self.constant_seen,
            "rate": False,
            "remedy": self.remedy,
        }

    def without_range(self, rows: TrainingSet) -> Designated | None:
        """The trivial answer where all targets are equal."""
        if self.width > 0:
            return None
        return no_theorem_for_numbers(rows, "all targets are equal, so there is no range to bound an error by")


def linear_ball(
    rows: TrainingSet, coef: np.ndarray, intercept: float, order: int, power: int, fit_intercept: bool
) -> Designated:
    """The ball of ``(coef, intercept)``, an intercept being the weight of a constant 1.  Catalogue T-35, T-37, T-40."""
    losses, n = CutLosses.of(rows, power), rows.n
    weights = np.append(np.ravel(coef), intercept).astype(np.float64)
    radius = Fitted(float(np.linalg.norm(weights, ord=order)))
    squares = np.asarray((rows.X.multiply(rows.X) if sparse.issparse(rows.X) else rows.X**2).sum(axis=0)).ravel()
    columns = np.sqrt(np.append(squares, n) if fit_intercept else squares)
    trivial = losses.without_range(rows)
    if trivial is not None:
        return trivial
    bound = empirical_rademacher_bound(
        losses.mean, n, column_ball_bound(columns, n, radius.radius, order), lipschitz=losses.lipschitz,
        loss_bound=losses.largest, delta=rows.delta * radius.share,
    )  # fmt: skip
    return _of_ball(bound, n, radius, f"rademacher, L{order} ball", losses.about())


def kernel_ball(rows: TrainingSet, function: KernelFunction, power: int, violated: Sequence[Assumption]) -> Designated:
    """The ball of a kernel's space that the fitted function is in.  Catalogue T-38, T-49."""
    losses, n, radius = CutLosses.of(rows, power), rows.n, Fitted(function.norm)
    trivial = losses.without_range(rows)
    if trivial is not None:
        return trivial
    rate, known = function.rate(rows.X, radius.radius)
    theorem = rademacher_bound if known else empirical_rademacher_bound
    bound = theorem(
        losses.mean, n, rate, lipschitz=losses.lipschitz, loss_bound=losses.largest, delta=rows.delta * radius.share
    )
    return _of_ball(bound, n, radius, "rademacher, kernel ball", losses.about(violated))


def affine_functions(rows: TrainingSet) -> Designated:
    """The pseudo-dimension of squared errors of all affine functions.  Catalogue T-48.

    Cutting predictions does not enlarge it: whether a cut error exceeds a level is the sign of a polynomial of degree
    at most 2 in the coefficients, as for errors that are not cut, or is decided by the target alone.
    """
    losses, n = CutLosses.of(rows, 2), rows.n
    dimension = squared_loss_dimension(rows.X.shape[1])
    trivial = losses.without_range(rows)
    if trivial is not None:
        return trivial
    at = lambda m: pseudo_dimension_bound(losses.mean, m, dimension, loss_bound=losses.largest, delta=rows.delta).value
    about = {**losses.about(), "at": at, "at_least": dimension, "n": n}
    if n < dimension:
        method, reference = "pseudo-dimension", "Mohri, Rostamizadeh and Talwalkar"
        return Designated(value=math.inf, empirical=losses.mean, method=method, reference=reference, **about)
    bound = pseudo_dimension_bound(losses.mean, n, dimension, loss_bound=losses.largest, delta=rows.delta)
    return by_bound(bound, **about)


def support_vector_tube(
    rows: TrainingSet, epsilon: float, n_support: int, slack: float, free_offset: bool, violated: Sequence[Assumption]
) -> Designated:
    """Compression: rows strictly inside the tube could have been left out; ``slack`` is the solver's own."""
    residuals = rows.y - rows.answers
    tolerance = min(slack / epsilon, 1.0) if epsilon > 0 else 1.0
    bound = svr_tube_bound(
        residuals, epsilon, n_support=n_support, tolerance=tolerance, free_offset=free_offset, delta=rows.delta
    )
    missed = _missed_by_constants(rows.y, epsilon)
    return compressed(
        rows,
        bound,
        violated,
        quantity=f"the share of future rows like these that this model misses by more than {at_most(epsilon)}",
        constant=max(missed - 2 * dkw_slack(rows.n, rows.delta / 2), 0.0),
        constant_seen=missed,
        remedy=quantile_remedy(residuals, rows.delta),
    )


def _missed_by_constants(y: np.ndarray, epsilon: float) -> float:
    """The share of these targets that the best constant misses: the fullest window of width ``2 epsilon`` decides.

    The share of a window is a difference of two values of the distribution function, each known to within a one-sided
    band at ``delta / 2`` for all points at once (DKW): two slacks less is what no constant misses less often.
    """
    y = np.sort(y)
    ends = y + 2 * epsilon + ROUNDING * (np.abs(y) + epsilon)
    fullest = int(np.max(np.searchsorted(y, ends, side="right") - np.arange(len(y))))
    return 1.0 - fullest / len(y)


def _of_ball(bound: Bound, n: int, radius: Fitted, method: str, about: dict[str, Any]) -> Designated:
    numbers = {"norm": radius.norm, "radius": radius.radius, "first_radius": radius.start}
    at = lambda m: bound.empirical + bound.slack * math.sqrt(n / m)
    return by_bound(bound, n, numbers, method=method, at=at, **about)


def no_theorem_for_numbers(rows: TrainingSet, reason: str) -> Designated:
    """`no_theorem` about the squared error."""
    losses = CutLosses.of(rows, 2)
    about = {name: value for name, value in losses.about().items() if name != "assumptions"}
    remedy = plain_remedy(rows.n, rows.delta, False)
    return no_theorem(rows.n, reason, losses.mean, **{**about, "largest": math.inf, "remedy": remedy})
