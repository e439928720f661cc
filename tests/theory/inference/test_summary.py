"""The summary says what was computed, in 80 columns, in HTML, in a frame and in a dict.  Catalogue A-01, T-09."""

import json
import re
import sys
from html.parser import HTMLParser
from unicodedata import east_asian_width

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg

from surefit.page import p_value
from surefit.theory.inference.linear import LinearFit, coefficient_table, fit_statistics, slopes_test
from surefit.theory.inference.summary import summarise


def fitted(X, y, fit_intercept=True, **facts):
    A = np.column_stack([np.ones(len(X)), X]) if fit_intercept else X
    Q, R = linalg.qr(A, mode="economic")
    theta, L = linalg.solve_triangular(R, Q.T @ y), linalg.solve_triangular(R, np.eye(len(R)))
    first = int(fit_intercept)
    return LinearFit(X, y, theta[first:], theta[0] if first else 0.0, L, fit_intercept=fit_intercept, **facts)


def example(d=3, n=40, seed=0, scales=1.0, **facts):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * scales
    return fitted(X, X @ (rng.normal(size=d) / scales) + rng.normal(size=n), **facts)


def columns(text):
    return [sum(1 + (east_asian_width(c) in "WF") for c in line) for line in text.splitlines()]


def test_text_shows_every_promised_fact():
    """Catalogue A-01: header, table and conditions agree with the functions that compute them."""
    fit = example(names=["rooms", "age", "river"], target_name="price", method="QR of [X y]")
    text, found, F = str(summarise(fit)), fit_statistics(fit), slopes_test(fit)
    fact = lambda label: re.search(rf"{re.escape(label)} +(\S+)", text).group(1)
    assert fact("Target") == "price"
    assert (fact("Rows"), fact("Parameters"), fact("Residual df")) == ("40", "4", "36")
    assert float(fact("R2 on training rows")) == pytest.approx(found.r2, abs=5e-7)
    assert float(fact("Adjusted R2")) == pytest.approx(found.adjusted_r2, abs=5e-7)
    assert float(fact("Residual std. error")) == pytest.approx(found.residual_standard_error, rel=1e-5)
    assert float(fact("F(3, 36)")) == pytest.approx(F.statistic, rel=1e-4)
    assert float(fact("AIC")) == pytest.approx(found.aic, rel=1e-5)
    assert float(fact("BIC")) == pytest.approx(found.bic, rel=1e-5)
    assert "QR of [X y]" in text
    assert fact("Covariance") == "classical"
    assert "independent errors, equal variance" in text
    assert "exact if the" in text


def test_table_rows_can_be_read_back():
    """Catalogue T-09: each printed number is right to the third digit of its standard error."""
    fit = example(names=["rooms", "age", "river"])
    table = coefficient_table(fit, "HC3", 0.9)
    lines = str(summarise(fit, "HC3", 0.9)).splitlines()
    start = next(i for i, line in enumerate(lines) if "std. error" in line and "estimate" in line)
    assert lines[start].split() == ["estimate", "std.", "error", "t", "p", "5", "%", "95", "%"]
    for j, line in enumerate(lines[start + 1 : start + 5]):
        name, estimate, error, t, p, lower, upper = line.split()
        assert name == fit.parameter_names[j]
        near = table.standard_error[j] / 100
        for printed, number in [
            (estimate, table.estimate[j]),
            (error, table.standard_error[j]),
            (lower, table.lower[j]),
            (upper, table.upper[j]),
        ]:
            assert float(printed) == pytest.approx(number, abs=near)
        assert float(t) == pytest.approx(table.t[j], abs=6e-4)
        assert p == p_value(table.p_value[j])


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(
        st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp", "M")), max_size=90),
        min_size=3,
        max_size=3,
    ),
    powers=st.lists(st.integers(-140, 140), min_size=3, max_size=3),
    level=st.floats(0.01, 0.9999),
    covariance=st.sampled_from(["classical", "HC1", "HC3"]),
)
def test_text_is_at_most_80_columns_wide(names, powers, level, covariance):
    """Any names, any scales, any level: no line is wider, and the numbers of a column end at the same place."""
    fit = example(n=9, scales=10.0 ** np.array(powers), names=names, target_name=names[0], method=names[1])
    text = str(summarise(fit, covariance, level))
    assert max(columns(text)) <= 80
    rows = columns(text)[9:]
    start = next(i for i, line in enumerate(text.splitlines()[9:]) if "std. error" in line)
    assert len(set(rows[start : start + 5])) == 1


def test_long_names_are_shortened_in_text_only():
    """An ellipsis in the middle keeps both ends; HTML, frame and dict keep the whole name."""
    long = "average_number_of_rooms_per_dwelling_in_the_census_tract_of_1970"
    summary = summarise(example(names=[long, long + "_b", "x"]))
    text = str(summary)
    assert long not in text
    assert re.search(r"^average_nu\S*…\S*_1970 ", text, re.M)
    assert re.search(r"^average_nu\S*…\S*_1970_b ", text, re.M)
    assert long in summary._repr_html_()
    assert list(summary.to_frame().index) == ["intercept", long, long + "_b", "x"]
    assert [row["name"] for row in summary.as_dict()["coefficients"]][1] == long


def test_long_tables_are_cut_in_the_middle_and_say_so():
    """60 rows of text at most; the frame has all."""
    summary = summarise(example(d=100, n=150))
    text = str(summary)
    assert "... 41 more; to_frame()" in text
    assert re.search(r"^x48 ", text, re.M)
    assert not re.search(r"^x49 ", text, re.M)
    assert re.search(r"^x99 ", text, re.M)
    assert len(summary.to_frame()) == 101
    assert "41 more" not in summary._repr_html_()


class Tags(HTMLParser):
    """Checks that tags are closed in order and collects the text of cells."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.words = [], set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_html_is_well_formed_and_escapes_names():
    """A column called like a script stays text; no outside resource is loaded."""
    evil = "<script>alert('1')</script>"
    page = summarise(example(names=[evil, "a&b", "c"], target_name="<b>y</b>", method="<i>"))._repr_html_()
    tags = Tags(page)
    assert tags.open == []
    assert tags.seen <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert evil in tags.words
    assert "a&b" in tags.words
    assert "http" not in page


def test_frame_holds_the_numbers_in_full():
    """Catalogue T-09: nothing is rounded."""
    fit = example()
    frame, table = summarise(fit).to_frame(), coefficient_table(fit)
    assert list(frame.columns) == ["estimate", "std_error", "t", "p_value", "lower", "upper"]
    np.testing.assert_array_equal(frame["p_value"], table.p_value)
    np.testing.assert_array_equal(frame["std_error"], table.standard_error)


def test_frame_without_pandas_says_what_to_do(monkeypatch):
    """pandas is optional."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs pandas.*as_dict"):
        summarise(example()).to_frame()


def test_dict_survives_json():
    """Plain Python numbers, strings, lists and dicts only."""
    fit = example(target_name="price", method="QR")
    facts = summarise(fit, "HC1", 0.8, "normal").as_dict()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["covariance"] == "HC1"
    assert facts["distribution"] == "normal"
    assert facts["f_test"]["distribution"] == "chi2"
    assert facts["coefficients"][1]["lower"] == coefficient_table(fit, "HC1", 0.8, "normal").lower[1]


def test_notes_tell_the_conditions_of_this_fit():
    """Each note appears exactly when its cause is there."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    y = rng.normal(size=30)
    causes = {
        "variances may differ (HC2": (fitted(X, y), "HC2", "t"),
        "are large-sample.": (fitted(X, y), "classical", "normal"),
        "compare with zero": (fitted(X, y, fit_intercept=False), "classical", "t"),
        "exact up to rounding": (fitted(X, X @ [1.0, 2.0]), "classical", "t"),
        "does not vary": (fitted(X, np.full(30, 0.1)), "classical", "t"),
        "Nearly dependent columns": (
            fitted(np.column_stack([X, 3 * X[:, 0] + 0.01 * rng.normal(size=30)]), y, names=["a", "b", "twin"]),
            "classical",
            "t",
        ),
        "read as precisions": (fitted(X, y, sample_weight=np.ones(30)), "classical", "t"),
    }
    plain = " ".join(summarise(fitted(X, y)).notes)
    for words, (fit, covariance, distribution) in causes.items():
        assert words in " ".join(summarise(fit, covariance, 0.95, distribution).notes)
        assert words not in plain
