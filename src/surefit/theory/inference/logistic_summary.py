"""Layer theory: the printed summary of a logistic fit.  In: a `LogisticFit`.  Out: a `LogisticSummary`.

Numbers come from `logistic.py`, or from `logistic_shrunken.py` where there is a penalty.
"""

from __future__ import annotations

import numpy as np

from surefit.page import Fact, number, p_value, share
from surefit.theory.inference.logistic import (
    LogisticCovariance,
    LogisticFit,
    LogisticStatistics,
    logistic_statistics,
    logistic_table,
)
from surefit.theory.inference.summary import Summary
from surefit.theory.inference.tables import EstimateTable, exponentials


class LogisticSummary(Summary):
    """A `Summary` of log-odds, with their odds ratios.  Catalogue A-29, A-30."""

    def odds_ratios(self) -> dict[str, tuple[float, float, float]]:
        """By how much one more of each column multiplies the odds, with the ends of its interval; not the intercepts.

        ``exp`` of estimate, lower and upper end: the interval covers exactly when that of the coefficient does.
        """
        if isinstance(self.table, EstimateTable):
            raise ValueError(f"{self.table.reason} The odds ratios alone are in to_frame().")
        return exponentials(self.table)


def summarise_logistic(
    fit: LogisticFit, level: float = 0.95, covariance: LogisticCovariance | None = None
) -> LogisticSummary:
    """The usual table of a maximum-likelihood fit, with the conditions under which it holds.  Catalogue A-29, A-30.

    ``covariance=None`` is the `usual` one of the fit.

    >>> X, codes = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    >>> fit = LogisticFit(X, codes, np.array([[2 * np.log(3)]]), np.array([-np.log(3)]), np.ones(8), names=("dose",))
    >>> print("\\n".join(str(summarise_logistic(fit)).splitlines()[9:12]))
               estimate  std. error       z       p  2.5 %  97.5 %  odds ratio
    intercept     -1.10        1.15  -0.951  0.3414  -3.36    1.16
    dose           2.20        1.63   1.346  0.1785  -1.00    5.40           9
    """
    covariance = covariance or fit.usual
    model = "whose log-odds are linear in the columns" if covariance != "robust" else "from any law"
    statistics, table = logistic_statistics(fit), logistic_table(fit, level, covariance)
    notes = (
        fit.meaning,
        f"Holds for: independent rows {model}. Standard errors, p values and intervals are large-sample approximations "
        "at the maximum of the likelihood.",
        *fit.reading_notes(),
    )
    facts = _facts(str(fit.method), statistics, covariance)
    return LogisticSummary(
        "Logistic regression", str(fit.target_name), facts, statistics, table, notes, {"method": str(fit.method)}
    )


def _facts(method: str, s: LogisticStatistics, covariance: str) -> list[Fact]:
    """What the whole fit is worth; weights that are not counts have no likelihood, and so no test of it."""
    first = [
        ("Rows", number(s.n_rows, 9)),
        ("Parameters", f"{s.n_parameters:,}"),
        ("Solved by", method or "-"),
        ("Log-loss on training rows", number(s.deviance / 2 / s.n_rows, 5)),
        ("McFadden R2", share(s.mcfadden_r2)),
        ("Null deviance", number(s.null_deviance, 6)),
    ]
    if np.isnan(s.aic):
        return [*first, ("Covariance", covariance)]
    return [
        *first,
        ("Log-likelihood", number(s.log_likelihood, 6)),
        (f"Likelihood ratio chi2({s.df_model})", number(s.likelihood_ratio, 6)),
        ("p of likelihood ratio", p_value(s.p_value)),
        ("AIC", number(s.aic, 6)),
        ("BIC", number(s.bic, 6)),
    ]
