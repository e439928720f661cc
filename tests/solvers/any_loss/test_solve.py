"""Every solver on every problem it accepts, against each other and against the certificate.  Catalogue A-16."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from surefit.objective import (
    L1,
    L2,
    Absolute,
    ElasticNet,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Loss,
    Penalty,
    PNorm,
    Power,
    Problem,
    QuadraticEpsilonInsensitive,
    SoftmaxCrossEntropy,
    Squared,
    SquaredL2,
    ZeroOne,
)
from surefit.solvers.any_loss import solve
from surefit.solvers.any_loss.solve import SOLVERS, choose_solver, minimise
from surefit.solvers.linear import limits as linear_limits
from surefit.solvers.solution import Status

X = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y = np.array([3.0, 2, 1, 4, 7, 6])
SIGNS = np.sign(Y - 3.5)

LOSSES = [
    Squared(),
    Huber(0.5),
    QuadraticEpsilonInsensitive(0.2),
    Power(3.0),
    Power(1.5),
    Absolute(),
    EpsilonInsensitive(0.2),
    Logistic(),
    Hinge(),
]
PENALTIES = [SquaredL2(), L1(), ElasticNet(0.5), L2(), PNorm(np.inf)]


class Pinball(Loss):
    """A kinked loss of a user's, of which nothing is known but these three formulas."""

    convex = True

    def value(self, y, f):
        r = np.subtract(y, f)
        return np.maximum(0.8 * r, -0.2 * r)

    def derivative(self, y, f):
        return np.where(np.subtract(y, f) > 0, -0.8, 0.2)

    def curvature(self, y, f):
        return np.zeros(np.broadcast_shapes(np.shape(y), np.shape(f)))


class NonNegative(Penalty):
    """A penalty of a user's that has nothing but a prox."""

    separable = True

    def value(self, w):
        return 0.0 if np.min(w, initial=0.0) >= 0 else np.inf

    def gradient(self, w):
        return np.zeros_like(w)

    def prox(self, v, step):
        return np.maximum(v, 0.0)


def targets_of(loss):
    return SIGNS if loss.targets == "signs" else Y


def accepted_answer(problem, name):
    """The solution, or None if the solver refused the problem and said what to do instead."""
    try:
        return minimise(problem, name)
    except ValueError as refusal:
        if "use solver='auto'" not in str(refusal):
            raise
        return None


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_all_solvers_that_accept_a_problem_agree_on_it(loss, penalty):
    """A-16: same objective within the larger of the two certificates."""
    problem = Problem(X, targets_of(loss), loss, penalty, 0.1)
    best = minimise(problem)
    assert best.status in (Status.CONVERGED, Status.EXACT)
    assert best.gap <= 1e-9
    answers = {name: answer for name in SOLVERS if (answer := accepted_answer(problem, name)) is not None}
    assert len(answers) >= 2
    for name, other in answers.items():
        assert abs(other.objective - best.objective) <= max(other.gap, best.gap) + 1e-14
        if name != "stochastic":
            assert other.gap <= 1e-8


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in ("stochastic", "smoothed", "multipliers")])
def test_ridge_and_fixture_values_come_out_of_every_smooth_solver(name):
    """FX2 ridge, lam = 0.1; A-16 reproduces A-09."""
    solution = minimise(Problem(X, Y, Squared(), SquaredL2(), 0.1), name, tol=1e-14)
    np.testing.assert_allclose(solution.coef, [0.70202832, 0.87208583, 1.65852452], atol=2e-7)
    assert solution.objective == pytest.approx(0.530950467, abs=1e-9)


@pytest.mark.parametrize("name", ["prox-newton", "multipliers", "proximal", "gradient"])
def test_lasso_fixture_values_come_out_of_every_sparse_solver(name):
    """FX2 lasso, lam = 1; A-16 reproduces A-22."""
    solution = minimise(Problem(X, Y, Squared(), L1(), 1.0), name, tol=1e-13)
    np.testing.assert_allclose(solution.coef, [0.2519685, 0.50393701, 1.20472441], atol=2e-7)
    assert solution.objective == pytest.approx(2.866141732, abs=1e-9)


@pytest.mark.parametrize("name", ["prox-newton", "multipliers", "proximal"])
def test_coefficients_that_should_vanish_are_exactly_zero(name):
    """FX2 path: between 51/35 and 31/15 the first coefficient is zero, above 19/6 all are."""
    middle = minimise(Problem(X, Y, Squared(), L1(), 1.8), name)
    assert middle.coef[0] == 0
    assert np.all(middle.coef[1:] != 0)
    assert not np.any(minimise(Problem(X, Y, Squared(), L1(), 3.2), name).coef)


def test_stochastic_comes_close_and_says_that_it_only_came_close():
    rng = np.random.default_rng(3)
    A = rng.standard_normal((200, 3))
    problem = Problem(A, A @ [1.0, -2.0, 0.5] + 0.1 * rng.standard_normal(200), Squared(), SquaredL2(), 0.01)
    solution = minimise(problem, "stochastic", max_iter=60)
    assert solution.status is Status.EPOCHS_DONE
    assert len(solution.history["objective"]) == 61  # the start and every epoch
    assert solution.objective - minimise(problem).objective <= min(1e-2, solution.gap)


def least_absolute_by_linear_program(A, y):
    """An independent answer: ``min mean(t)``, ``-t <= y - A w - b <= t``."""
    n, d = A.shape
    cost = np.concatenate([np.zeros(d + 1), np.full(n, 1 / n)])
    design = np.column_stack([A, np.ones(n)])
    rows = np.block([[design, -np.eye(n)], [-design, -np.eye(n)]])
    answer = linprog(cost, A_ub=rows, b_ub=np.concatenate([y, -y]), bounds=[(None, None)] * (d + 1) + [(0, None)] * n)
    return answer.fun


@pytest.mark.parametrize("seed", range(5))
def test_least_absolute_deviations_equal_a_linear_program(seed):
    """L-04 at lam = 0."""
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((60, 5)), rng.standard_t(1.5, size=60)
    solution = minimise(Problem(A, y, Absolute(), SquaredL2(), 0.0))
    assert solution.objective == pytest.approx(least_absolute_by_linear_program(A, y), rel=1e-10)
    assert np.count_nonzero(np.abs(A @ solution.coef + solution.intercept - y) < 1e-9) >= 6


LAWS = st.tuples(
    st.sampled_from(LOSSES[:7]), st.sampled_from(PENALTIES[:3]), st.sampled_from([0.0, 1e-3, 0.1, 3.0]),
    st.integers(1, 25), st.integers(1, 8), st.integers(0, 10**6),
)  # fmt: skip


@hypothesis_settings(max_examples=150)
@given(LAWS)
def test_the_gap_is_small_and_never_below_the_true_suboptimality(law):
    """P-08: no point near the answer is better than the answer by more than its gap."""
    loss, penalty, lam, n, d, seed = law
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((n, d)), 3 * rng.standard_normal(n)
    problem = Problem(A, y, loss, penalty, lam, rng.integers(1, 4, size=n).astype(float))
    solution = minimise(problem)
    null = problem.primal(np.zeros(d), float(np.median(y)))
    assert solution.gap <= 1e-8 * null + 1e-12
    for size in (1e-6, 1e-3, 0.1):
        other = problem.primal(solution.coef + size * rng.standard_normal(d), solution.intercept + size * rng.normal())
        assert solution.objective - other <= solution.gap + 1e-13


def test_a_users_kinked_loss_gives_the_quantile_it_defines():
    """Pinball at 0.8: a fifth of the targets lie above the fit; found from the three formulas alone."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal(101)
    solution = minimise(Problem(np.zeros((101, 1)), y, Pinball(), SquaredL2(), 0.1))
    assert solution.intercept == pytest.approx(np.sort(y)[80], abs=1e-6)
    A = rng.standard_normal((60, 2))
    sloped = minimise(Problem(A, y[:60], Pinball(), SquaredL2(), 0.01))
    assert sloped.gap <= 1e-6
    assert np.mean(y[:60] > A @ sloped.coef + sloped.intercept + 1e-7) == pytest.approx(0.2, abs=0.06)


def test_a_users_penalty_with_only_a_prox_is_minimised():
    problem = Problem(X * [1.0, -1.0, 1.0], Y, Squared(), NonNegative(), 1.0)
    solution = minimise(problem)
    assert choose_solver(problem).name == "proximal"
    assert solution.coef[1] == 0
    without = minimise(Problem(X[:, [0, 2]], Y, Squared(), SquaredL2(), 0.0))
    np.testing.assert_allclose(solution.coef[[0, 2]], without.coef, atol=1e-5)
    assert solution.gap == np.inf  # no conjugate was given, so no gap is claimed


@pytest.mark.parametrize(
    ("loss", "penalty", "lam", "name"),
    [
        (Huber(), SquaredL2(), 0.1, "newton"),
        (Squared(), L1(), 0.1, "prox-newton"),
        (Huber(), L1(), 0.0, "newton"),
        (Huber(), L1(), 0.1, "prox-newton"),
        (Absolute(), L1(), 0.1, "multipliers"),
        (Power(1.2), SquaredL2(), 0.1, "multipliers"),
        (Absolute(), L2(), 0.1, "smoothed"),
        (Huber(), L2(), 0.1, "proximal"),
    ],
    ids=str,
)
def test_the_choice_follows_from_loss_and_penalty(loss, penalty, lam, name):
    choice = choose_solver(Problem(X, Y, loss, penalty, lam))
    assert choice.name == name
    assert str(choice).startswith(f"{name}: the loss")


def test_large_smooth_problems_go_to_gradients_instead_of_systems():
    wide = sparse.csr_array((5000, 5000))
    zeros = np.zeros(5000)
    assert choose_solver(Problem(wide, zeros, Huber(), SquaredL2(), 0.1)).name == "lbfgs"
    assert solve._by_shape("prox-newton", Problem(wide, zeros, Huber(), L1(), 0.1)) == "proximal"
    assert solve._by_shape("multipliers", Problem(wide, zeros, Absolute(), L1(), 0.1)) == "smoothed"


def test_what_cannot_be_minimised_is_refused_with_a_remedy():
    with pytest.raises(ValueError, match="convex surrogate"):
        minimise(Problem(X, SIGNS, ZeroOne(), SquaredL2(), 0.1))
    with pytest.raises(ValueError, match="one score per class"):
        minimise(Problem(X, np.zeros(6), SoftmaxCrossEntropy(), SquaredL2(), 0.1))
    with pytest.raises(ValueError, match="'newton'"):
        minimise(Problem(X, Y, Squared(), SquaredL2(), 0.1), "magic")


@pytest.mark.parametrize("loss", [Huber(0.5), Absolute()], ids=str)
@pytest.mark.parametrize("penalty", [SquaredL2(), L1()], ids=str)
def test_more_columns_than_rows_are_solved_to_the_same_certificate(loss, penalty):
    rng = np.random.default_rng(5)
    A, y = rng.standard_normal((20, 60)), rng.standard_normal(20)
    for design in (A, sparse.csr_array(np.where(np.abs(A) > 1, A, 0))):
        solution = minimise(Problem(design, y, loss, penalty, 0.05))
        assert solution.gap <= 1e-9


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_an_intercept_none_is_learnt(fit_intercept):
    for loss in LOSSES[:7]:
        solution = minimise(Problem(X, Y, loss, SquaredL2(), 0.1, fit_intercept=fit_intercept))
        assert (solution.intercept != 0) == fit_intercept
        assert solution.gap <= 1e-9


@pytest.mark.parametrize("room", [10_000_000, 100])
@pytest.mark.parametrize("loss", [Huber(0.5), Absolute()], ids=str)
def test_sparse_columns_that_are_nearly_alike_never_get_too_small_a_gap(loss, room, monkeypatch):
    """What they span is more than their Gram matrix knows; past memory the gap at least says so."""
    monkeypatch.setattr(linear_limits, "DENSE_LIMIT", room)
    rng = np.random.default_rng(3)
    A, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    A[:, 1] = A[:, 0] + 1e-8 * A[:, 1]
    least = minimise(Problem(A, y, loss, SquaredL2(), 0.0))
    found = minimise(Problem(sparse.csr_array(A), y, loss, SquaredL2(), 0.0))
    assert found.objective - found.gap <= least.objective
    assert found.objective <= least.objective + 1e-6 or room == 100
    assert found.status is Status.CONVERGED or found.gap > 1e-3
