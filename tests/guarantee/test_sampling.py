"""How rows came about: groups, time and weights are checked, and decide what is held out."""

import numpy as np
import pandas as pd
import pytest

from surefit.guarantee.sampling import Sampling, division_by, latest, one_each, points_of_time, whole_groups
from surefit.warnings import DriftWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = X[:, 0]
EVERY = np.arange(200)


def test_groups_are_held_out_whole_and_by_their_names():
    groups = RNG.choice(list("abcdefghijklmnop"), 200)
    rows = division_by(X, Y, EVERY, 60, None, Sampling(groups=groups))
    assert not set(groups[rows.training]) & set(groups[rows.held_out])
    assert np.array_equal(np.sort(np.concatenate([rows.training, rows.held_out])), EVERY)
    assert 40 <= len(rows.held_out) <= 80


def test_an_edited_file_keeps_its_groups_on_their_sides():
    """The hash of a name decides, not the rows: without a tenth of the rows only groups at the boundary may move."""
    groups = np.repeat(np.arange(40), 5)
    whole = set(groups[whole_groups(groups, 50, seed=0)])
    kept = groups[RNG.random(200) > 0.1]
    edited = set(kept[whole_groups(kept, round(50 * len(kept) / 200), seed=0)])
    assert len(whole ^ edited) <= 2
    assert set(groups[whole_groups(groups, 50, seed=1)]) != whole


def test_both_sides_get_a_group_however_unequal_they_are():
    groups = np.repeat([1, 2], [190, 10])
    assert whole_groups(groups, 1, seed=0).sum() in (10, 190)
    with pytest.raises(ValueError, match="all rows are of one group"):
        whole_groups(np.ones(5), 1, seed=0)


def test_the_latest_rows_are_held_out_and_rows_of_one_time_stay_together():
    time = np.repeat(np.arange(20), 10)
    rows = division_by(X, Y, EVERY, 45, None, Sampling(time=time))
    assert time[rows.held_out].min() > time[rows.training].max()
    assert len(rows.held_out) == 50
    assert latest(np.array([1, 1, 1, 2]), 2).tolist() == [False, False, False, True]
    with pytest.raises(ValueError, match="all rows are of one time"):
        latest(np.ones(4), 1)


def test_without_a_declaration_the_division_is_the_usual_one():
    from surefit.guarantee.seen.division import division

    one, other = division_by(X, Y, EVERY, 40, 3, Sampling()), division(X, Y, EVERY, 40, 3)
    assert np.array_equal(one.held_out, other.held_out)
    with pytest.raises(ValueError, match="weights describe rows that are new to a fitted model"):
        division_by(X, Y, EVERY, 40, 3, Sampling(weights=np.ones(200)))


@pytest.mark.parametrize(
    "time",
    [
        np.arange(3),
        [0.5, 1.5, 2.5],
        ["2024-01-01", "2024-01-02", "2024-02-01"],
        pd.date_range("2024-01-01", periods=3),
        pd.Series(pd.date_range("2024-01-01", periods=3)),
        [[1], [2], [3]],
    ],
    ids=["whole", "real", "text", "index", "series", "column"],
)
def test_time_is_numbers_or_dates(time):
    assert np.array_equal(np.argsort(points_of_time(time, 3, "rows")), [0, 1, 2])


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (["soon", "late", "now"], "time must be numbers or dates, got"),
        ([1.0, np.nan, 2.0], "time is missing for some"),
        (["2024-01-01", "NaT", "2024-01-02"], "time is missing for some"),
        ([1, 2], r"for each of the 3 rows, got shape \(2,\)"),
    ],
)
def test_other_times_are_refused(time, words):
    with pytest.raises(ValueError, match=words):
        points_of_time(time, 3, "rows")


def test_names_of_any_kind_are_taken_and_missing_ones_refused():
    assert one_each("groups", pd.Series(["a", "b"], dtype=object), 2, "rows").tolist() == ["a", "b"]
    assert one_each("groups", [3, 1], 2, "rows").tolist() == [3, 1]
    for missing in ([1.0, np.nan], ["a", None]):
        with pytest.raises(ValueError, match="groups of 1 of the 2 rows are missing"):
            one_each("groups", missing, 2, "rows")


def test_only_one_of_groups_time_and_weights_can_be_declared():
    with pytest.raises(ValueError, match="groups and time ask for statements about different rows"):
        Sampling.of(3, "rows", groups=[1, 2, 3], time=[1, 2, 3])
    with pytest.raises(ValueError, match="weights must be one density ratio for each of the 3 rows"):
        Sampling.of(3, "rows", weights=[1.0, -1.0, 2.0])


def test_scores_that_drift_are_warned_of_and_others_not():
    sampling, noise = Sampling(time=EVERY[::-1]), RNG.exponential(size=200)
    sampling.warn_of(sampling.evidence(noise, seed=0))
    drifting = sampling.evidence(noise * (1 + 5 * (EVERY > 100)), seed=0)
    with pytest.warns(DriftWarning, match="errors on the held-out rows change from 0 to 199: a bet"):
        sampling.warn_of(drifting)


def test_rows_of_one_time_are_in_random_order():
    """Scores that rise within each of two times, as in a file sorted by score, are no drift."""
    sampling = Sampling(time=np.repeat([0, 1], 100))
    assert not sampling.evidence(np.tile(np.sort(RNG.exponential(size=100)), 2), seed=0).found
