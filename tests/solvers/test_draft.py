"""A Gram matrix in single precision: the path that it leads to is as good, and its gaps are as honest."""

import numpy as np
import pytest

from surefit.data import gram
from surefit.data.centering import centre
from surefit.data.design import Design
from surefit.progress import reporting
from surefit.solvers import coordinate, draft
from surefit.solvers.coordinate import elastic_net_path, lam_max
from surefit.solvers.path_run import PathRun
from surefit.solvers.sparse_path import SparsePenalty
from surefit.solvers.working_set import Columns


@pytest.fixture(autouse=True)
def drafts_of_small_problems(monkeypatch):
    monkeypatch.setattr(gram, "FEWEST_ENTRIES", 1)
    monkeypatch.setattr(gram, "COLUMNS", (1, 1500))
    monkeypatch.setattr(gram, "cores", lambda: 2)
    monkeypatch.setattr(draft, "FEWEST", 1)
    monkeypatch.setattr(draft, "LEAST_WORK", 1)


@pytest.fixture
def left(monkeypatch):
    """The places at which drafts were given up."""
    places = []

    def leave(run, method=PathRun._leave_draft):
        places.append(len(run.answers))
        method(run)

    monkeypatch.setattr(PathRun, "_leave_draft", leave)
    return places


def chain(rng, n, d, rho):
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    return X


def designs(n=800, d=60):
    rng = np.random.default_rng(5)
    X, angle = chain(rng, n, d, 0.6), np.linspace(0.0, np.pi, n)
    twice = X.copy()
    twice[:, d // 2 :] = twice[:, : d // 2]
    outlier = X.copy()
    outlier[5] *= 1e6
    return {
        "correlated": X,
        "more correlated": chain(rng, n, d, 0.99),
        "in Fortran order": np.asfortranarray(X),
        "far from zero": X + 5.0,
        "timestamps": X + 1e6,
        "units": X * 10.0 ** rng.uniform(-5, 5, d),
        "heavy tails": rng.standard_t(1.2, (n, d)),
        "an outlier": outlier,
        "columns given twice": twice,
        "cosines": np.cos(np.multiply.outer(angle, np.arange(1.0, d + 1))),
        "few directions": rng.standard_normal((n, 5)) @ rng.standard_normal((5, d)),
        "counts": rng.poisson(0.3, (n, d)).astype(float),
        "a constant": np.column_stack([np.full(n, 3.0), X[:, 1:]]),
    }


def problem_of(X, seed=0):
    rng = np.random.default_rng(seed)
    coef = np.zeros(X.shape[1])
    coef[rng.choice(X.shape[1], 8, replace=False)] = rng.standard_normal(8)
    spread = np.where(X.std(axis=0) > 1e-9, X.std(axis=0), 1.0)
    fitted = X @ (coef / spread)
    return fitted + fitted.std() * rng.standard_normal(len(X)) / np.sqrt(3)


def objective(X, y, penalty, path):
    weight = np.full(len(y), 1.0 / len(y))
    loss = [weight @ (y - X @ c - b) ** 2 for c, b in zip(path.coefs, path.intercepts, strict=True)]
    return np.array([a + lam * penalty.value(c) for a, c, lam in zip(loss, path.coefs, path.lams, strict=True)])


PENALTIES = {"lasso": SparsePenalty(), "both": SparsePenalty(l1_ratio=0.5), "positive": SparsePenalty(positive=True)}


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES.keys())
@pytest.mark.parametrize("name", designs())
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gaps_cover_what_a_draft_loses(name, penalty, fit_intercept, monkeypatch):
    """Against the exact path to a gap of 1e-12: every gap is at least the true distance, and within the tolerance."""
    X = designs()[name]
    design, y = Design.of(X), problem_of(X)
    lams = lam_max(design, y, penalty, fit_intercept) * np.geomspace(1.0, 1e-3, 30)
    path = elastic_net_path(design, y, lams, penalty, fit_intercept=fit_intercept)
    best = elastic_net_path(design, y, lams, penalty, fit_intercept=fit_intercept, tol=1e-12)
    excess = objective(X, y, penalty, path) - objective(X, y, penalty, best)
    null = np.mean((y - y.mean() * fit_intercept) ** 2)
    assert np.all(path.converged)
    assert np.all(path.gaps <= 1e-6 * null * (1 + 1e-9))
    assert np.all(excess <= path.gaps + 1e-13 * null)


@pytest.mark.parametrize("weighted", [False, True])
def test_well_conditioned_problems_need_nothing_but_the_draft(weighted, left):
    X = designs()["correlated"]
    weight = np.random.default_rng(1).uniform(0.0, 2.0, len(X)) if weighted else None
    design, y = Design.of(X, weight), problem_of(X)
    path = elastic_net_path(
        design, y, lam_max(design, y, SparsePenalty()) * np.geomspace(1.0, 1e-3, 250), SparsePenalty()
    )
    assert np.all(path.converged)
    assert left == []
    assert path.gaps.max() > 1e-9 * np.var(y)  # the errors of a draft are in the gap


@pytest.mark.parametrize(("noise", "given_up"), [(1e-5, 0), (1e-3, 1), (0.3, 1), (np.nan, 0)])
def test_a_wrong_draft_is_noticed(noise, given_up, left, monkeypatch):
    """Whatever the draft says: answers are those of the data.  Of a matrix without numbers none is made at all."""

    def spoilt(*given, honest=gram.draft_gram):
        product, cross = honest(*given)
        size = np.sqrt(np.diag(product))
        error = np.triu(np.random.default_rng(2).standard_normal(product.shape), 1) * np.multiply.outer(size, size)
        return product + noise * (error + error.T), cross

    X = designs()["correlated"]
    design, y = Design.of(X), problem_of(X)
    lams = lam_max(design, y, SparsePenalty()) * np.geomspace(1.0, 1e-3, 40)
    exact = elastic_net_path(design, y, lams, SparsePenalty(), tol=1e-12)
    monkeypatch.setattr("surefit.data.centering.draft_gram", spoilt)
    path = elastic_net_path(design, y, lams, SparsePenalty())
    excess = objective(X, y, SparsePenalty(), path) - objective(X, y, SparsePenalty(), exact)
    assert len(left) == given_up
    assert np.all(path.converged)
    assert np.all(excess <= path.gaps + 1e-13 * np.var(y))


def test_errors_of_correlations_are_within_their_bounds():
    """On 26 designs, with solutions that are no path at all and some of them of another size."""
    for seed, X in enumerate([*designs().values(), *designs(500, 40).values()]):
        rng = np.random.default_rng(seed)
        A = centre(Design.of(X), fit_intercept=True)
        if A.dwarfed:
            continue
        target = A.target(problem_of(X, seed))
        columns = draft.draft_of(Columns.of(A, target))
        assert columns is not None
        for rank in (3, 30):
            coefs = rng.standard_normal((30, rank)) @ rng.standard_normal((rank, X.shape[1])) / columns.sizes
            coefs *= 10.0 ** rng.uniform(-2, 2, 30)[:, None]
            urgency = 10.0 ** rng.uniform(3, 6, 30)
            found, bounds = draft.correlations(columns, coefs, urgency)
            truth = columns.correlations(target - columns.fitted(np.arange(X.shape[1]), coefs))
            rounding = 1e-13 * (np.linalg.norm(target) + np.abs(coefs) @ columns.sizes)
            assert np.all(np.abs(found - truth) / columns.sizes <= (bounds + rounding)[:, None])
            np.testing.assert_allclose(bounds * urgency, bounds[0] * urgency[0])


def test_long_grids_share_a_basis(left, monkeypatch):
    """A pass over the data for a thousand ``lam``, not for a few of them."""
    passes = []

    def counted(*given, method=gram.gram_products):
        passes.append(len(given[3]))
        return method(*given)

    monkeypatch.setattr("surefit.data.centering.gram_products", counted)
    X = designs()["correlated"]
    design, y = Design.of(X), problem_of(X)
    lams = lam_max(design, y, SparsePenalty()) * np.geomspace(1.0, 1e-3, 1500)
    path = elastic_net_path(design, y, lams, SparsePenalty())
    assert np.all(path.converged)
    assert left == []
    assert len(passes) <= 8


def test_a_draft_too_coarse_to_solve_with_is_sharp_enough_to_correct_with(left, monkeypatch):
    """Solutions from a draft with errors of 1e-4 miss the tolerance; corrected ones need no exact matrix."""

    def spoilt(*given, honest=gram.draft_gram):
        product, cross = honest(*given)
        size = np.sqrt(np.diag(product))
        error = np.triu(np.random.default_rng(2).standard_normal(product.shape), 1) * np.multiply.outer(size, size)
        return product + 1e-4 * (error + error.T), cross

    X, judged = designs()["correlated"], []

    def judge(run, *given, method=PathRun._judged_by_draft):
        judged.append(len(given[1]))
        return method(run, *given)

    monkeypatch.setattr("surefit.data.centering.draft_gram", spoilt)
    monkeypatch.setattr(PathRun, "_judged_by_draft", judge)
    design, y = Design.of(X), problem_of(X)
    path = elastic_net_path(design, y, lam_max(design, y, SparsePenalty()) * np.geomspace(1.0, 0.1, 8), SparsePenalty())
    assert np.all(path.converged)
    assert len(judged) == 2
    assert left == []


def test_progress_is_told_while_a_draft_leads():
    told = []
    X = designs()["correlated"]
    with reporting(told.append, after=0.0, every=0.0):
        elastic_net_path(Design.of(X), problem_of(X), np.geomspace(1.0, 0.01, 10), SparsePenalty())
    assert told
    assert told[-1].task == "lasso path"


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e16, 1e20])
def test_columns_beyond_single_precision_get_an_exact_matrix(size):
    X = designs()["correlated"].copy()
    X[:, 3] *= size
    y = problem_of(designs()["correlated"])
    assert draft.draft_of(Columns.of(centre(Design.of(X), True), y - y.mean())) is None
    path = elastic_net_path(Design.of(X), y, np.geomspace(0.5, 0.01, 5), SparsePenalty())
    assert np.all(path.converged)


def test_drafts_are_for_loose_tolerances_and_penalised_columns(monkeypatch):
    def fail(*_):
        raise AssertionError("no draft was to be made")

    monkeypatch.setattr(draft, "correlations", fail)
    monkeypatch.setattr("surefit.data.centering.draft_gram", fail)
    X = designs()["correlated"]
    design, y, lams = Design.of(X), problem_of(X), np.geomspace(1.0, 0.01, 5)
    elastic_net_path(design, y, lams, SparsePenalty(), tol=0.99 * coordinate.DRAFT_TOL)
    elastic_net_path(design, y, lams, SparsePenalty(weights=np.r_[0.0, np.ones(59)]))


def test_targets_and_grids_with_nothing_to_do():
    X = designs()["correlated"]
    constant = elastic_net_path(Design.of(X), np.full(len(X), 2.0), np.array([1.0, 0.1]), SparsePenalty())
    np.testing.assert_array_equal(constant.coefs, 0.0)
    np.testing.assert_allclose(constant.intercepts, 2.0)
    y = problem_of(X)
    assert np.all(elastic_net_path(Design.of(X), y, np.array([1e9]), SparsePenalty()).coefs == 0.0)
    plain = elastic_net_path(Design.of(X), y, np.array([0.0]), SparsePenalty())
    np.testing.assert_allclose(X.T @ (y - plain.intercepts[0] - X @ plain.coefs[0]), 0.0, atol=1e-8)
