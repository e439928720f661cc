"""Hyperplanes, margins, homogenisation and weighted norms, checked by identities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import mahalanobis

from surefit.theory.risk.geometry import (
    Hyperplane,
    geometric_margin,
    homogenise,
    mahalanobis_distance,
    margin,
    weighted_distance,
    weighted_squared_norm,
)

seeds = st.integers(0, 10_000)


def random_plane(seed, d=3):
    rng = np.random.default_rng(seed)
    return Hyperplane(rng.standard_normal(d), float(rng.standard_normal())), rng.standard_normal((7, d))


@given(seeds)
def test_projection_lies_on_the_plane_and_its_length_is_the_distance(seed):
    """D-04: zero residual, orthogonal step, and no other point of the plane is nearer."""
    plane, X = random_plane(seed)
    foot = plane.project(X)
    np.testing.assert_allclose(plane.signed_distance(foot), 0, atol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(X - foot, axis=1), np.abs(plane.signed_distance(X)), rtol=1e-9, atol=1e-12
    )
    others = plane.project(np.random.default_rng(seed + 1).standard_normal((7, 3)))
    assert (np.linalg.norm(X - others, axis=1) >= np.abs(plane.signed_distance(X)) - 1e-12).all()


@given(seeds, st.floats(1e-3, 1e3))
def test_rescaling_the_normal_changes_nothing(seed, factor):
    """D-04: the classifier, the distances and the projection depend on the plane and its orientation only."""
    plane, X = random_plane(seed)
    same = Hyperplane(factor * plane.normal, factor * plane.offset)
    np.testing.assert_array_equal(same.classify(X), plane.classify(X))
    np.testing.assert_allclose(same.signed_distance(X), plane.signed_distance(X), rtol=1e-9, atol=1e-12)
    assert same.distance_from_origin == pytest.approx(plane.distance_from_origin, rel=1e-9, abs=1e-12)
    flipped = Hyperplane(-plane.normal, -plane.offset)
    np.testing.assert_array_equal(flipped.classify(X), -plane.classify(X))


def test_distance_from_origin_is_signed():
    """D-04, E-024: c / ||w||; its point on the normal's line lies on the plane."""
    plane = Hyperplane([3.0, 4.0], offset=-10.0)
    assert plane.distance_from_origin == -2.0
    assert plane.signed_distance(-2.0 * np.array([0.6, 0.8])) == pytest.approx(0.0, abs=1e-15)
    assert plane.signed_distance(np.zeros(2)) == 2.0


def test_points_on_the_plane_follow_the_tie_rule():
    """D-04, E-023, E-028: <w, x> = 0 without w = 0 or x = 0; sign(0) is -1 or +1 by choice."""
    plane = Hyperplane([1.0, 0.0])
    X = [[0.0, 1.0], [2.0, 0.0], [-2.0, 0.0]]
    assert plane.classify(X).tolist() == [-1, 1, -1]
    assert plane.classify(X, sign_zero=1).tolist() == [1, 1, -1]
    with pytest.raises(ValueError, match="sign_zero must be -1 or"):
        plane.classify(X, sign_zero=0)


def test_margin_of_the_and_fixture():
    """D-04, FX6: u = (2, 2, -3) on AND with a constant: margin 1, geometric margin 1 / sqrt(17) = 0.242535625."""
    X, t = homogenise([[0, 0], [0, 1], [1, 0], [1, 1]]), [-1, -1, -1, 1]
    u = np.array([2.0, 2.0, -3.0])
    assert margin(u, X, t) == 1.0
    assert geometric_margin(u, X, t) == pytest.approx(0.242535625, abs=5e-10)
    assert geometric_margin(7 * u, X, t) == pytest.approx(geometric_margin(u, X, t), rel=1e-14)
    assert margin([2.0, 1.0, -3.0], X, t) == 0.0  # FX6: the sign(0) = +1 perceptron stops at no strict separator


@given(seeds)
def test_homogenised_plane_gives_the_same_score(seed):
    """X-16, D-03: <w, x> - c = <(w, -c), (x, 1)>, and squared row norms grow by 1."""
    plane, X = random_plane(seed)
    through_zero = plane.homogenised()
    assert through_zero.offset == 0.0
    np.testing.assert_allclose(homogenise(X) @ through_zero.normal, X @ plane.normal - plane.offset, atol=1e-13)
    np.testing.assert_array_equal(through_zero.classify(homogenise(X)), plane.classify(X))
    np.testing.assert_allclose(np.sum(homogenise(X) ** 2, axis=1), np.sum(X**2, axis=1) + 1, rtol=1e-14)
    np.testing.assert_array_equal(homogenise(X, constant="first")[:, 1:], X)


def test_a_penalised_constant_is_not_an_intercept():
    """D-03, FX1, n lam = 5: w = 0.55, b = 1.925 with a free intercept, 0.97778 and 0.57037 with a constant feature."""
    x, y = np.arange(4.0), np.array([1.0, 3.0, 2.0, 5.0])
    constant_feature = homogenise(x[:, None])
    w, b = np.linalg.solve(constant_feature.T @ constant_feature + 5 * np.eye(2), constant_feature.T @ y)
    np.testing.assert_allclose([w, b], [0.9777777778, 0.5703703704], atol=5e-11)
    centred = x - x.mean()
    free = centred @ y / (centred @ centred + 5)
    np.testing.assert_allclose([free, y.mean() - free * x.mean()], [0.55, 1.925], rtol=1e-14)
    unpenalised = np.linalg.lstsq(constant_feature, y, rcond=None)[0]
    np.testing.assert_allclose(unpenalised, [1.1, 1.1], rtol=1e-12)


def test_minimum_norm_counts_the_constant():
    """D-03, FX8: one sample x = 2, y = 3: (w, b) = (1.2, 0.6), not (0, 3)."""
    np.testing.assert_allclose(np.linalg.pinv(homogenise([[2.0]])) @ [3.0], [1.2, 0.6], rtol=1e-14)


def test_weighted_norm_of_the_published_example():
    """D-09: A = diag(4, 1), u = (1, 2): 8; A = I is Euclid."""
    assert weighted_squared_norm([1.0, 2.0], np.diag([4.0, 1.0])) == 8.0
    assert weighted_squared_norm([3.0, 4.0], np.eye(2)) == 25.0
    assert weighted_squared_norm([0.0, 5.0], np.diag([1.0, 0.0])) == 0.0  # only a semi-norm


@given(seeds)
def test_weighted_distance_is_a_metric(seed):
    """D-09: symmetry and the triangle inequality; vectorised over rows."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((3, 3))
    A = root @ root.T
    x, y, z = rng.standard_normal((3, 5, 3))
    direct = weighted_distance(x, z, A)
    assert direct.shape == (5,)
    assert (direct <= weighted_distance(x, y, A) + weighted_distance(y, z, A) + 1e-12).all()
    np.testing.assert_allclose(direct, weighted_distance(z, x, A), rtol=1e-12)
    np.testing.assert_allclose(direct, np.linalg.norm((x - z) @ root, axis=1), rtol=1e-7)


@given(seeds)
def test_mahalanobis_distance_uses_the_inverse_and_is_invariant(seed):
    """D-09, E-065: A = covariance^-1; unchanged under a joint linear change of variables; SciPy agrees."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((3, 3))
    covariance = root @ root.T + 0.1 * np.eye(3)
    x, y = rng.standard_normal((2, 3))
    ours = mahalanobis_distance(x, y, covariance)
    np.testing.assert_allclose(ours, mahalanobis(x, y, np.linalg.inv(covariance)), rtol=1e-9)
    change = rng.standard_normal((3, 3)) + 3 * np.eye(3)
    np.testing.assert_allclose(
        mahalanobis_distance(change @ x, change @ y, change @ covariance @ change.T), ours, rtol=1e-6
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Hyperplane(np.zeros(2)), "normal must be a non-zero vector"),
        (lambda: homogenise([[1.0]], constant="middle"), "constant must be 'first' or 'last'"),
        (lambda: margin([1.0], [[1.0]], [0]), r"map 0/1 labels with 2 \* y - 1"),
        (lambda: geometric_margin([0.0], [[1.0]], [1]), "coef is zero"),
        (lambda: weighted_squared_norm([1.0, 1.0], [[1.0, 1.0], [0.0, 1.0]]), "symmetric"),
        (lambda: weighted_squared_norm([1.0, 1.0], np.diag([1.0, -1.0])), "negative eigenvalue"),
        (lambda: mahalanobis_distance([1.0, 0.0], [0.0, 0.0], np.diag([1.0, 0.0])), "not positive definite"),
    ],
)
def test_wrong_inputs_are_refused_with_a_remedy(call, message):
    """D-03, D-04, D-09."""
    with pytest.raises(ValueError, match=message):
        call()
