"""Logistic regression: tall, wide and correlated designs, ten classes, and an L1 path on a sparse design.

The squared penalty is scikit-learn's ``C = 1``: ``lam = 1 / (2 n)``.  No intercept, because two peers would penalise
it; columns have mean zero by their law.  Peers' tolerances are as loose as the accuracy of the case allows; everybody
runs in a process of its own whose idle threads sleep.  Whoever needs more than a few seconds is run once or twice, and
stopped after twenty: its time is then a lower bound.
"""

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from benchmarks.case import Case, times_faster
from benchmarks.problems import Answer, Problem, seeded_problem

CLASSES, CORRELATION, SIGNAL, N_LAMS, DENSITY = 10, 0.9, 2.0, 50, 1e-3


def design(rng: np.random.Generator, n: int, d: int, correlation: float) -> np.ndarray:
    """Standard normal columns, neighbours with the given correlation (an AR(1) process)."""
    X = rng.standard_normal((n, d))
    for j in range(1, d if correlation else 0):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X


def labelled(rng: np.random.Generator, name: str, X: np.ndarray, k: int) -> Problem:
    """Labels from the logistic model with scores of standard deviation two."""
    n, d = X.shape
    scores = X @ rng.standard_normal((d, k))
    y = np.argmax(SIGNAL * scores / scores.std() + rng.gumbel(size=(n, k)), axis=1)
    y[:k] = np.arange(k)  # every class is there, however small the problem
    return Problem(name, X, y, lam=1 / (2 * n), fit_intercept=False)


@seeded_problem("logistic")
def logistic(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    return labelled(rng, name, design(rng, n, d, 0.0), 2)


@seeded_problem("logistic-ar")
def logistic_ar(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    return labelled(rng, name, design(rng, n, d, CORRELATION), 2)


@seeded_problem("multinomial")
def multinomial(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    return labelled(rng, name, design(rng, n, d, 0.0), CLASSES)


@seeded_problem("multinomial-ar")
def multinomial_ar(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    return labelled(rng, name, design(rng, n, d, CORRELATION), CLASSES)


@seeded_problem("logistic-path")
def logistic_path(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """Sparse independent columns of density 1e-3, 50 lams from the largest down to a thirtieth of it, no intercept."""
    density = max(DENSITY, 4 / n)
    X = sparse.random_array((n, d), density=density, rng=rng, format="csr", data_sampler=rng.standard_normal)
    truth = np.zeros(d)
    truth[rng.choice(d, min(200, d // 4), replace=False)] = 3.0
    y = (rng.random(n) < 1 / (1 + np.exp(-(X @ truth)))).astype(int)
    top = float(np.max(np.abs(X.T @ (y - 0.5)))) / n
    return Problem(name, X, y, lams=top * np.logspace(np.log10(1 / 30), 0, N_LAMS), fit_intercept=False)


def objective(problem: Problem, answer: Answer) -> float:
    """``mean(log-loss) + lam * ||W||**2`` from the definition; one row of coefficients for two classes, else ``k``."""
    coef = np.atleast_2d(answer.coef)
    scores = problem.X @ coef.T + np.asarray(answer.intercept)
    if len(coef) == 1:
        losses = np.logaddexp(0.0, np.where(problem.y == 1, -1.0, 1.0) * scores[:, 0])
    else:
        losses = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(problem.y)), problem.y]
    return float(np.mean(losses) + problem.lam * np.sum(coef**2))


def fit_facts(problem: Problem, answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """Relative distance of the objective to the best of all."""
    values = {who: objective(problem, answer) for who, answer in answers.items()}
    best = min(values.values())
    return {who: {"error": (value - best) / best, "objective": value} for who, value in values.items()}


def path_facts(problem: Problem, answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """Largest distance over the lams to the best objective of all, relative to it."""
    sign = np.where(problem.y == 1, -1.0, 1.0)

    def values(coefs: np.ndarray) -> np.ndarray:
        losses = [np.mean(np.logaddexp(0.0, sign * (problem.X @ coef))) for coef in coefs]
        return np.array(losses) + problem.lams * np.abs(coefs).sum(axis=1)

    curves = {who: values(np.asarray(answer.coefs)) for who, answer in answers.items()}
    best = np.min(list(curves.values()), axis=0)
    return {who: {"error": float(np.max(curve / best - 1))} for who, curve in curves.items()}


BINARY = (
    "sklearn_logistic:lbfgs", "sklearn_logistic:newton_cholesky", "sklearn_logistic:newton_cg",
    "sklearn_logistic:liblinear", "glum_logistic:fit", "snapml_logistic:fit", "intelex_logistic:lbfgs",
)  # fmt: skip
MULTI = ("sklearn_logistic:lbfgs", "sklearn_logistic:newton_cg", "intelex_logistic:lbfgs")
PATHS = (
    "celer_logistic:path",
    "sklearn_logistic:path_liblinear",
    "skglm_logistic:path",
    "glmnet:logistic_path",
    "adelie:logistic_path",
)


def fit_case(
    name: str, title: str, problem: str, quick: str, peers: tuple[str, ...], bound: float, of_intel: float | None = None
) -> Case:
    """Ours against these peers, each to be beaten by the same factor, scikit-learn-intelex by ``of_intel`` if given."""
    bounds = dict.fromkeys(peers, bound) | ({} if of_intel is None else {"intelex_logistic:lbfgs": of_intel})
    return Case(
        name=name,
        title=title,
        problem=problem,
        quick_problem=quick,
        contenders=("ours_logistic:fit", *peers),
        quality=fit_facts,
        targets=tuple(times_faster(peer, at_least=least) for peer, least in bounds.items()),
        repeats=5,
        tolerance=1e-9,
        patience=2.5,
        in_a_row=3,
        limit=20.0,
    )


CASES = (
    fit_case(
        "logistic-tall", "Logistic regression, 500,000 x 50", "logistic-500000x50", "logistic-200x3", BINARY, 4.0, 3.0,
    ),
    fit_case(
        "logistic-wide", "Logistic regression, 20,000 x 2,000", "logistic-20000x2000", "logistic-200x5", BINARY, 2.0,
    ),
    fit_case(
        "logistic-wide-ar", "Logistic regression, 20,000 x 2,000, AR(0.9) columns", "logistic-ar-20000x2000",
        "logistic-ar-200x5", BINARY, 8.0,
    ),
    fit_case(
        "logistic-multinomial", "Ten classes, 60,000 x 200", "multinomial-60000x200", "multinomial-300x4", MULTI, 3.5,
    ),
    fit_case(
        "logistic-multinomial-ar", "Ten classes, 60,000 x 200, AR(0.9) columns", "multinomial-ar-60000x200",
        "multinomial-ar-300x4", MULTI, 15.0,
    ),
    Case(
        name="logistic-path",
        title="L1 path of 50 lams, sparse 100,000 x 50,000 of density 1e-3",
        problem="logistic-path-100000x50000",
        quick_problem="logistic-path-300x40",
        contenders=("ours_logistic:path", *PATHS),
        quality=path_facts,
        targets=tuple(times_faster(peer, at_least=2.0) for peer in PATHS),
        repeats=2,
        tolerance=1e-9,
        patience=10.0,
        limit=150.0,
    ),
)  # fmt: skip
