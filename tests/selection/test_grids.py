"""Default grids begin where nothing is fitted and reach useful models, whatever the units.  Catalogue S-05."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import StratifiedKFold

from surefit import ElasticNet, Lasso, LeastSquares, LogisticRegression
from surefit.data.design import Design
from surefit.selection.grids import lasso_lams, logistic_grid
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.problem import LassoProblem
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic


def table(seed=0, n=80, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + 0.5 * rng.normal(size=n)


@pytest.mark.parametrize("criterion", ["cv", "aic", "bic", "cp"])
@pytest.mark.parametrize(("unit_of_x", "unit_of_y"), [(1.0, 1e6), (1e-3, 1.0), (1e4, 1e-3), (1.0, 1e-6)])
def test_the_elastic_net_explains_as_much_in_any_units(unit_of_x, unit_of_y, criterion):
    """Catalogue P-02: the squared part shrinks by ``lam`` over the variance, and ``lam_max`` grows with the target."""
    X, y = table()
    X, y = unit_of_x * X, unit_of_y * y
    best = LeastSquares().fit(X, y).score(X, y)
    assert ElasticNet(criterion=criterion).fit(X, y).score(X, y) > 0.95 * best


def test_the_grid_of_the_lasso_follows_the_target_alone():
    X, y = table()
    lams = lasso_lams(Design.of(X), y, SparsePenalty())
    np.testing.assert_allclose(lasso_lams(Design.of(X), 1e6 * y, SparsePenalty()), 1e6 * lams, rtol=1e-12)
    assert lams[-1] == pytest.approx(1e-3 * lams[0])


def test_the_grid_of_the_elastic_net_ends_where_squares_add_a_hundredth_to_the_typical_variance():
    X, y = table()
    lams = lasso_lams(Design.of(X), 1e6 * y, SparsePenalty(l1_ratio=0.75))
    assert lams[-1] == pytest.approx(0.01 * np.median(X.var(axis=0)) / 0.25)
    wide = lasso_lams(Design.of(X[:5]), 1e6 * y[:5], SparsePenalty(l1_ratio=0.75))
    assert wide[-1] == pytest.approx(0.1 * np.median(X[:5].var(axis=0)) / 0.25)
    nearly = lasso_lams(Design.of(X), y, SparsePenalty(l1_ratio=0.999))
    assert nearly[-1] == pytest.approx(1e-3 * nearly[0])  # so few squares that they do not matter


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_the_typical_variance_counts_weights_and_leaves_constant_and_unpenalised_columns_out(offset):
    X, y = table()
    X[:, 0] = 3.0
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    penalty = SparsePenalty(0.5, np.array([1.0, 0.0, 2.0, 1.0, 1.0, 1.0]))
    repeated = np.repeat(X, weight, axis=0).var(axis=0)
    expected = np.median((repeated / np.array([1, 1, 2, 1, 1, 1]))[2:]) / 0.5
    for form in (np.asarray, sparse.csr_array):
        problem = LassoProblem.of(Design.of(form(X + offset), weight), y, penalty, True)
        assert problem.lam_of_squares == pytest.approx(expected, rel=1e-6)
    second = np.median((np.repeat(X**2, weight, axis=0).mean(axis=0) / np.array([1, 1, 2, 1, 1, 1]))[[0, 2, 3, 4, 5]])
    alone = LassoProblem.of(Design.of(X, weight), y, penalty, False)
    assert alone.lam_of_squares == pytest.approx(second / 0.5)


def test_without_penalised_columns_or_without_a_signal_there_is_one_lam():
    X, y = table()
    assert ElasticNet(penalty_weights=np.zeros(6)).fit(X, y).lam_path_.tolist() == [1.0]
    assert ElasticNet().fit(X, np.ones(80)).lam_path_.tolist() == [1.0]
    assert Lasso().fit(np.ones((80, 2)), y).lam_path_.tolist() == [1.0]


def sample(k=3, n=60):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 4)), np.sort(np.arange(n) % k)


@pytest.mark.parametrize("k", [2, 3])
def test_the_largest_lam_of_an_l1_grid_just_removes_everything(k):
    X, codes = sample(k)
    lams = logistic_grid(LogisticProblem.of(X, codes, 1.0, 1.0)).first
    assert len(lams) == 11
    assert not np.any(solve_logistic(LogisticProblem.of(X, codes, 1.0001 * lams[0], 1.0)).coef)
    assert np.any(solve_logistic(LogisticProblem.of(X, codes, lams[1], 1.0)).coef)


def test_the_largest_lam_for_squares_shrinks_to_less_than_half():
    X, codes = sample(2)
    lams = logistic_grid(LogisticProblem.of(X, codes, 1.0)).first
    free, bound = (solve_logistic(LogisticProblem.of(X, codes, lam)).coef for lam in (0.0, lams[0]))
    assert np.linalg.norm(bound) < 0.5 * np.linalg.norm(free)


def test_columns_without_information_need_no_grid():
    assert logistic_grid(LogisticProblem.of(np.zeros((6, 2)), np.arange(6) % 2, 1.0)).first.tolist() == [1.0]


@pytest.mark.parametrize("offset", [1e4, 1e8])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_grid_does_not_move_with_the_origin_of_a_column(offset, form):
    rng = np.random.default_rng(0)
    x = np.round(rng.standard_normal((200, 1)), 3)
    codes = (x[:, 0] + rng.logistic(size=200) > 0).astype(int)
    here, there = (logistic_grid(LogisticProblem.of(form(x + move), codes, 1.0)).first for move in (0.0, offset))
    np.testing.assert_allclose(there, here, rtol=1e-6)
    chosen = [LogisticRegression(cv=StratifiedKFold(5)).fit(form(x + move), codes).lam_ for move in (0.0, offset)]
    assert chosen[1] == pytest.approx(chosen[0], rel=1e-6)


@pytest.mark.parametrize("constant", [0.1, 1e8 + 0.1, -1e-9])
def test_constants_need_no_grid_wherever_they_are(constant):
    X = np.full((7, 2), constant)
    assert logistic_grid(LogisticProblem.of(X, np.arange(7) % 2, 1.0)).first.tolist() == [1.0]


@pytest.mark.filterwarnings("ignore:.*smallest lam of its grid:surefit.warnings.ChoiceWarning")
@pytest.mark.parametrize(("of_x", "of_y"), [(1e-40, 1.0), (1.0, 1e40), (1e-20, 1e20), (1e-100, 1.0), (1.0, 1e100)])
def test_an_elastic_net_in_extreme_units_is_no_constant(of_x, of_y):
    """Squares shrink all models where the L1 part has long vanished, and the path must go on from there."""
    X, y = table()
    model = ElasticNet().fit(of_x * X, of_y * y)
    assert model.score(of_x * X, of_y * y) > 0.95 * LeastSquares().fit(X, y).score(X, y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("l1_ratio", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("unit", [1e-20, 1e-50, 1e-100])
def test_an_l1_part_in_small_units_is_no_constant(unit, l1_ratio):
    """The last coefficient vanishes so far above where squares let anything in that no walk would get there."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    labels = X @ [1.0, 2.0, 3.0] + rng.normal(size=80) > 0
    squares = LogisticRegression().fit(X, labels).score(X, labels)
    model = LogisticRegression(l1_ratio=l1_ratio).fit(unit * X, labels)
    assert model.score(unit * X, labels) > squares - 0.05
    assert not np.any(model.path_.coefs[0])  # the model of nothing is among the candidates
    assert len(model.lam_path_) < 130


def test_squares_change_no_l1_grid_of_ordinary_units():
    X, codes = sample(2)
    for l1_ratio in (0.5, 1.0):
        grid = logistic_grid(LogisticProblem.of(X, codes, 1.0, l1_ratio))
        assert grid.top is None
        assert grid.decades == pytest.approx(3.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1.0, 1e-40])
def test_noise_in_any_units_is_no_reason_for_a_warning(unit):
    rng = np.random.default_rng(0)
    X, y = unit * rng.normal(size=(80, 3)), rng.normal(size=80)
    assert ElasticNet().fit(X, y).score(X, y) < 0.2
    assert LogisticRegression(l1_ratio=0.5).fit(X, y > 0).score(X, y > 0) < 0.75


@pytest.mark.parametrize("count", [[1, 1, 3], [3, 3, 3], [2, 1, 1]])
def test_counted_and_repeated_rows_have_the_same_grid(count):
    """Three rows are no more than three columns, however often they are stored."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3, 3)), rng.normal(size=3)
    counted = lasso_lams(Design.of(X, count), y, SparsePenalty())
    repeated = lasso_lams(Design.of(np.repeat(X, count, 0)), np.repeat(y, count), SparsePenalty())
    np.testing.assert_allclose(repeated, counted, rtol=1e-9)
