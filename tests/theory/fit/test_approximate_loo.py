"""One Newton step replaces n refits, nearly.  Catalogue S-04."""

import warnings

import numpy as np
import pytest

from surefit import LogisticRegression
from surefit.selection.choice import ChoiceWarning
from surefit.solvers.logistic.problem import LogisticProblem, losses
from surefit.solvers.logistic.solve import solve_logistic
from surefit.theory.fit.approximate_loo import approximate_loo, approximate_loo_scores


def sample(n, k, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((3, k))
    X = rng.standard_normal((n, 3))
    return X, np.argmax(X @ W + rng.gumbel(size=(n, k)), axis=1)


def point(solution):
    return np.vstack([solution.coef, solution.intercept])


def refitted(X, codes, lam, l1_ratio):
    n, rows = len(codes), np.arange(len(codes))
    scores = []
    for i in rows:
        rest = rows != i
        fit = solve_logistic(LogisticProblem.of(X[rest], codes[rest], lam * n / (n - 1), l1_ratio), tol=1e-12)
        scores.append(X[i] @ fit.coef + fit.intercept)
    scores = np.array(scores)
    return scores - scores.mean(axis=1, keepdims=True) if scores.shape[1] > 1 else scores


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("l1_ratio", "share"), [(0.0, 0.1), (1.0, 0.7)])  # a support that changes costs accuracy
def test_it_is_closer_to_the_refits_than_the_fit_itself(k, l1_ratio, share):
    X, codes = sample(60, k)
    problem = LogisticProblem.of(X, codes, 0.02, l1_ratio)
    V = point(solve_logistic(problem, tol=1e-12))
    exact = refitted(X, codes, 0.02, l1_ratio)
    shortcut = approximate_loo_scores(problem, V)
    naive = problem.scores(V)
    if k > 2:
        shortcut -= shortcut.mean(axis=1, keepdims=True)
        naive -= naive.mean(axis=1, keepdims=True)
    assert np.abs(shortcut - exact).mean() < share * np.abs(naive - exact).mean()
    if l1_ratio == 0:
        assert approximate_loo(problem, V) == pytest.approx(problem.share @ losses(exact, codes), rel=0.01)


def test_its_error_falls_faster_than_the_effect_it_describes():
    errors = []
    for n in (40, 160):
        X, codes = sample(n, 2)
        problem = LogisticProblem.of(X, codes, 0.05)
        V = point(solve_logistic(problem))
        exact = refitted(X, codes, 0.05, 0.0)
        errors.append(np.abs(approximate_loo_scores(problem, V) - exact).mean())
    assert errors[1] < errors[0] / 8  # order 1/n**2 against 1/n for the effect


@pytest.mark.parametrize("k", [2, 3])
def test_a_weighted_row_leaves_with_all_its_weight(k):
    """One Newton step is nearer to the refits than the fit itself, with weights from 1 to 3."""
    X, codes = sample(60, k)
    weight = np.random.default_rng(0).integers(1, 4, 60).astype(float)
    problem, rows = LogisticProblem.of(X, codes, 0.05, weight=weight), np.arange(60)
    V = point(solve_logistic(problem))
    exact = []
    for i in rows:
        rest = rows != i
        lam = 0.05 * weight.sum() / weight[rest].sum()
        fit = solve_logistic(LogisticProblem.of(X[rest], codes[rest], lam, weight=weight[rest]), tol=1e-12)
        exact.append(X[i] @ fit.coef + fit.intercept)
    moved = approximate_loo_scores(problem, V) - problem.scores(V)
    wanted = np.array(exact) - problem.scores(V)
    if k > 2:
        moved, wanted = (part - part.mean(axis=1, keepdims=True) for part in (moved, wanted))
    assert np.abs(moved - wanted).mean() < 0.15 * np.abs(wanted).mean()


def test_copied_rows_choose_the_same_lam():
    X, codes = sample(40, 2)
    lams, copies = [0.3, 0.1, 0.03, 0.01, 0.003], np.repeat(np.arange(40), 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChoiceWarning)  # the labels are coin flips
        once, often, counted = (
            LogisticRegression(criterion="approximate_loo", lams=lams).fit(*rows)
            for rows in ((X, codes), (X[copies], codes[copies]), (X, codes, np.full(40, 4.0)))
        )
    np.testing.assert_allclose(often.criterion_path_, once.criterion_path_, rtol=1e-7)
    np.testing.assert_allclose(counted.criterion_path_, once.criterion_path_, rtol=1e-7)
