"""The walk down the grid where supports are large, or columns hardly differ: which way is taken, at what cost."""

import numpy as np
import pytest
from scipy import sparse

from surefit.data.design import Design
from surefit.solvers.lasso import limits
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.problem import LassoProblem
from surefit.solvers.lasso.solve import elastic_net_path, lam_max
from surefit.solvers.lasso.walk import PathRun, Start, end_of
from surefit.solvers.solution import Status


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_a_large_sparse_support_is_swept_by_columns_to_the_same_path(monkeypatch, l1_ratio):
    """Beyond a limit no Gram matrix is formed; the solutions do not show it."""
    rng = np.random.default_rng(15)
    X = rng.normal(size=(60, 90)) * rng.uniform(0.3, 3.0, 90) + rng.uniform(-1, 1, 90)
    X[rng.uniform(size=X.shape) < 0.7] = 0.0
    y = X[:, :5].sum(axis=1) + rng.normal(size=60) + 2.0
    weights = np.r_[0.0, np.ones(89)]
    penalty, design = SparsePenalty(l1_ratio, weights), Design.of(sparse.csr_array(X), rng.integers(0, 3, 60))
    lams = lam_max(design, y, penalty) * np.logspace(0, -2, 10)
    by_gram = elastic_net_path(design, y, lams, penalty, tol=1e-11)
    monkeypatch.setattr(limits, "FEW_SPARSE", 5)
    monkeypatch.setattr(limits, "MOST_SPARSE", 5)
    by_columns = elastic_net_path(design, y, lams, penalty, tol=1e-11)
    assert by_columns.status is by_gram.status is Status.CONVERGED
    np.testing.assert_allclose(by_columns.coefs, by_gram.coefs, atol=3e-5)


def test_sweeps_that_crawl_give_way_to_the_gram_matrix(monkeypatch):
    """Nearly as many columns in the support as rows, where sweeps alone would take 700,000 rounds.  Catalogue A-22."""
    rng = np.random.default_rng(16)
    X = sparse.random_array((200, 300), density=0.05, rng=rng, format="csc")
    y, penalty, design = X @ rng.normal(size=300), SparsePenalty(), Design.of(X)
    lams = lam_max(design, y, penalty) * np.logspace(0, -3, 50)
    by_gram = elastic_net_path(design, y, lams, penalty)
    monkeypatch.setattr(limits, "FEW_SPARSE", 20)
    mixed = elastic_net_path(design, y, lams, penalty)
    assert mixed.status is by_gram.status is Status.CONVERGED
    assert by_gram.n_iter < mixed.n_iter < 1000
    np.testing.assert_allclose(X @ mixed.coefs.T, X @ by_gram.coefs.T, atol=2e-3 * np.linalg.norm(y))


@pytest.mark.parametrize("columns", [limits.FEW_SPARSE + 1, limits.MOST_SPARSE + 1])
def test_a_gram_matrix_is_priced_by_the_columns_and_never_formed_for_too_many(columns):
    X = sparse.random_array((50, columns), density=0.1, rng=np.random.default_rng(0), format="csc")
    run = PathRun(LassoProblem.of(Design.of(X), np.arange(50.0), SparsePenalty(), True), np.ones(1), 1e-6, 100)
    run.swept = 1e20
    run._turn_to(np.arange(columns))
    assert (run.large is None) == (columns <= limits.MOST_SPARSE)
    run.swept = 0.0
    run._turn_to(np.arange(columns))
    assert run.large is not None


@pytest.mark.parametrize("interval", [(-1.0, 1.0), (0.0, 1.0)])
@pytest.mark.parametrize("positive", [False, True])
def test_many_raw_powers_are_no_obstacle(interval, positive, plain):
    """Neighbouring powers hardly differ: where sweeps crawl from one to the next, they join one at a time.

    Catalogue A-22.
    """
    rng = np.random.default_rng(17)
    t = rng.uniform(*interval, 1000)
    X, y = Design.of(t[:, None] ** np.arange(1, 201)), np.sin(30 * t) + rng.normal(size=1000)
    penalty = SparsePenalty(positive=positive)
    path = elastic_net_path(X, y, lam_max(X, y, penalty) * np.logspace(0, -3, 20 if plain else 100), penalty)
    assert set(path.statuses) == {Status.CONVERGED}
    assert path.n_iter < 4000


def in_raw_units():
    """Columns from square feet to shares, of which most explain something; as many digits of ``lam`` matter."""
    rng = np.random.default_rng(17)
    units = 10.0 ** rng.uniform(-4, 4, 40)
    X = (rng.normal(size=(300, 40)) + rng.normal(size=(300, 1))) * units
    return Design.of(X), 1e5 * ((X / units) @ rng.normal(size=40) + rng.normal(size=300))


def test_thresholds_below_rounding_do_not_make_the_search_repeat_itself():
    """Where the plain gap cannot fall below the tolerance, the closer one decides: a few rounds for every lam."""
    design, y = in_raw_units()
    penalty = SparsePenalty(0.5)
    lams = lam_max(design, y, penalty) * np.logspace(0, -14, 60)
    path = elastic_net_path(design, y, lams, penalty)
    assert path.status is Status.CONVERGED
    assert path.n_iter < 8 * len(lams)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("tall", [True, False])
def test_a_path_goes_on_from_where_another_ended(l1_ratio, tall):
    """To the same solutions, in fewer rounds."""
    design, y = in_raw_units()
    if not tall:
        design, y = Design.of(design.X[:30]), y[:30]
    penalty = SparsePenalty(l1_ratio)
    lams = lam_max(design, y, penalty) * np.logspace(0, -5, 30)
    first = elastic_net_path(design, y, lams[:20], penalty, tol=1e-9)
    rest = elastic_net_path(design, y, lams[20:], penalty, tol=1e-9, start=end_of(first))
    alone = elastic_net_path(design, y, lams[20:], penalty, tol=1e-9)
    assert rest.status is alone.status is Status.CONVERGED
    size = np.sqrt(np.mean(np.square(design.X), axis=0))
    np.testing.assert_allclose(rest.coefs * size, alone.coefs * size, atol=1e-3 * np.std(y))
    assert rest.n_iter < alone.n_iter


def test_a_path_that_goes_on_keeps_the_columns_it_begins_with():
    """Also where so many others look steeper that not all may join at once."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 300))
    y = rng.normal(size=40)
    begun = np.zeros(300)
    centred = X[:, 270:] - X[:, 270:].mean(axis=0)
    begun[270:] = np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]  # no correlation is left
    design, penalty = Design.of(X), SparsePenalty()
    lams = lam_max(design, y, penalty) * np.array([1e-2, 1e-3])
    path = elastic_net_path(design, y, lams, penalty, tol=1e-9, start=Start(2 * lams[0], begun))
    alone = elastic_net_path(design, y, lams, penalty, tol=1e-9)
    assert path.status is alone.status is Status.CONVERGED
    np.testing.assert_allclose(path.coefs, alone.coefs, atol=1e-3)
