"""Layer theory: what classical inference can say of ridge, labelled for what it is.

In: a factorised design, targets and ``lam``.  Out: a `ShrunkenTable`: standard errors and intervals of the shrunken
target, the coefficients that ridge would have without noise.  Not of the true coefficients: ridge is biased towards
zero by an amount that the data do not tell, so there are no tests of ``beta_j = 0`` here.  The lasso gets neither: it
also chooses which coefficients to report, and intervals that ignore the choice do not cover (`refuse_lasso`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from surefit.solvers.factor import SpectralFactor
from surefit.theory.inference import Covariance, checked_choice
from surefit.theory.smoother import degrees_of_freedom, leverages

SHRUNKEN = (
    "of the shrunken target E[estimate], not of the true coefficients: the bias that lam brings is not in these "
    "standard errors, and no p values exist for it"
)


@dataclass(frozen=True, eq=False)
class ShrunkenTable:
    """Penalised estimates, intercept first, with standard errors and intervals of the target they are shrunken to.

    ``dof`` is the effective number of parameters; ``meaning`` says what the intervals are about, ``caution`` what of
    the fit they ignore.
    """

    names: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    covariance: str
    lam: float
    dof: float
    meaning: str = SHRUNKEN
    caution: str = ""
    model: str = "Ridge"

    def __str__(self) -> str:
        width = max(map(len, self.names))
        columns = (self.estimate, self.standard_error, self.lower, self.upper)
        rows = [
            f"{name:<{width}}" + "".join(f"{column[j]:>14.6g}" for column in columns)
            for j, name in enumerate(self.names)
        ]
        tail = 50 * (1 - self.level)
        titles = ("estimate", "std. error", f"{tail:.4g} %", f"{100 - tail:.6g} %")
        head = " " * width + "".join(f"{title:>14}" for title in titles)
        facts = f"{self.model}, lam = {self.lam:.6g}, {self.dof:.4g} degrees of freedom, {self.covariance} covariance"
        notes = [f"Standard errors are {self.meaning}."] + ([f"{self.caution}."] if self.caution else [])
        return "\n".join([facts, head, *rows, *notes])

    def divided_by(self, scale: np.ndarray) -> ShrunkenTable:
        """The table for columns multiplied by ``scale`` (d,); the intercept stays."""
        by = np.append(np.ones(len(self.names) - len(scale)), scale)
        parts = {name: getattr(self, name) / by for name in ("estimate", "standard_error", "lower", "upper")}
        return replace(self, **parts)


def ridge_covariance(factor: SpectralFactor, y: np.ndarray, lam: float, covariance: Covariance = "HC3") -> np.ndarray:
    """Sandwich covariance of ridge, ``(p, p)`` with the intercept first: ``L Sigma L'`` for ``estimate = L y``.

    ``L`` is ``inv(A'A + n lam I) A'`` for the slopes.  ``Sigma`` is diagonal: classical, ``rss / (n - tr(2H - HH'))``
    throughout; HC0, squared residuals; HC1 multiplies them by ``n / (n - tr H)``, HC2 divides them by ``1 - H_ii``,
    HC3 by its square.  Weights are precisions, as in `surefit.theory.inference`.  ``lam = 0`` gives the
    covariances of least squares.  Catalogue A-09, T-09, S-09.

    >>> from surefit.data.design import Design
    >>> from surefit.solvers.factor import spectral_factor
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
    >>> from surefit.solvers.factor import spectral_factor
    >>> factor = spectral_factor(Design.of([[0.0], [1], [2], [3]]), True)
    >>> table = ridge_table(factor, np.array([1.0, 3, 2, 5]), 1.25, ("x0",), "classical")
    >>> table.names, table.estimate.round(6), round(table.dof, 6)
    (('intercept', 'x0'), array([1.925, 0.55 ]), 1.5)
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}; use level=0.95 for a 95 % interval")
    A, traces = factor.A, degrees_of_freedom(factor, np.array([lam]))
    estimate = _estimator_map(factor, lam).T @ A.target(y)
    first = int(A.fit_intercept)
    if A.fit_intercept:
        estimate[0] = A.target_mean(y) - _mean_row(factor) @ estimate[1:]
    error = np.linalg.norm(_estimator_map(factor, lam) * _noise_size(factor, y, lam, covariance)[:, None], axis=0)
    reach = special.stdtrit(_residual_dof(factor, lam), (1 + level) / 2) * error
    return ShrunkenTable(
        ("intercept",) * first + tuple(names), estimate, error, estimate - reach, estimate + reach,
        level, covariance, lam, float(traces.trace[0]), SHRUNKEN, caution,
    )  # fmt: skip


def taken_as_given(choices: tuple[str, ...]) -> str:
    """What a table says of choices made on the rows it is computed from; nothing where there were none.

    >>> taken_as_given(("lam was chosen on the same rows",))
    'lam was chosen on the same rows: intervals take it as given, so they may be too short'
    """
    return f"{'; '.join(choices)}: intervals take it as given, so they may be too short" if choices else ""


def refuse_lasso(model_name: str, lam: float, unpenalised: str = "LeastSquares") -> None:
    """Raise: after selection by the same data there are no honest classical standard errors."""
    _refuse(
        f"{model_name} with lam={lam:g} chose its coefficients by looking at these data and shrank them", unpenalised
    )


def refuse_subset(model_name: str, criterion: str) -> None:
    """Raise: least squares on columns that won a contest on the same rows looks more certain than it is."""
    _refuse(f"{model_name} chose its columns by criterion={criterion!r} on these data", "LeastSquares")


def _refuse(what: str, unpenalised: str) -> None:
    raise ValueError(
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
