"""Layer theory: the printed summary of a fit.  In: a `LinearFit`, or facts, a table and notes.  Out: a `Summary`.

Numbers come from `inference` and `influence`, the layout from `surefit.page`; this file chooses words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from surefit.page import Fact, Page, Readable, listed, number, p_value, share
from surefit.theory.inference.influence import condition_number, variance_inflation
from surefit.theory.inference.linear import (
    Covariance,
    Distribution,
    FitStatistics,
    LinearFit,
    WaldTest,
    coefficient_table,
    fit_statistics,
    slopes_test,
)
from surefit.theory.inference.tables import CoefficientTable, EstimateTable, ShrunkenTable, with_absent

COLLINEAR = 30.0  # condition number above which collinearity is worth a note


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Readable):
    """A fit and what is known of it: ``print`` it, show it in a notebook, or take `to_frame` and `as_dict`.

    ``facts`` are labels and values as printed; ``statistics`` holds the numbers behind them; ``table`` the coefficients
    by name, with standard errors where they have a theory; ``notes`` say in words when the numbers hold, or why there
    are no standard errors.  ``further`` is what `as_dict` has besides.  Catalogue A-01, A-29, T-09.
    """

    title: str
    target_name: str
    facts: Sequence[Fact]
    statistics: Any
    table: CoefficientTable | ShrunkenTable | EstimateTable
    notes: tuple[str, ...]
    further: Mapping[str, Any] = field(default_factory=dict)

    def _page(self) -> Page:
        facts = (("Target", self.target_name), *self.facts)
        return Page(self.title, facts, self.table.layout("to_frame() and as_dict() have all"), self.notes)

    def _columns(self) -> tuple[Mapping[str, Any], Any, str]:
        return self.table._columns()

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain Python numbers, strings, lists and dicts."""
        inference = {} if isinstance(self.table, EstimateTable) else {"covariance": self.table.covariance}
        return {
            "model": self.title,
            "target": self.target_name,
            **inference,
            **({"level": float(self.table.level)} if not isinstance(self.table, EstimateTable) else {}),
            **self.further,
            **asdict(self.statistics),
            "coefficients": self.table.records(),
            "notes": list(self.notes),
        }


def summarise(
    fit: LinearFit, covariance: Covariance = "classical", level: float = 0.95, distribution: Distribution = "t"
) -> Summary:
    """The usual regression table of a least-squares fit, with the conditions under which it holds.

    Arguments as in `coefficient_table`; the F test uses the same covariance.  Catalogue A-01, T-09.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
    >>> root = np.linalg.inv(np.linalg.qr(np.column_stack([np.ones(4), X]), mode="r"))
    >>> summary = summarise(LinearFit(X, y, np.array([1.1]), 1.1, root, method="QR", names=["dose"]))
    >>> print("\\n".join(str(summary).splitlines()[10:13]))
               estimate  std. error      t       p   2.5 %  97.5 %
    intercept     1.100       0.972  1.132  0.3752  -3.083   5.283
    dose          1.100       0.520  2.117  0.1685  -1.136   3.336
    """
    statistics = fit_statistics(fit)
    slopes, table = slopes_test(fit, covariance, distribution), coefficient_table(fit, covariance, level, distribution)
    return Summary(
        "Least squares",
        str(fit.target_name),
        _facts(str(fit.method), statistics, slopes, table),
        statistics,
        table,
        _notes(fit, statistics, covariance, distribution),
        {"method": str(fit.method), "distribution": distribution, "f_test": asdict(slopes)},
    )


def with_dropped(summary: Summary, names: Sequence[str], kept: Sequence[int]) -> Summary:
    """The summary of a fit to some columns as one of all ``names``; the others, which depend on them, are marked NA."""
    assert isinstance(summary.table, CoefficientTable)
    dropped = [name for j, name in enumerate(names) if j not in set(kept)]
    verb = "is" if len(dropped) == 1 else "are"
    note = (
        f"NA: {listed(dropped)} can be written with the other columns and {verb} left out of this table; coef_ has the "
        "shortest of all equally good coefficients, which predict the same."
    )
    return replace(summary, table=with_absent(summary.table, names, kept), notes=(note, *summary.notes))


def _notes(
    fit: LinearFit, statistics: FitStatistics, covariance: Covariance, distribution: Distribution
) -> tuple[str, ...]:
    if covariance != "classical":
        notes = [
            f"Holds for: linear mean, independent errors; their variances may differ ({covariance} covariance). p "
            "values and intervals are large-sample approximations."
        ]
    elif distribution == "normal":
        notes = ["Holds for: linear mean, independent errors, equal variance; p values and intervals are large-sample."]
    else:
        notes = [
            "Holds for: linear mean, independent errors, equal variance. p values and intervals are exact if the "
            "errors are normal, otherwise large-sample approximations."
        ]
    if fit.sample_weight is not None:
        notes.append(
            "Sample weights are read as precisions: error variance s2 / weight. If they are counts, repeat rows."
        )
    if not statistics.centred:
        notes.append("No intercept: R2 and F compare with zero, not with the mean; do not set beside fits with one.")
    if fit.exact:
        notes.append("The fit is exact up to rounding: standard errors, t and p values measure arithmetic, not noise.")
    if not np.isfinite(statistics.tss):
        notes.append("The target does not vary: R2 and F are not defined.")
    notes += _collinearity(fit)
    return tuple(notes)


def _collinearity(fit: LinearFit) -> list[str]:
    condition = condition_number(fit)
    if not condition > COLLINEAR:
        return []
    inflation = variance_inflation(fit)
    worst = int(np.argmax(inflation))
    name = fit.parameter_names[worst + bool(fit.fit_intercept)]
    scaling = "centred and scaled" if fit.fit_intercept else "scaled"
    return [
        f"Nearly dependent columns: condition number {condition:.3g} ({scaling}). Single coefficients are uncertain, "
        f"predictions need not be; largest variance inflation {inflation[worst]:.4g}, for {name}."
    ]


def _facts(method: str, s: FitStatistics, test: WaldTest, table: CoefficientTable) -> list[Fact]:
    uncentred = "" if s.centred else " (uncentred)"
    chi2 = test.distribution == "chi2"
    joint = f"chi2({test.df_numerator})" if chi2 else f"F({test.df_numerator}, {test.df_denominator})"
    return [
        ("Rows", f"{s.n_rows:,}"),
        ("Parameters", f"{s.n_parameters:,}"),
        ("Residual df", f"{s.df_residual:,}"),
        ("Solved by", method or "-"),
        ("Covariance", table.covariance),
        ("Tests", f"t({s.df_residual})" if table.distribution == "t" else "normal"),
        (f"R2 on training rows{uncentred}", share(s.r2)),
        (f"Adjusted R2{uncentred}", share(s.adjusted_r2)),
        ("Residual std. error", number(s.residual_standard_error, 6)),
        (joint, number(test.statistic, 5)),
        (f"p of {joint.split('(')[0]}", p_value(test.p_value)),
        ("AIC", number(s.aic, 6)),
        ("BIC", number(s.bic, 6)),
    ]
