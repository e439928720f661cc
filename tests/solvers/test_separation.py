"""Separation is found exactly where it is, and its direction proves it.  Catalogue A-29, E-099."""

import numpy as np
import pytest
from scipy import sparse

from surefit.solvers.logistic import solve_logistic
from surefit.solvers.logistic_problem import LogisticProblem
from surefit.solvers.separation import separating_direction
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
