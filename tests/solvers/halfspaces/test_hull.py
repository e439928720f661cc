"""The nearest point of a convex hull, judged by its optimality conditions."""

import numpy as np
import pytest

from surefit.solvers.halfspaces.hull import nearest_hull_point


@pytest.mark.parametrize("seed", range(30))
def test_every_row_lies_beyond_the_plane_through_the_nearest_point(seed):
    """A-38: z is nearest iff x . z >= z . z for all rows; the weights are convex and few."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 40), rng.integers(1, 6)
    rows = rng.standard_normal((n, d)) + rng.uniform(0, 2) * rng.standard_normal(d)
    found = nearest_hull_point(rows)
    np.testing.assert_allclose(found.weights @ rows, found.point, atol=1e-12)
    assert np.all(found.weights >= 0)
    assert found.weights.sum() == pytest.approx(1, abs=1e-12)
    assert len(found.support) <= d + 1
    assert np.min(rows @ found.point) >= found.point @ found.point - 1e-11


def test_the_origin_is_found_exactly_when_it_lies_inside():
    found = nearest_hull_point(np.array([[1.0, 0], [-1, 1], [-1, -1], [5, 5]]))
    np.testing.assert_allclose(found.point, 0, atol=1e-15)
    assert found.support.tolist() == [0, 1, 2]
    assert found.normal is None


@pytest.mark.parametrize("gap", [1e-2, 1e-6, 1e-10])
def test_the_normal_keeps_its_digits_where_the_hull_is_close_to_the_origin(gap):
    """A-38: rows (1, gap) and (-1, gap): normal (0, 1 / gap)."""
    found = nearest_hull_point(np.array([[1.0, gap], [-1, gap], [0.3, 2 * gap]]))
    np.testing.assert_allclose(found.normal * gap, [0, 1], atol=1e-12)


def test_duplicates_and_a_row_of_zeros_do_no_harm():
    np.testing.assert_allclose(nearest_hull_point(np.array([[1.0, 2], [1, 2], [1, 2]])).point, [1, 2])
    empty = nearest_hull_point(np.array([[1.0, 2], [0, 0]]))
    assert empty.point.tolist() == [0, 0]
    assert empty.normal is None


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8, 1e150])
def test_the_scale_of_the_rows_does_not_matter(scale):
    rows = np.random.default_rng(0).standard_normal((20, 3)) + 2
    np.testing.assert_allclose(
        nearest_hull_point(rows * scale).point / scale, nearest_hull_point(rows).point, rtol=1e-9
    )


def test_a_passed_deadline_claims_nothing():
    rows = np.random.default_rng(0).standard_normal((40, 5)) + 3.0
    assert nearest_hull_point(rows).normal is not None
    found = nearest_hull_point(rows, deadline=0.0)
    assert found.normal is None
    np.testing.assert_allclose(found.weights @ rows, found.point)
    assert np.linalg.norm(found.point) > 0.1  # so it is no proof that the origin is in the hull either
