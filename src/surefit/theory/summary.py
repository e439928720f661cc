"""Layer theory: the printed summary of a least-squares fit.  In: a `LinearFit`.  Out: a `Summary` as text, HTML, table.

Numbers come from `inference` and `influence`; this file chooses digits and words.  Text is at most 80 columns wide.
"""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from html import escape
from importlib import import_module
from typing import Any
from unicodedata import combining, east_asian_width

import numpy as np

from surefit.theory.inference import (
    CoefficientTable,
    Covariance,
    Distribution,
    FitStatistics,
    LinearFit,
    WaldTest,
    coefficient_table,
    fit_statistics,
    slopes_test,
)
from surefit.theory.inference_penalised import ShrunkenTable
from surefit.theory.influence import condition_number, variance_inflation

WIDTH = 80
SHOWN_NAME = 14  # a name keeps at least this many columns before numbers lose digits
TEXT_ROWS, HTML_ROWS = 60, 1000  # longer coefficient tables are cut in the middle
COLLINEAR = 30.0  # condition number above which collinearity is worth a note

Facts = tuple[list[tuple[str, str]], list[tuple[str, str]]]
"""Left and right halves of a header: label and value."""

AnyTable = CoefficientTable | ShrunkenTable
"""With tests, or for a penalised fit without."""


@dataclass(frozen=True, eq=False)
class Summary:
    """A fit with its inference: ``print`` it, show it in a notebook, or take `to_frame` and `as_dict`.

    Built by `summarise`; ``notes`` say in words when the numbers hold.  Catalogue A-01, T-09.
    """

    target_name: str
    method: str
    statistics: FitStatistics
    slopes: WaldTest
    table: CoefficientTable
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return text_page("Least squares", _facts(self), self.table, self.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_page(f"Least squares for {self.target_name}", _facts(self), self.table, self.notes)

    def to_frame(self) -> Any:
        """The coefficient table as a pandas DataFrame, one row per parameter, full names and full digits."""
        try:
            pd = import_module("pandas")  # optional dependency
        except ImportError as missing:
            raise ImportError(
                "to_frame needs pandas, which is not installed; install pandas or use as_dict()"
            ) from missing
        return pd.DataFrame(coefficient_columns(self.table), index=pd.Index(self.table.names, name="parameter"))

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain Python numbers, strings, lists and dicts."""
        return {
            "target": self.target_name,
            "method": self.method,
            "covariance": self.table.covariance,
            "distribution": self.table.distribution,
            "level": float(self.table.level),
            **asdict(self.statistics),
            "f_test": asdict(self.slopes),
            "coefficients": coefficient_records(self.table),
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
    return Summary(
        target_name=str(fit.target_name),
        method=str(fit.method),
        statistics=statistics,
        slopes=slopes_test(fit, covariance, distribution),
        table=coefficient_table(fit, covariance, level, distribution),
        notes=_notes(fit, statistics, covariance, distribution),
    )


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


def coefficient_columns(table: AnyTable) -> dict[str, np.ndarray]:
    tests = {} if isinstance(table, ShrunkenTable) else {"t": table.t, "p_value": table.p_value}
    ends = {"lower": table.lower, "upper": table.upper}
    return {"estimate": table.estimate, "std_error": table.standard_error} | tests | ends


def coefficient_records(table: AnyTable) -> list[dict[str, Any]]:
    columns = coefficient_columns(table)
    return [
        {"name": name} | {key: float(column[j]) for key, column in columns.items()}
        for j, name in enumerate(table.names)
    ]


def exponentials(table: AnyTable) -> dict[str, tuple[float, float, float]]:
    """``exp`` of estimate, lower and upper end of every parameter but the intercepts; infinite where too large."""
    with np.errstate(over="ignore"):
        rows = np.exp(np.column_stack([table.estimate, table.lower, table.upper])).tolist()
    slopes = (name.split(" [")[0] != "intercept" for name in table.names)
    return {name: tuple(row) for name, row, slope in zip(table.names, rows, slopes, strict=True) if slope}


def column_titles(table: AnyTable) -> tuple[str, ...]:
    tail = 50 * (1 - table.level)
    tests = () if isinstance(table, ShrunkenTable) else ("t" if table.distribution == "t" else "z", "p")
    return "estimate", "std. error", *tests, f"{tail:.4g} %", f"{100 - tail:.6g} %"


def _facts(summary: Summary) -> Facts:
    s, test, table = summary.statistics, summary.slopes, summary.table
    uncentred = "" if s.centred else " (uncentred)"
    chi2 = test.distribution == "chi2"
    joint = f"chi2({test.df_numerator})" if chi2 else f"F({test.df_numerator}, {test.df_denominator})"
    left = [
        ("Target", summary.target_name),
        ("Rows", str(s.n_rows)),
        ("Parameters", str(s.n_parameters)),
        ("Residual df", str(s.df_residual)),
        ("Solved by", summary.method or "-"),
        ("Covariance", table.covariance),
        ("Tests", f"t({s.df_residual})" if table.distribution == "t" else "normal"),
    ]
    right = [
        (f"R2{uncentred}", share_text(s.r2)),
        (f"Adjusted R2{uncentred}", share_text(s.adjusted_r2)),
        ("Residual std. error", digits_text(s.residual_standard_error)),
        (joint, digits_text(test.statistic, 5)),
        (f"p of {joint.split('(')[0]}", p_value_text(test.p_value)),
        ("AIC", digits_text(s.aic)),
        ("BIC", digits_text(s.bic)),
    ]
    return left, right


def digits_text(number: float, significant: int = 6) -> str:
    return f"{number:.{significant}g}"


def share_text(r2: float) -> str:
    if 1 - 5e-7 < r2 < 1:
        return ">0.999999"
    return f"{r2:.6f}" if abs(r2) >= 1e-3 else f"{r2:.3g}"


def p_value_text(p: float) -> str:
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def _ratio(t: float) -> str:
    if not abs(t) < 1e6:
        return f"{t:.3g}"
    return f"{t:.3f}" if abs(t) < 1000 else f"{t:.1f}"


def _measured(number: float, error: float, room: int = 12) -> str:
    """``number`` to the third digit of its standard error if that fits in ``room``, else as many digits as fit."""
    if np.isfinite(number) and 1e-5 <= error < np.inf:
        text = f"{number:.{max(0, 2 - int(np.floor(np.log10(error))))}f}"
        if len(text) <= room:
            return text
    wanted = 7
    if np.isfinite(number) and number != 0 and 0 < error < np.inf:
        wanted = max(1, 3 + int(np.floor(np.log10(abs(number)))) - int(np.floor(np.log10(error))))
    texts = [f"{number:.{k}g}" for k in range(min(wanted, room), 0, -1)]
    return next((text for text in texts if len(text) <= room), texts[-1])


def _cells(table: AnyTable, j: int, room: int) -> list[str]:
    error = float(table.standard_error[j])
    near = [_measured(float(x), error, room) for x in (table.estimate[j], error, table.lower[j], table.upper[j])]
    if isinstance(table, ShrunkenTable):
        return near
    return [near[0], near[1], _ratio(float(table.t[j])), p_value_text(float(table.p_value[j])), near[2], near[3]]


def _visible(n_rows: int, limit: int) -> tuple[list[int], list[int]]:
    """First and last row numbers to show, all of them first if they fit."""
    if n_rows <= limit:
        return list(range(n_rows)), []
    return list(range(limit - 10)), list(range(n_rows - 10, n_rows))


def _columns_of(text: str) -> int:
    """Terminal columns of ``text``: wide characters take two, combining ones none."""
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def _shortened(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns, its middle replaced by an ellipsis if it is longer."""
    text = " ".join(text.split())
    if _columns_of(text) <= width:
        return text
    head = text
    while head and _columns_of(head) > width // 2:
        head = head[:-1]
    tail = text[len(head) :]
    while tail and _columns_of(tail) > width - 1 - _columns_of(head):
        tail = tail[1:]
    return f"{head}…{tail}"


def _filled(left: str, right: str, width: int) -> str:
    """``left`` and ``right`` at the two edges of ``width`` columns."""
    return left + " " * (width - _columns_of(left) - _columns_of(right)) + right


def _fact_line(label: str, value: str, width: int) -> str:
    return _filled(label, _shortened(value, width - len(label) - 2), width)


def text_page(title: str, facts: Facts, table: AnyTable, notes: tuple[str, ...]) -> str:
    """A summary for the terminal: title, facts side by side, coefficients, notes."""
    half, rule = WIDTH // 2 - 2, "-" * WIDTH
    header = [f"{_fact_line(*a, half)}    {_fact_line(*b, half)}" for a, b in zip(*facts, strict=True)]
    body = [*header, rule, *_coefficient_lines(table), rule]
    for note in notes:
        body += textwrap.wrap(" ".join(note.split()), WIDTH, initial_indent="* ", subsequent_indent="  ")
    return "\n".join([title, "=" * WIDTH, *body])


def _coefficient_lines(table: AnyTable) -> list[str]:
    first, last = _visible(len(table.names), TEXT_ROWS)
    wanted = max(_columns_of(" ".join(table.names[j].split())) for j in first + last)
    for room in (12, 11, 10, 9):  # numbers give up digits before names give up their last 14 columns
        rows = [list(column_titles(table)), *(_cells(table, j, room) for j in first + last)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        left_over = WIDTH - sum(widths) - 2 * len(widths)
        if left_over >= min(wanted, SHOWN_NAME):
            break
    name_width = min(wanted, left_over)
    names = ["", *(table.names[j] for j in first + last)]
    lines = [
        _filled(_shortened(name, name_width), "", name_width)
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        for name, row in zip(names, rows, strict=True)
    ]
    if last:
        hidden = len(table.names) - len(first) - len(last)
        lines.insert(1 + len(first), f"... {hidden} more; to_frame() and as_dict() have all ...")
    return lines


def html_page(title: str, facts: Facts, table: AnyTable, notes: tuple[str, ...]) -> str:
    """A summary for a notebook: the same as `text_page`, as tables."""
    cell = "padding:2px 10px;text-align:right;border:none"
    head = "".join(f"<th style='{cell}'>{escape(name)}</th>" for name in ("", *column_titles(table)))
    lines = (
        "<tr>" + "".join(f"<td style='{cell}'>{escape(x)}</td>" for x in (*a, *b)) + "</tr>"
        for a, b in zip(*facts, strict=True)
    )
    return (
        "<div style='font-size:90%'><table style='border-collapse:collapse'>"
        f"<caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>{''.join(lines)}</table>"
        "<table style='border-collapse:collapse;margin-top:6px;border-top:1px solid;border-bottom:1px solid'>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(_coefficient_html(table, cell))}</tbody></table>"
        f"<ul style='margin:6px 0'>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul></div>"
    )


def _coefficient_html(table: AnyTable, cell: str) -> list[str]:
    first, last = _visible(len(table.names), HTML_ROWS)
    name_cell = cell.replace("right", "left")
    rows = [
        f"<tr><th style='{name_cell}'>{escape(table.names[j])}</th>"
        + "".join(f"<td style='{cell}'>{escape(x)}</td>" for x in _cells(table, j, 12))
        + "</tr>"
        for j in first + last
    ]
    if last:
        hidden = len(table.names) - len(first) - len(last)
        rows.insert(len(first), f"<tr><td colspan='7'>{hidden} more; to_frame() and as_dict() have all</td></tr>")
    return rows
