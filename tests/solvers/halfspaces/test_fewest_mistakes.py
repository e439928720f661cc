"""The fewest mistakes: brute force, heuristics, weights, degenerate data, time limits."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from surefit.progress import reporting
from surefit.solvers.halfspaces import conflicts, fewest_mistakes, hull, limits, plane_sweep
from surefit.solvers.halfspaces.fewest_mistakes import min_disagreement
from surefit.solvers.halfspaces.perceptron import perceptron
from surefit.solvers.halfspaces.separability import is_separable

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])


def brute(X, t, weight, fit_intercept):
    """The least weight of rows whose removal leaves the rest separable, over all sets of rows."""
    n, best = len(X), weight.sum()
    for size in range(n + 1):
        for lost in combinations(range(n), size):
            kept = np.setdiff1d(np.arange(n), lost)
            total = weight[list(lost)].sum()
            if total < best and (len(kept) == 0 or is_separable(X[kept], t[kept], fit_intercept=fit_intercept)):
                best = total
    return best


def counted(found, X, t, weight=1.0):
    return np.sum(weight * (t * (X @ found.coef + found.intercept) <= 0))


def test_xor_costs_one_mistake_and_and_none():
    """A-36, T-58, C-07: XOR with bias: Opt = 1; separable: 0; the decision version."""
    xor = min_disagreement(CORNERS, [-1, 1, 1, -1])
    assert (xor.errors, xor.lower_bound, xor.optimal) == (1, 1, True)
    assert xor.risk == 0.25
    assert xor.at_most(1)
    assert not xor.at_most(0)
    conjunction = min_disagreement(CORNERS, [-1, -1, -1, 1])
    assert (conjunction.errors, conjunction.optimal, conjunction.method) == (0, True, "separable")


@pytest.mark.parametrize("seed", range(40))
def test_equals_brute_force_on_small_samples(seed):
    """A-36: n <= 8; grids with duplicates and contradictions, and points in general position; with weights."""
    rng = np.random.default_rng(seed)
    n, d, fit_intercept = rng.integers(3, 9), rng.integers(1, 4), bool(seed % 3)
    X = rng.standard_normal((n, d)) if seed % 2 else rng.integers(-1, 2, (n, d)).astype(float)
    t, weight = rng.choice([-1, 1], n), rng.integers(1, 4, n).astype(float)
    found = min_disagreement(X, t, weight, fit_intercept=fit_intercept)
    assert found.optimal
    assert found.errors == brute(X, t, weight, fit_intercept) == counted(found, X, t, weight)


@pytest.mark.parametrize("seed", range(8))
def test_conflicts_and_cells_agree(seed, monkeypatch):
    """Two algorithms that share nothing but the rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((25, 2))
    t = np.where(X @ [1, 1] + rng.standard_normal(25) > 0, 1, -1)
    cells = min_disagreement(X, t)
    monkeypatch.setattr(limits, "SWEEPS_PER_SECOND", 0.0)
    conflicts = min_disagreement(X, t)
    assert {cells.method, conflicts.method} in ({"cells", "conflicts"}, {"separable"})
    assert cells.optimal
    assert conflicts.optimal
    assert cells.errors == conflicts.errors


@pytest.fixture
def now(monkeypatch):
    """A clock, for other work on the machine must not decide: 0.1 s for a round of the hull, for a batch of planes, for
    100 rows of a fit.
    """
    now = [0.0]

    def priced(module, name, seconds):
        work = getattr(module, name)

        def working(*arguments):
            now[0] += seconds(*arguments)
            return work(*arguments)

        monkeypatch.setattr(module, name, working)

    priced(hull, "_shrunk_to_positive", lambda *_: 0.1)
    priced(fewest_mistakes, "sweep_planes", lambda *_: 0.1)
    priced(fewest_mistakes, "_logistic_direction", lambda rows, _: 1e-3 * len(rows))
    for module in (fewest_mistakes, hull, conflicts, plane_sweep):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    return now


def test_forty_noisy_rows_in_three_dimensions_are_proven_optimal_within_a_limit_of_ten_seconds(now):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 3))
    t = np.where(X @ [1, 2, -1] + 2 * rng.standard_normal(40) > 0, 1, -1)
    found = min_disagreement(X, t, time_limit=10.0)
    assert found.optimal
    assert found.errors > 0


def test_never_worse_than_the_heuristics_on_a_hundred_instances():
    """A-36, T-59: perceptron, logistic regression, least squares and a linear SVM."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(100):
        n, d = rng.integers(8, 30), rng.integers(1, 4)
        X = rng.standard_normal((n, d))
        t = np.where(X.sum(axis=1) + rng.standard_normal(n) * rng.uniform(0.2, 2) > 0, 1, -1)
        t[:2] = 1, -1
        found = min_disagreement(X, t)
        assert found.optimal
        rows = np.column_stack([X, np.ones(n)])
        run = perceptron(rows, t, max_epochs=50)
        rivals = [run.coef, run.mean_coef, np.linalg.lstsq(rows, t, rcond=None)[0]]
        for model in (LogisticRegression(C=100.0), LinearSVC(C=10.0, dual=False)):
            model.fit(X, t)
            rivals.append(np.append(model.coef_[0], model.intercept_))
        errors = [int(np.sum(t * (rows @ w) <= 0)) for w in rivals]
        assert found.errors <= min(errors)
        ratios.append(max(errors) / max(found.errors, 1))
    assert max(ratios) > 1.5  # the heuristics are not optimal, so the comparison says something


def test_a_time_limit_leaves_an_incumbent_with_a_valid_bound(now):
    """T-59: 200 x 10 is out of reach; the bound holds for the planted separator too."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 10))
    w = rng.standard_normal(10)
    t = np.where(X @ w + 2 * rng.standard_normal(200) > 0, 1, -1)
    found = min_disagreement(X, t, time_limit=40.0)
    assert not found.optimal
    assert 0 < found.lower_bound < found.errors == counted(found, X, t)
    assert found.lower_bound <= np.sum(t * (X @ w) <= 0)
    assert found.errors <= np.sum(t * (X @ w) <= 0)
    with pytest.raises(ValueError, match="raise time_limit"):
        found.at_most(found.lower_bound)


@pytest.mark.parametrize("limit", [2.0, 10.0, 50.0])
def test_every_part_of_the_search_looks_at_the_clock(now, monkeypatch, limit):
    monkeypatch.setattr(limits, "BATCH", 3000)
    monkeypatch.setattr(limits, "START_ROWS", 200)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 12))
    t = np.where(X @ rng.standard_normal(12) + 0.5 * rng.standard_normal(3000) > 0, 1, -1)
    found = min_disagreement(X, t, time_limit=limit)
    assert 0.5 * limit < now[0] <= limit + 0.2
    assert found.lower_bound <= found.errors == counted(found, X, t) < 600


def test_a_margin_for_which_there_was_no_time_is_not_taken():
    rng = np.random.default_rng(0)
    rows, direction = rng.standard_normal((50, 4)) + 2.0, np.ones(4)
    np.testing.assert_array_equal(fewest_mistakes._settled(rows, np.ones(50), direction, deadline=0.0), direction)
    settled = fewest_mistakes._settled(rows, np.ones(50), direction, deadline=np.inf)
    right = rows[rows @ direction > 0]
    assert np.min(right @ settled) > np.min(right @ direction) / np.linalg.norm(direction)


def test_cells_that_take_too_long_leave_the_trivial_bound(monkeypatch):
    monkeypatch.setattr(limits, "SWEEPS_PER_SECOND", np.inf)
    rng = np.random.default_rng(2)
    X, t = rng.standard_normal((60, 5)), rng.choice([-1, 1], 60)
    found = min_disagreement(X, t, time_limit=1e-3)
    assert found.lower_bound == 0 < found.errors == counted(found, X, t)


def test_integer_weights_are_repetitions_and_zero_weights_absences():
    rng = np.random.default_rng(3)
    X, t, weight = rng.standard_normal((20, 2)), rng.choice([-1, 1], 20), rng.integers(0, 4, 20)
    once, again = min_disagreement(X, t, weight), min_disagreement(np.repeat(X, weight, axis=0), np.repeat(t, weight))
    assert once.errors == again.errors
    assert once.total_weight == again.total_weight == weight.sum()
    np.testing.assert_allclose(once.coef, again.coef, rtol=1e-9)


def test_contradictions_and_constant_features_cost_the_minority():
    found = min_disagreement(np.zeros((5, 2)), [1, 1, 1, -1, -1])
    assert (found.errors, found.optimal) == (2, True)
    tie = min_disagreement(np.zeros((4, 2)), [1, 1, -1, -1])
    assert (tie.errors, tie.optimal) == (2, True)
    nothing = min_disagreement(np.zeros((3, 2)), [1, 1, -1], fit_intercept=False)
    assert (nothing.errors, nothing.optimal) == (3, True)  # a score of 0 is a mistake for either label


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_and_timestamps_change_nothing(scale):
    rng = np.random.default_rng(4)
    X, t = rng.standard_normal((30, 2)), rng.choice([-1, 1], 30)
    moved = min_disagreement(X * [scale, 1] + [0, 1e6], t)
    assert moved.optimal
    assert moved.errors == min_disagreement(X, t).errors


def test_progress_is_reported(now):
    rng = np.random.default_rng(1)
    X, t = rng.standard_normal((100, 8)), rng.choice([-1, 1], 100)
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        min_disagreement(X, t, time_limit=40.0)
    assert "fewest mistakes" in {one.task for one in said}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], [2]), "labels must be -1"),
        (([[1.0], [np.nan]], [1, -1]), "NaN"),
        (([[1.0], [2.0]], [1, -1], [0.0, 0.0]), "all sample weights are zero"),
        (([[1.0], [2.0]], [1, -1], [1.0, -1.0]), "sample_weight"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        min_disagreement(*arguments)
    with pytest.raises(ValueError, match="time_limit"):
        min_disagreement([[1.0], [2.0]], [1, -1], time_limit=0)


@pytest.mark.parametrize("heavy", [1e11, 1e12, 1e15])
@pytest.mark.parametrize("light", [1.0, 1e-13])
def test_light_rows_count_beside_heavy_ones(heavy, light):
    """A-36: no row is dropped because another is heavier."""
    X, t = np.vstack([CORNERS, [5.0, 5.0]]), np.array([-1, -1, 1, 1, 1])
    found = min_disagreement(X, t, light * np.array([heavy, 1, 1, heavy, 1]))
    assert (found.errors, found.optimal) == (0, True)
    xor = min_disagreement(CORNERS, [-1, 1, 1, -1], light * np.array([heavy, 2, 3, heavy]))
    assert xor.errors == 2 * light
    assert xor.lower_bound <= xor.errors


@pytest.mark.parametrize("seed", range(10))
def test_the_unit_of_the_weights_does_not_matter(seed):
    """A-36: also if all of them are smaller than what rounding leaves of one."""
    rng = np.random.default_rng(seed)
    X, t, weight = rng.standard_normal((9, 2)), rng.choice([-1, 1], 9), rng.integers(1, 4, 9).astype(float)
    found, small = min_disagreement(X, t, weight), min_disagreement(X, t, 1e-14 * weight)
    assert small.errors == pytest.approx(1e-14 * found.errors)
    assert small.optimal
    assert small.lower_bound == pytest.approx(1e-14 * found.lower_bound)
