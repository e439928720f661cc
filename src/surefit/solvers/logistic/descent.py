"""Layer solvers: gradient descent and stochastic gradient descent for logistic regression, as textbooks write them.

In: a `LogisticProblem` in the user's units and the settings.  Out: a `Run` whose history shows every iteration (or
epoch).  An L1 part is met by its prox after every step, since it has no gradient at zero (E-107).
"""

from __future__ import annotations

import numpy as np

from surefit.progress import Task
from surefit.solvers.linear.gradient import GradientDescent, StochasticGradientDescent
from surefit.solvers.logistic.newton import Run
from surefit.solvers.logistic.problem import LogisticProblem, losses_and_pulls


def gradient_descent(problem: LogisticProblem, V: np.ndarray, settings: GradientDescent) -> Run:
    """``V <- prox(V - step * gradient)`` from ``V``; the textbook's ascent on the likelihood.  Catalogue A-29, E-095.

    ``step=None`` takes ``1 / L`` with ``L`` a bound on the largest eigenvalue of the Hessian.  Stops when the step
    over its length has fallen to ``tol`` of its first size.
    """
    step = 1.0 / _curvature_bound(problem) if settings.step is None else _checked(settings.step)
    run, tell, first = Run(V, "gradient descent"), Task("gradient descent", settings.max_iter), np.inf
    for iteration in range(settings.max_iter + 1):
        at = problem.evaluate(V)
        moved = proximal_step(problem, V, at.gradient, step)
        with np.errstate(over="ignore", invalid="ignore"):
            length = float(np.linalg.norm(V - moved)) / step
        first = length if iteration == 0 else first
        run.record(at.risk + problem.penalty(V), length)
        tell(iteration, length)
        run.settled = length <= settings.tol * first
        if run.settled or not length <= 1e12 * first or iteration == settings.max_iter:
            break
        V = moved
    run.V = V
    return run


def stochastic_descent(problem: LogisticProblem, V: np.ndarray, settings: StochasticGradientDescent) -> Run:
    """One row at a time: ``V <- prox(V - s_t * gradient of row i)``, ``s_t = step / (1 + t)**decay``.

    Catalogue A-29, E-096.
    ``step=None`` takes a quarter of ``1 / L`` for the row of the largest curvature ``L``, squares of the penalty
    included.  ``average=True`` returns the mean of all iterates.
    """
    X = problem.X.tocsr() if problem.is_sparse else problem.X
    squares = X.multiply(X) if problem.is_sparse else np.square(X)
    relative = problem.share * problem.n
    longest = float(np.max(relative * (1.0 + np.asarray(squares.sum(axis=1)).ravel())))
    step = 0.25 / _curvature(problem, longest) if settings.step is None else _checked(settings.step)
    rng, run, tell = (
        np.random.default_rng(settings.seed),
        Run(V, "stochastic gradient descent"),
        Task("stochastic gradient descent", settings.epochs, "epoch"),
    )
    V, mean, t = V.copy(), V.copy(), 0
    for epoch in range(settings.epochs):
        n = problem.n
        for i in rng.permutation(n) if settings.order == "permutation" else rng.integers(n, size=n):
            row = X[[i]]
            _, pull = losses_and_pulls(np.asarray(row @ V[:-1]) + V[-1], problem.codes[[i]])
            pull *= relative[i]
            slope = np.vstack([np.asarray(row.T @ pull), pull * problem.fit_intercept])
            slope[:-1] += 2 * problem.square[:, None] * V[:-1]
            V = proximal_step(problem, V, slope, step / (1.0 + t) ** settings.decay)
            t += 1
            mean += (V - mean) / t
        run.V = mean if settings.average else V
        at = problem.evaluate(run.V)
        run.record(at.risk + problem.penalty(run.V), float(np.linalg.norm(at.gradient)))
        tell(epoch + 1, run.errors[-1])
        if not np.isfinite(run.objectives[-1]):
            break
    return run


def proximal_step(problem: LogisticProblem, V: np.ndarray, gradient: np.ndarray, step: float) -> np.ndarray:
    """A gradient step on the smooth part, then soft thresholding of the coefficients."""
    with np.errstate(over="ignore", invalid="ignore"):
        moved = V - step * gradient
        if np.any(problem.absolute):
            level = step * problem.absolute[:, None]
            moved[:-1] -= np.clip(moved[:-1], -level, level)
    return moved


def _curvature_bound(problem: LogisticProblem) -> float:
    """A bound on the curvature of the objective."""
    return _curvature(problem, float(problem.mean_square.sum()) + problem.fit_intercept)


def _curvature(problem: LogisticProblem, squared: float) -> float:
    """``c ||x||**2 + 2 max(square)``: the Hessian of a row is at most 1/4 (two classes) or 1/2 of ``x x'``."""
    bend = 0.25 if problem.width == 1 else 0.5
    return bend * squared + 2 * float(np.max(problem.square, initial=0))


def _checked(step: float) -> float:
    if not step > 0:
        raise ValueError(f"step must be > 0, got {step}; leave it None to have it chosen")
    return float(step)
