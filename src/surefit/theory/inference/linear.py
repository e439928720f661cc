"""Layer theory: classical inference for least squares.  In: a `LinearFit`.  Out: standard errors, tests, intervals.

The model is ``y_i = <w, x_i> + b + noise_i`` with independent noise of mean zero; ``theta = (b, w)``, intercept first.
Sample weights are precision weights here, ``Var(noise_i) = s2 / w_i``; for weights that are counts, repeat the rows.
Fits without such a theory are refused when the `LinearFit` is built.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from scipy import linalg, sparse, special

from surefit.theory.inference.influence import FULL_LEVERAGE, ROUNDING, LinearFit, refuse_penalised, variance_inflation
from surefit.theory.inference.tables import CoefficientTable, Distribution, Intervals, checked_level

__all__ = [
    "CoefficientTable",
    "Distribution",
    "FitStatistics",
    "Intervals",
    "LinearFit",
    "WaldTest",
    "coefficient_table",
    "contrasts",
    "covariance_matrix",
    "fit_statistics",
    "mean_interval",
    "prediction_interval",
    "refuse_penalised",
    "slopes_test",
    "variance_inflation",
    "wald_test",
]

Covariance = Literal["classical", "HC0", "HC1", "HC2", "HC3"]

GRAM_SAFE = 1e-4  # ratio of eigenvalues above which forming a Gram matrix costs at most 4 of 16 digits


def checked_choice(name: str, value: str, choices: Any) -> None:
    if value not in get_args(choices):
        raise ValueError(f"{name} must be one of {', '.join(get_args(choices))}, got {value!r}; choose one of these")


def _noise_root(fit: LinearFit, covariance: Covariance) -> np.ndarray:
    """``G`` with ``Cov(theta_hat) = root @ G @ G.T @ root.T``, shape ``(p, p)``; computed once for each fit."""
    checked_choice("covariance", covariance, Covariance)
    if covariance not in fit.noise_roots:
        fit.noise_roots[covariance] = _new_noise_root(fit, covariance)
    return fit.noise_roots[covariance]


def _new_noise_root(fit: LinearFit, covariance: Covariance) -> np.ndarray:
    if covariance == "classical":
        return np.sqrt(fit.scale) * np.eye(fit.n_parameters)
    power = {"HC0": 0.0, "HC1": 0.0, "HC2": 0.5, "HC3": 1.0}[covariance]
    if power > 0 and fit.leverages.max() > FULL_LEVERAGE:
        raise ValueError(
            f"{covariance} divides by 1 - leverage, and row {int(fit.leverages.argmax())} has leverage 1: it is fitted "
            "exactly and says nothing about the noise; use HC1, or drop the row"
        )
    size = np.sqrt(fit.weights) * fit.weighted_residuals
    if power > 0:
        size = size * (1 - fit.leverages) ** -power
    elif covariance == "HC1":
        size = size * np.sqrt(fit.n_rows / fit.df_residual)
    gram = np.zeros((fit.n_parameters, fit.n_parameters))
    for rows, score in fit.scores(fit.X):
        scaled = size[rows, None] * score
        gram += scaled.T @ scaled
    values = linalg.eigvalsh(gram)
    if values[0] > GRAM_SAFE * values[-1]:  # the scores are orthonormal, so this is the rule
        return linalg.cholesky(gram, lower=True)
    triangle = np.zeros((0, fit.n_parameters))
    for rows, score in fit.scores(fit.X):  # QR of the stacked rows squares no condition number
        triangle = linalg.qr(np.vstack([triangle, size[rows, None] * score]), mode="r")[0][: fit.n_parameters]
    return triangle.T


def covariance_matrix(fit: LinearFit, covariance: Covariance = "classical") -> np.ndarray:
    """Covariance of ``theta_hat``, shape ``(p, p)``.  Catalogue A-01, T-09.

    ``classical``: ``s2 * inv(A'WA)``, equal variances assumed.  ``HC0``: ``inv(A'WA) (sum_i w_i**2 r_i**2 a_i a_i')
    inv(A'WA)``, no such assumption; HC1 multiplies by ``n / (n - p)``, HC2 divides ``r_i**2`` by ``1 - h_i``, HC3 by
    ``(1 - h_i)**2`` (safest in small samples).

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> covariance_matrix(LinearFit(X, y, np.array([1.1]), 1.1, root)).round(9).tolist()
    [[0.945, -0.405], [-0.405, 0.27]]
    """
    half = fit.root @ _noise_root(fit, covariance)
    return half @ half.T


def _quantile(level: float, distribution: Distribution, df: int) -> float:
    checked_choice("distribution", distribution, Distribution)
    checked_level(level)
    return float(special.ndtri((1 + level) / 2) if distribution == "normal" else special.stdtrit(df, (1 + level) / 2))


def _two_sided(ratio: np.ndarray, distribution: Distribution, df: int) -> np.ndarray:
    if distribution == "normal":
        return special.erfc(np.abs(ratio) / np.sqrt(2))
    return special.betainc(df / 2, 0.5, df / (df + ratio**2))  # the tail itself, not 1 - cdf


def contrasts(
    fit: LinearFit,
    restriction: np.ndarray,
    value: np.ndarray | float = 0.0,
    covariance: Covariance = "classical",
    level: float = 0.95,
    distribution: Distribution = "t",
) -> CoefficientTable:
    """Each linear combination ``<R_j, theta> - value_j`` with its own t test and interval.

    ``restriction`` is ``(q, p)`` or ``(p,)``, in the order of ``fit.parameter_names``.  Same assumptions as
    `coefficient_table`; the tests are one at a time, see `wald_test` for the joint one.  Catalogue A-01, T-09.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> at_two = contrasts(LinearFit(X, y, np.array([1.1]), 1.1, root), np.array([1.0, 2.0]))
    >>> at_two.estimate.round(9).item(), (at_two.standard_error**2).round(9).item()
    (3.3, 0.405)
    """
    R = _restriction(fit, restriction)
    estimate = R @ fit.parameters - value
    error = np.linalg.norm(R @ fit.root @ _noise_root(fit, covariance), axis=1)
    reach = _quantile(level, distribution, fit.df_residual) * error
    with np.errstate(divide="ignore", invalid="ignore"):  # an exact fit: x / 0 is inf, 0 / 0 is nan
        ratio = estimate / error
    p_value = _two_sided(ratio, distribution, fit.df_residual)
    names = tuple(f"c{j}" for j in range(len(R)))
    bounds = (estimate - reach, estimate + reach)
    return CoefficientTable(
        names, estimate, error, ratio, p_value, *bounds, level, covariance, distribution, fit.df_residual
    )


def coefficient_table(
    fit: LinearFit, covariance: Covariance = "classical", level: float = 0.95, distribution: Distribution = "t"
) -> CoefficientTable:
    """Standard errors, t, p values and intervals of all coefficients, intercept first.  Catalogue A-01, T-09.

    ``se_j = sqrt(Cov_jj)``, ``t_j = theta_j / se_j``, interval ``theta_j -+ quantile * se_j``.  Exact if the mean is
    linear and the noise independent, normal, of equal variance (``classical``); otherwise for large ``n``.
    ``distribution="t"`` has ``n - p`` degrees of freedom; ``"normal"`` is the large-sample limit, which some packages
    use with HC covariances.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> table = coefficient_table(LinearFit(X, y, np.array([1.1]), 1.1, root))
    >>> table.names, table.standard_error.round(6).tolist(), table.p_value.round(6).tolist()
    (('intercept', 'x0'), [0.972111, 0.519615], [0.375242, 0.168478])
    """
    table = contrasts(fit, np.eye(fit.n_parameters), 0.0, covariance, level, distribution)
    return replace(table, names=fit.parameter_names)


@dataclass(frozen=True)
class WaldTest:
    """A joint test: ``statistic`` is F with ``(df_numerator, df_denominator)``, or chi2 if ``distribution="chi2"``."""

    statistic: float
    df_numerator: int
    df_denominator: int
    p_value: float
    distribution: Literal["F", "chi2"] = "F"


def _judged(mean_square: float, df: int, fit: LinearFit, distribution: Distribution) -> WaldTest:
    checked_choice("distribution", distribution, Distribution)
    if distribution == "normal":
        return WaldTest(df * mean_square, df, fit.df_residual, float(special.chdtrc(df, df * mean_square)), "chi2")
    return WaldTest(mean_square, df, fit.df_residual, float(special.fdtrc(df, fit.df_residual, mean_square)))


def _restriction(fit: LinearFit, restriction: np.ndarray) -> np.ndarray:
    R = np.atleast_2d(np.asarray(restriction, dtype=float))
    if R.ndim != 2 or R.shape[1] != fit.n_parameters:
        raise ValueError(
            f"restriction must have {fit.n_parameters} columns, one per parameter {fit.parameter_names}, got shape "
            f"{np.shape(restriction)}; the intercept comes first"
        )
    return R


def wald_test(
    fit: LinearFit,
    restriction: np.ndarray,
    value: np.ndarray | float = 0.0,
    covariance: Covariance = "classical",
    distribution: Distribution = "t",
) -> WaldTest:
    """Joint test of ``R @ theta = value``: ``z' inv(R Cov R') z / q`` with ``z = R theta_hat - value``.

    ``restriction`` is ``(q, p)`` of full row rank.  Compared with F on ``(q, n - p)`` degrees of freedom (exact for
    classical covariance and normal noise), or ``q`` times it with chi2 on ``q`` if ``distribution="normal"``.
    Catalogue A-01, T-09.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> test = wald_test(LinearFit(X, y, np.array([1.1]), 1.1, root), np.array([0.0, 1.0]))
    >>> round(test.statistic, 6), round(test.p_value, 6)
    (4.481481, 0.168478)
    """
    R = _restriction(fit, restriction)
    length = np.linalg.norm(R, axis=1, keepdims=True)
    if np.linalg.matrix_rank(R / np.where(length > 0, length, 1.0), tol=1e-12) < len(R):
        raise ValueError(
            f"the {len(R)} rows of restriction are linearly dependent, so the joint test is not defined; "
            "drop the rows that follow from the others"
        )
    noise = _noise_root(fit, covariance)
    triangle = linalg.qr((R @ fit.root @ noise).T, mode="economic")[1]
    if np.abs(np.diag(triangle)).min() == 0:
        return _judged(np.inf if np.any(R @ fit.parameters != value) else np.nan, len(R), fit, distribution)
    z = linalg.solve_triangular(triangle, R @ fit.parameters - value, trans="T")
    return _judged(float(z @ z) / len(R), len(R), fit, distribution)


def slopes_test(fit: LinearFit, covariance: Covariance = "classical", distribution: Distribution = "t") -> WaldTest:
    """F test that nothing matters: the mean is constant (or zero, if the columns do not contain the constant).

    Classical: ``(ess / (p - 1)) / s2``; HC: `wald_test` of the slopes with that covariance.  Also right where the
    constant is hidden in the columns (all dummies of a factor, no intercept).  Catalogue A-01, T-09.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> round(slopes_test(LinearFit(X, y, np.array([1.1]), 1.1, root)).statistic, 6)
    4.481481
    """
    df = fit.n_parameters - (fit.constant is not None)
    if df == 0 or not _total(fit) > 0:
        return WaldTest(np.nan, df, fit.df_residual, np.nan)
    if covariance == "classical":
        mean_square = _explained(fit) / df / fit.scale if fit.rss > 0 else np.inf
        return _judged(mean_square, df, fit, distribution)
    slopes = np.eye(fit.n_parameters) if fit.constant is None else linalg.null_space(fit.constant[None]).T
    return wald_test(fit, slopes, 0.0, covariance, distribution)


def _explained(fit: LinearFit) -> float:
    """Sum of squares of the fitted values, about their mean if the columns contain the constant."""
    fitted = np.sqrt(fit.weights) * fit.y - fit.weighted_residuals
    if fit.constant is not None:
        unit = np.sqrt(fit.weights / fit.weights.sum())
        fitted = fitted - unit * (unit @ fitted)
    return float(fitted @ fitted)


def _total(fit: LinearFit) -> float:
    """Total sum of squares ``ess + rss``; nan if it is rounding only (a constant target)."""
    total = _explained(fit) + fit.rss
    return total if total > ROUNDING**2 * float(fit.weights @ np.square(fit.y, dtype=float)) else np.nan


@dataclass(frozen=True)
class FitStatistics:
    """How well the fit describes the training rows; ``centred`` says which total ``r2`` compares with."""

    n_rows: int
    n_parameters: int
    df_residual: int
    rss: float
    tss: float
    centred: bool
    r2: float
    adjusted_r2: float
    residual_standard_error: float
    log_likelihood: float
    aic: float
    bic: float


def fit_statistics(fit: LinearFit) -> FitStatistics:
    """R2, adjusted R2, residual standard error, Gaussian log-likelihood, AIC and BIC.  Catalogue A-01, T-77.

    ``r2 = 1 - rss / tss``, ``tss`` about the weighted mean if the columns contain the constant, about zero otherwise.
    ``log_likelihood = -n/2 (log(2 pi rss / n) + 1) + sum_i log(w_i) / 2`` with the variance profiled out;
    ``aic = 2 p - 2 log_likelihood``, ``bic = p log(n) - 2 log_likelihood``, ``p`` with the intercept, without s2.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> round(fit_statistics(LinearFit(X, y, np.array([1.1]), 1.1, root)).r2, 6)
    0.691429
    """
    n, p, rss, tss = fit.n_rows, fit.n_parameters, fit.rss, _total(fit)
    centred = fit.constant is not None
    unexplained = rss / tss
    with np.errstate(divide="ignore"):  # rss = 0: the likelihood is unbounded
        likelihood = -n / 2 * (np.log(2 * np.pi * np.float64(rss) / n) + 1)
    likelihood = float(likelihood + np.log(fit.weights[fit.weights > 0]).sum() / 2)
    return FitStatistics(
        n, p, n - p, rss, tss, centred,
        r2=_explained(fit) / tss,
        adjusted_r2=1 - (n - centred) / (n - p) * unexplained,
        residual_standard_error=float(np.sqrt(fit.scale)),
        log_likelihood=likelihood,
        aic=2 * p - 2 * likelihood,
        bic=p * float(np.log(n)) - 2 * likelihood,
    )  # fmt: skip


def mean_interval(
    fit: LinearFit,
    X_new: Any,
    covariance: Covariance = "classical",
    level: float = 0.95,
    distribution: Distribution = "t",
) -> Intervals:
    """Interval for the mean of y at each new row: ``fitted -+ quantile * sqrt(a' Cov a)``.  Catalogue A-01, T-09.

    Assumes what `coefficient_table` assumes; each row on its own.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> mean_interval(LinearFit(X, y, np.array([1.1]), 1.1, root), X[2:3]).standard_error.round(6).tolist()
    [0.636396]
    """
    if (np.ndim(X_new) != 2 and not sparse.issparse(X_new)) or X_new.shape[1] != fit.X.shape[1]:
        raise ValueError(
            f"X_new must have {fit.X.shape[1]} columns, got shape {np.shape(X_new)}; give one row per case"
        )
    noise = _noise_root(fit, covariance)
    error = np.concatenate([np.zeros(0)] + [np.linalg.norm(score @ noise, axis=1) for _, score in fit.scores(X_new)])
    return _around(fit, X_new, error, level, distribution)


def prediction_interval(
    fit: LinearFit, X_new: Any, level: float = 0.95, sample_weight: np.ndarray | float = 1.0
) -> Intervals:
    """Interval for a new observation: ``fitted -+ t * sqrt(s2 * (1 / w + a' inv(A'WA) a))``.  Catalogue A-01, T-09.

    Needs normal noise of equal variance (``s2 / w`` with weights): unlike for means, a large sample does not help, and
    no HC covariance applies.  Conformal intervals need neither.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> new = prediction_interval(LinearFit(X, y, np.array([1.1]), 1.1, root), X[2:3])
    >>> (new.standard_error**2).round(6).tolist()
    [1.755]
    """
    if not np.min(sample_weight) > 0:
        raise ValueError(f"sample_weight must be > 0, got {np.min(sample_weight):g}; use 1 for an ordinary new row")
    of_mean = mean_interval(fit, X_new, level=level).standard_error
    return _around(fit, X_new, np.sqrt(of_mean**2 + fit.scale / np.asarray(sample_weight)), level, "t")


def _around(fit: LinearFit, X_new: Any, error: np.ndarray, level: float, distribution: Distribution) -> Intervals:
    fitted = np.asarray(X_new @ fit.coef + fit.intercept, dtype=float)
    reach = _quantile(level, distribution, fit.df_residual) * error
    return Intervals(fitted, error, fitted - reach, fitted + reach, level)
