"""How good an answer is: problem and answers in, facts for each contender out; looked at after the clock stopped.

Every judge here computes from the definition, with plain NumPy, and trusts nobody's own report.
"""

from collections.abc import Mapping

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from benchmarks.problems import Answer, Problem

Facts = dict[str, dict[str, float]]


def ridge_objective(problem: Problem, answer: Answer, lam: float) -> float:
    """``mean((y - X w - b)**2) + lam * ||w||**2`` at the answer."""
    coef = np.asarray(answer.coef)
    residual = problem.y - problem.X @ coef - answer.intercept
    return float(np.mean(residual**2) + lam * np.sum(coef**2))


def stationarity(problem: Problem, answer: Answer, lam: float) -> float:
    """Norm of the gradient at the answer over its norm at ``w = 0, b = mean(y)``; zero at the minimum.

    Without an intercept the comparison point is ``w = 0, b = 0``.
    """
    n = len(problem.y)

    def gradient(coef: np.ndarray, intercept: float) -> float:
        residual = problem.y - problem.X @ coef - intercept
        slopes = -2 / n * (problem.X.T @ residual) + 2 * lam * coef
        level = -2 * residual.mean() if problem.fit_intercept else 0.0
        return float(np.hypot(np.linalg.norm(slopes), level))

    coef = np.asarray(answer.coef)
    start = gradient(np.zeros_like(coef), float(problem.y.mean()) if problem.fit_intercept else 0.0)
    return gradient(coef, answer.intercept) / start


def squared_loss_facts(problem: Problem, answers: Mapping[str, Answer]) -> Facts:
    """Relative gap of the objective to the best answer of all (``error``) and stationarity."""
    solved = {who: answer for who, answer in answers.items() if answer.coef is not None}
    values = {who: ridge_objective(problem, answer, problem.lam) for who, answer in solved.items()}
    best = min(values.values())
    return {
        who: {
            "error": (values[who] - best) / best,
            "objective": values[who],
            "stationarity": stationarity(problem, answer, problem.lam),
        }
        for who, answer in solved.items()
    }


def direct_loo(problem: Problem, lam: float) -> float:
    """Mean squared leave-one-out residual at one ``lam``, ``mean((r_i / (1 - H_ii))**2)``, by one Cholesky.

    ``H`` at the same ``n * lam`` for every left-out row; the intercept adds ``1/n`` to each leverage.  Costs a d x d
    factorisation per lam and shares no code with any contender.  Catalogue T-76.
    """
    n, d = problem.X.shape
    centre = problem.X.mean(axis=0) if problem.fit_intercept else np.zeros(d)
    level = problem.y.mean() if problem.fit_intercept else 0.0
    X, y = problem.X - centre, problem.y - level
    inverse_times_X = cho_solve(cho_factor(X.T @ X + n * lam * np.eye(d)), X.T)
    leverage = np.einsum("ij,ji->i", X, inverse_times_X) + (1 / n if problem.fit_intercept else 0.0)
    residual = y - X @ (inverse_times_X @ y)
    return float(np.mean((residual / (1 - leverage)) ** 2))


def loo_facts(problem: Problem, answers: Mapping[str, Answer]) -> Facts:
    """The leave-one-out curve against the direct formula at three lams (``error``), and against the first contender.

    ``lam`` is the one chosen, ``lam_index`` its place in the grid, ``curve_difference`` and ``index_difference``
    compare with the first contender, ``stationarity`` judges the final fit at the contender's own lam.
    """
    checked = [0, len(problem.lams) // 2, len(problem.lams) - 1]
    direct = np.array([direct_loo(problem, lam) for lam in problem.lams[checked]])
    curves = {who: _sorted_curve(problem, answer) for who, answer in answers.items()}
    first = next(iter(answers))
    places = {who: _place(problem.lams, float(answer.lam or 0.0)) for who, answer in answers.items()}
    return {
        who: {
            "error": float(np.max(np.abs(curves[who][checked] / direct - 1))),
            "lam": float(answer.lam or 0.0),
            "lam_index": places[who],
            "index_difference": abs(places[who] - places[first]),
            "curve_difference": float(np.max(np.abs(curves[who] / curves[first] - 1))),
            "stationarity": stationarity(problem, answer, float(answer.lam or 0.0)),
        }
        for who, answer in answers.items()
    }


def _sorted_curve(problem: Problem, answer: Answer) -> np.ndarray:
    """The criterion in the problem's increasing order of lam."""
    if answer.lams is None or answer.criterion is None:
        raise ValueError("the answer carries no leave-one-out curve; fill in Answer.lams and Answer.criterion")
    order = np.argsort(answer.lams)
    if not np.allclose(np.asarray(answer.lams)[order], problem.lams, rtol=1e-12, atol=0):
        raise ValueError("the curve is over another grid; compute it at Problem.lams")
    return np.asarray(answer.criterion)[order]


def _place(lams: np.ndarray, lam: float) -> int:
    return int(np.argmin(np.abs(np.log(lams) - np.log(lam))))
