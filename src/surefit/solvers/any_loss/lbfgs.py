"""Layer solvers: limited-memory BFGS for a smooth loss and a smooth penalty, whatever the number of columns.

In: a `Problem` (best standardised).  Out: a `Solution` with its gap.  SciPy's implementation; what is ours is the
objective, its gradient and the certificate.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from surefit.objective.problem import Problem
from surefit.progress import Task
from surefit.solvers.any_loss import limits
from surefit.solvers.any_loss.judge import Judge, Trace, constant_fit
from surefit.solvers.solution import Solution


def lbfgs(problem: Problem, tol: float = 1e-8, max_iter: int = 5000) -> Solution:
    """Minimise a smooth loss with a smooth penalty.  Catalogue A-16.

    >>> from surefit.objective import Squared, SquaredL2
    >>> problem = Problem(np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5]), Squared(), SquaredL2(), 1.25)
    >>> lbfgs(problem).coef.round(6)
    array([0.55])
    """
    if not problem.loss.smooth or not (problem.penalty.smooth or problem.lam == 0):
        raise ValueError(
            f"lbfgs needs a smooth loss and a smooth penalty, got {problem.loss!r} and {problem.penalty!r}; "
            "use solver='auto'"
        )
    level, null = constant_fit(problem)
    yardstick = max(null, np.finfo(float).tiny)  # the values SciPy sees are of size one, whatever the targets' units
    trace, tell = Trace(), Task("lbfgs", max_iter)

    def value_and_slope(v: np.ndarray) -> tuple[float, np.ndarray]:
        with np.errstate(over="ignore", invalid="ignore"):
            slope, pull = problem.gradient(v[:-1], v[-1])
            value = problem.primal(v[:-1], v[-1])
        if problem.lam > 0:
            slope = slope + problem.lam * problem.penalty.gradient(v[:-1])
        full = np.append(slope, float(pull) * problem.fit_intercept) / yardstick
        trace.record(value, float(np.linalg.norm(full)))
        tell(len(trace.error), trace.error[-1])
        return value / yardstick, full

    options: dict[str, float] = {"maxiter": max_iter, "maxfun": 2 * max_iter, "maxcor": limits.LBFGS_MEMORY}
    options |= {"ftol": 1e-16, "gtol": 1e-3 * tol}
    start = np.append(np.zeros(problem.X.shape[1]), level)
    answer = minimize(value_and_slope, start, jac=True, method="L-BFGS-B", options=options)
    return Judge(problem, "lbfgs", tol, null).solution(answer.x[:-1], float(answer.x[-1]), trace, n_iter=answer.nit)
