"""Layer theory: the printed summary of a logistic fit.  In: a `LogisticFit`.  Out: text, HTML, table.

Numbers come from `logistic_inference`; the layout is that of the least-squares summary.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from surefit.theory import summary as layout
from surefit.theory.logistic_inference import (
    LogisticCovariance,
    LogisticFit,
    logistic_statistics,
    logistic_table,
)


@dataclass(frozen=True, eq=False)
class LogisticPage:
    """What summaries of logistic fits have in common: text, HTML, table, plain numbers."""

    target_name: str
    method: str
    statistics: Any
    table: layout.AnyTable
    notes: tuple[str, ...]

    kind: ClassVar[str] = ""

    def __str__(self) -> str:
        return layout.text_page(f"Logistic regression{self.kind}", self._facts(), self.table, self.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = f"Logistic regression for {self.target_name}{self.kind}"
        return layout.html_page(title, self._facts(), self.table, self.notes)

    to_frame = layout.Summary.to_frame

    def odds_ratios(self) -> dict[str, tuple[float, float, float]]:
        """By how much one more of each column multiplies the odds, with the ends of its interval; not the intercepts.

        ``exp`` of estimate, lower and upper end: the interval covers exactly when that of the coefficient does.
        """
        return layout.exponentials(self.table)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain Python numbers, strings, lists and dicts."""
        return {
            "target": self.target_name,
            "method": self.method,
            "covariance": self.table.covariance,
            "level": float(self.table.level),
            **asdict(self.statistics),
            "coefficients": layout.coefficient_records(self.table),
            "notes": list(self.notes),
        }

    def _facts(self) -> layout.Facts:
        raise NotImplementedError

    def _counts(self) -> list[tuple[str, str]]:
        """What every page begins with."""
        s = self.statistics
        return [("Target", self.target_name), ("Rows", f"{s.n_rows:g}"), ("Parameters", str(s.n_parameters))]


class LogisticSummary(LogisticPage):
    """A fit with its inference: ``print`` it, show it in a notebook, or take `to_frame` and `as_dict`.

    Built by `summarise_logistic`; ``statistics`` are `LogisticStatistics`, ``notes`` say in words when the numbers
    hold.  Catalogue A-29, A-30.
    """

    def _facts(self) -> layout.Facts:
        s, digits = self.statistics, layout.digits_text
        left = [*self._counts(), ("Solved by", self.method or "-")]
        explained = ("McFadden R2", layout.share_text(s.mcfadden_r2))
        right = [("Deviance", digits(s.deviance)), ("Null deviance", digits(s.null_deviance))]
        if np.isnan(s.aic):  # weights that are not counts: no likelihood, no test of it
            return left, [("Covariance", self.table.covariance), *right, explained]
        left += [("Log-likelihood", digits(s.log_likelihood)), explained]
        right += [
            (f"Likelihood ratio chi2({s.df_model})", digits(s.likelihood_ratio)),
            ("p of likelihood ratio", layout.p_value_text(s.p_value)),
            ("AIC", digits(s.aic)),
            ("BIC", digits(s.bic)),
        ]
        return left, right


def summarise_logistic(
    fit: LogisticFit, level: float = 0.95, covariance: LogisticCovariance | None = None
) -> LogisticSummary:
    """The usual table of a maximum-likelihood fit, with the conditions under which it holds.  Catalogue A-29, A-30.

    ``covariance=None`` is the `usual` one of the fit.

    >>> X, codes = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
    >>> fit = LogisticFit(X, codes, np.array([[2 * np.log(3)]]), np.array([-np.log(3)]), np.ones(8), names=("dose",))
    >>> print("\\n".join(str(summarise_logistic(fit)).splitlines()[9:12]))
               estimate  std. error       z       p  2.5 %  97.5 %
    intercept     -1.10        1.15  -0.951  0.3414  -3.36    1.16
    dose           2.20        1.63   1.346  0.1785  -1.00    5.40
    """
    covariance = covariance or fit.usual
    model = "whose log-odds are linear in the columns" if covariance != "robust" else "from any law"
    notes = [
        f"Holds for: independent rows {model}. Standard errors, p values and intervals are large-sample approximations "
        "at the maximum of the likelihood."
    ]
    notes += fit.reading_notes()
    return LogisticSummary(
        str(fit.target_name),
        str(fit.method),
        logistic_statistics(fit),
        logistic_table(fit, level, covariance),
        tuple(notes),
    )
