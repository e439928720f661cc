"""The exact lasso path: published knots, optimality at and between knots, ties and collinear columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import lars_path

from surefit.data.design import Design
from surefit.objective import L1, Problem, Squared
from surefit.solvers.lasso.exact.homotopy import HomotopyPath, lasso_homotopy, least_angle_path
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.solution import Status

X1, Y1 = np.arange(4.0)[:, None], np.array([1.0, 3, 2, 5])
X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])


def optimality_error(X, y, weight, lam, coef, intercept, positive=False):
    """Largest violation of ``|2 x_j' r / n| <= lam``, with equality and the right sign on the support."""
    share = weight / weight.sum()
    residual = y - X @ coef - intercept
    pull = 2 * (X - share @ X).T @ (share * residual)
    on = coef != 0
    outside = np.max(pull - lam if positive else np.abs(pull) - lam)
    inside = np.max(np.abs(pull[on] - lam * np.sign(coef[on])), initial=0.0)
    return max(outside, inside, -coef.min() if positive else 0.0)


def worst_along(path, X, y, weight, positive=False):
    lams = np.concatenate([path.knots, (path.knots[1:] + path.knots[:-1]) / 2])
    return max(optimality_error(X, y, weight, lam, *path.at(lam), positive) for lam in lams)


def test_fixture_two_has_its_four_knots():
    """Catalogue A-25, T-84, FX2."""
    path = lasso_homotopy(Design.of(X2), Y2)
    np.testing.assert_allclose(path.knots, [19 / 6, 31 / 15, 51 / 35, 0], rtol=1e-14)
    expected = [[0, 0, 0], [0, 0, 0.6], [0, 0.3047619, 0.9047619], [0.80314961, 0.93963255, 1.86089239]]
    np.testing.assert_allclose(path.coefs, expected, atol=6e-9)
    np.testing.assert_array_equal(np.count_nonzero(path.coefs, axis=1), [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("lam", "coef", "intercept", "objective"),
    [
        (1.0, [0.2519685, 0.50393701, 1.20472441], 0.976377953, 2.866141732),
        (0.5, [0.52755906, 0.72178478, 1.5328084], -0.164041995, 1.680446194),
        (0.1, [0.7480315, 0.89606299, 1.79527559], -1.076377953, 0.436141732),
    ],
)
def test_fixture_two_between_knots(lam, coef, intercept, objective):
    """Catalogue A-22, A-25, FX2."""
    found, offset = lasso_homotopy(Design.of(X2), Y2).at(lam)
    np.testing.assert_allclose(found, coef, atol=6e-9)
    assert offset == pytest.approx(intercept, abs=6e-10)
    assert Problem(X2, Y2, Squared(), L1(), lam).primal(found, offset) == pytest.approx(objective, abs=6e-10)


@pytest.mark.parametrize(
    ("lam", "coef", "intercept"), [(0.5, 0.9, 1.4), (1.25, 0.6, 1.85), (2.75, 0, 2.75), (9, 0, 2.75)]
)
def test_fixture_one(lam, coef, intercept):
    """Catalogue A-22, FX1: sum penalties 2, 5 and 11 are lam = 0.5, 1.25 and 2.75."""
    found, offset = lasso_homotopy(Design.of(X1), Y1).at(lam)
    np.testing.assert_allclose([found[0], offset], [coef, intercept], atol=1e-14)


def test_many_lams_at_once_are_single_lams_stacked():
    path = lasso_homotopy(Design.of(X2), Y2)
    lams = np.array([0.3, 5.0, 0.0, 19 / 6, 1.5])
    coefs, intercepts = path.at(lams)
    assert (coefs.shape, intercepts.shape) == ((5, 3), (5,))
    for k, lam in enumerate(lams):
        np.testing.assert_array_equal(path.at(lam)[0], coefs[k])
        assert path.at(lam)[1] == intercepts[k]


def test_the_path_ends_in_least_squares():
    """Catalogue A-22: lam = 0 is ordinary least squares."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 6)) * 10.0 ** np.arange(-3, 3), rng.normal(size=40)
    coef, intercept = lasso_homotopy(Design.of(X), y).at(0.0)
    exact = least_squares(Design.of(X), y[:, None]).solution
    np.testing.assert_allclose(coef, exact.coef[:, 0], rtol=1e-10)
    assert intercept == pytest.approx(exact.intercept[0], rel=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_knots_and_coefficients_are_those_of_scikit_learn(seed):
    """Catalogue A-25: its alphas are lam / 2; every one of these paths that drops a column drops the same one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 12)) @ (np.eye(12) + 0.5 * rng.normal(size=(12, 12)))
    y = rng.normal(size=30)
    alphas, _, coefs = lars_path(X - X.mean(axis=0), y - y.mean(), method="lasso")
    path = lasso_homotopy(Design.of(X), y)
    np.testing.assert_allclose(path.knots, 2 * alphas, atol=1e-12)
    np.testing.assert_allclose(path.coefs, coefs.T, atol=1e-9)


def test_some_of_those_paths_drop_columns():
    """The test above would be weaker if none did."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)) @ (np.eye(12) + 0.5 * rng.normal(size=(12, 12)))
    sizes = np.count_nonzero(lasso_homotopy(Design.of(X), rng.normal(size=30)).coefs, axis=1)
    assert np.any(np.diff(sizes) < 0)


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 20),
    d=st.integers(1, 25),
    kind=st.sampled_from(["general", "integers", "twins"]),
    positive=st.booleans(),
    weighted=st.booleans(),
)
def test_every_point_of_every_path_is_optimal(seed, n, d, kind, positive, weighted):
    """Catalogue A-25: ties (small integers), exact collinearity (twins and mirrored twins), weights, d > n."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    if kind == "integers":
        X, y = np.round(X), np.round(2 * y)
    if kind == "twins":
        X[:, d // 2], X[:, -1] = X[:, 0], -X[:, 0]
    weight = rng.integers(0, 3, size=n).astype(float) if weighted else np.ones(n)
    weight[0] = 1.0
    path = lasso_homotopy(Design.of(X, weight), y, positive=positive)
    assert path.knots[-1] == 0.0
    assert np.all(np.diff(path.knots) < 0)
    assert worst_along(path, X, y, weight, positive) < 1e-10
    assert path.status is Status.EXACT


def test_an_integer_weight_repeats_the_row():
    rng = np.random.default_rng(3)
    X, y, weight = rng.normal(size=(12, 5)), rng.normal(size=12), rng.integers(0, 4, size=12)
    weighted = lasso_homotopy(Design.of(X, weight), y)
    repeated = lasso_homotopy(Design.of(np.repeat(X, weight, axis=0)), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.knots, repeated.knots, atol=1e-14)
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, atol=1e-12)
    np.testing.assert_allclose(weighted.intercepts, repeated.intercepts, atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_sparse_design_gives_the_dense_path(fit_intercept):
    X = sparse.random(40, 15, density=0.3, random_state=4, format="csr")
    y = np.random.default_rng(5).normal(size=40)
    weight = np.random.default_rng(6).uniform(0, 2, size=40)
    thin = lasso_homotopy(Design.of(X, weight), y, fit_intercept=fit_intercept)
    full = lasso_homotopy(Design.of(X.toarray(), weight), y, fit_intercept=fit_intercept)
    np.testing.assert_allclose(thin.knots, full.knots, atol=1e-12)
    np.testing.assert_allclose(thin.coefs, full.coefs, atol=1e-10)
    if not fit_intercept:
        np.testing.assert_array_equal(full.intercepts, 0.0)


def test_an_orthonormal_design_is_soft_thresholding():
    """Catalogue A-22: X'X = I without intercept gives w_j = S(x_j' y, n lam / 2); all columns enter, none leaves."""
    rng = np.random.default_rng(7)
    X, y = np.linalg.qr(rng.normal(size=(10, 4)))[0], rng.normal(size=10)
    path = lasso_homotopy(Design.of(X), y, fit_intercept=False)
    for lam in np.linspace(0, path.knots[0], 11):
        pull = X.T @ y
        expected = np.sign(pull) * np.maximum(np.abs(pull) - 10 * lam / 2, 0)
        np.testing.assert_allclose(path.at(lam)[0], expected, atol=1e-14)


def test_three_columns_that_tie_at_the_start_enter_together():
    path = lasso_homotopy(Design.of(np.eye(3)), np.array([1.0, -1.0, 1.0]), fit_intercept=False)
    np.testing.assert_allclose(path.knots, [2 / 3, 0], rtol=1e-15)
    np.testing.assert_allclose(path.coefs[-1], [1, -1, 1], rtol=1e-15)


def test_of_two_equal_columns_the_first_carries_the_coefficient():
    X = np.column_stack([X2, X2[:, 2], -X2[:, 1]])
    path = lasso_homotopy(Design.of(X), Y2)
    single = lasso_homotopy(Design.of(X2), Y2)
    np.testing.assert_allclose(path.knots, single.knots, atol=1e-14)
    np.testing.assert_allclose(path.coefs, np.pad(single.coefs, ((0, 0), (0, 2))), atol=1e-13)


def test_timestamps_keep_their_digits():
    rng = np.random.default_rng(8)
    days = np.arange(60.0)
    X = np.column_stack([1.7e12 + 864e5 * days, rng.normal(size=60)])
    small = np.column_stack([days * 864e5, X[:, 1]])
    y = 3 * days + rng.normal(size=60)
    far, near = lasso_homotopy(Design.of(X), y), lasso_homotopy(Design.of(small), y)
    np.testing.assert_allclose(far.knots[:-1], near.knots[:-1], rtol=1e-9)
    np.testing.assert_allclose(far.coefs[-1], near.coefs[-1], rtol=1e-9)


@pytest.mark.parametrize("y", [np.zeros(6), np.full(6, 0.1), np.full(6, 1e9 / 3)])
def test_a_constant_target_has_no_knot_but_zero(y):
    path = lasso_homotopy(Design.of(X2), y)
    np.testing.assert_array_equal(path.knots, [0.0])
    np.testing.assert_array_equal(path.coefs, np.zeros((1, 3)))
    coef, intercept = path.at(0.7)
    np.testing.assert_array_equal(coef, np.zeros(3))
    assert intercept == pytest.approx(y[0])


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9 / 3])
def test_a_constant_column_never_enters(constant):
    path = lasso_homotopy(Design.of(np.column_stack([X2, np.full(6, constant)])), Y2)
    np.testing.assert_array_equal(path.coefs[:, 3], 0.0)
    np.testing.assert_allclose(path.knots, [19 / 6, 31 / 15, 51 / 35, 0], rtol=1e-14)


def test_one_row_has_nothing_to_explain():
    path = lasso_homotopy(Design.of([[2.0, 5.0]]), np.array([3.0]))
    np.testing.assert_array_equal(path.coefs, [[0.0, 0.0]])
    np.testing.assert_array_equal(path.intercepts, [3.0])


def test_positive_coefficients_that_cannot_help_stay_zero():
    path = lasso_homotopy(Design.of(X1), -Y1, positive=True)
    np.testing.assert_array_equal(path.coefs, [[0.0]])


def test_a_path_that_stops_early_is_the_same_path_and_refuses_what_it_did_not_compute():
    whole, part = lasso_homotopy(Design.of(X2), Y2), lasso_homotopy(Design.of(X2), Y2, lam_min=1.0)
    assert part.knots[-1] == 1.0
    np.testing.assert_allclose(part.at(1.7)[0], whole.at(1.7)[0], atol=1e-14)
    with pytest.raises(ValueError, match=r"down to lam = 1, got 0\.5; compute it with a smaller lam_min"):
        part.at([1.5, 0.5])
    assert not whole.cut
    assert not part.cut


def test_a_path_with_too_many_knots_says_that_these_are_the_reason():
    cut = lasso_homotopy(Design.of(X2), Y2, max_knots=2)
    assert len(cut.knots) == 3
    with pytest.raises(ValueError, match=r"down to lam = 1\.45714, got 0\.5; max_knots cut it off there: raise it"):
        cut.at(0.5)
    assert not lasso_homotopy(Design.of(X2), Y2, max_knots=3).cut  # just enough


def test_a_negative_lam_is_not_sent_to_a_smaller_lam_min():
    with pytest.raises(ValueError, match="lam must be >= 0, got -1; at lam = 0 the path ends in least squares"):
        lasso_homotopy(Design.of(X2), Y2).at([1.0, -1.0])


@pytest.mark.parametrize("walk", [lasso_homotopy, least_angle_path])
def test_without_columns_the_path_is_the_mean(walk):
    coef, intercept = walk(np.empty((6, 0)), Y2).at(1.0)
    assert coef.shape == (0,)
    assert intercept == pytest.approx(Y2.mean())


@pytest.mark.parametrize("walk", [lasso_homotopy, least_angle_path])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, lambda X: Design.of(sparse.csr_array(X))])
def test_complex_numbers_are_refused_not_cut_to_real_ones(walk, layout):
    with pytest.raises(ValueError, match="holds complex numbers"):
        walk(layout(X2), Y2 + 1j)
    with pytest.raises(ValueError, match="holds complex numbers"):
        walk(layout(X2 + 1j), Y2)


def test_bad_arguments_say_what_to_do():
    with pytest.raises(ValueError, match="lam_min must be >= 0"):
        lasso_homotopy(Design.of(X2), Y2, lam_min=-1.0)
    with pytest.raises(ValueError, match=r"need X \(n, d\) and y"):
        lasso_homotopy(Design.of(X2), Y2[:, None])
    for wrong, reason in [
        ({"lam_min": "0.1"}, "lam_min must be a number, got '0.1'; use 0 for the whole path"),
        ({"max_knots": 2.5}, "max_knots must be a whole number >= 1, got 2.5; it bounds the length"),
        ({"positive": "no"}, "positive must be True or False, got 'no'"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, got 'no'"),
        ({"sample_weight": ["a"] * 6}, "sample_weight must be numbers; give one non-negative number per row"),
    ]:
        with pytest.raises(ValueError, match=reason):
            lasso_homotopy(X2, Y2, **wrong)
    with pytest.raises(ValueError, match="leave sample_weight None"):
        lasso_homotopy(Design.of(X2), Y2, sample_weight=np.ones(6))


def test_a_path_says_why_it_has_no_solution_there():
    with pytest.raises(ValueError, match="max_knots cut it off there: raise it"):
        lasso_homotopy(X2, Y2, max_knots=1).at(0.5)
    for lam in (-1.0, np.nan):
        with pytest.raises(ValueError, match=r"lam must be >= 0, got .*; at lam = 0 the path ends in least squares"):
            lasso_homotopy(X2, Y2).at(lam)
    np.testing.assert_array_equal(lasso_homotopy(X2, Y2).at(np.inf)[0], 0.0)


@pytest.mark.parametrize("walk", [lasso_homotopy, least_angle_path])
def test_weights_beside_the_rows_are_those_of_a_design(walk):
    weight = np.array([1.0, 2, 0, 1, 3, 1])
    here, there = walk(X2, Y2, sample_weight=weight), walk(Design.of(X2, weight), Y2)
    np.testing.assert_array_equal(here.coefs, there.coefs)


@pytest.mark.parametrize("seed", range(10))
def test_least_angle_keeps_all_its_correlations_equal(seed):
    """Catalogue A-25: the defining property of LAR; one column per step, none leaves, least squares at the end."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 8)) @ (np.eye(8) + rng.normal(size=(8, 8))), rng.normal(size=25)
    path = least_angle_path(Design.of(X), y)
    np.testing.assert_array_equal(np.count_nonzero(path.coefs, axis=1), np.arange(9))
    for lam, coef, intercept in zip(path.knots, path.coefs, path.intercepts, strict=True):
        pull = np.abs(2 / 25 * (X - X.mean(axis=0)).T @ (y - X @ coef - intercept))
        np.testing.assert_allclose(pull.max(), lam, atol=1e-12)
        np.testing.assert_allclose(pull[coef != 0], lam, atol=1e-12)
    np.testing.assert_allclose(path.coefs[-1], least_squares(Design.of(X), y[:, None]).solution.coef[:, 0], rtol=1e-9)


def test_least_angle_is_the_lasso_until_a_sign_would_change():
    """Catalogue A-25, on a path whose lasso drops a column."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)) @ (np.eye(12) + 0.5 * rng.normal(size=(12, 12)))
    y = rng.normal(size=30)
    lasso, angle = lasso_homotopy(Design.of(X), y), least_angle_path(Design.of(X), y)
    until = int(np.flatnonzero(np.diff(np.count_nonzero(lasso.coefs, axis=1)) <= 0)[0]) + 1  # one came in, one left
    np.testing.assert_allclose(lasso.coefs[:until], angle.coefs[:until], atol=1e-11)
    assert np.max(np.abs(lasso.coefs[until] - angle.coefs[until])) > 1e-3
    assert len(angle.knots) == 13 < len(lasso.knots)
    assert isinstance(angle, HomotopyPath)


def beside_a_timestamp(seed=0, n=200):
    """Milliseconds since 1970 beside columns of size one, all of which matter."""
    rng = np.random.default_rng(seed)
    t, others = 1.7e12 + 3e10 * np.arange(n) / n, rng.normal(size=(n, 3))
    y = 5 * (t - 1.7e12) / 3e10 + others @ [1.0, 0, -1] + 0.1 * rng.normal(size=n)
    return np.column_stack([t, others]), y


@pytest.mark.parametrize("lam", [2.1, 1.0, 0.01])
def test_knots_that_are_close_only_beside_a_timestamp_are_not_merged(lam):
    """Catalogue A-25: one step falls ten decades; a tie is relative to where it ends, not to where it starts."""
    X, y = beside_a_timestamp()
    path = lasso_homotopy(X, y)
    assert len(path.knots) == 5
    unit = np.array([3e10, 1, 1, 1])  # the same problem in columns of size one
    scaled = elastic_net_path(Design.of((X - X[0]) / unit), y, np.array([lam]), SparsePenalty(1.0, 1 / unit), tol=1e-14)
    np.testing.assert_allclose(path.at(lam)[0] * unit, scaled.coefs[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_the_units_of_the_columns_do_not_matter(seed):
    """Catalogue A-25: units from 1e-6 to 1e6, down to the ``lam`` at which the smallest column comes in."""
    rng = np.random.default_rng(seed)
    Z, units = rng.normal(size=(30, 6)), 10.0 ** rng.permutation(np.linspace(-6, 6, 6))
    y = Z @ rng.normal(size=6) + rng.normal(size=30)
    path = lasso_homotopy(Z * units, y)
    lams = path.knots[0] * 10.0 ** -np.arange(1.0, 14)
    penalty = SparsePenalty(weights=1 / units)
    value = lambda coef, intercept, lam: np.mean((y - Z @ coef - intercept) ** 2) + lam * penalty.value(coef)
    for lam, coef, intercept in zip(lams, *path.at(lams), strict=True):
        other = elastic_net_path(Design.of(Z), y, np.array([lam]), penalty, tol=1e-12)
        excess = value(coef * units, intercept, lam) - value(other.coefs[0], other.intercepts[0], lam)
        assert excess <= 1e-11 * np.var(y)


@pytest.mark.parametrize("factor", [2.0**530, 2.0**-990])
@pytest.mark.parametrize("walk", [lasso_homotopy, least_angle_path])
def test_targets_whose_squares_leave_the_range_of_numbers_have_the_same_path(walk, factor):
    """Catalogue A-25: coefficients, intercepts and knots are proportional to the target."""
    plain, scaled = walk(X2, Y2), walk(X2, Y2 * factor)
    for name in ("knots", "coefs", "intercepts"):
        np.testing.assert_array_equal(getattr(scaled, name), getattr(plain, name) * factor)


@pytest.mark.parametrize(("unit", "factor"), [(1e60, 1e300), (1e-60, 1e-300)])
def test_a_path_beyond_the_range_of_numbers_is_refused(unit, factor):
    with pytest.raises(ValueError, match="leaves the range of floating point numbers; rescale y"):
        lasso_homotopy(X2 * unit, Y2 * factor)
