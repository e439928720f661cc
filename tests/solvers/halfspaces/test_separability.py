"""Separable or not, with evidence that can be checked; largest margins against their optimality conditions."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.halfspaces.fewest_mistakes import min_disagreement
from surefit.solvers.halfspaces.separability import direction_or_conflict, is_separable, max_margin
from surefit.solvers.halfspaces.signed_rows import SignedRows
from surefit.theory.risk.geometry import geometric_margin, homogenise, margin

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([-1, -1, -1, 1]), np.array([-1, 1, 1, -1])


def test_and_is_separable_and_xor_is_not():
    """A-37, T-60."""
    found = is_separable(CORNERS, AND)
    assert found.separable
    assert np.all(AND * (CORNERS @ found.coef + found.intercept) > 0)
    assert found.conflict is None
    assert not is_separable(CORNERS, XOR)
    assert is_separable(CORNERS, XOR).coef is None


def test_the_conflict_of_xor_cancels_and_uses_all_four_corners():
    """T-60: convex weights under which the rows t (x, 1) sum to 0 prove that no w has all on its side."""
    found = is_separable(CORNERS, XOR)
    rows = SignedRows.of(CORNERS, XOR, True).rows
    np.testing.assert_allclose(found.conflict @ rows, 0, atol=1e-14)
    np.testing.assert_allclose(found.conflict, 0.25)


@pytest.mark.parametrize("seed", range(40))
def test_the_evidence_holds_either_way_and_agrees_with_the_fewest_mistakes(seed):
    """A-37 against A-36: separable iff the optimum is 0."""
    rng = np.random.default_rng(seed)
    n, d, fit_intercept = rng.integers(2, 14), rng.integers(1, 4), bool(seed % 2)
    X, t = rng.integers(-2, 3, (n, d)).astype(float), rng.choice([-1, 1], n)
    found = is_separable(X, t, fit_intercept=fit_intercept)
    if found:
        assert np.all(t * (X @ found.coef + found.intercept) > 0)
    else:
        rows = SignedRows.of(X, t, fit_intercept).rows
        assert found.conflict.sum() == pytest.approx(1)
        assert np.all(found.conflict >= 0)
        assert np.linalg.norm(found.conflict @ rows) < 1e-12
        assert np.count_nonzero(found.conflict) <= d + 2
    assert found.separable == (min_disagreement(X, t, fit_intercept=fit_intercept).errors == 0)


def test_a_hundred_thousand_rows_are_decided_from_a_few():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 5))
    t = np.where(X @ [1, 2, 3, 4, 5] + 0.3 > 0, 1, -1)
    assert is_separable(X, t)
    t[0] = -t[0]
    found = is_separable(X, t)
    assert not found
    assert found.conflict[0] > 0  # the row that was changed is in every conflict


@pytest.mark.parametrize("gap", [1e-3, 1e-8, 1e-11])
def test_margins_far_below_the_tolerance_of_a_linear_programme_are_seen(gap):
    X = np.array([[0.0, 0], [1, 1], [0, gap], [1, 1 + gap], [0.5, 0.5 + gap], [0.5, 0.5]])
    t = np.array([-1, -1, 1, 1, 1, -1])
    assert is_separable(X, t)
    t[-2:] = -t[-2:]
    assert not is_separable(X, t)


def test_timestamps_do_not_hide_the_separation():
    X = np.column_stack([1.7e12 + np.arange(6.0), np.zeros(6)])
    assert is_separable(X, [-1, -1, -1, 1, 1, 1])
    assert not is_separable(X, [-1, -1, 1, -1, 1, 1])


def test_all_zero_features_separate_nothing_but_one_class():
    assert not is_separable(np.zeros((3, 2)), [1, -1, 1])
    assert is_separable(np.zeros((3, 2)), [1, 1, 1])
    assert not is_separable(np.zeros((3, 2)), [1, 1, 1], fit_intercept=False)


def test_largest_margin_of_and_with_bias():
    """FX6, A-38, T-56: u = (2, 2, -3), squared norm 17, bound 17 * 3 = 51; D-04: margin 1, distance 1/sqrt(17)."""
    rows = homogenise(CORNERS)
    found = max_margin(rows, AND)
    np.testing.assert_allclose(found.coef, [2, 2, -3], rtol=1e-13)
    assert found.coef @ found.coef == pytest.approx(17, rel=1e-13)
    assert found.radius**2 == pytest.approx(3)
    assert found.perceptron_bound == pytest.approx(51, rel=1e-13)
    assert margin(found.coef, rows, AND) == pytest.approx(1, rel=1e-14)
    assert geometric_margin(found.coef, rows, AND) == pytest.approx(0.242535625, abs=5e-10)
    assert found.margin == pytest.approx(0.242535625, abs=5e-10)
    assert 0 <= found.gap < 1e-11


def test_orthonormal_rows_have_a_squared_norm_of_n():
    """A-38."""
    found = max_margin(np.eye(5), [1, -1, 1, -1, 1])
    np.testing.assert_allclose(found.coef, [1, -1, 1, -1, 1])
    assert found.perceptron_bound == pytest.approx(5)


@pytest.mark.parametrize(("e", "bound"), [(0.2, 26), (0.1, 101), (0.05, 401), (0.02, 2501), (0.01, 10001)])
def test_the_bound_of_the_hard_triple(e, bound):
    """FX7: 1 + 1/e**2."""
    found = max_margin([[0.5, e], [-1, e], [1, e]], [1, 1, 1])
    assert found.perceptron_bound == pytest.approx(bound, rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_margin_satisfies_its_optimality_conditions(seed):
    """A-38: feasible, a combination of the rows with positive multipliers, which vanish off the margin; small gap."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(4)
    X = rng.standard_normal((60, 4)) * 10.0 ** rng.integers(-6, 7)
    t = np.where(X @ w > 0, 1, -1)
    found = max_margin(X, t)
    margins = t * (X @ found.coef)
    assert margins.min() == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose((found.dual * t) @ X, found.coef, rtol=1e-9)
    np.testing.assert_allclose(margins[found.dual > 0], 1, rtol=1e-6)
    assert 0 <= found.gap <= 1e-7 * (found.coef @ found.coef)


@pytest.mark.parametrize("scale", [1e-180, 1e180])
def test_the_bound_does_not_depend_on_the_units(scale):
    """T-56: (radius / margin)**2."""
    found = max_margin(homogenise(CORNERS) * scale, AND)
    assert found.perceptron_bound == pytest.approx(51)
    assert found.margin / scale == pytest.approx(0.242535625, abs=5e-10)


def test_no_margin_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"no hyperplane through the origin separates.*append a constant"):
        max_margin(CORNERS, AND)


def test_direction_or_conflict_returns_one_of_the_two():
    direction, conflict = direction_or_conflict(np.array([[1.0, 0], [0, 1.0]]))
    assert conflict is None
    assert np.all(direction > 0)


def test_sparse_rows_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"toarray\(\)"):
        is_separable(sparse.csr_array(np.eye(3)), [1, -1, 1])
