"""Metrics that steer quasi-Newton steps are close to the inverse Hessian of the rows they saw.  Catalogue A-29."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.logistic import metric
from surefit.solvers.logistic.metric import entangled, single_gram, single_metric
from surefit.solvers.logistic.newton import augmented, hessian
from surefit.solvers.logistic.problem import LogisticProblem


def autoregressive(n, d, rho, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    return LogisticProblem.of(X, (X[:, 0] + X[:, -1] > 0).astype(np.int64), 1e-2)


def point(problem, seed=1):
    return 0.3 * np.random.default_rng(seed).standard_normal((problem.d + 1, problem.width))


def test_a_metric_of_all_rows_inverts_the_hessian():
    problem = autoregressive(18, 6, 0.5)  # no more than three rows a column: all are taken
    V = point(problem)
    H = hessian(problem, augmented(problem), problem.probabilities(V))
    G = np.random.default_rng(0).standard_normal((7, 1))
    np.testing.assert_allclose(single_metric(problem, V)(H @ G), G, atol=1e-3)


def test_a_sparse_design_has_the_same_gram_matrix():
    problem = autoregressive(200, 4, 0.0)
    again = dataclasses.replace(problem, X=sparse.csr_array(problem.X))
    V = point(problem)
    np.testing.assert_allclose(single_gram(again, V, 100), single_gram(problem, V, 100), rtol=1e-5)


@pytest.mark.parametrize(("n", "rows"), [(50, 50), (1001, 100), (20_000, 5_000), (20_000, 20_000), (7, 1)])
def test_the_gram_matrix_of_a_sample_is_that_of_its_rows(n, rows):
    problem = autoregressive(n, 3, 0.5)
    runs = metric._runs(n, rows)
    taken = np.concatenate([np.arange(n)[run] for run in runs])
    assert len(np.unique(taken)) == len(taken) >= rows / 2
    A, q = augmented(problem)[taken], problem.probabilities(point(problem))[taken, 0]
    expected = (A * (q * (1 - q))[:, None]).T @ A / len(taken)
    np.testing.assert_allclose(single_gram(problem, point(problem), rows), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(("rho", "expected"), [(0.0, False), (0.3, False), (0.9, True)])
@pytest.mark.parametrize(("n", "d"), [(300, 600), (5000, 50)])
def test_columns_are_entangled_only_if_they_are_correlated(rho, expected, n, d):
    assert entangled(autoregressive(n, d, rho)) == expected


def test_constant_columns_are_not_entangled():
    problem = autoregressive(300, 5, 0.0)
    assert not entangled(dataclasses.replace(problem, X=np.ones((300, 5))))
