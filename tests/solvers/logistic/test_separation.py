"""Separation is found exactly where it is, and its direction proves it.  Catalogue A-29, E-099."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.logistic import existence
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.separation import separating_direction, single_column
from surefit.solvers.logistic.solve import solve_logistic
from surefit.solvers.solution import Status

LINE = np.array([[0.0], [1.0], [2.0], [3.0]])
THREE = np.array([[0.0, 0.0], [0.1, 0.0], [3.0, 0.0], [3.1, 0.1], [0.0, 3.0], [0.1, 3.1]])


def margins(X, codes, found):
    """Score of the true class less that of each other class, all rows and pairs."""
    scores = X @ found.coef + found.intercept
    if scores.shape[1] == 1:
        return (2 * codes - 1) * scores[:, 0]
    others = np.arange(scores.shape[1]) != codes[:, None]
    return (scores[np.arange(len(codes)), codes][:, None] - scores)[others]


@pytest.mark.parametrize(
    ("X", "codes", "kind"),
    [
        (LINE, [0, 0, 1, 1], "separable"),
        (LINE, [0, 1, 0, 1], "overlap"),
        (np.array([[0.0], [1.0], [1.0], [2.0]]), [0, 0, 1, 1], "quasi"),
        (np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), [1, 0, 1], "quasi"),  # one column only ever seen with 1
        (THREE, [0, 0, 1, 1, 2, 2], "separable"),
        (np.repeat(LINE[:2], 3, axis=0), [0, 1, 2, 0, 1, 2], "overlap"),
        (np.array([[-5.0], [0.0], [0.0], [1.0], [1.0]]), [0, 1, 2, 1, 2], "quasi"),  # the first class alone leaves
    ],
)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_kind_and_direction(X, codes, kind, as_sparse):
    codes = np.array(codes)
    found = separating_direction(sparse.csr_array(X) if as_sparse else X, codes)
    assert found.kind == kind
    assert bool(found) == (kind != "overlap")
    if found:
        reached = margins(X, codes, found)
        assert reached.min() >= -1e-7
        assert reached.max() > 1e-3
        assert (reached.min() > 0) == (kind == "separable")


def test_without_an_intercept_the_line_through_the_origin_decides():
    X, codes = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1])
    assert separating_direction(X, codes).kind == "separable"
    assert separating_direction(X, codes, fit_intercept=False).kind == "overlap"


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_units_do_not_matter(scale):
    assert separating_direction(scale * LINE, np.array([0, 0, 1, 1])).kind == "separable"
    assert separating_direction(scale * LINE, np.array([0, 1, 0, 1])).kind == "overlap"


@pytest.mark.parametrize("solver", ["auto", "newton-cg", "lbfgs"])
@pytest.mark.parametrize("codes", [[0, 0, 1, 1], [0, 0, 1, 2]])
def test_an_unpenalised_fit_to_separated_points_says_so(solver, codes):
    solution = solve_logistic(LogisticProblem.of(LINE, np.array(codes)), solver)
    assert solution.status is Status.SEPARATED
    assert np.all(np.isfinite(solution.coef))
    assert margins(LINE, np.array(codes), solution.facts["separation"]).min() > -1e-7


def test_rows_on_the_boundary_are_quasi_separated():
    solution = solve_logistic(LogisticProblem.of(np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])))
    assert solution.status is Status.SEPARATED
    assert solution.facts["separation"].kind == "quasi"


def test_far_scores_alone_are_no_separation():
    X, codes = np.array([[-50.0], [-40.0], [40.0], [50.0], [-1.0], [1.0]]), np.array([0, 0, 1, 1, 1, 0])
    solution = solve_logistic(LogisticProblem.of(X, codes))
    assert solution.status is Status.CONVERGED
    assert "separation" not in solution.facts


def test_any_penalty_gives_a_minimum():
    solution = solve_logistic(LogisticProblem.of(LINE, np.array([0, 0, 1, 1]), 1e-8))
    assert solution.status is Status.CONVERGED


OUTLIER = np.array([[-2.0], [1.0], [-1.0], [2.0], [1e8]])


@pytest.mark.parametrize("size", [1e3, 1e8, 1e12, 1e15])
def test_an_outlier_neither_separates_nor_spoils_the_fit(size):
    X, codes = OUTLIER.copy(), np.array([0, 0, 1, 1, 1])
    X[-1] = size
    assert separating_direction(X, codes).kind == "overlap"
    solution = solve_logistic(LogisticProblem.of(X, codes))
    assert solution.status is Status.CONVERGED
    assert solution.coef[0, 0] == pytest.approx(0.41961762, abs=1e-8)  # that of the four others, the fifth adds nothing
    assert solution.objective == pytest.approx(0.51356273, abs=1e-8)


@pytest.mark.parametrize("seed", range(40))
def test_the_lengths_of_the_rows_do_not_matter_without_an_intercept(seed):
    """Whole numbers have exact boundaries; rows of very different lengths lie on the same sides of them."""
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    X = rng.integers(-2, 3, (int(rng.integers(3, 5 * d * k)) + k, d)).astype(float)
    codes = np.append(np.arange(k), rng.integers(0, k, len(X) - k))
    plain = separating_direction(X, codes, fit_intercept=False)
    longer = X * 2.0 ** rng.integers(-30, 30, (len(X), 1))
    found = separating_direction(longer, codes, fit_intercept=False)
    assert found.kind == plain.kind
    if found:
        reached = margins(X, codes, found) / np.abs(found.coef).max()
        assert reached.min() >= -1e-11
        assert reached.max() > 1e-7


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize(("k", "coding"), [(2, [1]), (3, [2]), (3, [0, 1])])
def test_a_column_seen_only_with_some_classes_separates_a_large_design(as_sparse, k, coding):
    rng = np.random.default_rng(0)
    n, d = 5000, 60
    X, codes = rng.standard_normal((n, d)), rng.integers(0, k, n)
    assert not single_column(X, codes)
    X[:, 7] = 0.0
    X[np.flatnonzero(np.isin(codes, coding))[:9], 7] = 1.0
    found = separating_direction(sparse.csr_array(X) if as_sparse else X, codes)
    assert found.kind == "quasi"
    assert np.flatnonzero(np.any(found.coef, axis=1)).tolist() == [7]
    reached = margins(X, codes, found)
    assert reached.min() == 0.0
    assert reached.max() == 1.0


def test_a_single_column_without_an_intercept_must_change_its_sign_with_the_class():
    X, codes = np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 1])
    assert single_column(X, codes).kind == "separable"
    assert not single_column(X, codes, fit_intercept=False)
    assert single_column(X - 1.0, codes, fit_intercept=False).kind == "quasi"


def test_a_light_row_separates_though_the_iteration_ended_near_by():
    """A column that is one in a single row, which weighs a thousandth of the others."""
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 300)) < 0.02).astype(float)
    X[:, -1] = 0.0
    X[5, -1] = 1.0
    codes, weight = rng.integers(0, 2, 3000), np.ones(3000)
    codes[5], weight[5] = 1, 1e-3
    problem = LogisticProblem.of(sparse.csr_array(X), codes, weight=weight)
    solution = solve_logistic(problem, "newton-cg")
    assert np.abs(X @ solution.coef + solution.intercept).max() < 12  # no score says so
    assert solution.status is Status.SEPARATED
    without = LogisticProblem.of(sparse.csr_array(X[:, :-1]), codes, weight=weight)
    assert solve_logistic(without, "newton-cg").status is Status.CONVERGED


@pytest.mark.parametrize("tol", [1e-6, 1e-4])
def test_rows_of_one_class_separate_though_a_loose_tolerance_ended_near_by(tol):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 200))
    codes = (X[:, 0] + rng.logistic(size=4000) > 0).astype(int)
    X[:, -1] = 0.0
    X[np.flatnonzero(codes)[:3], -1] = 1.0
    solution = solve_logistic(LogisticProblem.of(X, codes), "lbfgs", tol)
    assert np.abs(X @ solution.coef + solution.intercept).max() < 12
    assert solution.status is Status.SEPARATED
    assert solve_logistic(LogisticProblem.of(X[:, :-1], codes), "lbfgs", tol).status is Status.CONVERGED


def test_weights_below_rounding_do_not_hide_a_separation():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    codes, weight = (X[:, 0] + rng.logistic(size=300) > 0).astype(int), np.ones(300)
    X[:, 2] = 0.0
    few = np.flatnonzero(codes)[:3]
    X[few, 2], weight[few] = 1.0, 1e-14
    solution = solve_logistic(LogisticProblem.of(X, codes, weight=weight))
    assert solution.status is Status.SEPARATED


def test_a_loose_tolerance_asks_no_linear_programme_where_a_newton_step_proves_a_maximum(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 40))
    codes = (2 * X[:, 0] + rng.logistic(size=4000) > 0).astype(int)
    monkeypatch.setattr(existence, "separating_direction", None)  # would fail if it were called
    assert solve_logistic(LogisticProblem.of(X, codes), "lbfgs", 1e-6).status is Status.CONVERGED


def test_reach_is_how_far_a_column_moves_the_scores():
    X = np.column_stack([[1e6, 2e6, 3e6, 7e6, 8e6, 9e6], [0.004, 0.002, 0.003, 0.004, 0.002, 0.003]])
    for codes in ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]):
        found = solve_logistic(LogisticProblem.of(X, np.array(codes))).facts["separation"]
        contrast = np.abs(found.coef[:, 0]) if found.coef.shape[1] == 1 else np.ptp(found.coef, axis=1)
        np.testing.assert_allclose(found.reach, np.ptp(X, axis=0) * contrast, rtol=1e-9)
        assert np.argmax(found.reach) == 0
