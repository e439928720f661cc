"""What displays share: names that keep their distance, and matplotlib that may be missing."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from surefit.display import PathDisplay
from surefit.display.path import spread_apart

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_long_names_are_shortened_and_stay_in_the_figure():
    name = "the mean temperature of the last seven days in the northern half of the county, in tenths of a degree"
    display = PathDisplay(np.array([0.1, 1.0]), np.ones((2, 1)), (name,)).plot()
    display.figure_.canvas.draw()
    (text,) = display.ax_.texts
    assert text.get_text() == "the mean temperature of the l…"
    assert text.get_window_extent().x1 <= display.figure_.bbox.x1
    assert display.ax_.get_window_extent().width > 0.5 * display.figure_.bbox.width


def test_names_keep_their_distance_and_their_order():
    heights = RNG.standard_normal(10)
    moved = spread_apart(heights, 0.2)
    assert np.all(np.diff(np.sort(moved)) >= 0.2 - 1e-12)
    np.testing.assert_array_equal(np.argsort(moved), np.argsort(heights))
    np.testing.assert_array_equal(spread_apart(np.array([0.0, 5.0]), 0.2), [0.0, 5.0])


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"surefit\[plot\]"):
        PathDisplay(np.array([1.0]), np.array([[1.0]]), ("x",)).plot()
