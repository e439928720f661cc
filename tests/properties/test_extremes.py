"""Numbers at their limits: tiny penalties, huge targets, columns that hardly differ, and what such fits cost."""

import tracemalloc
import warnings
from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from surefit import (
    ERM,
    ElasticNet,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Ridge,
    RobustRegression,
    SubsetRegression,
    lasso_homotopy,
    lasso_path,
    least_angle_path,
)
from surefit.kernels import Polynomial
from surefit.objective import L1, Huber
from surefit.solvers import normal_equations
from surefit.solvers.lasso.focus import GramCache
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.solution import Status
from surefit.warnings import RankDeficientWarning

# ---- Cost of defaults ----


def test_logistic_defaults_take_few_passes(monkeypatch):
    """Passes over the rows of six paths: folds start from each other's neighbours, to a loose tolerance."""
    passes, evaluate = [0], LogisticProblem.evaluate

    def counted(self, V):
        passes[0] += 1
        return evaluate(self, V)

    monkeypatch.setattr(LogisticProblem, "evaluate", counted)
    X, y = load_wine(return_X_y=True)
    model = LogisticRegression(standardise=True).fit(X, y)
    assert len(model.lam_path_) <= 30
    assert passes[0] <= 3000


def test_dependent_columns_cost_robust_fits_no_eigenvalues_at_every_step(monkeypatch):
    calls, eigh = [0], normal_equations.linalg.eigh

    def counted(*arguments, **settings):
        calls[0] += 1
        return eigh(*arguments, **settings)

    monkeypatch.setattr(normal_equations.linalg, "eigh", counted)
    rng = np.random.default_rng(0)
    X = np.hstack([np.eye(4)[rng.integers(4, size=150)], rng.normal(size=(150, 3))])
    with pytest.warns(RankDeficientWarning, match="rank 6 of 7: 'x3'"):
        model = RobustRegression().fit(X, X[:, 0] + X[:, -1] + rng.standard_t(2, size=150))
    assert model.n_iter_ > 0
    assert calls[0] <= 80  # about one for every round, not for every step


# ---- One lam costs no more than the path ----


def wide_table(sparse_form):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((80, 4000)) + rng.standard_normal((80, 1))
    X = sparse.csc_array(X * (rng.random(X.shape) < 0.05)) if sparse_form else X
    y = np.asarray(X[:, :5].sum(axis=1)).ravel()
    return X, y - y.mean() + 0.5 * rng.standard_normal(80)


def peak_megabytes(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


ONE_LAM = {
    "Lasso": lambda lam: Lasso(lam=2 * lam),
    "ElasticNet": lambda lam: ElasticNet(lam=4 * lam, l1_ratio=0.5),
    "LogisticRegression": lambda lam: LogisticRegression(lam=lam, l1_ratio=1.0),
    "ERM with Huber's loss": lambda lam: ERM(Huber(1.0), L1(), lam=lam),
}


@pytest.mark.parametrize("sparse_form", [False, True])
@pytest.mark.parametrize("name", ONE_LAM)
def test_one_lam_on_a_wide_table_needs_no_matrix_of_all_columns(name, sparse_form):
    """A Gram matrix of the 4,000 columns would be 128 MB, the table is 2.6 MB."""
    X, y = wide_table(sparse_form)
    y = y > 0 if name == "LogisticRegression" else y
    pull = y - np.mean(y)
    pull = np.clip(2 * pull, -2, 2) if name == "ERM with Huber's loss" else pull
    top = float(np.max(np.abs(X.T @ (pull - pull.mean())))) / len(y)
    for share in (0.5, 0.1):
        assert peak_megabytes(lambda share=share: ONE_LAM[name](share * top).fit(X, y)) < 25


def test_one_lam_takes_in_hardly_more_columns_than_the_path_down_to_it(monkeypatch):
    X, y = wide_table(False)
    largest = []

    def admit(cache, new, original=GramCache._admit):
        original(cache, new)
        largest.append(len(cache.columns))

    monkeypatch.setattr(GramCache, "_admit", admit)
    top = 2 * float(np.max(np.abs((X - X.mean(axis=0)).T @ y))) / len(y)
    for share in (0.9, 0.5, 0.1, 0.01):
        largest.clear()
        lasso_path(X, y, lams=top * np.geomspace(1.0, share, 100))
        along = max(largest)
        largest.clear()
        Lasso(lam=share * top).fit(X, y)
        assert max(largest) <= 2 * along + 50  # of 4,000


# ---- Gaps at tiny lam ----


@pytest.mark.filterwarnings("ignore:.*rounding decides")  # which it may at the smallest lam
def test_a_kernel_ridge_gap_at_a_tiny_lam_is_not_below_the_excess():
    """In fractions: the kernel ``(1 + x z)**3`` on six points, from ``lam = 1e-2`` down to ``1e-13``."""
    x, y = [Fraction(k, 4) for k in (-4, -2, -1, 1, 3, 4)], [Fraction(k) for k in (1, -2, 3, 0, 2, -1)]
    K = [[(1 + a * b) ** 3 for b in x] for a in x]
    for exponent in range(2, 14):
        lam = 10.0**-exponent
        model = KernelRidge(Polynomial(3, 1.0), lam, fit_intercept=False)
        model.fit(np.array(x, dtype=float)[:, None], np.array(y, dtype=float))
        alpha, excess = [Fraction(float(a)) for a in model.dual_coef_], Fraction(0)
        residual = [y[i] - sum(map(mul, K[i], alpha)) - 6 * Fraction(lam) * alpha[i] for i in range(6)]
        step = solved([[K[i][j] + 6 * Fraction(lam) * (i == j) for j in range(6)] for i in range(6)], residual)
        excess = sum(residual[i] * sum(map(mul, K[i], step)) for i in range(6)) / 6
        assert float(excess) <= model.solution_.gap


def solved(A, b):
    """The solution of a small system of fractions, by elimination."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for i in range(len(b)):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(len(b)):
            if r != i:
                rows[r] = [mine - rows[r][i] * his for mine, his in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


# ---- Statuses and extreme units ----


def test_at_lam_zero_the_gap_decides_the_status():
    """Columns of size 1e8 that differ by 1e-8: least squares is as close as rounding lets it, and says so."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) + 1e8
    X[:, 1] = X[:, 0] + 1e-8 * rng.normal(size=60)
    y = rng.normal(size=60)
    for columns in (X, X[:, 2:]):
        path = lasso_path(columns, y, lams=[0.1, 0.0])
        reached = path.gaps <= 1e-6 * np.var(y)
        assert [status in (Status.CONVERGED, Status.EXACT) for status in path.statuses] == reached.tolist()


@pytest.mark.parametrize("model", [LeastSquares(), Ridge(0.1), Ridge(), KernelRidge(lam=0.1), Lasso(0.0), Lasso(1e199)])
def test_targets_beyond_squares_are_fitted_and_the_status_says_what_is_lost(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -1.0, 0.0] + rng.normal(size=60)
    y = y / np.abs(y).max()
    lam = {"lam": 0.1} if getattr(model, "lam", None) == 1e199 else {}
    huge, small = clone(model).fit(X, y * 1e200), clone(model).set_params(**lam).fit(X, y)
    assert huge.solution_.status is Status.OUT_OF_RANGE
    assert "rescale y" in huge.solution_.status.value
    np.testing.assert_allclose(huge.predict(X) / 1e200, small.predict(X), atol=1e-6)


def test_unpenalised_columns_that_hardly_differ_have_a_gap_within_reach_or_say_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    X[:, 1] = X[:, 0] + 1e-6 * rng.normal(size=60)
    y = X[:, 0] + 0.3 * rng.normal(size=60)
    free = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    for offset in (0.0, 1e6):
        for fit_intercept in (True, False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                found = Lasso(0.05, penalty_weights=free, fit_intercept=fit_intercept).fit(X + offset, y).solution_
            null = np.mean((y - fit_intercept * y.mean()) ** 2)
            assert found.gap <= (1 + 1e-6) * null
            assert (found.status is Status.CONVERGED) == (found.gap <= 1e-6 * null)


def test_a_search_that_loses_its_way_among_columns_that_hardly_differ_stays_where_it_was():
    """Two columns 1e-9 apart and hardly any penalty: coefficients once grew to 1e164, with a gap of nan."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(6, 3))
    X[:, 1] = X[:, 0] * (1 + 1e-9 * rng.normal(size=6))
    y = X @ rng.normal(size=3) + rng.normal(size=6)
    for lam in (1e-11, 1e-12, 1e-13):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = Lasso(lam).fit(X, y)
        assert model.score(X, y) > 0.4
        assert model.gap_ < 0.1


def test_a_common_factor_of_the_weights_does_not_shorten_the_search_over_subsets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = X[:, 0] + 3 * X[:, 1] + 0.3 * rng.normal(size=100)
    one, *others = (SubsetRegression("loo").fit(X, y, np.full(100, weight)) for weight in (1.0, 0.01, 7.0))
    assert {0, 1} <= set(one.support_.tolist())
    assert all(np.array_equal(other.support_, one.support_) for other in others)


# ---- scikit-learn's own expectations ----


@pytest.mark.parametrize("model", [Lasso(lam=2e-8), Lasso(lam=2e-8, positive=True), ElasticNet(lam=2e-8)], ids=repr)
def test_a_tiny_lam_is_solved_for_and_not_left_at_the_answer_to_a_larger_one(model):
    """The default ``tol`` of 1e-6 alone would allow a coefficient of 0.999."""
    coef = model.fit([[-1.0], [0.0], [1.0]], [-1.0, 0.0, 1.0]).coef_
    np.testing.assert_allclose(coef, [1.0], atol=1e-6)


def test_the_exact_path_follows_from_a_gram_matrix_through_any_root_of_it():
    """scikit-learn's ``lars_path`` takes ``X'X`` and ``X'y``; rows ``R`` with ``R'R = X'X`` have the same path."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 6)), rng.standard_normal(50)
    root = np.linalg.cholesky(X.T @ X).T
    target = np.linalg.solve(root.T, X.T @ y)
    for walk in (lasso_homotopy, least_angle_path):
        rows, products = walk(X, y, fit_intercept=False), walk(root, target, fit_intercept=False)
        np.testing.assert_allclose(products.knots * len(root) / len(X), rows.knots, atol=1e-12)
        np.testing.assert_allclose(products.coefs, rows.coefs, atol=1e-10)
