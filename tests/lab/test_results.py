"""Outcomes are kept whole, come back as they were, and fit a terminal."""

import numpy as np
import pytest

from surefit.lab import results
from surefit.lab.run import run


def test_an_outcome_comes_back_as_it_was(tmp_path):
    outcome = run("T-21")
    back = results.load(results.save(outcome, tmp_path))
    assert np.array_equal(back.ratios, outcome.ratios)
    assert (back.judgement, back.settings, back.seed) == (outcome.judgement, outcome.settings, outcome.seed)


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
    path.write_text(path.read_text().replace('"format": 1', '"format": 99'))
    with pytest.raises(ValueError, match="has format 99, this version reads 1"):
        results.load(path)


def test_the_table_is_at_most_eighty_columns_wide():
    lines = list(results.table([run("T-21"), run("T-11")]))
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("T-21    holds")
