"""The lasso and elastic-net path: published values, optimality conditions, scikit-learn, and every edge."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import ElasticNet

from surefit.data.design import Design
from surefit.solvers.lasso.exact.homotopy import lasso_homotopy
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path, lam_max
from surefit.solvers.linear.least_squares import least_squares
from surefit.solvers.solution import Status

X1, Y1 = Design.of([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
X2 = Design.of([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])
LASSO = SparsePenalty()


def objective(design, y, lam, penalty, coef, intercept):
    """The objective as it is written, in plain NumPy."""
    residual = y - design.X @ coef - intercept
    return float(design.weight @ residual**2 / design.total_weight + lam * penalty.value(coef))


def regression(seed, n, d, sparsity=0.0):
    """A random problem off centre, with columns of different sizes and a few that matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.3, 3.0, d) + rng.uniform(-1, 1, d)
    X[rng.uniform(size=X.shape) < sparsity] = 0.0
    return X, X[:, : min(d, 5)].sum(axis=1) + rng.normal(size=n) + 2.0, rng


def violation(design, y, lam, penalty, coef, intercept):
    """Largest violation of the optimality conditions, from the definition.  Catalogue A-22."""
    share = design.weight / design.total_weight
    residual = y - design.X @ coef - intercept
    weights, ratio = penalty.feature_weights(design.d), penalty.l1_ratio
    slope = 2 * (design.X.T @ (share * residual)) - 2 * lam * (1 - ratio) * weights * coef
    bound = lam * ratio * weights
    excess = slope - bound if penalty.positive else np.abs(slope) - bound
    on_support = np.abs(slope - bound * np.sign(coef))
    return max(np.max(np.where(coef == 0, excess, on_support), initial=0.0), abs(share @ residual))


@pytest.mark.parametrize(
    ("sum_lam", "coef", "intercept"), [(2, 0.9, 1.4), (5, 0.6, 1.85), (11, 0.0, 2.75), (40, 0.0, 2.75)]
)
def test_lasso_of_fixture_one(sum_lam, coef, intercept):
    """Catalogue FX1."""
    path = elastic_net_path(X1, Y1, np.array([sum_lam / 4]), LASSO, tol=1e-13)
    np.testing.assert_allclose((path.coefs[0, 0], path.intercepts[0]), (coef, intercept), rtol=1e-12, atol=1e-14)


def test_lasso_of_fixture_two():
    """Catalogue FX2: coefficients, intercepts and objectives to the digits printed."""
    assert lam_max(X2, Y2, LASSO) == pytest.approx(19 / 6, rel=1e-14)
    lams = np.array([0.1, 1.0, 0.5])
    path = elastic_net_path(X2, Y2, lams, LASSO, tol=1e-12)
    expected = [
        [0.7480315, 0.89606299, 1.79527559],
        [0.2519685, 0.50393701, 1.20472441],
        [0.52755906, 0.72178478, 1.5328084],
    ]
    np.testing.assert_allclose(path.coefs, expected, atol=6e-9)
    np.testing.assert_allclose(path.intercepts, [-1.076377953, 0.976377953, -0.164041995], atol=6e-10)
    found = [objective(X2, Y2, lam, LASSO, w, b) for lam, w, b in zip(lams, path.coefs, path.intercepts, strict=True)]
    np.testing.assert_allclose(found, [0.436141732, 2.866141732, 1.680446194], atol=6e-10)
    assert path.status is Status.CONVERGED


def test_the_support_of_fixture_two_grows_by_one_at_each_knot():
    """Catalogue T-84, FX2: knots 19/6, 31/15, 51/35."""
    between = np.array([3.5, 2.5, 1.8, 0.7])
    path = elastic_net_path(X2, Y2, between, LASSO, tol=1e-12)
    np.testing.assert_array_equal(np.count_nonzero(path.coefs, axis=1), [0, 1, 2, 3])
    at_knots = elastic_net_path(X2, Y2, np.array([31 / 15, 51 / 35]), LASSO, tol=1e-13)
    np.testing.assert_allclose(at_knots.coefs, [[0, 0, 0.6], [0, 0.3047619, 0.9047619]], atol=5e-8)


def test_an_orthonormal_design_is_soft_thresholding():
    """Catalogue A-22: w_j = S(x_j'y, n lam / 2)."""
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.normal(size=(30, 6)))
    y = rng.normal(size=30)
    lam, raw = 0.02, Q.T @ y
    path = elastic_net_path(Design.of(Q), y, np.array([lam]), LASSO, fit_intercept=False, tol=1e-13)
    np.testing.assert_allclose(path.coefs[0], np.sign(raw) * np.maximum(np.abs(raw) - 15 * lam, 0), atol=1e-13)


@pytest.mark.parametrize("layout", ["C", "F", "csr", "csc"])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.6, 0.05])
@pytest.mark.parametrize(("n", "d"), [(40, 12), (25, 80), (60, 60)])
def test_path_equals_scikit_learn_with_weights(n, d, l1_ratio, positive, layout):
    """Catalogue A-22; scikit-learn halves the loss: alpha l1 = lam l1_ratio / 2, alpha l2 = 2 lam (1 - l1_ratio)."""
    X, y, rng = regression(n + d, n, d, sparsity=0.4)
    weight = rng.integers(0, 4, n).astype(float)
    layouts = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sparse.csr_array, "csc": sparse.csc_array}
    design, penalty = Design(layouts[layout](X), weight), SparsePenalty(l1_ratio, positive=positive)
    lams = lam_max(design, y, penalty) * np.logspace(-0.05, -2, 15)
    path = elastic_net_path(design, y, lams, penalty, tol=1e-11)
    assert path.status is Status.CONVERGED
    for k in (3, 14):
        total = lams[k] * (l1_ratio / 2 + 1 - l1_ratio)
        peer = ElasticNet(
            alpha=total, l1_ratio=lams[k] * l1_ratio / 2 / total, tol=1e-14, max_iter=200_000, positive=positive
        ).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(path.coefs[k], peer.coef_, atol=2e-6)
        np.testing.assert_allclose(path.intercepts[k], peer.intercept_, atol=2e-6)
        assert violation(design, y, lams[k], penalty, path.coefs[k], path.intercepts[k]) < 1e-5


def test_integer_weights_mean_repetition():
    """House convention: weight k equals the row repeated k times."""
    X, y, rng = regression(5, 20, 30)
    weight = rng.integers(0, 3, 20)
    lams = np.array([0.5, 0.1])
    weighted = elastic_net_path(Design.of(X, weight), y, lams, LASSO, tol=1e-12)
    repeated = elastic_net_path(Design.of(np.repeat(X, weight, axis=0)), np.repeat(y, weight), lams, LASSO, tol=1e-12)
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, atol=1e-8)
    np.testing.assert_allclose(weighted.intercepts, repeated.intercepts, atol=1e-8)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_feature_weights_rescale_the_columns_of_the_lasso(as_sparse):
    """Penalising v_j |w_j| is the lasso on columns x_j / v_j."""
    X, y, rng = regression(6, 50, 20, sparsity=0.5)
    v = rng.uniform(0.5, 2.0, 20)
    make = sparse.csr_array if as_sparse else np.asarray
    weighted = elastic_net_path(Design.of(make(X)), y, np.array([0.3]), SparsePenalty(weights=v), tol=1e-12)
    plain = elastic_net_path(Design.of(make(X / v)), y, np.array([0.3]), LASSO, tol=1e-12)
    np.testing.assert_allclose(weighted.coefs * v, plain.coefs, atol=1e-8)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("d", [8, 90])
def test_unpenalised_features_are_fitted_freely(d, as_sparse):
    """At lam >= lam_max they alone are fitted, by least squares; below, their gradient vanishes."""
    X, y, _ = regression(7, 40, d, sparsity=0.3)
    make = sparse.csr_array if as_sparse else np.asarray
    free = np.array([1, 4])
    v = np.ones(d)
    v[free] = 0.0
    penalty, design = SparsePenalty(weights=v), Design.of(make(X))
    top = lam_max(design, y, penalty)
    path = elastic_net_path(design, y, np.array([top * 1.0001, 0.3 * top]), penalty, tol=1e-12)
    alone = least_squares(Design.of(X[:, free]), y[:, None]).solution
    np.testing.assert_allclose(path.coefs[0, free], alone.coef[:, 0], rtol=1e-8)
    assert np.count_nonzero(path.coefs[0]) == 2
    just_below = elastic_net_path(design, y, np.array([top * 0.999]), penalty, tol=1e-12)
    assert np.count_nonzero(just_below.coefs) == 3
    assert violation(design, y, 0.3 * top, penalty, path.coefs[1], path.intercepts[1]) < 1e-6
    assert path.status is Status.CONVERGED


def test_lam_zero_is_least_squares_and_the_order_of_the_grid_is_kept():
    """Catalogue A-22: lam = 0 -> OLS."""
    lams = np.array([0.1, 0.0, 1.0])
    path = elastic_net_path(X2, Y2, lams, LASSO, tol=1e-12)
    np.testing.assert_array_equal(path.lams, lams)
    np.testing.assert_allclose(path.coefs[1], [0.80314961, 0.93963255, 1.86089239], atol=6e-9)
    assert path.coefs[0, 2] > path.coefs[2, 2]
    assert path.gaps[1] < 1e-12


@pytest.mark.parametrize("as_sparse", [False, True])
def test_all_penalised_coefficients_vanish_exactly_at_lam_max(as_sparse):
    """Catalogue T-84."""
    X, y, _ = regression(8, 15, 40, sparsity=0.3)
    design = Design.of(sparse.csc_array(X) if as_sparse else X)
    top = lam_max(design, y, LASSO)
    path = elastic_net_path(design, y, top * np.array([5.0, 1.0, 1 - 1e-6]), LASSO, tol=1e-14)
    np.testing.assert_array_equal(np.count_nonzero(path.coefs, axis=1), [0, 0, 1])
    np.testing.assert_allclose(path.intercepts[0], y.mean(), rtol=1e-14)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_constant_and_zero_columns_stay_out(as_sparse):
    X, y, _ = regression(9, 30, 6)
    X[:, 2], X[:, 4] = 7.3, 0.0
    design = Design.of(sparse.csr_array(X) if as_sparse else X)
    path = elastic_net_path(design, y, np.array([0.1]), LASSO, tol=1e-12)
    kept = [0, 1, 3, 5]
    without = elastic_net_path(Design.of(X[:, kept]), y, np.array([0.1]), LASSO, tol=1e-12)
    np.testing.assert_allclose(path.coefs[0, [2, 4]], 0.0, atol=1e-10)
    np.testing.assert_allclose(path.coefs[0, kept], without.coefs[0], atol=1e-8)


def test_one_sample_and_a_target_of_zeros_give_the_intercept_alone():
    one = elastic_net_path(Design.of([[2.0, 3.0]]), np.array([5.0]), np.array([0.1, 1.0]), LASSO)
    np.testing.assert_array_equal(one.coefs, 0.0)
    np.testing.assert_allclose(one.intercepts, 5.0)
    X, _, _ = regression(10, 12, 30)
    zero = elastic_net_path(Design.of(X), np.zeros(12), np.array([1e-3, 0.1]), LASSO)
    np.testing.assert_array_equal(zero.coefs, 0.0)
    np.testing.assert_array_equal(zero.gaps, 0.0)
    assert one.status is zero.status is Status.CONVERGED


def test_one_sample_without_intercept_uses_the_cheapest_feature():
    """min (5 - 2 w1 - 3 w2)**2 + lam (|w1| + |w2|): the longer column costs less per unit of fit."""
    path = elastic_net_path(Design.of([[2.0, 3.0]]), np.array([5.0]), np.array([0.6]), LASSO, fit_intercept=False)
    np.testing.assert_allclose(path.coefs[0], [0.0, (15 - 0.3) / 9], atol=1e-6)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_duplicated_columns_share_one_coefficient_sum(l1_ratio, as_sparse):
    """The fit is unique although the coefficients are not; with an L2 part they are equal."""
    X, y, _ = regression(11, 40, 5)
    make = sparse.csr_array if as_sparse else np.asarray
    penalty = SparsePenalty(l1_ratio)
    lams = np.array([0.2, 0.02])
    twice = elastic_net_path(Design.of(make(np.hstack([X, X]))), y, lams, penalty, tol=1e-10)
    summed = twice.coefs[:, :5] + twice.coefs[:, 5:]
    assert twice.status is Status.CONVERGED
    if l1_ratio == 1.0:
        once = elastic_net_path(Design.of(make(X)), y, lams, penalty, tol=1e-10)
        np.testing.assert_allclose(summed, once.coefs, atol=1e-4)
    else:
        np.testing.assert_allclose(twice.coefs[:, :5], twice.coefs[:, 5:], atol=1e-4)


def test_columns_far_from_zero_are_centred_before_any_product():
    """Timestamps in milliseconds: the lasso on them equals the lasso on centred ones."""
    rng = np.random.default_rng(12)
    steps = rng.normal(size=(50, 3))
    y = steps[:, 0] - steps[:, 1] + 0.1 * rng.normal(size=50)
    far = steps + 1.7e12
    steps = far - far.mean(axis=0)
    near, off = (elastic_net_path(Design.of(X), y, np.array([0.2]), LASSO, tol=1e-10) for X in (steps, far))
    np.testing.assert_allclose(off.coefs, near.coefs, atol=1e-8)


@pytest.mark.parametrize("size", [1e-200, 1e150])
def test_the_units_of_the_target_do_not_matter(size):
    X, y, _ = regression(13, 20, 6)
    plain = elastic_net_path(Design.of(X), y, np.array([0.3]), LASSO, tol=1e-12)
    scaled = elastic_net_path(Design.of(X), y * size, np.array([0.3]) * size, LASSO, tol=1e-12)
    np.testing.assert_allclose(scaled.coefs / size, plain.coefs, atol=1e-9)


def test_a_single_small_lam_is_reached_by_stepping_stones():
    X, y, _ = regression(14, 60, 400)
    design = Design.of(X)
    lam = 0.01 * lam_max(design, y, LASSO)
    alone = elastic_net_path(design, y, np.array([lam]), LASSO, tol=1e-12)
    assert alone.status is Status.CONVERGED
    assert violation(design, y, lam, LASSO, alone.coefs[0], alone.intercepts[0]) < 1e-6


@pytest.mark.parametrize(
    ("lams", "penalty", "words"),
    [
        ([-0.1], {}, "lams must be finite"),
        ([np.nan], {}, "lams must be finite"),
        ([0.1], {"weights": np.ones(2)}, "give one per feature"),
        ([0.1], {"weights": np.array([1.0, -1.0, 1.0])}, "must be finite and >= 0"),
        ([0.1], {"l1_ratio": 0.0}, "use Ridge"),
    ],
)
def test_bad_requests_are_refused_with_a_remedy(lams, penalty, words):
    with pytest.raises(ValueError, match=words):
        elastic_net_path(X2, Y2, np.array(lams), SparsePenalty(**penalty))


def test_an_unpenalised_column_does_not_stop_the_path():
    """Catalogue A-22: 40 random problems, all converged, KKT of the free column to rounding."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((30, 6))
        y = X[:, 0] + rng.standard_normal(30)
        penalty = SparsePenalty(weights=np.array([0.0, 1, 1, 1, 1, 1]))
        lams = lam_max(Design.of(X), y, penalty) * np.logspace(0, -3, 30)
        path = elastic_net_path(Design.of(X), y, lams, penalty)
        assert path.status is Status.CONVERGED
        residual = y[:, None] - X @ path.coefs.T - path.intercepts
        assert np.abs(X[:, 0] @ residual).max() < 1e-2


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_matrix])
def test_a_constant_column_with_weights_is_no_feature(make):
    rng = np.random.default_rng(0)
    for constant in (3.0, 0.1, 1e6, 1e9 / 3):
        for n in (10, 34, 50):
            y, weight = rng.standard_normal(n) + 5, rng.choice([0.3, 1, 2.5], size=n)
            design = Design.of(make(np.column_stack([np.full(n, constant), rng.standard_normal(n)])), weight)
            path = elastic_net_path(design, y, np.array([0.5, 0.05]), SparsePenalty())
            assert np.all(path.coefs[:, 0] == 0.0)
            assert path.status is Status.CONVERGED


@pytest.mark.parametrize(("mean", "spread"), [(2012.0, 12.0), (1.7e12, 1e4), (1e6, 1.0)])
def test_sparse_columns_with_a_large_mean_are_solved_as_the_dense_ones(mean, spread):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 4)) * (rng.random((60, 4)) < 0.4)
    X[:, 1] = mean + spread * rng.standard_normal(60)
    y = (X[:, 1] - mean) / spread + X[:, 0] + 0.1 * rng.standard_normal(60)
    lams = lam_max(Design.of(X), y, SparsePenalty()) * np.logspace(0, -2, 10)
    dense, compressed = (
        elastic_net_path(Design.of(Z), y, lams, SparsePenalty(), tol=1e-9) for Z in (X, sparse.csr_matrix(X))
    )
    assert compressed.status is Status.CONVERGED
    np.testing.assert_allclose(compressed.coefs, dense.coefs, rtol=1e-4, atol=1e-7 / spread)
    np.testing.assert_allclose(
        X @ compressed.coefs[-1] + compressed.intercepts[-1], X @ dense.coefs[-1] + dense.intercepts[-1], atol=1e-3
    )


def test_extreme_sizes_get_a_clear_answer():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    lam = 0.1
    plain = elastic_net_path(Design.of(X), y, np.array([lam]), SparsePenalty())
    huge = elastic_net_path(Design.of(X), y * 1e200, np.array([lam * 1e200]), SparsePenalty())
    np.testing.assert_allclose(huge.coefs, plain.coefs * 1e200, rtol=1e-6)
    with pytest.raises(ValueError, match="StandardScaler"):
        elastic_net_path(Design.of(X * 1e200), y, np.array([lam]), SparsePenalty())
    with pytest.raises(ValueError, match="tol must be > 0"):
        elastic_net_path(Design.of(X), y, np.array([lam]), SparsePenalty(), tol=0.0)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_support_as_large_as_the_rank_does_not_stall_the_path(seed):
    """With as many columns as rows the last of them depends on the others once all are centred."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 60))
    y = 3 * X[:, 0] + rng.standard_normal(60)
    path = elastic_net_path(Design.of(X), y, np.geomspace(6.0, 3e-4, 20), SparsePenalty(), tol=1e-9)
    assert set(path.statuses) == {Status.CONVERGED}
    exact = lasso_homotopy(X, y)
    for lam, coef in zip(path.lams, path.coefs, strict=True):
        np.testing.assert_allclose(coef, exact.at(lam)[0], atol=1e-3)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("weights", [None, "some free"])
def test_columns_that_span_hardly_anything_are_no_obstacle(positive, weights):
    """Thirty powers of three points: the support slides along the directions that do not change the fit."""
    X = np.linspace(0.1, 1.0, 3)[:, None] ** np.arange(1, 31)
    y = np.sin(7 * X[:, 0])
    free = None if weights is None else np.where(np.arange(30) == 4, 0.0, 1.0)
    largest = lam_max(Design.of(X), y, SparsePenalty(1.0, free, positive))
    lams = np.geomspace(1.0, 1e-2, 100) * largest
    path = elastic_net_path(Design.of(X), y, lams, SparsePenalty(1.0, free, positive))
    assert set(path.statuses) == {Status.CONVERGED}
    assert path.n_iter < 2000


@pytest.mark.parametrize("unit", [1.0, 1e-20, 1e-40, 1e-100])
def test_squares_are_searched_for_where_the_l1_part_has_vanished(unit):
    """In small units a lam of 1e-40 of the largest may still shrink: the answer is that of ridge regression."""
    X, y, _ = regression(0, 40, 3)
    path = elastic_net_path(Design.of(unit * X), y, np.array([1e-3 * unit**2]), SparsePenalty(1e-12))
    A = X - X.mean(axis=0)
    ridge = np.linalg.solve(A.T @ A + 40 * 1e-3 * np.eye(3), A.T @ (y - y.mean()))
    assert path.statuses == (Status.CONVERGED,)
    np.testing.assert_allclose(unit * path.coefs[0], ridge, rtol=1e-3)
