"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from surefit import ERM, ElasticNet, Lasso, LogisticRegression, lasso_homotopy, lasso_path, least_angle_path
from surefit.objective import L1, Huber
from surefit.solvers.working_set import GramCache

# ---- Choice of lam on raw columns ----


# ---- Intercepts, and choices that are worse than a constant ----


# ---- Copied rows ----


# ---- Weights in inference ----


# ---- Stored and copied models ----


# ---- Cost of defaults ----


# ---- Progress ----


# ---- Messages ----


# ---- Tables and displays ----


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


# ---- Statuses and extreme units ----


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


# ---- Forks and parallel jobs ----


# ---- Without a compiler ----


# ---- The same hold-out on every machine ----
