"""Runs that are done survive an interruption to the last bit; nothing else is taken for one."""

import numpy as np
import pytest

from surefit.study.contest.candidates import entries
from surefit.study.contest.compete import Run
from surefit.study.contest.kept import Kept, key_of
from surefit.study.records.board import Ending

ENTRIES = entries("regression", 40, 2)
RUN = Run(ENTRIES[1], Ending.FINISHED, "", np.random.default_rng(0).normal(size=40), 5, 1.5, 0.3, 1e-9, (0.1, 1 / 3))


def test_a_run_comes_back_to_the_last_bit(tmp_path):
    kept = Kept(tmp_path / "runs", key_of("a"))
    kept.keep(RUN)
    found = kept.runs(ENTRIES)
    assert list(found) == ["ridge"]
    again = found["ridge"]
    np.testing.assert_array_equal(again.answers, RUN.answers)
    assert (again.lams, again.seconds, again.final, again.gap) == (RUN.lams, RUN.seconds, RUN.final, RUN.gap)
    kept.clear()
    assert not (tmp_path / "runs").exists()


def test_runs_of_other_rows_or_settings_and_damaged_files_are_not_used(tmp_path):
    kept = Kept(tmp_path, key_of("a"))
    kept.keep(RUN)
    assert Kept(tmp_path, key_of("b")).runs(ENTRIES) == {}
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    assert kept.runs(ENTRIES) == {}
    for foreign in (np.arange(3), np.array("[1]")):
        with open(path, "wb") as file:
            np.save(file, foreign) if foreign.ndim else np.savez(file, facts=foreign, answers=foreign)
        assert kept.runs(ENTRIES) == {}


def test_what_ran_out_of_time_is_tried_again(tmp_path):
    kept = Kept(tmp_path, key_of("a"))
    kept.keep(Run(ENTRIES[1], Ending.STOPPED, "its time was over", np.zeros(40)))
    assert kept.runs(ENTRIES) == {}


def test_a_number_in_a_foreign_file_is_decided_again(tmp_path):
    for text in ("[1]", '{"key": "k", "value": null}', "[" * 100_000):
        (tmp_path / "folds.json").write_text(text)
        assert Kept(tmp_path, "k").settled("folds", lambda: 7) == 7


def test_a_number_is_decided_once(tmp_path):
    kept = Kept(tmp_path / "new", key_of("a"))
    assert [kept.settled("rows", lambda: 7), kept.settled("rows", lambda: 8)] == [7, 7]
    assert Kept(None, "").settled("rows", lambda: 9) == 9


@pytest.mark.parametrize("other", [np.array([1.0, 2.0]), np.array([2.0, 1.0, 3.0])])
def test_keys_know_values_and_order(other):
    assert key_of(np.array([1.0, 2.0, 3.0])) != key_of(other)
