"""Layer solvers: preconditioned conjugate gradients for several right-hand sides that share one matrix.

In: the matrix and a preconditioner as functions, right-hand sides ``(n, k)``, and a stopping rule for columns.  Out:
the solution and the iterations it took.  Each column follows its own search; a column that is done stands still.
"""

from collections.abc import Callable

import numpy as np

Map = Callable[[np.ndarray], np.ndarray]
Done = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From residuals (n, k) and their squared lengths (k,) in the preconditioner's metric: which columns are done."""


def conjugate_gradients(
    apply: Map, precondition: Map, right: np.ndarray, done: Done, max_iter: int
) -> tuple[np.ndarray, int]:
    """``x`` with ``apply(x)`` close to ``right``, and the iterations.

    >>> diagonal = np.array([[2.0], [4.0]])
    >>> x, taken = conjugate_gradients(lambda v: diagonal * v, lambda v: v, np.ones((2, 1)), lambda r, e: e < 1e-20, 9)
    >>> x.ravel().round(12).tolist(), taken
    ([0.5, 0.25], 2)
    """
    x, residual = np.zeros_like(right), right
    direction = ready = precondition(residual)
    energy, taken = np.sum(residual * ready, axis=0), 0
    finished = done(residual, energy)
    while taken < max_iter and not np.all(finished):
        image, taken = apply(direction), taken + 1
        curvature = np.sum(direction * image, axis=0)
        length = np.divide(energy, curvature, out=np.zeros_like(energy), where=(curvature > 0) & ~finished)
        x, residual = x + length * direction, residual - length * image
        ready = precondition(residual)
        energy, before = np.sum(residual * ready, axis=0), energy
        finished = finished | done(residual, energy) | (length == 0.0)
        direction = ready + np.divide(energy, before, out=np.zeros_like(energy), where=before > 0) * direction
    return x, taken
