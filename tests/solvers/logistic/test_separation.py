"""Separation is found exactly where it is, and its direction proves it.  Catalogue A-29, E-099."""

import numpy as np
import pytest
from scipy import sparse

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


def test_rows_on_the_boundary_are_quasi_separated():
    solution = solve_logistic(LogisticProblem.of(np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])))
    assert solution.status is Status.SEPARATED
    assert solution.facts["separation"].kind == "quasi"


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


def test_reach_is_how_far_a_column_moves_the_scores():
    X = np.column_stack([[1e6, 2e6, 3e6, 7e6, 8e6, 9e6], [0.004, 0.002, 0.003, 0.004, 0.002, 0.003]])
    for codes in ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]):
        found = solve_logistic(LogisticProblem.of(X, np.array(codes))).facts["separation"]
        contrast = np.abs(found.coef[:, 0]) if found.coef.shape[1] == 1 else np.ptp(found.coef, axis=1)
        np.testing.assert_allclose(found.reach, np.ptp(X, axis=0) * contrast, rtol=1e-9)
        assert np.argmax(found.reach) == 0
