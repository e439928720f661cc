"""Lasso with lam chosen by 10-fold cross-validation over 100 lams, the same folds for everybody."""

from collections.abc import Mapping

import numpy as np

from benchmarks.case import Case, their_quality, times_faster
from benchmarks.problems import Answer, Problem, seeded_problem
from surefit.objective import L1, Squared
from surefit.objective import Problem as Objective

N_LAMS, N_TRUE, CORRELATION, SIGNAL_TO_NOISE = 100, 50, 0.6, 3.0


@seeded_problem("lasso-cv")
def lasso_cv(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """Neighbouring columns correlate at 0.6, 50 true coefficients, signal to noise 3; lams down to a hundredth."""
    X = np.empty((n, d), order="F")
    X[:, 0] = rng.standard_normal(n)
    for j in range(1, d):
        X[:, j] = CORRELATION * X[:, j - 1] + np.sqrt(1 - CORRELATION**2) * rng.standard_normal(n)
    truth = np.zeros(d)
    truth[rng.choice(d, min(N_TRUE, d), replace=False)] = rng.standard_normal(min(N_TRUE, d))
    signal = X @ truth
    noise = rng.standard_normal(n)
    y = signal + noise * np.linalg.norm(signal) / np.linalg.norm(noise) / SIGNAL_TO_NOISE
    largest = 2 / n * float(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max())
    return Problem(name, X, y, lams=largest * np.logspace(-2, 0, N_LAMS))


def chosen_facts(problem: Problem, answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """Relative duality gap of the refit at the chosen lam, and how far curve and choice are from ours."""
    ours = next(iter(answers.values()))
    null = float(np.var(problem.y))
    facts = {}
    for who, answer in answers.items():
        objective = Objective(problem.X, problem.y, Squared(), L1(), float(answer.lam))  # type: ignore[arg-type]
        order, ours_order = np.argsort(answer.lams), np.argsort(ours.lams)
        curve, ours_curve = answer.criterion[order], ours.criterion[ours_order]  # type: ignore[index]
        facts[who] = {
            "error": objective.gap(answer.coef, answer.intercept) / null,  # type: ignore[arg-type]
            "curve_difference": float(np.max(np.abs(curve - ours_curve) / ours_curve)),
            "index_difference": float(abs(int(np.argmin(curve)) - int(np.argmin(ours_curve)))),
        }
    return facts


CASES = (
    Case(
        name="lasso-cv",
        title="10-fold cross-validation of the lasso over 100 lams, 1,000 x 10,000, down to lam_max / 100",
        problem="lasso-cv-1000x10000",
        quick_problem="lasso-cv-60x30",
        contenders=("ours:lasso_cv", "celer_cv:lasso_cv", "celer_cv:lasso_cv_all_cores"),
        quality=chosen_facts,
        targets=(
            times_faster("celer_cv:lasso_cv", at_least=4),
            times_faster("celer_cv:lasso_cv_all_cores", at_least=2),
            their_quality("curve_difference", "celer_cv:lasso_cv", at_most=1e-2),
        ),
        repeats=2,
        tolerance=1e-6,
    ),
)
