"""Layer theory: what classical inference can say of ridge, labelled for what it is.

In: a factorised design, targets and ``lam``.  Out: a `ShrunkenTable`: standard errors and intervals of the shrunken
target, the coefficients that ridge would have without noise.  Not of the true coefficients: ridge is biased towards
zero by an amount that the data do not tell, so there are no tests of ``beta_j = 0`` here.  The lasso gets neither: it
also chooses which coefficients to report, and intervals that ignore the choice do not cover (`after_lasso`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from surefit.solvers.linear.factor import SpectralFactor
from surefit.theory.fit.smoother import degrees_of_freedom, leverages
from surefit.theory.inference.linear import Covariance, checked_choice
from surefit.theory.inference.tables import SHRUNKEN, ShrunkenTable, checked_level


def ridge_covariance(factor: SpectralFactor, y: np.ndarray, lam: float, covariance: Covariance = "HC3") -> np.ndarray:
    """Sandwich covariance of ridge, ``(p, p)`` with the intercept first: ``L Sigma L'`` for ``estimate = L y``.

    ``L`` is ``inv(A'A + n lam I) A'`` for the slopes.  ``Sigma`` is diagonal: classical, ``rss / (n - tr(2H - HH'))``
    throughout; HC0, squared residuals; HC1 multiplies them by ``n / (n - tr H)``, HC2 divides them by ``1 - H_ii``,
    HC3 by its square.  Weights are precisions, as in `surefit.theory.inference.linear`.  ``lam = 0`` gives the
    covariances of least squares.  Catalogue A-09, T-09, S-09.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> ridge_covariance(factor, np.array([1.0, 3, 2, 5]), 0.0, "classical").round(9).tolist()
    [[0.945, -0.405], [-0.405, 0.27]]
    """
    half = _estimator_map(factor, lam) * _noise_size(factor, y, lam, covariance)[:, None]
    return half.T @ half


def ridge_table(
    factor: SpectralFactor,
    y: np.ndarray,
    lam: float,
    names: tuple[str, ...],
    covariance: Covariance = "HC3",
    level: float = 0.95,
    caution: str = "",
) -> ShrunkenTable:
    """Estimates of ridge with standard errors and intervals of the shrunken target; ``names`` are those of the columns.

    Intervals are ``estimate -+ t * se`` with ``n - tr(2H - HH')`` degrees of freedom: exact at ``lam = 0`` for normal
    noise of equal variance (``classical``), large-sample approximations otherwise.  Catalogue A-09, T-09.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.linear.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> table = ridge_table(factor, np.array([1.0, 3, 2, 5]), 1.25, ("x0",), "classical")
    >>> table.names, table.estimate.round(6), round(table.dof, 6)
    (('intercept', 'x0'), array([1.925, 0.55 ]), 1.5)
    """
    return ridge_tables(factor, y, lam, names, (covariance,), level, caution)[0]


def ridge_tables(
    factor: SpectralFactor,
    y: np.ndarray,
    lam: float,
    names: tuple[str, ...],
    covariances: Sequence[Covariance],
    level: float = 0.95,
    caution: str = "",
) -> list[ShrunkenTable]:
    """`ridge_table` for several covariances, which share what is computed for each row."""
    checked_level(level)
    A, traces = factor.A, degrees_of_freedom(factor, np.array([lam]))
    by_row = _estimator_map(factor, lam)
    estimate = by_row.T @ A.target(y)
    first = int(A.fit_intercept)
    if A.fit_intercept:
        estimate[0] = A.target_mean(y) - _mean_row(factor) @ estimate[1:]
    squares, df = by_row**2, _residual_dof(factor, lam)
    errors = [np.sqrt(_noise_size(factor, y, lam, covariance) ** 2 @ squares) for covariance in covariances]
    reach = special.stdtrit(df, (1 + level) / 2)
    return [
        ShrunkenTable(
            ("intercept",) * first + tuple(names), estimate, error, estimate - reach * error, estimate + reach * error,
            level, covariance, lam, float(traces.trace[0]), SHRUNKEN, caution, df=df,
        )
        for covariance, error in zip(covariances, errors, strict=True)
    ]  # fmt: skip


def taken_as_given(choices: tuple[str, ...]) -> str:
    """What a table says of choices made on the rows it is computed from; nothing where there were none.

    >>> taken_as_given(("lam was chosen on the same rows",))
    'lam was chosen on the same rows: intervals take it as given, so they may be too short'
    """
    return f"{'; '.join(choices)}: intervals take it as given, so they may be too short" if choices else ""


def after_lasso(model_name: str, lam: float, unpenalised: str = "LeastSquares") -> str:
    """Why there are no honest classical standard errors after selection by the same data."""
    return _after_selection(
        f"{model_name} with lam={lam:g} chose its coefficients by looking at these data and shrank them", unpenalised
    )


def after_search(model_name: str, criterion: str) -> str:
    """Why least squares on columns that won a contest on the same rows has none: it looks more certain than it is."""
    return _after_selection(f"{model_name} chose its columns by criterion={criterion!r} on these data", "LeastSquares")


def _after_selection(what: str, unpenalised: str) -> str:
    return (
        f"{what}, so classical standard errors, p values and intervals do not hold for them; for inference fit "
        f"{unpenalised} on columns chosen beforehand or on other rows, for predictions use surefit.calibrate"
    )


def _estimator_map(factor: SpectralFactor, lam: float) -> np.ndarray:
    """``L'``, shape ``(n, p)``: the estimate is ``L`` times the weighted targets, intercept first."""
    A = factor.A
    shrink = factor.shrinkage(np.array([lam * A.design.total_weight]))[0]
    root = factor.coef(np.diag(1 / factor.singular))
    slopes = np.concatenate([block for _, block in factor.left_blocks()]) @ (root * shrink).T / A.scale
    if not A.fit_intercept:
        return slopes
    return np.column_stack([A.root_weight / A.design.total_weight - slopes @ _mean_row(factor), slopes])


def _mean_row(factor: SpectralFactor) -> np.ndarray:
    offset = factor.A.design.offset
    mean = (factor.A.shift + factor.A.shift_low) * factor.A.scale
    return mean if offset is None else mean + offset


def _residual_dof(factor: SpectralFactor, lam: float) -> float:
    left = factor.A.design.n_counted - float(degrees_of_freedom(factor, np.array([lam])).residual_form[0])
    if not left > 1e-6:
        raise ValueError(
            "the fit passes through every target and leaves nothing to estimate the noise; use a larger lam"
        )
    return left


def _noise_size(factor: SpectralFactor, y: np.ndarray, lam: float, covariance: Covariance) -> np.ndarray:
    """The standard deviation of each weighted target that ``covariance`` believes in, shape ``(n,)``."""
    checked_choice("covariance", covariance, Covariance)
    n, target = factor.A.design.n_counted, factor.A.target(y)
    spectral = factor.shrinkage(np.array([lam * factor.A.design.total_weight]))[0] * factor.coordinates(target)
    residual = np.concatenate([target[rows] - block @ spectral for rows, block in factor.left_blocks()])
    left = _residual_dof(factor, lam)
    if covariance == "classical":
        return np.full(len(target), np.sqrt(residual @ residual / left))
    if covariance == "HC1":
        return np.abs(residual) * np.sqrt(n / (n - degrees_of_freedom(factor, np.array([lam])).trace[0]))
    power = {"HC0": 0.0, "HC2": 0.5, "HC3": 1.0}[covariance]
    room = np.maximum(1 - leverages(factor, np.array([lam]))[0], 1e-12)
    return np.abs(residual) * room**-power
