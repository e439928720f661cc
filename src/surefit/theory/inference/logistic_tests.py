"""Layer theory: tests of hypotheses about logistic regression.  In: one `LogisticFit`, or two.  Out: a `WaldTest`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, special

from surefit.theory.inference.linear import WaldTest
from surefit.theory.inference.logistic import LogisticFit, refuse_penalised

NESTED = 1e-6
"""A column of which the others leave less than this share can be written with them."""


def logistic_wald_test(fit: LogisticFit, restriction: Any, value: Any = 0.0) -> WaldTest:
    """Joint test of ``R theta = value`` by ``z' inv(R Cov R') z``, chi2 on the rows of ``R``.  Catalogue A-29.

    Columns of ``restriction`` are in the order of ``fit.parameter_names``.
    """
    refuse_penalised(fit)
    R = np.atleast_2d(np.asarray(restriction, dtype=float))
    if R.shape[1] != fit.n_parameters:
        raise ValueError(
            f"restriction must have {fit.n_parameters} columns, one per parameter {fit.parameter_names}, got shape "
            f"{np.shape(restriction)}; the intercept comes first"
        )
    z = R @ fit.theta.ravel() - value
    statistic = float(z @ linalg.solve(R @ fit.covariance @ R.T, z, assume_a="sym"))
    return WaldTest(
        statistic, len(R), int(fit.n_rows) - fit.n_parameters, float(special.chdtrc(len(R), statistic)), "chi2"
    )


def likelihood_ratio_test(larger: LogisticFit, smaller: LogisticFit) -> WaldTest:
    """Test that the smaller of two nested fits to the same rows is enough: twice the difference of log-likelihoods.

    chi2 on the difference of the numbers of parameters; more reliable than Wald's in small samples.  Catalogue A-29.
    """
    refuse_penalised(larger)
    refuse_penalised(smaller)
    if not (larger.is_likelihood and smaller.is_likelihood):
        raise ValueError(
            "the likelihood-ratio test needs a likelihood, and weights that are not counts make none of the weighted "
            "sum; use logistic_wald_test, or weights_are_counts=True if sample_weight counts rows"
        )
    df = larger.n_parameters - smaller.n_parameters
    same = len(larger.codes) == len(smaller.codes) and np.array_equal(larger.codes, smaller.codes)
    if df <= 0 or not same or not np.array_equal(larger.weight, smaller.weight):
        raise ValueError(
            "the likelihood-ratio test compares nested fits to the same rows, the larger one first; "
            f"got {larger.n_parameters} and {smaller.n_parameters} parameters on {len(larger.codes)} and "
            f"{len(smaller.codes)} rows"
        )
    if (stranger := _outside(larger, smaller)) is not None:
        raise ValueError(
            f"the likelihood-ratio test compares nested fits, and {stranger!r} of the smaller one cannot be written "
            "with the columns of the larger; give fits of which one leaves out columns of the other"
        )
    statistic = max(2 * (larger.log_likelihood - smaller.log_likelihood), 0.0)
    left = int(larger.n_rows) - larger.n_parameters
    return WaldTest(statistic, df, left, float(special.chdtrc(df, statistic)), "chi2")


def _outside(larger: LogisticFit, smaller: LogisticFit) -> str | None:
    """A column of the smaller fit that no combination of those of the larger one gives; None if there is none."""
    gram: Any = 0.0
    cross: Any = 0.0
    size: Any = 0.0
    left: Any = 0.0
    for (A, *_, weight), (B, *_) in zip(larger.blocks(), smaller.blocks(), strict=True):
        gram, cross = gram + A.T @ (weight[:, None] * A), cross + A.T @ (weight[:, None] * B)
    combination = linalg.lstsq(gram, cross)[0]
    for (A, *_, weight), (B, *_) in zip(larger.blocks(), smaller.blocks(), strict=True):
        size, left = size + weight @ B**2, left + weight @ (B - A @ combination) ** 2
    far = np.flatnonzero(left > NESTED**2 * size)
    return smaller.columns[far[0]] if len(far) else None
