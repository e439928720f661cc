"""Layer theory: what inference can say of logistic regression with a squared penalty, labelled for what it is.

In: a `LogisticFit` with its ``lam``.  Out: a `ShrunkenTable` or a `LogisticSummary`: standard errors and
intervals of the shrunken target, the minimiser of ``E[log-loss] + lam ||W||**2``.  Not of the coefficients of a true
model: the bias that ``lam`` brings is unknown, so there are no tests of zero here.  Fits with an L1 part are refused
before they get here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from surefit.page import Fact, number, share
from surefit.theory.fit.criteria import aic
from surefit.theory.inference.logistic import LogisticCovariance, LogisticFit
from surefit.theory.inference.logistic_summary import LogisticSummary
from surefit.theory.inference.shrunken import taken_as_given
from surefit.theory.inference.tables import ShrunkenTable, checked_level

TARGET = (
    "of the shrunken target, the minimiser of E[log-loss] + lam ||W||^2, not of the true coefficients: the bias that "
    "lam brings is not in these standard errors, and no p values exist for it"
)
MEATS = {
    "robust": "independent rows from any law",
    "classical": "independent rows whose log-odds are the fitted ones",
    "hessian": "a normal prior of variance 1 / (2 n lam) on the coefficients, of which this is the posterior's spread",
}
"""Under what each covariance is right, for large samples."""


def penalised_dof(fit: LogisticFit) -> float:
    """Effective number of parameters ``tr(inv(H) I)``: all of them at ``lam = 0``, the intercepts for large ``lam``."""
    return float(np.sum(fit.inverse_hessian * fit.information))


def penalised_table(
    fit: LogisticFit, covariance: LogisticCovariance = "robust", level: float = 0.95, choices: tuple[str, ...] = ()
) -> ShrunkenTable:
    """Estimates with standard errors and normal intervals of the shrunken target.  Catalogue A-29.

    >>> X, codes = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    >>> fit = LogisticFit(X, codes, np.zeros((1, 1)), np.zeros(1), np.ones(8), lam=1.0)
    >>> penalised_table(fit, "hessian").standard_error.round(4)
    array([0.7177, 0.2462])
    """
    checked_level(level)
    estimate = fit.theta.ravel()
    error = np.sqrt(np.diag(fit.covariance_as(covariance)))
    reach = float(special.ndtri((1 + level) / 2)) * error
    return ShrunkenTable(
        fit.parameter_names, estimate, error, estimate - reach, estimate + reach, level, covariance, fit.lam,
        penalised_dof(fit), TARGET, taken_as_given(choices), "Logistic regression", odds=True,
    )  # fmt: skip


@dataclass(frozen=True)
class ShrunkenStatistics:
    """Numbers about the whole penalised fit; ``aic`` counts ``dof`` parameters, since the penalty holds them back."""

    n_rows: float
    n_parameters: int
    dof: float
    lam: float
    log_likelihood: float
    deviance: float
    null_deviance: float
    mcfadden_r2: float
    aic: float


def summarise_penalised(
    fit: LogisticFit, covariance: LogisticCovariance = "robust", level: float = 0.95, choices: tuple[str, ...] = ()
) -> LogisticSummary:
    """The table of a penalised fit, with what its intervals are about.  Catalogue A-29, A-30, S-02.

    >>> X, codes = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    >>> fit = LogisticFit(X, codes, np.zeros((1, 1)), np.zeros(1), np.ones(8), names=("dose",), lam=1.0)
    >>> print("\\n".join(str(summarise_penalised(fit, "hessian")).splitlines()[8:11]))
               estimate  std. error   2.5 %  97.5 %  odds ratio
    intercept     0.000       0.718  -1.407   1.407
    dose          0.000       0.246  -0.483   0.483           1
    """
    table = penalised_table(fit, covariance, level, choices)
    loglik, null = fit.log_likelihood, fit.null_log_likelihood
    statistics = ShrunkenStatistics(
        fit.n_rows, fit.n_parameters, table.dof, fit.lam, loglik, -2 * loglik, -2 * null, 1 - loglik / null,
        float(aic(loglik, table.dof)) if fit.is_likelihood else np.nan,
    )  # fmt: skip
    approximate = f"Large-sample approximations under {MEATS[covariance]}."
    notes = (fit.meaning, table.notes[0], approximate, *table.notes[1:], *fit.reading_notes())
    facts = _facts(str(fit.method), statistics, covariance)
    return LogisticSummary(
        "Logistic regression, penalised", str(fit.target_name), facts, statistics, table, notes,
        {"method": str(fit.method)},
    )  # fmt: skip


def _facts(method: str, s: ShrunkenStatistics, covariance: str) -> list[Fact]:
    return [
        ("Rows", number(s.n_rows, 9)),
        ("Parameters", f"{s.n_parameters:,}"),
        ("Degrees of freedom", number(s.dof)),
        ("Solved by", method or "-"),
        ("Covariance", covariance),
        ("lam", number(s.lam)),
        ("Log-loss on training rows", number(s.deviance / 2 / s.n_rows, 5)),
        ("McFadden R2", share(s.mcfadden_r2)),
        *([] if np.isnan(s.aic) else [("AIC, effective parameters", number(s.aic, 6))]),
    ]
