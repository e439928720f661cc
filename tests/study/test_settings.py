"""Settings survive TOML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.study.checks.finding import TITLES
from surefit.study.contest.clock import seconds_of
from surefit.study.settings import CODES, Settings, settings_of, toml_of
from surefit.study.tables.table import TableError


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip), st.floats(0.01, 0.99))
def test_what_is_written_is_read_back(name, share):
    asked = Settings(name, types={name: "category", "b c": "left out"}, holdout=share, ignore=("SF101",))
    assert settings_of(toml_of(asked)) == asked


def test_keywords_win_over_the_file():
    assert settings_of('target = "a"\nseed = 1', target="b", seed=None).target == "b"


@pytest.mark.parametrize("text", ["target = ", 'wrong = 1\ntarget = "a"', 'target = "a"\n[columns]\nb = "colour"', ""])
def test_wrong_settings_are_refused(text):
    with pytest.raises(TableError):
        settings_of(text)


def test_budgets():
    assert seconds_of("90") == seconds_of("90s") == seconds_of("1.5m") == 90
    with pytest.raises(ValueError, match="a budget is a time"):
        seconds_of("-1s")


def test_columns_to_drop_survive_toml_and_cannot_be_needed_ones():
    assert settings_of(toml_of(Settings("a", drop=["b", "c d"]))).drop == ("b", "c d")
    assert Settings("a", drop="b").drop == ("b",)
    with pytest.raises(TableError, match="'a' cannot be left out: the study needs it"):
        Settings("a", drop=["a"])


def test_only_codes_that_exist_can_be_ignored():
    assert tuple(TITLES) == CODES
    with pytest.raises(TableError, match="'SF199' is no code of a check; they are SF101 to SF122"):
        Settings("a", ignore=("SF199",))


@pytest.mark.parametrize("seed", ["x", -1, 0.5, None, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(TableError, match="seed must be a whole number >= 0"):
        Settings("a", seed=seed)


def test_the_order_of_dates_and_the_word_on_equal_rows_are_checked_and_written():
    asked = Settings("a", dates="dmy", equal_rows_are_draws=True)
    assert settings_of(toml_of(asked)) == asked
    assert "equal_rows" not in toml_of(Settings("a"))
    with pytest.raises(TableError, match="dates must be dmy or mdy"):
        Settings("a", dates="ymd")
    with pytest.raises(TableError, match="equal_rows_are_draws must be true or false"):
        Settings("a", equal_rows_are_draws="yes")
