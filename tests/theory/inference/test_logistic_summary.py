"""The printed table holds what was computed, within 80 columns.  Catalogue A-29, A-30."""

import json

import numpy as np
import pandas as pd
import pytest

from surefit import LogisticRegression

X4, Y4 = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])


def summary(names=("dose",), y=Y4, weight=None, **settings):
    X = pd.DataFrame(np.repeat(X4, len(names), axis=1), columns=list(names))
    return LogisticRegression(lam=0, **settings).fit(X, pd.Series(y, name="cured"), weight).summary()


def test_text_names_target_columns_and_conditions():
    text = str(summary())
    assert text.startswith("Logistic regression\n====")
    assert "cured" in text
    assert "dose" in text
    assert "Likelihood ratio chi2(1)" in text
    assert "large-sample" in text
    assert max(map(len, text.splitlines())) <= 80


def test_frame_and_dict_carry_all_digits():
    s = summary()
    frame = s.to_frame()
    assert frame.loc["dose", "estimate"] == s.table.estimate[1]
    plain = json.loads(json.dumps(s.as_dict()))
    assert plain["coefficients"][1]["name"] == "dose"
    assert abs(plain["log_likelihood"] + 4.498681157) < 5e-10


def test_odds_ratios_are_exponentials_of_coefficients_and_ends():
    """The two-by-two table: 3/1 against 1/3, a ratio of nine.  Intercepts are odds, not ratios."""
    s = summary()
    assert list(s.odds_ratios()) == ["dose"]
    ratio, low, high = s.odds_ratios()["dose"]
    assert ratio == pytest.approx(9.0)
    assert (low, high) == pytest.approx((np.exp(s.table.lower[1]), np.exp(s.table.upper[1])))
    shrunken = LogisticRegression(0.1).fit(X4, Y4).summary().odds_ratios()["x0"]
    assert 1 < shrunken[0] < 9
    several = summary(y=np.array([0, 0, 1, 2, 0, 1, 2, 2]))
    assert list(several.odds_ratios()) == ["dose [1]", "dose [2]"]


def test_odds_ratios_are_a_column_of_the_table():
    """Blank at the intercept, whose exponential is no ratio."""
    table = summary()
    assert next(line for line in str(table).splitlines() if line.startswith("dose")).endswith(" 9")
    assert table.to_frame()["odds_ratio"].isna().tolist() == [True, False]


def test_redundant_columns_are_named_all_at_once():
    text = " ".join(str(summary(names=("dose", "twice", "thrice"))).split())
    assert "No standard errors: 'twice', 'thrice' can be written with the other columns" in text
    assert "drop these columns" in text


def test_html_escapes_names():
    html = summary(names=("<b>",))._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


def test_notes_mention_weights_reference_class_and_a_missing_intercept():
    assert "counts" in str(summary(weight=np.array([1.0, 2, 3, 1, 2, 2, 1, 2])))
    assert "log-odds of class '1' against '0'" in str(summary())
    assert "log-odds of the class in brackets against '0'" in str(summary(y=np.array([0, 0, 1, 2, 0, 1, 2, 2])))
    assert "No intercept" in str(summary(fit_intercept=False))
