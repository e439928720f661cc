"""Layer guarantee: what every theorem about training rows shares: the rows, what they violate, and no theorem at all.

In: a fitted model and its training rows.  Out: `TrainingSet` and `KernelFunction`, from which theorems start, and the
parts of a `Designated` that several kinds of model have in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.kernels.kernel import Kernel
from surefit.kernels.radial import Radial
from surefit.theory.bounds.complexity import kernel_ball_rate
from surefit.theory.bounds.compression import compression_risk
from surefit.theory.bounds.record import INDEPENDENT, Bound
from surefit.theory.certificates.certificate import Assumption, Standing
from surefit.theory.certificates.training_set import FIXED_COLUMNS, Designated, by_bound, error_remedy, plain_remedy
from surefit.theory.means.concentration import binomial_upper

ERROR = "the share of future rows like these on which this model errs"


@dataclass(frozen=True)
class TrainingSet:
    """The training rows of a fit: as they were given and as plain numbers, targets, answers, weights, and ``delta``."""

    given: Any
    X: Any
    y: np.ndarray
    answers: np.ndarray
    weight: np.ndarray | None
    delta: float

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def wrong(self) -> float:
        """The share of rows with the wrong label."""
        return float(np.mean(self.answers != self.y))

    @property
    def majority_loss(self) -> float:
        """What always answering the most frequent label loses at least, with confidence ``1 - delta``."""
        counts = np.unique(self.y, return_counts=True)[1]
        return 1.0 - float(binomial_upper(counts.max(), self.n, self.delta / len(counts)))

    @property
    def majority_seen(self) -> float:
        """What it loses on these rows."""
        return 1.0 - float(np.unique(self.y, return_counts=True)[1].max()) / self.n

    @property
    def of_errors(self) -> dict[str, Any]:
        """What every `Designated` about an error rate shares."""
        remedy = error_remedy(self.wrong, self.n, self.delta)
        constant = {"constant": self.majority_loss, "constant_seen": self.majority_seen}
        return {"quantity": ERROR, "remedy": remedy, **constant}

    def counts_alike(self) -> Assumption | None:
        """The violated assumption of compression, if the rows have unequal weights."""
        if self.weight is None or np.all(self.weight == self.weight[0]):
            return None
        return broken("all rows count alike", "rows of unequal sample_weight are not draws of one population")


def broken(text: str, evidence: str) -> Assumption:
    """An assumption that the fit has violated."""
    return Assumption(text, Standing.VIOLATED, evidence)


def no_theorem(n: int, reason: str, empirical: float, **about: Any) -> Designated:
    """The trivial bound, with the reason why there is no other."""
    text = broken("a theorem was designated for this model", reason)
    return Designated(
        value=math.inf, empirical=empirical, n=n, method="none", reference="", assumptions=(text,), **about
    )


def no_theorem_for_labels(rows: TrainingSet, reason: str) -> Designated:
    """`no_theorem` about an error rate."""
    about = {**rows.of_errors, "remedy": plain_remedy(rows.n, rows.delta, True)}
    return no_theorem(rows.n, reason, rows.wrong, **about)


@dataclass(frozen=True)
class KernelFunction:
    """``f = sum_j a_j k(p_j, .) + b``: its kernel and its norm; an offset makes it a function of ``k + 1``."""

    kernel: Kernel
    norm: float
    offset: bool

    @staticmethod
    def of(kernel: Kernel, points: Any, coef: np.ndarray, intercept: Any, offset: bool) -> KernelFunction:
        a, b = np.asarray(coef, dtype=np.float64).ravel(), float(np.ravel(intercept)[0])
        square = float(a @ np.ravel(kernel.times(points, points, a))) + (b * b if offset else 0.0)
        return KernelFunction(kernel, math.sqrt(max(square, 0.0)), offset)

    def rate(self, X: Any, radius: float) -> tuple[float, bool]:
        """The complexity of the ball of that radius, and whether it is known without the rows (``k(x, x) = 1``)."""
        if isinstance(self.kernel, Radial):
            return kernel_ball_rate(X.shape[0], radius=radius, feature_bound=math.sqrt(1.0 + self.offset)), True
        trace = float(np.sum(self.kernel.diag(X))) + X.shape[0] * self.offset
        return radius * math.sqrt(trace) / X.shape[0], False


def kernel_settings(kernel: Kernel, settled: Kernel, lam: float | None = 1.0) -> tuple[Assumption, ...]:
    """What the rows have decided of a kernel model that its theorem wants fixed; ``lam`` too, for compression."""
    found = []
    if kernel != settled:
        reason = "the kernel was scaled on the same rows; give its bandwidth as a number chosen beforehand"
        found.append(broken("the kernel was fixed before these rows were seen", reason))
    if lam is None:
        reason = "lam was chosen on the same rows, and compression needs it fixed; give lam"
        found.append(broken("lam was fixed before these rows were seen", reason))
    return tuple(found)


def compressed(rows: TrainingSet, bound: Bound, about: Sequence[Assumption], **names: Any) -> Designated:
    """A bound by compression, with what it needs of the rows."""
    share, unequal = bound.inputs["k"] / rows.n, rows.counts_alike()
    given = tuple(Assumption(text, Standing.DECLARED) for text in bound.assumptions if text != INDEPENDENT)
    violated = (*(() if unequal is None else (unequal,)), *about)
    return by_bound(
        bound,
        rows.n,
        assumptions=(*(violated or given), FIXED_COLUMNS),
        at=lambda n: compression_risk(n, min(math.ceil(share * n), n), rows.delta),
        **names,
    )
