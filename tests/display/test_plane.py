"""The plane: frames, points and lines."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from surefit.display.plane import draw_line, draw_points, frame, planar


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_other_than_two_columns_are_refused():
    with pytest.raises(ValueError, match="needs 2 columns, got 3; pick two"):
        planar(np.zeros((4, 3)))


def test_the_frame_leaves_room_also_around_a_single_point():
    assert frame(np.array([[0.0, 0], [8, 4]])) == ((-1.0, 9.0), (-0.5, 4.5))
    assert frame(np.array([[2.0, 3.0]])) == ((1.0, 3.0), (2.0, 4.0))


def test_a_line_is_where_the_score_vanishes_and_a_zero_vector_has_none():
    _, ax = plt.subplots()
    line = draw_line(ax, np.array([3.0, 4.0]), -5.0)
    for point in (line.get_xy1(), line.get_xy2()):
        assert 3 * point[0] + 4 * point[1] - 5 == pytest.approx(0)
    assert draw_line(ax, np.zeros(2), 1.0) is None


def test_every_class_has_its_points_and_its_name():
    _, ax = plt.subplots()
    draw_points(ax, np.arange(6.0).reshape(3, 2), np.array([0, 1, 1]), ["a", "b"])
    assert [len(one.get_offsets()) for one in ax.collections] == [1, 2]
    assert [one.get_label() for one in ax.collections] == ["a", "b"]
