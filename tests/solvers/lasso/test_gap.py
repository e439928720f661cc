"""The gap is honest: never below the true suboptimality, which is computed in rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from surefit.compiled.door import native
from surefit.data.design import Design
from surefit.estimators.lasso import Lasso, lasso_path
from surefit.solvers.lasso.gap import LassoPoint, LevelPenalty, Rounding, second_order_gap
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path, lam_max
from surefit.solvers.solution import Status


def exact_objective(X, y, weight, lam, penalty, coef, intercept):
    """The objective of these float64 numbers, without rounding."""
    rows = [[Fraction(x) for x in row] for row in X.tolist()]
    w, b = [Fraction(c) for c in coef], Fraction(intercept)
    loss = sum(
        Fraction(p) * (Fraction(t) - b - sum(x * c for x, c in zip(row, w, strict=True))) ** 2
        for row, t, p in zip(rows, y.tolist(), weight.tolist(), strict=True)
    )
    ratio, v = Fraction(penalty.l1_ratio), penalty.feature_weights(len(w)).tolist()
    cost = sum(Fraction(v_j) * (ratio * abs(c) + (1 - ratio) * c * c) for v_j, c in zip(v, w, strict=True))
    return loss / Fraction(float(weight.sum())) + Fraction(lam) * cost


def solve_exactly(matrix, right):
    """Gaussian elimination over the rationals; None if singular."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next((r for r in range(i, n) if rows[r][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(n):
            if r != i and rows[r][i] != 0:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def polished(X, y, weight, lam, penalty, coef, intercept):
    """The exact minimiser with the support and signs of a nearly optimal point, or that point itself."""
    support = np.flatnonzero(coef).tolist()
    columns = [[Fraction(x) for x in X[:, j].tolist()] for j in support] + [[Fraction(1)] * len(y)]
    p = [Fraction(value) for value in weight.tolist()]
    total = Fraction(float(weight.sum()))
    t = [Fraction(value) for value in y.tolist()]
    inner = lambda a, b: sum(q * x * z for q, x, z in zip(p, a, b, strict=True))
    v = penalty.feature_weights(len(coef))
    matrix = [[inner(a, b) for b in columns] for a in columns]
    right = [inner(a, t) for a in columns]
    for i, j in enumerate(support):
        matrix[i][i] += total * Fraction(lam) * Fraction(float(v[j])) * (1 - Fraction(penalty.l1_ratio))
        sign = 1 if coef[j] > 0 else -1
        right[i] -= sign * total * Fraction(lam) * Fraction(penalty.l1_ratio) * Fraction(float(v[j])) / 2
    answer = solve_exactly(matrix, right)
    signed = (v > 0) | penalty.positive  # whose signs the equations have taken for granted
    if answer is None or any(a * Fraction(coef[j]) < 0 and signed[j] for a, j in zip(answer, support, strict=False)):
        return coef, intercept
    full = [Fraction(0)] * len(coef)
    for a, j in zip(answer, support, strict=False):
        full[j] = a
    return full, answer[-1]


@settings(max_examples=500 if native else 150)
@given(
    seed=st.integers(0, 10**6),
    shape=st.sampled_from([(3, 1), (5, 2), (6, 4), (4, 6), (9, 5)]),
    level=st.sampled_from([0.9, 0.3, 0.03, 1e-4]),
    kind=st.sampled_from([(1.0, False), (1.0, True), (0.5, False)]),
    tol=st.sampled_from([1e-1, 1e-3, 1e-6, 1e-10, 1e-24]),
    scale=st.sampled_from([1.0, 1e6, 1e-5]),
    layout=st.sampled_from(["dense", "sparse"]),
    clocks=st.sampled_from([0, 1, 2]),
)
def test_the_gap_is_never_below_the_true_suboptimality(  # noqa: PLR0913  one argument for each thing that varies
    seed, shape, level, kind, tol, scale, layout, clocks
):
    """Catalogue A-22; issue: gap honesty.  ``clocks`` columns hold times in milliseconds."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=shape), 2) * scale + rng.integers(-2, 3, shape[1])
    X[rng.uniform(size=shape) < 0.2] = 0.0
    X[:, :clocks] = 1.7e12 + rng.integers(0, 3 * 10**10, (shape[0], 1)) + rng.integers(0, 1000, X[:, :clocks].shape)
    y, weight = np.round(rng.normal(size=shape[0]), 2) + 1.0, rng.integers(1, 3, shape[0]).astype(float)
    penalty = SparsePenalty(kind[0], rng.uniform(0.5, 2, shape[1]), kind[1])
    design = Design.of(sparse.csr_array(X) if layout == "sparse" else X, weight)
    top = lam_max(design, y, penalty)
    if top == 0.0:
        return
    lam = level * top
    rough = elastic_net_path(design, y, np.array([lam]), penalty, tol=tol, max_iter=1)
    tight = elastic_net_path(design, y, np.array([lam]), penalty, tol=1e-13)
    problem = (X, y, weight, lam, penalty)
    best = polished(*problem, tight.coefs[0], tight.intercepts[0])
    least = min(exact_objective(*problem, *best), exact_objective(*problem, tight.coefs[0], tight.intercepts[0]))
    for path in (rough, tight):
        suboptimality = exact_objective(*problem, path.coefs[0], path.intercepts[0]) - least
        assert Fraction(float(path.gaps[0])) >= suboptimality


@settings(max_examples=100 if native else 40)
@given(
    seed=st.integers(0, 10**6),
    level=st.sampled_from([0.5, 0.01, 1e-6, 1e-13]),
    columns=st.sampled_from(["a time", "two times", "units", "nearly equal"]),
    positive=st.booleans(),
    layout=st.sampled_from(["dense", "sparse"]),
)
def test_the_second_order_gap_is_never_below_the_true_suboptimality(seed, level, columns, positive, layout):
    """Catalogue A-22: with a tolerance that nothing meets, the gap told is the closer of both bounds."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(9, 4)), np.round(rng.normal(size=9), 3) + rng.choice([0.0, 1e6])
    if columns == "a time":
        X[:, 0] = 1.7e12 + 3e10 * rng.uniform(size=9)
    elif columns == "two times":
        X[:, 0] = 1.7e12 + rng.integers(0, 10**6, 9)
        X[:, 1] = X[:, 0] + 1000 * rng.uniform(size=9)
    elif columns == "units":
        X *= 10.0 ** rng.integers(-8, 8, 4)
    else:
        X[:, 1] = X[:, 0] + 10.0 ** -rng.integers(1, 12) * rng.normal(size=9)
    weights = np.where(rng.uniform(size=4) < 0.25, 0.0, rng.uniform(0.5, 2, 4))
    penalty = SparsePenalty(1.0, weights, positive)
    design = Design.of(sparse.csr_array(X) if layout == "sparse" else X)
    lam = level * lam_max(design, y, penalty)
    if lam == 0.0:
        return
    path = elastic_net_path(design, y, np.array([lam]), penalty, tol=1e-30)
    problem, found = (X, y, np.ones(9), lam, penalty), (path.coefs[0], path.intercepts[0])
    suboptimality = exact_objective(*problem, *found) - exact_objective(*problem, *polished(*problem, *found))
    assert Fraction(float(path.gaps[0])) >= suboptimality


def test_a_looser_tolerance_leaves_a_larger_gap():
    """The gap is not merely zero or the tolerance: it measures."""
    rng = np.random.default_rng(4)
    design, y = Design.of(rng.normal(size=(60, 200))), rng.normal(size=60)
    lams = 0.1 * np.array([lam_max(design, y, SparsePenalty())])
    gaps = [elastic_net_path(design, y, lams, SparsePenalty(), tol=tol).gaps[0] for tol in (0.5, 1e-2, 1e-9)]
    null = float(np.var(y))
    assert gaps[0] > 1e-3 * null
    assert gaps[0] >= gaps[1] >= gaps[2]
    for gap, tol in zip(gaps, (0.5, 1e-2, 1e-9), strict=True):
        assert gap <= tol * null * (1 + 1e-12)


@pytest.mark.parametrize("shape", [(40, 10), (20, 60)])
def test_gaps_with_unpenalised_features_bound_the_distance_to_the_best_known_point(shape):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    penalty = SparsePenalty(weights=np.r_[0.0, 0.0, np.ones(shape[1] - 2)])
    design = Design.of(X)
    lam = 0.2 * lam_max(design, y, penalty)
    tight = elastic_net_path(design, y, np.array([lam]), penalty, tol=1e-13)
    value = lambda path: np.mean((y - X @ path.coefs[0] - path.intercepts[0]) ** 2) + lam * penalty.value(path.coefs[0])
    for tol in (1e-1, 1e-4, 1e-8):
        rough = elastic_net_path(design, y, np.array([lam]), penalty, tol=tol, max_iter=1)
        assert rough.gaps[0] >= value(rough) - value(tight)


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("separation", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13])
def test_the_gap_counts_what_nearly_collinear_unpenalised_columns_could_gain(separation, layout):
    """Catalogue A-22: against rational arithmetic; a Gram matrix cannot tell such columns apart."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=8) + 5.0 * (seed % 3)
        X = np.column_stack([x, x * (1 + separation * rng.normal(size=8)), rng.normal(size=(8, 2))])
        y, lam = x + rng.normal(size=8), [1e-3, 0.1, 3.0][seed % 3]
        penalty = SparsePenalty(weights=np.array([0.0, 0.0, 1.0, 1.0]))
        design = Design.of(sparse.csr_array(X) if layout == "sparse" else X)
        path = elastic_net_path(design, y, np.array([lam]), penalty)
        problem = (X, y, np.ones(8), lam, penalty)
        least = exact_objective(*problem, *polished(*problem, path.coefs[0], path.intercepts[0]))
        suboptimality = exact_objective(*problem, path.coefs[0], path.intercepts[0]) - least
        assert np.count_nonzero(path.coefs[0, :2]) == 2
        assert 0 <= suboptimality <= Fraction(float(path.gaps[0]))
        assert suboptimality < (1e-12 if separation > 1e-10 else 1e-3)
        assert path.converged[0] or separation < 1e-5


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_two_unpenalised_timestamps_serve_as_well_as_one_and_their_difference(layout):
    """Catalogue A-22: ``(created, created + lag)`` spans what ``(created, lag)`` spans."""
    rng = np.random.default_rng(0)
    created, lag = 1.7e12 + 3e10 * rng.uniform(size=300), 1000 * rng.uniform(size=300)
    others = rng.normal(size=(300, 3))
    y = 3e-3 * lag + others @ [1.0, 0, -1] + 0.1 * rng.normal(size=300)
    penalty = SparsePenalty(weights=np.array([0.0, 0, 1, 1, 1]))
    make = sparse.csr_array if layout == "sparse" else np.asarray
    answers = []
    for second in (created + lag, lag):
        X = np.column_stack([created, second, others])
        path = elastic_net_path(Design.of(make(X)), y, np.array([0.1]), penalty, tol=1e-4)
        assert path.status is Status.CONVERGED
        answers.append(path.coefs[0])
    np.testing.assert_allclose(answers[0][1:], answers[1][1:], rtol=1e-5)


def test_the_units_of_unpenalised_columns_do_not_matter():
    """Catalogue A-22: a column in units of 1e-9 is not taken for a combination of the others."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    penalty = SparsePenalty(weights=np.array([0.0, 0, 1, 1]))
    units = np.array([1.0, 1e-9, 1, 1])
    plain = elastic_net_path(Design.of(X), y, np.array([0.1]), penalty)
    scaled = elastic_net_path(Design.of(X * units), y, np.array([0.1]), penalty)
    np.testing.assert_allclose(scaled.coefs * units, plain.coefs, rtol=1e-6)
    assert scaled.status is Status.CONVERGED


@pytest.mark.parametrize("tol", [1e-4, 1e-9, 1e-12, 1e-13])
def test_converged_is_said_of_the_gap_that_is_reported(tol):
    """Catalogue A-22: the intercept beside a timestamp is rounded, which is part of the gap."""
    rng = np.random.default_rng(0)
    u, other = rng.normal(size=(2, 100))
    X, y = np.column_stack([1.7e12 + 1e3 * u, other]), 5 * u + other + 0.1 * rng.normal(size=100)
    lams = 10.0 ** np.arange(3.0, -4, -1)
    path = elastic_net_path(Design.of(X), y, lams, SparsePenalty(), tol=tol)
    np.testing.assert_array_equal(path.converged, path.gaps <= tol * np.var(y))
    assert np.all(path.converged) == (tol > 1e-10)


@pytest.mark.parametrize("factor", [1e-200, 1e-300])
@pytest.mark.parametrize("positive", [False, True])
def test_a_gap_below_the_range_of_numbers_is_not_zero(factor, positive):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    lams = np.array([0.0, 0.1, 100.0]) * factor
    path = elastic_net_path(Design.of(X), y * factor, lams, SparsePenalty(positive=positive))
    np.testing.assert_array_equal(path.gaps, np.finfo(float).tiny)


@pytest.mark.parametrize("lams", [None, [0.0], [1e300]])
def test_targets_at_the_end_of_the_range_are_refused_and_not_the_lams(lams):
    y = np.array([1.0, -1, 1, -0.5]) * 1.7e308
    with pytest.raises(
        ValueError, match=r"y reaches 2e\+308, so coefficients and lam in its units leave .*; rescale y"
    ):
        lasso_path(np.arange(8.0).reshape(4, 2) ** 2, y, lams=lams)
    with pytest.raises(ValueError, match=r"y reaches 2e\+308, .*; rescale y"):
        Lasso(lams=lams).fit(np.arange(8.0).reshape(4, 2) ** 2, np.array([1.7e308, 1.7e308, -1.7e308, -1.7e308]))
    with pytest.raises(ValueError, match=r"y reaches 3e\+250, so lam_max in the units of y and X leaves .*; rescale y"):
        lasso_path(np.arange(8.0).reshape(4, 2) ** 2 * 1e100, y / 1.7e308 * 2.0**832)


# ---- The gap of the second order, where rounding spoils the plain one ----


def clocked():
    """Rows with a time in milliseconds, three features, and a target that depends on both."""
    rng = np.random.default_rng(0)
    time = 1.7e12 + 3e10 * np.arange(200) / 200
    others = rng.normal(size=(200, 3))
    y = 5 * (time - 1.7e12) / 3e10 + others @ [1.0, 0, -1] + 0.1 * rng.normal(size=200)
    return np.column_stack([time, others]), y


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("lam", [1.0, 0.1, 1e-3])
@pytest.mark.parametrize(
    "penalty",
    [
        SparsePenalty(),
        SparsePenalty(positive=True),
        SparsePenalty(0.5),
        SparsePenalty(weights=np.array([0.0, 1, 1, 1])),
    ],
    ids=["lasso", "positive", "net", "free"],
)
def test_a_timestamp_beside_other_columns_does_not_spoil_the_gap(penalty, lam, layout):
    """Catalogue A-22: the tolerance is reached to many digits, and that is said."""
    X, y = clocked()
    path = elastic_net_path(Design.of(layout(X)), y, np.array([lam]), penalty)
    assert path.status is Status.CONVERGED
    assert path.gaps[0] <= 1e-6 * np.var(y)


@pytest.mark.parametrize("shape", [(60, 8), (20, 50)])
@pytest.mark.parametrize("lam", [1e-12, 1e-14, 1e-300])
def test_a_penalty_below_rounding_is_certified_like_none(lam, shape):
    """Catalogue A-22: thresholds that no product can be computed to are no reason to doubt the answer."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    path = elastic_net_path(Design.of(X), y, np.array([lam]), SparsePenalty())
    assert path.status is Status.CONVERGED
    assert path.gaps[0] <= 1e-6 * np.var(y)
    if shape[0] > shape[1]:
        centred = X - X.mean(axis=0)
        np.testing.assert_allclose(path.coefs[0], np.linalg.lstsq(centred, y - y.mean())[0], rtol=1e-9)


def point_of(X, y, w):
    residual = y - X @ w
    support = np.flatnonzero(w)
    point = LassoPoint(support, w[support], X.T @ residual, float(residual @ residual))
    return point, Rounding.of(np.linalg.norm(X, axis=0), float(np.linalg.norm(y)), len(y))


def test_the_bound_is_the_excess_of_least_squares_where_signs_and_support_are_right():
    """Near the minimum the objective is a parabola, and the bound is its height."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 4))
    y = X @ [1.0, -2, 3, 1] + rng.normal(size=30)
    penalty = LevelPenalty(np.full(4, 1.0), np.zeros(4), False)
    tight = elastic_net_path(Design.of(X), y, np.array([2 / 30]), SparsePenalty(), fit_intercept=False, tol=1e-14)
    best = tight.coefs[0]
    assert np.all(best != 0)
    value = lambda w: float(np.sum((y - X @ w) ** 2) + 2 * np.sum(np.abs(w)))
    moved = best * (1 + 1e-3 * rng.normal(size=4))
    bound = second_order_gap(penalty, *point_of(X, y, moved), lambda j: X[:, j].T @ X[:, j], np.zeros(4))
    assert bound == pytest.approx(value(moved) - value(best), rel=1e-6)


def test_columns_that_depend_on_each_other_leave_the_objective_as_the_bound():
    """No dual point is known to exist then; the objective itself always bounds."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=20)
    X, y = np.column_stack([x, x]), x + rng.normal(size=20)
    w = np.array([0.5, 0.4])
    penalty = LevelPenalty(np.full(2, 1e-3), np.zeros(2), False)
    bound = second_order_gap(penalty, *point_of(X, y, w), lambda j: X[:, j].T @ X[:, j], np.zeros(2))
    objective = float(np.sum((y - X @ w) ** 2) + 2e-3 * np.sum(w))
    assert bound == pytest.approx(objective, rel=1e-9)


def test_a_coefficient_that_hardly_matters_does_not_carry_its_product_to_the_threshold():
    """A leftover of 1e-30 on a column whose product is far from its threshold costs its own size, not a correction."""
    rng = np.random.default_rng(4)
    X, y = np.linalg.qr(rng.normal(size=(30, 2)))[0], rng.normal(size=30)
    products = np.abs(X.T @ y)
    threshold = np.full(2, 0.5 * (products.min() + products.max()))
    w = np.where(products > threshold, np.sign(X.T @ y) * (products - threshold), 1e-30)
    bound = second_order_gap(
        LevelPenalty(threshold, np.zeros(2), False), *point_of(X, y, w), lambda j: X[:, j].T @ X[:, j], np.zeros(2)
    )
    assert bound < 1e-25


@pytest.mark.parametrize("positive", [False, True])
def test_a_ridge_term_bounds_the_gap_without_a_factor(positive):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 6))
    y = X @ [1.0, -2, 3, 0, 0, 1] + rng.normal(size=30)
    penalty = LevelPenalty(np.full(6, 2.0), np.full(6, 0.5), positive)
    lam, ratio = 4.5 / 30, 4.0 / 4.5
    asked = SparsePenalty(ratio, None, positive)
    best = elastic_net_path(Design.of(X), y, np.array([lam]), asked, fit_intercept=False, tol=1e-14).coefs[0]
    value = lambda w: float(np.sum((y - X @ w) ** 2) + 4 * np.sum(np.abs(w)) + 0.5 * np.sum(w**2))
    moved = best * (1 + 1e-3 * rng.normal(size=6))
    asked_for = []

    def gram(columns):
        asked_for.append(columns)
        return X[:, columns].T @ X[:, columns]

    point = point_of(X, y, moved)
    exact, enough = second_order_gap(penalty, *point, gram, np.zeros(6)), 0.01 * float(y @ y)
    assert len(asked_for) > 0
    asked_for.clear()
    bound = second_order_gap(penalty, *point, gram, np.zeros(6), enough)
    assert asked_for == []
    assert value(moved) - value(best) <= exact <= bound <= enough
    some = LevelPenalty(penalty.threshold, np.where(np.arange(6) == 2, 0.0, 0.5), positive)
    second_order_gap(some, *point, gram, np.zeros(6), enough)
    assert len(asked_for) > 0  # a column without a ridge term needs the factor


def test_an_answer_that_is_not_good_enough_is_not_called_good():
    """The closer look judges, it does not wave through."""
    X, y = clocked()
    penalty = SparsePenalty()
    lam = 1e-3 * lam_max(Design.of(X), y, penalty)
    rough = elastic_net_path(Design.of(X), y, np.array([lam]), penalty, tol=1e-28)
    assert rough.status is not Status.CONVERGED
    assert rough.gaps[0] > 1e-28 * np.var(y)
