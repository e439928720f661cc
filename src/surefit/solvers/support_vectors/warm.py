"""Layer solvers: one support-vector problem for many ``lam``, from the largest down, on a Gram matrix in memory.

In: a `SupportVectorProblem` and the Gram matrix of its rows in float32.  Out: weights and offset for each ``lam`` in
turn, accurate enough to compare values of ``lam``; every solution starts from the one before.  The fit that is kept is
made by `solve_dual`, which also bounds its gap.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefit.compiled.door import pair_steps
from surefit.solvers.support_vectors.problem import SupportVectorProblem
from surefit.solvers.support_vectors.solve import offset_of

STEPS = 100
"""Two-variable steps for each row after which a solution is taken as it is."""

ROWS = 256
"""Rows of a kernel matrix that are held in float64 at a time."""


class WarmDual:
    """The dual of ``problem`` at decreasing ``lam``; ``largest`` is the largest ``k(x, x)``.

    >>> from surefit.kernels.library import Linear
    >>> from surefit.objective.regression import EpsilonInsensitive
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    >>> problem = SupportVectorProblem(Linear(), X, y, np.ones(2), EpsilonInsensitive(0.1), lam=1.0)
    >>> at = WarmDual(problem, 1.0)
    >>> at.step(0.5, (X @ X.T).astype(np.float32), 1e-6)[0].round(5), at.beta.round(5)
    (array([-0.5,  0.5]), array([-1.,  1.]))
    """

    def __init__(self, problem: SupportVectorProblem, largest: float):
        self.problem, self.unit = problem, (problem.spread, largest)
        self.beta, self.lam = np.zeros(len(problem.y)), np.inf

    def step(self, lam: float, gram: np.ndarray, tol: float) -> tuple[np.ndarray, float, float]:
        """Weights of the rows, the offset, and ``||f||**2`` at ``lam``, to a violation of ``tol`` in units of spread.

        ``gram`` is ``K`` of the rows.  Where there is no offset one more variable takes up the sum of the others.
        """
        spread, largest = self.unit
        dual = replace(self.problem, lam=lam).dual().in_units(spread, largest)
        beta = dual.unrounded(self._start(lam, gram, dual.target, dual.tube))
        of = lambda values, last: values if dual.offset else np.append(values, last)
        matrix = gram if dual.offset else np.pad(gram, (0, 1))
        score = (gram @ beta.astype(np.float32)).astype(np.float64) / largest
        variables, tube = of(beta, -beta.sum()), of(np.full(len(beta), dual.tube), 0.0)
        bounds = of(dual.lower, -np.inf), of(dual.upper, np.inf)
        gradient = of(score + dual.ridge * beta - dual.target, 0.0).astype(np.float32)
        goal = (tol, STEPS * len(variables))
        pair_steps(matrix, 1.0 / largest, of(dual.ridge, 0.0), tube, *bounds, goal, variables, gradient)
        self.beta, self.lam = variables[: len(beta)], lam
        score = _product(gram, self.beta) / largest
        offset, _ = offset_of(dual, self.beta, score)
        square = float(self.beta @ score) * spread**2 / largest
        return self.beta * spread / largest, self.problem.level + spread * offset, square

    def _start(self, lam: float, gram: np.ndarray, target: np.ndarray, tube: float) -> np.ndarray:
        """The solution before, stretched to the best multiple that the new bounds allow."""
        reach = float(target @ self.beta) - tube * float(np.abs(self.beta).sum())
        score = gram @ self.beta.astype(np.float32) / self.unit[1]
        square = float(self.beta @ score)
        return self.beta if square <= 0 else self.beta * float(np.clip(reach / square, 1.0, self.lam / lam))


def _product(gram: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """``gram @ beta`` in float64, some rows of the matrix at a time; ``||f||**2`` would cancel in float32."""
    rows = range(0, len(gram), ROWS)
    return np.concatenate([gram[first : first + ROWS].astype(np.float64) @ beta for first in rows])
