"""Figures are kept, drawn from what was kept, and all there.  Catalogue F-01..F-17."""

import json

import numpy as np
import pytest

from surefit.lab.figures import FIGURES


@pytest.fixture(scope="module")
def data():
    return {name: figure.data() for name, figure in FIGURES.items()}


def test_all_seventeen_are_there():
    assert sorted(FIGURES) == [f"F-{k:02d}" for k in range(1, 18)]


def test_a_picture_is_drawn_from_what_was_kept(tmp_path, monkeypatch):
    figure = FIGURES["F-02"]
    path = figure.save(tmp_path)
    assert path.read_text().startswith("<?xml")
    assert json.loads((tmp_path / "F-02.caption.json").read_text())["caption"] in figure.caption(figure.data())
    monkeypatch.setattr(np.random, "default_rng", lambda *_: pytest.fail("computed again"))
    figure.save(tmp_path)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_can_be_drawn(name):
    assert FIGURES[name].plot().axes
