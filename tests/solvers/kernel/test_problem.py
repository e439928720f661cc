"""The objective over functions, its slope and its gap.  Catalogue A-17, P-04."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.kernels import Gaussian
from surefit.objective import Logistic, SoftmaxCrossEntropy
from surefit.solvers.kernel.gram import DenseGram
from surefit.solvers.kernel.newton import kernel_newton
from surefit.solvers.kernel.problem import KernelRiskProblem


def random_problem(lam, fit_intercept, n, seed, classes):
    rng = np.random.default_rng(seed)
    gram = DenseGram(Gaussian(1.0).gram(rng.normal(size=(n, 2))))
    y = rng.choice([-1.0, 1.0], n) if classes is None else np.arange(n) % classes
    weights = rng.uniform(0.5, 1.5, n)
    loss = Logistic() if classes is None else SoftmaxCrossEntropy()
    return KernelRiskProblem(gram, y, loss, lam, weights / weights.sum(), fit_intercept, classes)


@given(st.integers(0, 10**6), st.sampled_from([1e-4, 1e-2, 1.0]), st.booleans(), st.sampled_from([None, 3]))
def test_the_gap_is_never_below_the_true_excess(seed, lam, fit_intercept, classes):
    problem = random_problem(lam, fit_intercept, 9, seed, classes)
    best = kernel_newton(problem).objective
    rng = np.random.default_rng(seed)
    start = problem.start()
    point = problem.at(rng.normal(size=start.coef.shape), rng.normal() if classes is None else rng.normal(size=3))
    assert problem.gap(point) >= problem.value(point) - best - 1e-12


@pytest.mark.parametrize("classes", [None, 3])
def test_the_slope_is_the_derivative_of_the_value_along_a_direction(classes):
    """P-04: the gradient of ``a'K a`` is ``2 K a``."""
    problem = random_problem(0.1, True, 12, 0, classes)
    rng, shape = np.random.default_rng(1), problem.start().coef.shape
    here, there = (problem.at(rng.normal(size=shape), rng.normal(size=shape[1:]) if classes else 0.3) for _ in "ab")
    h = 1e-6
    central = (problem.value(here.moved(h, there)) - problem.value(here.moved(-h, there))) / (2 * h)
    assert problem.slope(here, there) == pytest.approx(central, rel=1e-6)


def test_a_part_is_the_problem_of_its_rows():
    problem, rows = random_problem(0.1, False, 12, 0, None), np.array([1, 4, 5, 9])
    part = problem.part(rows)
    assert part.weights.sum() == pytest.approx(1.0)
    a = np.arange(4.0)
    np.testing.assert_allclose(part.at(a, 0.0).values, problem.gram.K[np.ix_(rows, rows)] @ a)
