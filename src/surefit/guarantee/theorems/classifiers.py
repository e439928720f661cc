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
from typing import Any

import numpy as np
from scipy import sparse

from surefit.guarantee.theorems.training_rows import (
    KernelFunction,
    TrainingSet,
    broken,
    compressed,
    no_theorem_for_labels,
)
from surefit.theory.bounds.compression import perceptron_compression_bound, svm_margin_bound
from surefit.theory.bounds.pac_bayes import pac_bayes_linear
from surefit.theory.bounds.pseudo_dimension import pseudo_dimension_bound
from surefit.theory.bounds.rademacher import empirical_rademacher_bound, rademacher_bound
from surefit.theory.bounds.record import Bound, Fitted
from surefit.theory.bounds.shattering import threshold_dimension
from surefit.theory.certificates.certificate import Assumption
from surefit.theory.certificates.training_set import (
    FIXED_COLUMNS,
    UNIFORM,
    Designated,
    by_bound,
)

PLANNING_ROWS = 2000  # margins that are enough to plan with
MARGINS = 60
FEWEST_RUNS = 6.0  # standard deviations below the expected number of runs at which a file counts as sorted


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
