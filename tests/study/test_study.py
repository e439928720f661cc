"""A study from a table to a certified model, stored and loaded."""

import warnings

import numpy as np
import pandas as pd
import pytest

import surefit
from surefit.cli.show import study_text
from surefit.study.contest.candidates import Entry
from surefit.study.records.board import Ending
from surefit.study.study import Study
from surefit.study.tables.table import TableError
from surefit.warnings import UnreadableWarning
from tests.study.samples import cheap_entries, table


@pytest.fixture
def cheap(monkeypatch):
    """Candidates that take milliseconds, where a test is not about the others."""
    monkeypatch.setattr("surefit.study.study.entries", cheap_entries)


@pytest.fixture(scope="module")
def regression():
    return Study("y", budget=None, types={"big": "left out"}).fit(table())


@pytest.fixture(scope="module")
def classification():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("surefit.study.study.entries", cheap_entries)
        return Study("big", budget=None, types={"y": "left out"}).fit(table())


def test_the_hold_out_is_set_aside_and_nothing_else_sees_it(regression):
    data = regression.result_.data
    assert (data.n_training, data.n_holdout) == (192, 48)
    assert regression.model_.scores.shape == (48,)


def test_it_says_who_won_and_what_is_certified(regression):
    board, certificate = regression.result_.leaderboard, regression.result_.certificate
    said = f"Study('y'): {board.winner}. {certificate.statement}"
    assert repr(regression) == f"{said} Left out: big (as you say)."
    assert repr(Study("y")) == "Study('y')"


def test_it_prints_what_was_left_out_in_the_words_of_the_command_line(cheap):
    rows = table().assign(empty=np.nan, same=1, also="a", too=2).drop(columns="big")
    rows.loc[:24, "y"], rows.loc[25, "y"] = np.nan, np.inf
    study = Study("y", budget=None).fit(rows)
    shown = study_text(study.result_, {}).replace("\n", " ")
    same = "(it has the same value in every row)"
    columns = f"empty (it has no values); same {same}; also {same}; ..."
    for sentence in (f"Left out: {columns}.", "26 rows without a usable target left out."):
        assert sentence in repr(study)
        assert sentence in shown
    study = Study("y", budget=None).fit(rows[["x", "z", "y"]].iloc[25:])
    assert "Left out: " not in repr(study)
    assert repr(study).endswith(" 1 row without a usable target left out.")


def test_numbers_in_two_notations_are_a_check_a_warning_and_a_reason(cheap):
    rows = table().drop(columns="big")
    rows["mixed"] = [f"{z:.4f}".replace(".", ",."[k % 2]) for k, z in enumerate(rows["z"])]
    with pytest.warns(UnreadableWarning, match="'mixed' has numbers written with commas and with points, such as"):
        study = Study("y", budget=None).fit(rows)
    assert "Left out: mixed (numbers written with commas and with points)." in repr(study)
    (found,) = [one for one in study.result_.checks.found if one.code == "SF119"]
    assert "the column was left out" in found.sentence
    assert found.columns == ("mixed",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Study("y", budget=None, ignore=("SF119",)).fit(rows)


def test_dates_of_two_kinds_are_a_check_and_a_warning(cheap):
    rows = table().drop(columns="big")
    rows["when"] = [f"{day:%Y-%m-%d %H:%M}{'Z' * (k % 2)}" for k, day in enumerate(pd.date_range("2024", periods=240))]
    with pytest.warns(UnreadableWarning, match="'when' has dates with a time zone and dates without one, such as"):
        study = Study("y", budget=None).fit(rows)
    assert "Left out: when (dates with a time zone and dates without one)." in repr(study)


def test_one_bad_date_leaves_the_column_in_the_model_from_a_file_too(cheap, tmp_path):
    rows = table(400).drop(columns="big")
    rows["when"] = pd.date_range("2021-01-01", periods=400, freq="31h").strftime("%Y-%m-%d %H:%M")
    rows["y"] += 9 * np.sin(2 * np.pi * np.arange(400) * 31 / 24 / 365.25)
    rows.loc[5, "when"] = "n/a yet"
    rows.to_csv(tmp_path / "rows.csv", index=False)
    study = Study("y", budget=None).fit(tmp_path / "rows.csv")
    (when,) = [one for one in study.result_.columns if one.name == "when"]
    assert (when.kind, when.missing) == ("date", 1)
    assert "1 cell is none (such as 'n/a yet') and counts as missing" in when.reason
    surefit.save(study.model_, tmp_path / "m.surefit")
    model, new = surefit.load(tmp_path / "m.surefit"), rows.head(9).copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(new), study.model_.predict(new))
    new.loc[1, "when"] = "2021-13-45"
    with pytest.warns(
        UnreadableWarning, match=r"column 'when': 1 cell is no date .*, such as '2021-13-45', and counts"
    ):
        model.predict(new)
    new["when"] = rows["when"].head(9) + "Z"
    with pytest.warns(UnreadableWarning, match=r"no cell is a date .* \(whose dates have no time zone\), such as"):
        model.predict(new)


def test_linear_models_beat_the_constant_where_the_truth_is_linear(regression):
    board = regression.result_.leaderboard
    ranks = {one.name: one.rank for one in board.candidates}
    assert ranks["ridge"] == 1
    assert ranks["baseline: the mean"] > 1
    assert all(one.ending is Ending.FINISHED for one in board.candidates)
    (box,) = [one for one in board.candidates if one.outside]
    assert box.rank == 0
    assert np.isfinite(box.holdout_score)


def test_no_candidate_is_better_and_simpler_than_the_winner(regression, classification):
    for study in (regression, classification):
        board, winner = study.result_.leaderboard, study.result_.winner
        own = [one for one in board.candidates if one.ending is Ending.FINISHED and not one.outside]
        assert winner.rank == 1
        assert not [one for one in own if one.score < winner.score and one.simplicity < winner.simplicity]


def test_intervals_have_the_radius_of_the_record(regression):
    found = regression.model_.predict_interval(table(seed=1))
    np.testing.assert_allclose(found.width / 2, regression.result_.intervals.radius, rtol=1e-9)
    assert np.mean((table(seed=1)["y"] >= found.lower) & (table(seed=1)["y"] <= found.upper)) > 0.8


def test_class_sets_hold_the_class(classification):
    new = table(seed=1)
    found = classification.model_.predict_set(new, 0.9)
    assert np.mean([label in one for label, one in zip(new["big"], found.labels, strict=True)]) > 0.8
    assert np.all(found.size >= 1)


def test_probabilities_are_in_the_order_of_the_classes(classification):
    model = classification.model_
    probability = model.predict_proba(table(seed=1))
    np.testing.assert_allclose(probability.sum(axis=1), 1, rtol=1e-9)
    labels = np.array(model.target.classes)[np.argmax(probability, axis=1)]
    assert np.mean(labels == model.predict(table(seed=1))) > 0.99


def test_a_stored_model_predicts_the_same(regression, classification, tmp_path):
    for study in (regression, classification):
        surefit.save(study.model_, tmp_path / "model.surefit")
        again = surefit.load(tmp_path / "model.surefit")
        np.testing.assert_array_equal(again.predict(table(seed=1)), study.model_.predict(table(seed=1)))
        assert again.certificate == study.model_.certificate


def test_new_rows_certify_the_model_and_its_own_are_refused(regression):
    assert regression.model_.certify(table(seed=1)).bound > 0
    with pytest.raises(ValueError, match=r"used in fit|training row"):
        regression.model_.certify(table())


@pytest.mark.usefixtures("cheap")
def test_the_order_of_the_rows_decides_nothing():
    rows = table(120)
    one = Study("y", budget="2s", types={"big": "left out"}).fit(rows).result_
    other = Study("y", budget="2s", types={"big": "left out"}).fit(rows.iloc[::-1].reset_index(drop=True)).result_
    assert one.data.fingerprint == other.data.fingerprint
    np.testing.assert_allclose(sorted(one.holdout.observed), sorted(other.holdout.observed))


@pytest.mark.usefixtures("cheap")
def test_an_interrupted_study_goes_on_and_comes_to_the_same_answer(tmp_path, monkeypatch):
    options = {"budget": "5m", "types": {"big": "left out"}}
    whole = Study("y", **options).fit(table(80)).result_
    usual, begun = Entry.fit, []

    def interrupted(self, X, y, weight=None):
        begun.append(self.name)
        if self.name == "lasso" and not going_on:
            raise KeyboardInterrupt
        return usual(self, X, y, weight)

    monkeypatch.setattr(Entry, "fit", interrupted)
    going_on = False
    with pytest.raises(KeyboardInterrupt):
        Study("y", **options).fit(table(80), folder=tmp_path / "unfinished")
    assert set(begun) == {"baseline: the mean", "ridge", "least squares", "lasso"}
    going_on, begun[:] = True, []
    again = Study("y", **options).fit(table(80), folder=tmp_path / "unfinished").result_
    assert "least squares" not in begun
    assert not (tmp_path / "unfinished").exists()
    assert again.certificate == whole.certificate
    for one, other in zip(again.leaderboard.candidates, whole.leaderboard.candidates, strict=True):
        assert (one.name, one.score, one.rank) == (other.name, other.score, other.rank)


@pytest.mark.usefixtures("cheap")
def test_a_table_too_large_for_its_budget_gets_fewer_rows_and_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 40)).round(2)
    frame = pd.DataFrame(X).rename(columns=str)
    frame["y"] = X[:, 0] + rng.normal(size=len(frame))
    monkeypatch.setattr("surefit.study.study.FIRST_SHARE", 1e-3)
    result = Study("y", budget="2s").fit(frame).result_
    assert 1000 <= result.data.n_training < 16_000
    assert "the budget does not allow for all" in result.data.division
    assert result.data.n_holdout == 4_000


@pytest.mark.usefixtures("cheap")
def test_groups_stay_together_and_time_moves_forward():
    rows = table()
    rows["who"] = [f"p{k % 30}" for k in range(len(rows))]
    study = Study("y", group="who", budget="2s", types={"big": "left out"}).fit(rows)
    assert "groups" in study.result_.data.division
    assert "who" not in [part.name for part in study.model_.encoder.parts]
    rows["when"] = pd.date_range("2020-01-01", periods=len(rows))
    study = Study("y", time="when", budget="2s", types={"big": "left out", "who": "left out"}).fit(rows)
    assert "last 48" in study.result_.data.division


@pytest.mark.usefixtures("cheap")
def test_a_table_of_ones_own_to_test_on():
    study = Study("y", budget="2s", types={"big": "left out"}).fit(table(), test=table(seed=1))
    assert (study.result_.data.n_training, study.result_.data.n_holdout) == (240, 240)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": "nothing"}, "no column 'nothing'"),
        ({"task": "guess"}, "task must be"),
        ({"group": "x", "time": "z"}, "not both"),
        ({"budget": "soon"}, "a budget is a time"),
        ({"coverage": 2}, "between 0 and 1"),
        ({"ignore": ("SF999",)}, "no code of a check"),
        ({"types": {"x": "colour"}}, "cannot be 'colour'"),
    ],
)
def test_what_cannot_be_asked_is_refused(change, said):
    with pytest.raises(TableError, match=said):
        Study(**{"target": "y", **change}).fit(table())


def test_a_misspelt_option_is_told_the_nearest_name():
    with pytest.raises(TypeError, match="Study has no parameter 'bugdet'; did you mean 'budget'"):
        Study("y", bugdet=1)


def test_a_column_can_be_dropped_and_an_unknown_one_is_named(cheap):
    study = Study("y", budget=None, drop=["big", "z"]).fit(table())
    kinds = {one.name: one.kind for one in study.result_.columns}
    assert (kinds["z"], kinds["big"], kinds["x"]) == ("left out", "left out", "number")
    with pytest.raises(TableError, match="no column 'nonexist'; its columns are 'x', 'z', 'colour'"):
        Study("y", drop=["nonexist"]).fit(table())


def test_a_recall_of_numbers_is_refused(cheap):
    with pytest.raises(TableError, match="recall needs classes, and 'y' holds numbers"):
        Study("y", recall=0.9).fit(table())


def test_by_absolute_errors_a_study_without_signal_answers_the_median_and_can_be_stored(cheap, tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.normal(size=300), "y": rng.lognormal(0, 2, size=300)})
    study = Study("y", metric="mae", budget=None).fit(frame)
    assert study.result_.leaderboard.winner == "baseline: the median"
    answers = study.model_.predict(frame)
    assert np.ptp(answers) == 0
    assert answers[0] < 0.5 * frame["y"].mean()
    surefit.save(study.model_, tmp_path / "model.surefit")
    np.testing.assert_array_equal(surefit.load(tmp_path / "model.surefit").predict(frame), answers)


def test_months_with_the_day_first_are_read_and_predicted_as_such(cheap, tmp_path):
    rng, months = np.random.default_rng(0), pd.date_range("2000-01-01", periods=288, freq="MS")
    rows = pd.DataFrame({"month": months.strftime("%d/%m/%Y"), "x": rng.normal(size=288)})
    rows["y"] = np.arange(288) / 10 + 3 * (months.month > 6) + 0.3 * rng.normal(size=288)
    rows.to_csv(tmp_path / "months.csv", index=False)
    study = Study("y", budget=None).fit(tmp_path / "months.csv")
    assert "SF116" not in [one.code for one in study.result_.checks.found]
    new = pd.DataFrame({"month": ["2010-08-15"], "x": [0.0]})
    assert study.model_.predict(new)[0] == pytest.approx(15.7, abs=1.5)


def test_readings_that_stay_open_are_a_check_and_a_warning_unless_ignored(cheap):
    rng = np.random.default_rng(0)
    day, month, price = rng.integers(1, 13, 200), rng.integers(1, 13, 200), rng.integers(300, 4000, 200)
    rows = pd.DataFrame({"day": [f"{a:02}/{b:02}/2024" for a, b in zip(day, month, strict=True)]})
    rows["price"] = [f"{one:,}".replace(",", ".") for one in price]
    rows["y"] = rng.normal(size=200)
    with pytest.warns(UnreadableWarning) as said:
        study = Study("y", budget=None).fit(rows)
    found = {one.code: one for one in study.result_.checks.found if one.code > "SF115"}
    assert list(found) == ["SF116", "SF117"]
    assert "'01/02/2024' was read as 2024-01-02, and could be 2024-02-01; nothing" in found["SF116"].sentence
    assert "--dates dmy" in found["SF116"].remedy
    assert [str(one.message) for one in said] == [f"{one.sentence} {one.remedy}" for one in found.values()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = Study("y", budget=None, dates="dmy", ignore=("SF117",)).fit(rows)
    assert not any(one.code > "SF115" for one in study.result_.checks.found)


def test_thousands_with_points_beside_decimal_commas_are_thousands(cheap, tmp_path):
    rng = np.random.default_rng(0)
    area = rng.uniform(20, 300, size=200).round(1)
    lines = [
        f"{a};{round(15 * a + rng.normal()):,}".replace(".", "_").replace(",", ".").replace("_", ",") for a in area
    ]
    (tmp_path / "flats.csv").write_text("\n".join(["sqm;price", *lines]) + "\n")
    study = Study("price", budget=None).fit(tmp_path / "flats.csv")
    (tmp_path / "new.csv").write_text("sqm\n33,3\n200,0\n")  # one column: its separator is that of the fit
    assert study.model_.predict(tmp_path / "new.csv") == pytest.approx([500, 3000], abs=5)
    assert not any(one.code > "SF115" for one in study.result_.checks.found)


def test_the_word_that_equal_rows_are_draws_reaches_the_certificate(cheap):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 60, 400) / 10 + rng.normal(size=60)[rng.integers(0, 60, 400)].round(2)
    rows = pd.DataFrame({"x": x, "y": 2 * x})
    rows = pd.concat([rows, rows.iloc[:150]])
    asked, said = (
        Study("y", budget=None, equal_rows_are_draws=word).fit(rows).result_.certificate for word in (0 > 1, True)
    )
    assert "equal_rows_are_draws=True" in " ".join(one.statement for one in (asked, *asked.further))
    assert "equal_rows_are_draws=True" not in " ".join(one.statement for one in (said, *said.further))
    assert said.bound <= asked.bound


def test_rows_that_are_left_out_for_a_text_in_the_target_are_a_warning(cheap):
    frame = table()[["x", "y"]].astype({"y": str})
    frame.loc[:4, "y"] = "<0.28"
    with pytest.warns(UnreadableWarning, match="The target 'y' holds numbers, and in 5 rows '<0.28'; these"):
        Study("y", budget=None).fit(frame)
