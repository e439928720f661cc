"""Layer solvers: Newton's method for logistic regression, with the whole Hessian or with products of it.

In: a `LogisticProblem` without an L1 part and a start.  Out: a `Run`: the last point and what happened on the way.  The
Hessian of ``k`` classes has blocks ``A' diag(q_a (1[a=b] - q_b)) A`` (Catalogue T-81); adding one
number to the scores of all classes changes nothing, so these directions get a curvature of their own, which fixes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.scores import class_probabilities
from surefit.progress import Task
from surefit.solvers.conjugate_gradients import Map, conjugate_gradients
from surefit.solvers.logistic import limits
from surefit.solvers.logistic.problem import Evaluation, LogisticProblem, losses_and_pulls
from surefit.solvers.normal_equations import solve_psd, weighted_gram

CORRECT = 0.69
"""A loss below log(2) says that the true class has more than half of the probability.

If the losses of all rows are, the classes are separated and an unpenalised likelihood has no maximum: nothing is gained
by going on.
"""

STRICT = 1e-10
"""From this tolerance on the gradient has to be small, too."""

STILL = 1e-8
"""A gradient is small if its norm is at most this."""


Direction = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
"""From probabilities, slope and the error left: a Newton step."""


@dataclass
class Run:
    """Where an iteration stands, and its history."""

    V: np.ndarray
    method: str
    settled: bool = False
    at: Evaluation | None = None
    gap: float | None = None
    objectives: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)

    def record(self, objective: float, error: float) -> None:
        self.objectives.append(float(objective))
        self.errors.append(float(error))


def newton(problem: LogisticProblem, V: np.ndarray, tol: float, max_iter: int) -> Run:
    """Newton steps with the exact Hessian, halved where the objective would rise.  Catalogue A-29, A-30.

    Converges to rounding whatever ``tol``: the last step costs as much as the others and doubles the digits.
    """
    A = augmented(problem)

    def direction(q: np.ndarray, slope: np.ndarray, error: float) -> np.ndarray:
        H = hessian(problem, A, q) + still(problem, q)
        if not np.all(np.isfinite(H)):  # squares overflowed: no step can be told from it
            return np.full_like(slope, np.nan)
        return -solve_psd(H, slope.T.ravel()).reshape(problem.width, -1).T

    return _iterate(problem, A, V, direction, (limits.NEWTON_SETTLED, np.inf), max_iter, "newton")


def newton_cg(problem: LogisticProblem, V: np.ndarray, tol: float, max_iter: int) -> Run:
    """Newton steps from products with the Hessian, by conjugate gradients scaled with its diagonal.

    The inner solution is only as accurate as the step deserves.  From ``tol = 1e-10`` on the steps go on until the
    gradient's norm is 1e-8, if rounding allows it.  For designs too wide to factorise.  Catalogue A-29.
    """
    A = augmented(problem)
    direction = by_products(problem, A)
    slope = STILL if tol <= STRICT else np.inf
    return _iterate(problem, A, V, direction, (0.1 * tol, slope), max_iter, "newton-cg")


def by_products(problem: LogisticProblem, A: Any) -> Direction:
    """Newton steps from the probabilities and the slope, as accurate as the square root of the error left asks for."""
    squares = A.multiply(A) if sparse.issparse(A) else np.square(A)
    ridge = np.append(2 * problem.square, np.zeros(A.shape[1] - problem.d))[:, None]

    def direction(q: np.ndarray, slope: np.ndarray, error: float) -> np.ndarray:
        diagonal = np.asarray(squares.T @ (problem.share[:, None] * q * (1 - q))) + ridge
        scale = np.where(diagonal > 0, diagonal, 1.0)

        def product(D: np.ndarray) -> np.ndarray:
            moved = q * np.asarray(A @ D)
            moved -= q * moved.sum(axis=1, keepdims=True)
            return np.asarray(A.T @ (problem.share[:, None] * moved)) + ridge * D

        return -scaled_solution(product, slope, scale, min(0.1, error**0.5))

    return direction


def _iterate(
    problem: LogisticProblem,
    A: Any,
    V: np.ndarray,
    direction: Direction,
    enough: tuple[float, float],
    max_iter: int,
    method: str,
) -> Run:
    """Steps until the error and the norm of the slope are small ``enough``, or none lowers the objective."""
    rows = A.shape[1]
    point, run, tell = V[:rows].copy(), Run(V, method), Task(method, max_iter)
    scores, error, stuck, null = np.asarray(A @ point), 1.0, 0, problem.null_value()
    for iteration in range(max_iter):
        loss, pull = losses_and_pulls(scores, problem.codes)
        value = float(problem.share @ loss) + problem.penalty(_padded(point, problem))
        slope = np.asarray(A.T @ (problem.share[:, None] * pull))
        slope[: problem.d] += 2 * problem.square[:, None] * point[: problem.d]
        if error <= enough[0] and float(np.linalg.norm(slope)) <= enough[1]:  # only the slope was still too large
            run.record(value, error)
            run.settled = True
            break
        step = direction(class_probabilities(scores), slope, error)
        decrement = -float(np.sum(slope * step))
        if not np.isfinite(decrement):
            break
        error = max(decrement, 0.0) / max(null, np.finfo(float).tiny)
        run.record(value, error)
        tell(iteration, error)
        separated = not problem.penalised and float(loss.max()) < CORRECT
        small = error <= enough[0] and (enough[1] == np.inf or float(np.linalg.norm(slope)) <= enough[1])
        run.settled = small or stuck >= 2 or separated
        if run.settled:
            break
        share, moved, lower = _halved(problem, (point, scores), (step, np.asarray(A @ step)), value, decrement)
        stuck = stuck + 1 if not lower < value else 0
        point, scores = point + share * step, moved
    run.V = _padded(point, problem)
    return run


def _halved(
    problem: LogisticProblem, at: tuple[np.ndarray, np.ndarray], step: tuple[np.ndarray, np.ndarray], value: float,
    decrement: float,
) -> tuple[float, np.ndarray, float]:  # fmt: skip
    """The longest of the steps 1, 1/2, 1/4, ... that lowers the objective enough, the scores and objective there."""
    share = 1.0
    for _ in range(limits.HALVINGS):
        scores = at[1] + share * step[1]
        lower = problem.risk_of(scores) + problem.penalty(_padded(at[0] + share * step[0], problem))
        if lower <= value - 1e-4 * share * decrement + 1e-15 * value:
            return share, scores, lower
        share *= 0.5
    return 0.0, at[1], value


def _padded(point: np.ndarray, problem: LogisticProblem) -> np.ndarray:
    return point if problem.fit_intercept else np.vstack([point, np.zeros((1, problem.width))])


def augmented(problem: LogisticProblem) -> Any:
    """The design with a column of ones for the intercept, if there is one."""
    if not problem.fit_intercept:
        return problem.X
    ones = np.ones((problem.n, 1))
    return sparse.hstack([problem.X, ones], format="csr") if problem.is_sparse else np.hstack([problem.X, ones])


def hessian(problem: LogisticProblem, A: Any, q: np.ndarray) -> np.ndarray:
    """Hessian of the objective, ``(p * width, p * width)`` with one class after the other.  Catalogue T-78, T-81."""
    p, width = A.shape[1], problem.width
    H = np.empty((width, p, width, p))
    for a in range(width):
        H[a, :, a] = weighted_gram(A, problem.share * q[:, a] * (1 - q[:, a]))
        H[a, np.arange(problem.d), a, np.arange(problem.d)] += 2 * problem.square
        for b in range(a):
            H[a, :, b] = H[b, :, a] = -weighted_gram(A, problem.share * q[:, a] * q[:, b])
    return H.reshape(width * p, width * p)


def still(problem: LogisticProblem, q: np.ndarray) -> np.ndarray:
    """Curvature for moving the unpenalised parameters of all classes together, which the loss does not feel."""
    p = problem.d + problem.fit_intercept
    free = np.append(problem.square == 0, np.ones(p - problem.d, dtype=bool))
    size = float(np.max(q * (1 - q), initial=0.0)) if problem.width > 1 else 0.0
    return np.kron(np.ones((problem.width, problem.width)), np.diag(size * free))


def scaled_solution(product: Map, target: np.ndarray, scale: np.ndarray, accuracy: float) -> np.ndarray:
    """Solve ``product(x) = target`` until the residual, in the norm of ``1 / scale``, is ``accuracy`` of its first.

    >>> scaled_solution(lambda x: np.array([[2.0], [4.0]]) * x, np.ones((2, 1)), np.ones((2, 1)), 1e-12).ravel()
    array([0.5 , 0.25])
    """
    goal = accuracy**2 * float(np.sum(target**2 / scale))
    x, _ = conjugate_gradients(
        lambda v: product(v.reshape(target.shape)).reshape(-1, 1),
        lambda v: v / scale.reshape(-1, 1),
        target.reshape(-1, 1),
        lambda residual, energy: ~(energy > goal),
        target.size,
    )
    return x.reshape(target.shape)
