"""Layer guarantee: the theorem that each kind of classifier gets if it is to be certified without held-out rows.

In: a fitted model and its training rows.  Out: `Designated`.  The choice depends on the kind of model only:

    support vectors, one sweep of a perceptron     compression: the rows that the fit really needs
    linear classifiers                             PAC-Bayes, twice the error of the randomised classifier
    kernel classifiers                             margin, with the fitted norm paid for
    thresholds                                     Vapnik-Chervonenkis dimension
    neighbours, memorisers, plug-in rules          none: they can fit anything

`surefit.guarantee.theorems.regressors` has the regressors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from surefit.kernels.kernel import Kernel
from surefit.kernels.radial import Radial
from surefit.theory.bounds.complexity import kernel_ball_rate
from surefit.theory.bounds.compression import compression_risk, perceptron_compression_bound, svm_margin_bound
from surefit.theory.bounds.pac_bayes import pac_bayes_linear
from surefit.theory.bounds.pseudo_dimension import pseudo_dimension_bound
from surefit.theory.bounds.rademacher import empirical_rademacher_bound, rademacher_bound
from surefit.theory.bounds.record import INDEPENDENT, Bound, Fitted
from surefit.theory.bounds.shattering import threshold_dimension
from surefit.theory.certificates.certificate import Assumption, Standing
from surefit.theory.certificates.training_set import (
    FIXED_COLUMNS,
    UNIFORM,
    Designated,
    by_bound,
    error_remedy,
    plain_remedy,
)
from surefit.theory.means.concentration import binomial_upper

ERROR = "the share of future rows like these on which this model errs"
PLANNING_ROWS = 2000  # margins that are enough to plan with
MARGINS = 60
FEWEST_RUNS = 6.0  # standard deviations below the expected number of runs at which a file counts as sorted


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
    def of_errors(self) -> dict[str, Any]:
        """What every `Designated` about an error rate shares."""
        remedy = error_remedy(self.wrong, self.n, self.delta)
        return {"quantity": ERROR, "constant": self.majority_loss, "remedy": remedy}

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


def with_constant(X: Any, wanted: bool) -> Any:
    """The rows with a constant 1 beside them: an intercept is its weight."""
    if not wanted:
        return X
    ones = np.ones((X.shape[0], 1))
    return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.column_stack([X, ones])


def linear_classifier(
    rows: TrainingSet, coef: np.ndarray, intercept: float, signs: np.ndarray, fit_intercept: bool
) -> Designated:
    """PAC-Bayes for ``sign(<coef, x> + intercept)``: the prior is centred at no direction, so nothing is tuned to it.

    ``signs`` (n,) are the labels as -1 and +1.  A row or a ``coef`` of length zero has no direction, and no theorem.
    """
    X = with_constant(rows.X, fit_intercept)
    w = np.append(np.ravel(coef), intercept) if fit_intercept else np.ravel(coef)
    w = w.astype(np.float64)
    lengths = np.sqrt(np.asarray((X.multiply(X) if sparse.issparse(X) else X * X).sum(axis=1)).ravel())
    size = lengths * np.linalg.norm(w)
    if not np.all((size > 0) & np.isfinite(size)):
        return no_theorem_for_labels(rows, "a row or all coefficients are zero, which have no direction")
    margins = (signs * np.asarray(X @ w).ravel() / size).clip(-1, 1)
    bound = pac_bayes_linear(margins, delta=rows.delta)
    planned = np.sort(margins)[:: max(1, rows.n // PLANNING_ROWS)]
    return by_bound(
        bound,
        rows.n,
        value=2 * bound.value,
        empirical=rows.wrong,
        method="pac-bayes, twice the randomised classifier",
        assumptions=(FIXED_COLUMNS, UNIFORM),
        at=lambda n: 2 * pac_bayes_linear(planned, delta=rows.delta, n=n).value,
        **rows.of_errors,
    )


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


def kernel_classifier(
    rows: TrainingSet, function: KernelFunction, scores: np.ndarray, violated: Sequence[Assumption]
) -> Designated:
    """Margin bound for ``sign(f)``: ``f / rho`` for the best ``rho``, its norm being paid for whatever it is.

    ``scores`` (n,) are ``t_i f(x_i)``.
    """
    largest, n = max(float(np.max(scores)), np.finfo(float).tiny), rows.n

    def at_margin(rho: float) -> Bound:
        radius = Fitted(function.norm / rho)
        left, small = rows.delta * radius.share, float(np.mean(scores < rho))
        rate, known = function.rate(rows.X, radius.radius)
        theorem = rademacher_bound if known else empirical_rademacher_bound
        return theorem(small, n, rate, delta=left)

    bounds = [at_margin(rho) for rho in largest * np.geomspace(1e-3, 1.0, MARGINS)]
    best = min(bounds, key=lambda one: one.value)
    return by_bound(
        best,
        n,
        {"small_margins": best.empirical, "norm": function.norm},
        empirical=rows.wrong,
        method="rademacher, margin",
        assumptions=(*violated, FIXED_COLUMNS, UNIFORM),
        at=lambda m: min(one.empirical + one.slack * math.sqrt(n / m) for one in bounds),
        **rows.of_errors,
    )


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


def support_vector_classifier(
    rows: TrainingSet,
    margins: np.ndarray,
    n_support: int,
    tolerance: float,
    free: int,
    about: Sequence[Assumption],
) -> Designated:
    """Compression: rows with a large margin in every pair of classes can be left out.

    ``margins`` (n,) is the smallest of each row over the pairs of its class; a row that the vote gets wrong has lost a
    pair of its own class.  ``free`` counts pairs whose offset is an interval.
    """
    k = min(max(n_support, int(np.sum(margins <= 1 + tolerance))) + 2 * free, rows.n)
    bound = svm_margin_bound(margins, n_support=k, tolerance=tolerance, delta=rows.delta)
    return compressed(rows, bound, about, empirical=rows.wrong, **rows.of_errors)


def compressed(rows: TrainingSet, bound: Bound, about: Sequence[Assumption], **names: Any) -> Designated:
    """A bound by compression, with what it needs of the rows."""
    share, unequal = bound.inputs["k"] / rows.n, rows.counts_alike()
    given = tuple(Assumption(text, Standing.DECLARED) for text in bound.assumptions if text != INDEPENDENT)
    violated = (*(() if unequal is None else (unequal,)), *about)
    return by_bound(
        bound,
        rows.n,
        assumptions=violated or given,
        at=lambda n: compression_risk(n, min(math.ceil(share * n), n), rows.delta),
        **names,
    )


def perceptron_run(
    rows: TrainingSet, mistakes: np.ndarray, wrong: np.ndarray, about: Sequence[Assumption]
) -> Designated:
    """Compression of a perceptron that was swept in the order of the rows: those that ever updated it, or are wrong."""
    bound = perceptron_compression_bound(mistakes, wrong=wrong, delta=rows.delta)
    return compressed(rows, bound, (*about, *sorted_labels(rows.y)), **rows.of_errors)


def sorted_labels(y: np.ndarray) -> tuple[Assumption, ...]:
    """The violated assumption that the order of the rows is random, if there are far too few runs of equal labels."""
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    n, pairs = len(y), float(np.prod(counts)) if len(counts) == 2 else 0.0
    if pairs == 0.0 or n < 3:
        return ()
    runs, expected = 1 + int(np.sum(codes[1:] != codes[:-1])), 1 + 2 * pairs / n
    deviation = math.sqrt(2 * pairs * (2 * pairs - n) / (n**2 * (n - 1)))
    if runs > expected - FEWEST_RUNS * deviation:
        return ()
    reason = (
        f"the rows are sorted: {runs} runs of equal labels where {expected:.0f} are expected; shuffle them, fit again"
    )
    return (broken("the rows come in random order", reason),)


def threshold_rule(rows: TrainingSet) -> Designated:
    """The dimension of thresholds on single columns; errors have the same one."""
    n, dimension = rows.n, threshold_dimension(rows.X.shape[1])
    if n < dimension:
        reason = f"{n} rows are fewer than the dimension {dimension} of thresholds on these columns"
        return no_theorem_for_labels(rows, reason)
    at = lambda m: pseudo_dimension_bound(rows.wrong, m, dimension, delta=rows.delta).value
    bound = pseudo_dimension_bound(rows.wrong, n, dimension, delta=rows.delta)
    about = {**rows.of_errors, "method": "Vapnik-Chervonenkis dimension"}
    return by_bound(bound, n, assumptions=(FIXED_COLUMNS, UNIFORM), at=at, **about)
