"""Checks are silent on clean tables and find planted faults."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from surefit.study.checks.finding import TITLES
from surefit.study.checks.findings import checks_of
from surefit.study.checks.table import leaks, rare_levels
from surefit.study.contest.candidates import entries
from surefit.study.contest.clock import Clock
from surefit.study.contest.compete import Arena, compete
from surefit.study.prepare import prepare
from surefit.study.settings import CODES, Settings
from surefit.study.verdict import certificate_of
from tests.study.samples import table


def clean(rng, n=150):
    frame = pd.DataFrame({"x": rng.normal(size=n), "z": rng.exponential(size=n), "c": rng.choice(list("abc"), n)})
    frame["y"] = frame["x"] + (frame["c"] == "a") + rng.normal(size=n)
    return frame


def found(frame, test=None, **options):
    data = prepare(frame, Settings("y", **options), test)
    arena = Arena(data.X, data.y, data.weight, data.folds, data.target.classes)
    runs = compete(arena, entries(data.target.task, *data.X.shape)[:2], Clock(), 0.0)
    model = arena.fit_to_all(runs[1].entry)
    return checks_of(data, runs, runs[1].entry.name, model, certificate_of(model, data))


def issues(frame):
    return {one.code for one in found(frame).found if one.kind == "issue"}


@pytest.mark.verify
def test_clean_tables_raise_hardly_any_issue(protocol):
    """At most 3 of the 40 seeded tables of the short run, at most 5 % of the 200 of the full one."""
    repeats = protocol.of(40, 200)
    loud = sum(bool(issues(clean(np.random.default_rng(k)))) for k in range(repeats))
    assert loud <= max(3, 0.05 * repeats)


def planted(kind, rng):
    frame = clean(rng)
    n = len(frame)
    if kind == "SF101":
        frame["number"] = rng.permutation(np.arange(1000, 1000 + n))
    elif kind == "SF102":
        frame["later"] = frame["y"] + 0.01 * rng.normal(size=n)
    elif kind in ("SF103", "SF105"):
        frame = pd.concat([frame, frame.iloc[: n // 2]], ignore_index=True)
    elif kind == "SF104":
        frame["y"] += np.linspace(-2, 2, n)
    elif kind == "SF106":
        frame["sum"] = frame["x"] + frame["z"]
    elif kind == "SF107":
        frame.loc[:2, "y"] += 100
    elif kind == "SF109":
        frame["y"] = np.where(np.arange(n) < 5, "rare", "common")
    elif kind == "SF110":
        frame["many"] = [f"level {k // 2}" if k < 40 else "usual" for k in range(n)]
    elif kind == "SF111":
        frame["y"] = np.exp(1.5 * frame["y"])
    elif kind == "SF112":
        frame["y"] = rng.normal(size=n)
    elif kind == "SF113":
        frame["x"] = frame["x"].astype(str)
        frame.loc[3, "x"] = "oops"
    elif kind == "SF120":
        frame["c"] = [f"{k % 24}:{k % 60:02}" for k in range(n)]
    elif kind == "SF121":
        frame["day"] = [f"2021-{k % 12 + 1:02}-{k % 28 + 1:02} 12:00{'Z' * (k % 2)}" for k in range(n)]
    elif kind == "SF122":
        frame["day"] = [f"2021-{k % 12 + 1:02}-{k % 28 + 1:02}{' 12:00' * (k > 5)}" for k in range(n)]
    elif kind == "SF118":
        frame.loc[rng.permutation(n)[:5], "z"] = -999
    elif kind == "SF119":
        frame["x"] = [f"{x:.3f}".replace(".", rng.choice([".", ","])) for x in frame["x"]]
    return frame


@pytest.mark.verify
@pytest.mark.parametrize(
    "code",
    ["SF101", "SF102", "SF103", "SF104", "SF105", "SF106", "SF107", "SF109", "SF110", "SF111", "SF112", "SF113",
     "SF118", "SF119", "SF120", "SF121", "SF122"],
)  # fmt: skip
def test_planted_faults_are_found(code, protocol):
    """In 95 % of tables; of the short run's three in all."""
    repeats = protocol.of(3, 40)
    hits = sum(
        code in {one.code for one in found(planted(code, np.random.default_rng(k))).found} for k in range(repeats)
    )
    assert hits >= 0.95 * repeats


@pytest.mark.verify
def test_gaps_that_training_rows_lack_are_found_in_a_table_to_test_on(protocol):
    """Twenty of 150 cells are empty; the same gaps in both tables are nothing new."""
    for k in range(protocol.of(2, 40)):
        rng = np.random.default_rng(k)
        own, test = clean(rng), clean(rng)
        test.loc[:19, "x"] = np.nan
        assert "SF114" in {one.code for one in found(own, test).found}
        own.loc[50:69, "x"] = np.nan
        assert "SF114" not in {one.code for one in found(own, test).found}


def test_slips_among_dates_are_told_of_as_those_among_numbers_are():
    frame = clean(np.random.default_rng(0))
    frame["day"] = pd.date_range("2021-01-01", periods=len(frame), freq="9h").astype(str)
    frame.loc[7, "day"] = "2021-13-45"
    frame.loc[9, "day"] = "unknown"
    (slip,) = [one for one in found(frame).found if one.code == "SF113"]
    assert slip.sentence == "'day' holds dates and '2021-13-45', which count as missing."


@pytest.mark.parametrize("task", [None, "regression"])
def test_texts_among_the_numbers_of_a_target_are_told_of_with_the_rows_that_are_left_out(task):
    frame = clean(np.random.default_rng(0), 300).astype({"y": str})
    frame.loc[:9, "y"], frame.loc[20:22, "y"] = "<0.28", ""
    (slip,) = [one for one in found(frame, task=task).found if one.code == "SF113"]
    assert (slip.kind, slip.columns, slip.evidence) == ("issue", ("y",), "10 of 300 rows")
    assert slip.sentence == (
        "The target 'y' holds numbers, and in 10 rows '<0.28'; these rows are left out, so that the model and its "
        "certificate say nothing of rows like them."
    )


def leaking(y, **columns):
    """The columns that SF102 names for a target of classes."""
    names = np.array(list("abcdefgh"))[y]
    frame = pd.DataFrame({"x": np.random.default_rng(9).normal(size=len(y)), **columns, "y": names})
    data = prepare(frame, Settings("y"))
    return {name for one in leaks(data) for name in one.columns}


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_column_that_decides_among_any_number_of_classes_is_found(k):
    """Whether as words, one or several to a class, as codes in any order, or as intervals; two words may be wrong."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, 600)
    code = rng.permutation(20)
    told = {
        "words": [f"class {one}" for one in y],
        "several": [f"word {4 * one + rng.integers(4)}" for one in y],
        "numbers": y + 1,
        "codes": code[4 * (y % 5) + rng.integers(4, size=600)],
        "interval": y + rng.uniform(size=600),
    }
    assert leaking(y, **told) == set(told)
    wrong = np.where(np.arange(600) < 2, 0, y)
    assert leaking(y, words=[f"class {one}" for one in wrong]) == {"words"}


def test_rows_of_one_group_say_it_once():
    """Six rows of each of 80 patients, whose age and class were drawn apart."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(80), 6)
    age, sick = rng.integers(20, 90, 80)[patient], rng.choice(["a", "b", "c"], 80)[patient]
    frame = pd.DataFrame({"x": rng.normal(size=480), "age": age, "patient": patient, "y": sick})
    assert not list(leaks(prepare(frame, Settings("y", group="patient"))))
    noise = pd.DataFrame({"x": rng.normal(size=100), "z": rng.normal(size=100), "y": rng.choice(["a", "b", "c"], 100)})
    assert not list(leaks(prepare(pd.concat([noise] * 5), Settings("y"))))


def test_a_measure_that_nearly_tells_kinds_apart_is_no_leak():
    flowers = load_iris(as_frame=True).frame
    flowers["target"] = flowers["target"].map({0: "a", 1: "b", 2: "c"})
    for seed in range(6):
        assert not list(leaks(prepare(flowers, Settings("target", seed=seed))))


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_columns_of_many_levels_do_not_seem_to_decide_the_class_by_chance(share):
    """Levels with one to six rows each, and a column that decides nine rows in ten; classes are even, or mostly one."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([30, 60, 400]))
        y = rng.choice(3, size=n, p=[1 - 2 * min(share, 1 / 3), *[min(share, 1 / 3)] * 2])
        y[:9] = np.arange(9) % 3
        many = {f"m{size}": [f"level {one}" for one in rng.integers(0, n // size, n)] for size in (1, 2, 3, 6)}
        nearly = [f"class {one}" for one in np.where(rng.random(n) < 0.15, rng.integers(0, 3, n), y)]
        assert leaking(y, **many, nearly=nearly) <= ({"nearly"} if n < 100 else set())


def test_ignored_codes_are_silent():
    frame = planted("SF102", np.random.default_rng(0))
    assert "SF102" not in {one.code for one in found(frame, ignore=("SF102",)).found}


def test_every_code_has_a_section_of_documentation_and_can_be_ignored():
    text = (Path(__file__).parents[3] / "docs/checks.md").read_text()
    assert set(re.findall(r"^## (SF\d+)$", text, re.MULTILINE)) == set(TITLES)
    assert set(TITLES) <= set(CODES)


def test_the_remedy_for_names_is_the_option_that_leaves_a_column_out():
    rng = np.random.default_rng(0)
    frame = clean(rng)
    frame["id no"] = rng.permutation(200)[: len(frame)] + 1000
    remedies = {one.code: one.remedy for one in found(frame).found if one.columns == ("id no",)}
    assert "--drop 'id no' (in Python: drop=['id no'])" in remedies["SF101"]


def test_texts_that_are_all_rare_are_told_of_and_those_with_digits_may_be_quantities():
    rows = table().drop(columns="big")
    rows["width"] = [f"{k % 200}.5 mm" for k in range(240)]
    rows["name"] = [f"name {k % 200}" for k in range(240)]
    width, name = rare_levels(prepare(rows, Settings("y")))
    assert width.sentence.startswith("No text of 'width' has enough rows for a feature of its own")
    assert "without units (10.5 for 10.5 mm)" in width.remedy
    assert name.columns == ("name",)
    assert name.remedy == "Join levels that belong together, or leave the column out."
    assert not list(rare_levels(prepare(rows.drop(columns=["width", "name"]), Settings("y"))))
