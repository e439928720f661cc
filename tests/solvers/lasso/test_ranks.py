"""Ranks of supports: against singular values, in awkward units, and only the work that is needed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.lasso import limits, ranks
from surefit.solvers.lasso.ranks import support_ranks


def expected(X, supports, fit_intercept):
    A = X - X.mean(axis=0) if fit_intercept else X
    return [np.linalg.matrix_rank(A[:, support]) if support.any() else 0 for support in supports]


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(2, 40), d=st.integers(1, 12), rank=st.integers(1, 12),
    fit_intercept=st.booleans(), thin=st.booleans(),
)  # fmt: skip
def test_ranks_are_those_of_singular_values(seed, n, d, rank, fit_intercept, thin):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, min(rank, d))) @ rng.integers(-2, 3, size=(min(rank, d), d)) * 1.0
    supports = rng.random((9, d)) < rng.random((9, 1))
    design = Design.of(sparse.csr_array(X) if thin else X)
    assert support_ranks(design, supports, fit_intercept).tolist() == expected(X, supports, fit_intercept)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_more_columns_than_rows(fit_intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 60))
    supports = np.arange(60) < np.arange(0, 61, 4)[:, None]
    found = support_ranks(Design.of(X), supports, fit_intercept)
    assert found.tolist() == np.minimum(np.arange(0, 61, 4), 20 - fit_intercept).tolist()


def test_units_and_offsets_do_not_matter():
    """Two timestamps a second apart in a year are two columns; a constant beside an intercept is none."""
    rng = np.random.default_rng(0)
    created = 1.7e12 + np.round(3e10 * rng.random(100))
    X = np.column_stack([created, created + np.round(1e3 * rng.random(100)), np.full(100, 0.1), 2.0**-30 * created])
    supports = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0]], dtype=bool)
    for design in (Design.of(X), Design.of(sparse.csr_array(X))):
        assert support_ranks(design, supports, True).tolist() == [2, 2, 1, 0]


def test_rows_of_weight_zero_do_not_make_columns_independent():
    X = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0], [1.0, 5.0]])
    assert support_ranks(Design.of(X, [1.0, 2.0, 1.0, 0.0]), np.ones((1, 2), dtype=bool), True).tolist() == [1]


def test_independent_supports_are_never_factorised(monkeypatch):
    monkeypatch.setattr(ranks, "_triangle", None)
    X = np.random.default_rng(0).normal(size=(5000, 30))
    supports = np.tri(30, dtype=bool)
    assert support_ranks(Design.of(X), supports, True).tolist() == list(range(1, 31))


def test_very_large_supports_are_counted(monkeypatch):
    monkeypatch.setattr(limits, "LARGEST_UNION", 1)
    assert support_ranks(Design.of(np.ones((5, 2))), np.ones((1, 2), dtype=bool), True).tolist() == [2]
