"""Gram matrices of active points, in three storages."""

import numpy as np

from surefit.kernels.library import Gaussian, Polynomial
from surefit.objective import EpsilonInsensitive
from surefit.solvers.solution import Status
from surefit.solvers.support_vectors import limits
from surefit.solvers.support_vectors.gram_store import GramStore
from surefit.solvers.support_vectors.ladder import Budget
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.solvers.support_vectors.solve import solve_dual


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(n)


def test_kernels_of_unbalanced_diagonal_are_not_stored_in_16_bits(monkeypatch):
    X, y = sample(300)
    assert GramStore.of(Polynomial(2, 1.0), X, False)[1] is np.float32
    assert GramStore.of(Gaussian(1.0), X, False)[1] is np.int16
    monkeypatch.setattr(limits, "SMALL", 50)
    for offset in (True, False):
        problem = SupportVectorProblem(Polynomial(2, 1.0), X, y, np.ones(300), EpsilonInsensitive(0.1), 1e-3, offset)
        found = solve_dual(problem, Budget(1e-4, 10**6, np.inf, 1e9))
        assert found.status is Status.CONVERGED
        assert found.gap < 1e-4


def test_stored_gram_is_the_gram_over_its_largest_entry(monkeypatch):
    monkeypatch.setattr(limits, "STRIP", 64)
    X, _ = sample(150)
    K = Gaussian(1.0).gram(X)
    for padded in (False, True):
        store = GramStore(3.0 * Gaussian(1.0), 3.0, padded)
        for storage, error in ((np.int16, 1.6e-5), (np.float32, 1e-6), (np.float64, 1e-14)):
            stored, unit = store.gram(X, storage)
            assert stored.shape == (150 + padded,) * 2
            assert np.max(np.abs(stored[:150, :150] * unit - K)) < error
            assert not np.any(stored[150:])
            assert not np.any(stored[:, 150:])
