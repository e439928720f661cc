"""Tables of coefficients: what is printed is what the numbers say, and what does not exist is marked."""

import math

import numpy as np
import pytest

from surefit.theory.inference.tables import (
    CoefficientTable,
    EstimateTable,
    ShrunkenTable,
    checked_level,
    exponentials,
    level_titles,
    with_absent,
)

ESTIMATE, ERROR = np.array([1.0, -0.5]), np.array([0.1, 0.25])
LOWER, UPPER = ESTIMATE - 2 * ERROR, ESTIMATE + 2 * ERROR


def with_tests(**options):
    names = ("intercept", "dose")
    return CoefficientTable(
        names, ESTIMATE, ERROR, ESTIMATE / ERROR, np.array([1e-9, 0.05]), LOWER, UPPER, 0.9, "HC3", "t", 7, **options
    )


def shrunken(**options):
    return ShrunkenTable(("intercept", "dose"), ESTIMATE, ERROR, LOWER, UPPER, 0.95, "HC3", 0.1, 1.5, **options)


def test_the_titles_are_those_of_the_level_and_of_the_law():
    text = str(with_tests())
    assert all(word in text for word in ("5 %", "95 %", "t(7)", "HC3", "<0.0001"))
    assert "odds ratio" not in text
    assert level_titles(0.99) == ("0.5 %", "99.5 %")


def test_odds_ratios_are_exponentials_and_intercepts_have_none():
    table = with_tests(odds=True)
    assert math.isnan(table.odds_ratio[0])
    assert table.odds_ratio[1] == pytest.approx(math.exp(-0.5))
    assert exponentials(table) == {"dose": pytest.approx(tuple(np.exp([-0.5, LOWER[1], UPPER[1]])))}
    assert table.to_frame()["odds_ratio"].iloc[1] == pytest.approx(math.exp(-0.5))
    assert [*table.records()[1]][-1] == "odds_ratio"


def test_an_odds_ratio_that_no_number_holds_is_infinite_without_a_warning():
    assert EstimateTable(("a",), np.array([1e4]), odds=True).odds_ratio[0] == math.inf


def test_columns_that_were_dropped_are_marked_and_the_others_stay():
    whole = with_absent(with_tests(), ("intercept", "twin", "dose"), [0, 2])
    assert whole.names == ("intercept", "twin", "dose")
    np.testing.assert_array_equal(whole.estimate[[0, 2]], ESTIMATE)
    row = next(line for line in str(whole).splitlines() if line.startswith("twin"))
    assert set(row.split()[1:]) == {"NA"}


def test_other_units_divide_everything_but_the_intercept():
    found = shrunken().divided_by(np.array([4.0]))
    np.testing.assert_allclose(found.estimate, [1.0, -0.125])
    np.testing.assert_allclose(found.standard_error, [0.1, 0.0625])
    np.testing.assert_allclose([found.lower[0], found.upper[1]], [LOWER[0], UPPER[1] / 4])


def test_a_penalised_table_says_what_its_errors_are_of_and_has_no_p_values():
    table = shrunken(caution="lam was chosen on the same rows")
    assert "p" not in table.to_frame().columns
    text = " ".join(str(table).split())
    assert "of the shrunken target E[estimate], not of the true coefficients" in text
    assert "lam was chosen on the same rows." in text


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_a_level_is_a_probability(level):
    with pytest.raises(ValueError, match=r"use level=0.95 for a 95 % interval"):
        checked_level(level)
