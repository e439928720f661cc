"""Layer theory: leave-one-out for logistic regression, approximately: one Newton step instead of ``n`` refits.

In: a `LogisticProblem` and its solution.  Out: the scores that each row would get from a fit without it.  Exact to
first order in ``1/n``; never called leave-one-out without the word approximate.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from surefit.data.scores import class_probabilities
from surefit.solvers.logistic.coordinates import good_coordinates
from surefit.solvers.logistic.newton import augmented, hessian, still
from surefit.solvers.logistic.problem import LogisticProblem, losses, losses_and_pulls
from surefit.solvers.normal_equations import solve_psd


def approximate_loo_scores(problem: LogisticProblem, V: np.ndarray) -> np.ndarray:
    """Scores of each row from the fit without it, shape ``(n, width)``, after one Newton step away from the fit.

    ``f_i + M_i (I - t S_i M_i)^{-1} t g_i`` with ``M_i = (I x a_i)' H^{-1} (I x a_i)``, ``S_i`` and ``g_i`` curvature
    and slope of the loss of row ``i``, ``H`` the Hessian of the objective on the coefficients that are not zero, and
    ``t`` the share of the row, which leaves with all its weight.  As for exact leave-one-out, ``n * lam`` stays fixed.
     Formed for centred columns of unit size, where ``H`` is well conditioned if it ever is.
    Catalogue S-04 (its one-step relative).
    """
    coordinates = good_coordinates(problem, always=True)
    problem, V = coordinates.problem, coordinates.enter(V)
    A, scores = augmented(problem), problem.scores(V)
    A = np.asarray(A.todense()) if problem.is_sparse else A
    q, (_, pull) = class_probabilities(scores), losses_and_pulls(scores, problem.codes)
    inverse = _inverse(problem, A, V, q)
    gone, width = problem.share, problem.width
    M = np.empty((problem.n, width, width))
    for a in range(width):
        for b in range(a + 1):
            M[:, a, b] = M[:, b, a] = np.einsum("ij,ij->i", A @ inverse[a, :, b], A)
    if width == 1:
        bend, leverage = q[:, 0] * (1 - q[:, 0]), gone * M[:, 0, 0]
        room = np.maximum(1 - leverage * bend, 1e-12)
        return scores + (leverage * pull[:, 0] / room)[:, None]
    S = q[:, :, None] * (np.eye(width) - q[:, None, :])
    system = np.eye(width) - gone[:, None, None] * (S @ M)
    return scores + (M @ np.linalg.solve(system, (gone[:, None] * pull)[:, :, None]))[:, :, 0]


def approximate_loo(problem: LogisticProblem, V: np.ndarray) -> float:
    """Mean log-loss of rows left out, approximately: see `approximate_loo_scores`."""
    return float(problem.share @ losses(approximate_loo_scores(problem, V), problem.codes))


def _inverse(problem: LogisticProblem, A: np.ndarray, V: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Inverse Hessian ``(width, p, width, p)`` on the coefficients that may move, zero elsewhere."""
    p, width = A.shape[1], problem.width
    H = hessian(problem, A, q) + still(problem, q)
    moves = V[:p] != 0 if np.any(problem.absolute) else np.ones((p, width), dtype=bool)
    moves[problem.d :] = True
    active = np.flatnonzero(moves.T.ravel())
    inverse = np.zeros_like(H)
    block = H[np.ix_(active, active)]
    try:
        inverse[np.ix_(active, active)] = linalg.cho_solve(linalg.cho_factor(block), np.eye(len(active)))
    except linalg.LinAlgError:
        inverse[np.ix_(active, active)] = solve_psd(block, np.eye(len(active)))
    return inverse.reshape(width, p, width, p)
