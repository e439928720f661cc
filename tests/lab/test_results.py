"""Outcomes are kept whole, come back as they were, and fit a terminal."""

import json
import re

import numpy as np
import pytest

from surefit.lab import results
from surefit.lab.run import run


def test_an_outcome_comes_back_as_it_was(tmp_path):
    outcome = run("T-21")
    back = results.load(results.save(outcome, tmp_path))
    assert np.array_equal(back.ratios, outcome.ratios)
    assert (back.judgement, back.settings, back.seed) == (outcome.judgement, outcome.settings, outcome.seed)


def test_files_are_valid_json_and_come_back_where_an_end_is_infinite(tmp_path):
    outcome = run("T-20", n=11, repeats=80)
    path = results.save(outcome, tmp_path)
    kept = json.loads(path.read_text(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert (kept["judgement"]["high"], kept["settings"]["n"]) == (None, 11)
    assert kept["broken"] == ["n >= d + 2", "n >= d + 4 for a finite variance"]
    back = results.load(path)
    assert (back.judgement, back.broken) == (outcome.judgement, outcome.broken)


def test_a_failed_write_leaves_the_last_good_file(tmp_path, monkeypatch):
    path = results.save(run("T-21"), tmp_path)
    before = path.read_text()
    monkeypatch.setattr(results.json, "dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        results.save(run("T-21", seed=9), tmp_path)
    assert path.read_text() == before
    assert not list(tmp_path.glob("*.part"))


def test_another_format_is_refused(tmp_path):
    path = results.save(run("T-21"), tmp_path)
    path.write_text(path.read_text().replace('"format": 2', '"format": 99'))
    with pytest.raises(ValueError, match="has format 99, this version reads 2"):
        results.load(path)


def test_the_table_is_at_most_eighty_columns_wide():
    lines = list(results.table([run(name) for name in ("T-21", "T-11", "T-24", "E-105")]))
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("T-21   holds within rounding ")
    assert re.match(r"T-11   holds within \d\.\d % ", lines[2])
    assert re.match(r"T-24   holds, \d\.\d % to spare ", lines[3])
    assert lines[4].startswith("E-105  refuted ")


def test_the_summary_counts_claims_and_takes_the_median_of_those_that_are_not_exact():
    said = results.summary({name: run(name) for name in ("T-21", "T-11")})
    assert re.match(r"2 of 2 claims came out as their theorems say\. Errors of (4\.\d) % \(median\) to \1 %", said)
    assert "in the 1 that are simulated" in said
