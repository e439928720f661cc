"""Shattering: brute force, linear programmes, rank and closed forms against each other."""

import itertools

import numpy as np
import pytest

from surefit.features.basis import BooleanMonomials, Polynomial
from surefit.theory.bounds.shattering import (
    boolean_polynomial_dimension,
    hyperplane_dimension,
    is_shattered,
    linear_shatters,
    polynomial_dimension,
    pseudo_dimension,
    shattering_witness,
    squared_loss_dimension,
    vc_dimension,
    vector_space_dimension,
)


def brute_force_pseudo_dimension(table, strict):
    """Every level in, between and beside the values, > or >=: the definition word for word."""
    best = 0
    for size in range(1, table.shape[1] + 1):
        for columns in itertools.combinations(range(table.shape[1]), size):
            part = table[:, columns]
            levels = [sorted({v + s for v in part[:, j] for s in (-0.5, 0, 0.5)}) for j in range(size)]
            for t in itertools.product(*levels):
                above = part > np.array(t) if strict else part >= np.array(t)
                if len(set(map(tuple, above))) == 2**size:
                    best = size
    return best


def test_pseudo_dimension_does_not_depend_on_strictness():
    """T-43, E-007: 40 random integer tables."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        table = rng.integers(0, 3, size=(9, 3)).astype(float)
        expected = pseudo_dimension(table)
        assert expected == brute_force_pseudo_dimension(table, True) == brute_force_pseudo_dimension(table, False)


def test_composition_with_a_monotone_map_cannot_increase_the_dimension():
    """T-44: clipping may lose, a strictly increasing map keeps it."""
    rng = np.random.default_rng(1)
    lost = 0
    for _ in range(40):
        table = rng.integers(0, 4, size=(10, 3)).astype(float)
        before = pseudo_dimension(table)
        assert pseudo_dimension(np.clip(table, 0, 1)) <= before
        assert pseudo_dimension(np.exp(table)) == before
        lost += pseudo_dimension(np.clip(table, 0, 1)) < before
    assert lost > 0


def test_pseudo_dimension_is_the_vc_dimension_of_the_thresholded_class():
    """T-43: the class (z, t) -> 1[g(z) > t] on all pairs of a point and a level."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        table = rng.integers(0, 3, size=(8, 3)).astype(float)
        pairs = np.concatenate([table > level for level in (0.5, 1.5)], axis=1).astype(int)
        assert vc_dimension(pairs) == pseudo_dimension(table)


def test_all_patterns_at_d_points_show_at_least_d_not_exactly_d():
    """E-110: eight functions give four patterns at the first two points already; the dimension is 3."""
    cube = np.array(list(itertools.product((0, 1), repeat=3)))
    assert is_shattered(cube[:, :2])
    assert vc_dimension(cube) == pseudo_dimension(cube) == 3


def test_intervals_and_thresholds_have_their_known_dimensions():
    """T-43: thresholds on a line 1, intervals 2, unions of two intervals 4."""
    points = np.arange(6)
    cuts = [(a, b) for a in range(7) for b in range(a, 7)]
    intervals = np.array([(points >= a) & (points < b) for a, b in cuts]).astype(int)
    unions = np.array([one | two for one in intervals for two in intervals])
    assert vc_dimension([(points >= a).astype(int) for a in range(7)]) == 1
    assert vc_dimension(intervals) == 2
    assert vc_dimension(unions) == 4


def test_three_points_of_the_plane_are_shattered_and_four_are_not_for_any_level():
    """T-43, T-46: affine functions; linear programmes with 10 random sets of levels, and rank."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        Phi = np.column_stack([np.ones(4), rng.normal(size=(4, 2))])
        levels = 3 * rng.normal(size=4)
        assert linear_shatters(Phi[:3], -levels[:3])
        assert linear_shatters(Phi[:3])
        assert not linear_shatters(Phi, -levels)
        assert vector_space_dimension(Phi) == hyperplane_dimension(2) == 3


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_sign_classes_have_the_dimension_of_their_space_even_with_an_offset(d):
    """T-45, T-46: VC{sign(f + g0)} = dim F; without intercept one less."""
    rng = np.random.default_rng(d)
    X, g0 = rng.normal(size=(d + 2, d)), rng.normal(size=d + 2)
    affine = np.column_stack([np.ones(d + 2), X])
    assert linear_shatters(affine[: d + 1], g0[: d + 1])
    assert not linear_shatters(affine, g0)
    assert linear_shatters(X[:d], g0[:d])
    assert not linear_shatters(X[: d + 1], g0[: d + 1])
    assert (hyperplane_dimension(d), hyperplane_dimension(d, fit_intercept=False)) == (d + 1, d)


def test_dependent_points_are_not_shattered_by_a_linear_programme_or_by_rank():
    """T-45: three points on a line in the plane, and a repeated point."""
    line = np.array([[1.0, 0, 0], [1.0, 1, 1], [1.0, 2, 2]])
    assert not linear_shatters(line)
    assert vector_space_dimension(line) == 2
    assert not linear_shatters(np.array([[1.0, 2.0], [1.0, 2.0]]))


@pytest.mark.parametrize(("d", "degree", "real", "boolean"), [(3, 2, 10, 7), (2, 3, 10, 4), (4, 2, 15, 11)])
def test_polynomials_have_the_dimension_of_their_monomials(d, degree, real, boolean):
    """T-47: closed forms against the rank of the features, on generic points and on the cube."""
    generic = np.random.default_rng(0).normal(size=(200, d))
    cube = np.array(list(itertools.product((0.0, 1.0), repeat=d)))
    features = Polynomial(degree, include_constant=True)
    assert polynomial_dimension(d, degree) == real == vector_space_dimension(features.fit_transform(generic))
    assert boolean_polynomial_dimension(d, degree) == boolean == vector_space_dimension(features.fit_transform(cube))
    monomials = BooleanMonomials(min(degree, d), include_constant=True).fit_transform(cube)
    assert monomials.shape[1] == boolean == vector_space_dimension(monomials)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_squared_losses_of_affine_functions_live_in_their_space(d):
    """T-48: losses minus y**2 have rank (d + 1)(d + 4) / 2 over random functions and points."""
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(100, d)), rng.normal(size=100)
    w, b = rng.normal(size=(d, 80)), rng.normal(size=80)
    losses = (y[:, None] - X @ w - b) ** 2 - y[:, None] ** 2
    assert vector_space_dimension(losses) == squared_loss_dimension(d)


def test_a_witness_proves_itself():
    """T-43: the levels returned give all patterns; a table without one gives None."""
    table = np.array(list(itertools.product((0.0, 1.0, 5.0), repeat=2)))
    levels = shattering_witness(table)
    assert is_shattered((table > levels).astype(int))
    assert shattering_witness(table[:3]) is None
    assert shattering_witness(np.array([[1.0], [1.0]])) is None


@pytest.mark.parametrize("wrong", [lambda: is_shattered([[0.5]]), lambda: pseudo_dimension([[np.nan]])])
def test_bad_tables_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        wrong()
