"""The page: whole, safe, small, readable by everybody."""

import re
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise

import pytest

from surefit.report.html import CONTENTS, POLICY, page
from surefit.study.records.data import ColumnFacts
from surefit.study.records.winner import HoldoutPoints
from tests.report import samples
from tests.report.reading import read

RESULTS = [samples.regression, samples.classification, samples.hostile, samples.unknown]
by_name = {"ids": lambda make: make.__name__}

STYLE = (files("surefit.report") / "style.css").read_text("utf-8")


@pytest.fixture(scope="module", params=RESULTS, **by_name)
def found(request):
    return read(page(request.param()))


def test_nothing_is_run_and_nothing_is_fetched(found):
    names = {one.name for one in found.every()}
    assert names.isdisjoint({"script", "iframe", "object", "embed", "link", "img", "form", "base", "use", "image"})
    for one in found.every():
        assert not [
            key for key in one.attributes if key.startswith("on") or key in ("src", "style", "srcdoc", "xlink:href")
        ]
        assert one.attributes.get("href", "#").startswith("#")
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_a_policy_forbids_scripts_and_the_network(found):
    policies = [one.attributes.get("content") for one in found.every("meta") if "http-equiv" in one.attributes]
    assert policies == [POLICY]
    assert POLICY.startswith("default-src 'none'")
    assert "script-src" not in POLICY


def test_a_column_that_is_called_script_is_a_name():
    root = read(page(samples.hostile()))
    assert samples.HOSTILE in root.text
    assert next(root.every("title")).text == samples.HOSTILE
    assert all(one.name != "script" for one in root.every())


def test_links_lead_somewhere_and_ids_are_unique(found):
    ids = [one.attributes["id"] for one in found.every() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    for one in found.every("a"):
        assert one.attributes["href"][1:] in ids
    for one in found.every():
        assert set(one.attributes.get("aria-labelledby", "").split()) <= set(ids)


def test_headings_descend_one_step_at_a_time(found):
    levels = [int(one.name[1]) for one in found.every("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_tables_have_captions_and_headers_that_say_what_they_head(found):
    for table in found.every("table"):
        assert next(table.every("caption")).text
        assert all(one.attributes["scope"] in ("col", "row") for one in table.every("th"))
        widths = {sum(1 for _ in row.every("th", "td")) for row in table.every("tr")}
        assert len(widths) == 1


def test_every_drawing_has_a_title_and_a_description(found):
    for svg in found.every("svg"):
        assert svg.attributes["role"] == "img"
        title, description = svg.inner[:2]
        assert (title.name, description.name) == ("title", "desc")
        assert title.text
        assert description.text
        assert svg.attributes["aria-labelledby"].split() == [title.attributes["id"], description.attributes["id"]]


def test_the_language_and_the_screen_are_declared(found):
    assert next(found.every("html")).attributes["lang"] == "en"
    metas = {one.attributes.get("name"): one.attributes.get("content") for one in found.every("meta")}
    assert metas["color-scheme"] == "light dark"
    assert "width=device-width" in metas["viewport"]


def test_coordinates_are_numbers(found):
    for one in found.every("path", "circle", "rect", "text"):
        assert "nan" not in " ".join(value for value in one.attributes.values() if value).split("class")[0].lower()
        assert not re.search(r"[\d.]{9}|inf", one.attributes.get("d", ""))


def test_every_part_is_there_where_everything_is_known():
    for make, absent in ((samples.regression, ()), (samples.classification, ("penalty",))):
        root = read(page(make()))
        assert [one.attributes["id"] for one in root.every("h2")] == [n for n, _, _ in CONTENTS if n not in absent]
    bare = [one.attributes["id"] for one in read(page(samples.unknown())).every("h2")]
    assert bare == ["certificate", "leaderboard", "holdout", "checks", "data", "again"]


def test_the_numbers_of_the_record_are_on_the_page():
    result = samples.regression()
    text = read(page(result)).text
    for words in (result.headline, result.certificate.statement, result.leaderboard.why, result.machine.command,
                  result.checks.found[0].remedy, result.intervals.statement, result.learning_curve.sentence,
                  result.data.fingerprint, "numpy 2.4.6"):  # fmt: skip
        assert words in text


def test_a_very_wide_table_makes_no_large_page():
    """Ten thousand columns with long names, two thousand points, a thousand classes: below 1.5 MB."""
    first = samples.regression()
    columns = tuple(ColumnFacts(f"{k} {'long ' * 40}", "number", "because " * 30, 1, 2, 3) for k in range(10_000))
    points = HoldoutPoints(tuple(float(k) for k in range(2000)), tuple(float(k % 97) for k in range(2000)))
    table = tuple(replace(first.coefficients.table[1], feature=one.name) for one in columns)
    wide = replace(first, columns=columns, holdout=points, coefficients=replace(first.coefficients, table=table),
                   checks=replace(first.checks, found=first.checks.found[:1] * 500))  # fmt: skip
    assert len(page(wide).encode()) < 600_000
    many = samples.classification()
    size = 1000
    crowd = replace(many, data=replace(many.data, classes=tuple((f"class {k}", 9) for k in range(size))),
                    reliability=many.reliability * size,
                    holdout=replace(many.holdout, confusion=((1,) * size,) * size))  # fmt: skip
    assert len(page(crowd).encode()) < 300_000


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_letters_stand_out_in_every_theme(theme):
    """A contrast of at least 4.5 between letters and what is behind them, as WCAG 2 (AA) asks."""
    themes = [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in re.findall(r":root \{(.*?)\}", STYLE, re.S)]
    assert len(themes) == 3
    colours = themes[theme]
    behind = {"back": ("ink", "quiet", "accent", "s0", "s1", "s2", "s3", "s4", "s5"), "raised": ("ink", "quiet"),
              "good-back": ("good", "ink", "quiet"), "doubtful-back": ("doubtful",), "bad-back": ("bad",),
              "grid": ("ink",)}  # fmt: skip
    for back, fronts in behind.items():
        for front in fronts:
            assert contrast(colours[back], colours[front]) >= 4.5, (back, front)


def test_the_style_knows_paper():
    assert "@media print" in STYLE
    assert "@media (prefers-color-scheme: dark)" in STYLE
