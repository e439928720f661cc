"""Layer solvers: the compiled elastic-net loops in plain Python, their specification and their stand-in.

Same results as native/coordinate.cpp and native/columns.cpp up to rounding; the factor of the support is formed afresh
here where the compiled loop appends to it and deletes from it.
"""

import numpy as np
from scipy import sparse

SMALLEST_PIVOT = 1e-10
"""Of a column's own square: a column that keeps less, given those before it, depends on them."""


def gram_descent(  # noqa: PLR0913  the signature is that of the compiled loop
    gram: np.ndarray,
    moment: np.ndarray,
    target_square: float,
    threshold: np.ndarray,
    ridge: np.ndarray,
    positive: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    corr: np.ndarray,
    factor: np.ndarray,
    order: np.ndarray,
    n_factor: int,
) -> tuple[float, int, int]:
    """Minimise ``||t - A w||**2 + sum_j (2 threshold_j |w_j| + ridge_j w_j**2)`` from ``gram = A'A``, ``moment = A't``.

    Newton steps on the support alternate with coordinate sweeps until the duality gap is at most ``stop[0]`` or
    ``stop[1]`` rounds are done; ``coef`` and ``corr = A'(t - A w)`` are updated in place.  Returns the gap, the rounds
    and the size of the factor, which is left empty.  Catalogue A-22.
    """
    problem = (gram, moment, target_square, threshold, ridge, positive)
    tol, max_iter = stop
    gap, rounds = _gap(*problem, coef, corr), 0
    while gap > tol and rounds < max_iter:
        rounds += 1
        _newton(gram, threshold, ridge, positive, coef, corr)
        gap = _gap(*problem, coef, corr)
        if gap <= tol:
            break
        _sweep(gram, threshold, ridge, positive, coef, corr, 1e-4 * tol / len(coef))
        gap = _gap(*problem, coef, corr)
    return gap, rounds, 0


def _gap(  # noqa: PLR0913  the parts of the problem as the loop has them
    gram: np.ndarray,
    moment: np.ndarray,
    target_square: float,
    threshold: np.ndarray,
    ridge: np.ndarray,
    positive: bool,
    coef: np.ndarray,
    corr: np.ndarray,
) -> float:
    """``(1 - s)**2 ||r||**2 + 2 sum_j (threshold_j |w_j| - s w_j u_j)`` with the dual point ``s r``, ``u = A'r``."""
    u = corr - ridge * coef
    size = u if positive else np.abs(u)
    over = (threshold > 0) & (size > threshold)
    scale = float(np.min(threshold[over] / size[over], initial=1.0))
    square = max(target_square - coef @ (moment + u), 0.0)
    curvature = np.diag(gram) + ridge
    free = (threshold == 0) & (curvature > 0)
    free &= (u > 0) | (coef > 0) if positive else True
    could_gain = np.sum(u[free] ** 2 / curvature[free]) + 2 * np.sum(np.abs(coef * u)[free])
    bound = threshold > 0
    slack = threshold @ np.abs(coef) - scale * (coef[bound] @ u[bound])
    return float((1 - scale) ** 2 * square + could_gain + 2 * slack)


def _sweep(
    gram: np.ndarray,
    threshold: np.ndarray,
    ridge: np.ndarray,
    positive: bool,
    coef: np.ndarray,
    corr: np.ndarray,
    worth: float,
) -> None:
    """One pass of exact coordinate minimisation: ``w_j <- S(c_j + G_jj w_j, threshold_j) / (G_jj + ridge_j)``."""
    for j in range(len(coef)):
        curvature = gram[j, j] + ridge[j]
        if not curvature > 0:
            continue
        g = corr[j] + gram[j, j] * coef[j]
        target = np.sign(g) * max(abs(g) - threshold[j], 0.0)
        target = max(target, 0.0) if positive else target
        delta = target / curvature - coef[j]
        if delta != 0 and (coef[j] == 0 or delta**2 * curvature > worth):
            coef[j] = 0.0 if target == 0 else coef[j] + delta
            corr -= delta * gram[j]


def _newton(
    gram: np.ndarray, threshold: np.ndarray, ridge: np.ndarray, positive: bool, coef: np.ndarray, corr: np.ndarray
) -> None:
    """Minimise over the independent columns of the support with signs held; a sign that would change stops at zero."""
    support, L = _independent(gram, ridge, np.flatnonzero(coef))
    if not len(support):
        return
    w = coef[support]
    slope = corr[support] - ridge[support] * w - threshold[support] * np.sign(w)
    step = np.linalg.solve(L.T, np.linalg.solve(L, slope))
    crosses = ((threshold[support] > 0) | positive) & (w * (w + step) < 0)
    stopped = np.where(crosses, -w, step)
    room = float(np.min(-w[crosses] / step[crosses], initial=1.0))
    trials = [stopped, room * step] if np.any(crosses) else [step]
    for trial in trials:
        moved = trial @ gram[support]
        penalty = ridge[support] * trial * (2 * w + trial) + 2 * threshold[support] * (np.abs(w + trial) - np.abs(w))
        if np.sum(trial * (moved[support] - 2 * corr[support]) + penalty) < 0:
            coef[support] = np.where(trial == -w, 0.0, w + trial)
            corr -= moved
            return


def _independent(gram: np.ndarray, ridge: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the support that do not depend on earlier ones, and the Cholesky factor of their Gram matrix."""
    kept: list[int] = []
    L = np.zeros((len(support), len(support)))
    for j in support:
        k = len(kept)
        row = np.linalg.solve(L[:k, :k], gram[j, kept]) if k else np.zeros(0)
        square = gram[j, j] + ridge[j]
        pivot = square - row @ row
        if pivot > SMALLEST_PIVOT * square:
            L[k, :k], L[k, k] = row, np.sqrt(pivot)
            kept.append(int(j))
    return np.array(kept, dtype=np.int64), L[: len(kept), : len(kept)]


def column_products(
    starts: np.ndarray, rows: np.ndarray, values: np.ndarray, residuals: np.ndarray, threads: int, out: np.ndarray
) -> None:
    """``out = X' R`` for a matrix by compressed columns and residuals ``R`` of shape ``(n, m)``."""
    X = sparse.csc_array((values, rows, starts), shape=(len(residuals), len(starts) - 1))
    out[:] = X.T @ residuals


def column_descent(  # noqa: PLR0913  the signature is that of the compiled loop
    starts: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    weighted: np.ndarray,
    shift: np.ndarray,
    square: np.ndarray,
    threshold: np.ndarray,
    ridge: np.ndarray,
    total_weight: float,
    positive: bool,
    stop: tuple[float, int],
    coef: np.ndarray,
    residual: np.ndarray,
    total: float,
) -> tuple[float, int]:
    """The objective of `gram_descent` on sparse columns ``a_j = sqrt(W) (x_j - shift_j)``, without a Gram matrix.

    ``residual = y - mean - X w`` and ``coef`` are updated in place; ``total`` is the weighted sum of the residual.
    Sweeps over all columns alternate with sweeps over the support until a whole one lowers the objective by at most
    ``stop[0]``.  Returns ``total`` and the number of sweeps.  Catalogue A-22.
    """

    def sweep(chosen: np.ndarray) -> float:
        nonlocal total
        fell = 0.0
        for j in chosen:
            curvature, entries = square[j] + ridge[j], slice(starts[j], starts[j + 1])
            if not curvature > 0:
                continue
            g = square[j] * coef[j] - shift[j] * total + weighted[entries] @ residual[rows[entries]]
            target = np.sign(g) * max(abs(g) - threshold[j], 0.0)
            delta = (max(target, 0.0) if positive else target) / curvature - coef[j]
            coef[j] += delta
            residual[rows[entries]] -= delta * values[entries]
            total -= delta * total_weight * shift[j]
            fell += delta**2 * curvature
        return fell

    sweeps = 0
    while sweeps < stop[1]:
        sweeps += 1
        if sweep(np.arange(len(coef))) <= stop[0]:
            break
        while sweeps < stop[1]:
            sweeps += 1
            if sweep(np.flatnonzero(coef)) <= 0.1 * stop[0]:
                break
    return float(total), sweeps
