"""Layer *theory*: regret and mistakes of online learners.  Deterministic: they hold on every sequence, random or not.

In: step sizes, norms and losses of a comparator ``u``.  Out: `Bound` with ``delta = 0``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from surefit.page import number, wrapped
from surefit.parameters import all_numbers, finite_matrix, finite_vector, non_negative, positive
from surefit.theory.bounds.record import Bound


@dataclass(frozen=True)
class Regret:
    """What an online learner lost, beside the best fixed weights in hindsight.  Catalogue R-12, E-017.

    ``loss``: the sum of the squared errors of its predictions, each made before its target was seen; ``best_loss``:
    that of ``best``, the weights chosen when all targets are known (the constant last, if there is one).  ``bound``:
    what ``loss`` cannot exceed on this stream, whatever its order; None for the ``reason`` given.
    """

    loss: float
    best_loss: float
    best: np.ndarray
    rows: int
    bound: Bound | None
    reason: str = ""

    @property
    def regret(self) -> float:
        """``loss - best_loss``."""
        return self.loss - self.best_loss

    def __str__(self) -> str:
        shown = self.reason if self.bound is None else f"no more than {number(self.bound.value)} on any stream like it"
        text = (
            f"Total squared loss {number(self.loss)} in {self.rows:,} rows; the best fixed weights in hindsight lose "
            f"{number(self.best_loss)}, so the regret is {number(self.regret)}. Bound: {shown}."
        )
        return "\n".join(wrapped(text))


def perceptron_mistake_bound(row_norm: float, margin: float, *, hinge_sum: float = 0.0) -> Bound:
    """``M <= ((r / rho + sqrt((r / rho)**2 + 4 H)) / 2)**2`` updates of the perceptron from ``w = 0``, in any order.

    ``||x_t|| <= r``; for any ``u`` with ``||u|| = 1`` and any ``rho > 0``, ``H = sum_t (1 - t_t <u, x_t> / rho)_+``
    over the visited rows.  Proof: ``||w||**2 <= M r**2`` and ``<u, w> >= rho (M - H)``.  With a margin, ``H = 0``:
    ``(r / rho)**2``, attained by orthonormal rows.  Catalogue T-55, T-56, T-57.

    >>> perceptron_mistake_bound(1.0, 0.1).value.__round__(9)
    100.0
    """
    ratio = positive("row_norm", row_norm, "it bounds ||x||") / positive("margin", margin, "rho > 0 for the hinge")
    H = non_negative("hinge_sum", hinge_sum, "it is a sum of hinge losses")
    value = ((ratio + math.sqrt(ratio**2 + 4 * H)) / 2) ** 2
    return Bound(
        value,
        H,
        0.0,
        "perceptron mistakes",
        ("weights start at 0", "updates only on rows with t <w, x> <= 0", "no intercept beyond a constant feature"),
        {"row_norm": row_norm, "margin": margin, "hinge_sum": H},
        False,
        "Novikoff 1962; Freund and Schapire 1999",
    )


def gradient_regret_bound(step: float, comparator_norm: float, gradient_norms: np.ndarray) -> Bound:
    """``sum_t loss_t(w_t) - loss_t(u) <= ||u||**2 / (2 eta) + (eta / 2) sum_t ||g_t||**2`` for any convex losses.

    Online (sub)gradient descent ``w <- w - eta g_t`` from ``w = 0``; projections onto a convex set that contains ``u``
    change nothing.

    >>> gradient_regret_bound(0.1, 1.0, np.ones(100)).value
    10.0
    """
    g = all_numbers("gradient_norms", gradient_norms, "give the norm of the gradient in every round")
    size = non_negative("comparator_norm", comparator_norm, "it is the norm of u")
    value = size**2 / (2 * positive("step", step, "use step > 0")) + step / 2 * float(np.sum(g**2))
    return _regret(value, 0.0, {"step": step, "comparator_norm": comparator_norm, "rounds": g.size}, "Zinkevich 2003")


def widrow_hoff_bound(step: float, row_norm: float, comparator_loss: float, comparator_norm: float) -> Bound:
    """Total squared loss of Widrow-Hoff ``<= L_u / (1 - s B**2) + ||u||**2 / s``, for every ``u``.

    ``w <- w - s (<w, x> - y) x`` from ``w = 0`` with ``||x_t|| <= B`` and ``0 < s < 1 / B**2``; ``L_u`` is the total
    squared loss of ``u``.  An update written with ``2 eta`` has ``s = 2 eta``: with ``s = eta`` the bound is false.
    Divided by the number of rounds it shows when the average loss approaches that of ``u``: ``s -> 0`` with
    ``s T -> inf``. Catalogue T-53, T-54, E-017, E-018, E-019, E-020.

    >>> widrow_hoff_bound(1 / 6, 1.0, comparator_loss=100.0, comparator_norm=2.0).value
    144.0
    """
    shrink = _shrink(step, row_norm)
    loss = non_negative("comparator_loss", comparator_loss, "it is the total squared loss of u")
    value = loss / shrink + non_negative("comparator_norm", comparator_norm, "it is the norm of u") ** 2 / step
    numbers = {"step": step, "row_norm": row_norm, "comparator_norm": comparator_norm}
    return _regret(value, comparator_loss, numbers, "Cesa-Bianchi, Long and Warmuth 1996")


def best_widrow_hoff_bound(X: np.ndarray, y: np.ndarray, step: float) -> Bound:
    """`widrow_hoff_bound` with the best comparator in hindsight: a ridge problem, solved in closed form.

    >>> round(best_widrow_hoff_bound([[1.0], [1.0]], [1.0, 1.0], 0.5).value, 6)
    1.333333
    """
    X, y = _rows_and_targets(X, y)
    row_norm = float(np.linalg.norm(X, axis=1).max())
    ridge = _shrink(step, row_norm) / step
    u = np.linalg.solve(X.T @ X + ridge * np.eye(X.shape[1]), X.T @ y)
    return widrow_hoff_bound(step, row_norm, float(np.sum((X @ u - y) ** 2)), float(np.linalg.norm(u)))


def tuned_widrow_hoff_step(row_norm: float, comparator_loss: float, comparator_norm: float) -> float:
    """The step that minimises `widrow_hoff_bound`, to ``(sqrt(L_u) + B ||u||)**2``.  Catalogue T-54.

    ``B ||u|| / (B ||u|| + sqrt(L_u)) / B**2``; needs ``L_u > 0`` and ``u != 0``.

    >>> round(tuned_widrow_hoff_step(1.0, 100.0, 2.0), 6)
    0.166667
    """
    size = positive("row_norm", row_norm, "it bounds ||x||") * positive("comparator_norm", comparator_norm, "u != 0")
    root = math.sqrt(positive("comparator_loss", comparator_loss, "without loss any step below 1 / B**2 will do"))
    return size / (size + root) / row_norm**2


def widrow_hoff_potential(
    weights: np.ndarray, X: np.ndarray, y: np.ndarray, step: float, comparator: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both sides of ``||w_{t+1} - u||**2 - ||w_t - u||**2 <= -s l_t**2 + s / (1 - s B**2) g_t**2``, for every round.

    ``weights`` (T + 1, d) are the iterates of Widrow-Hoff with step ``s``, ``l_t = <w_t, x_t> - y_t`` the learner's
    error, ``g_t`` that of ``u``.  Catalogue T-52.

    >>> left, right = widrow_hoff_potential([[0.0], [0.5]], [[1.0]], [1.0], 0.5, [1.0])
    >>> left.tolist(), right.tolist()
    ([-0.75], [-0.5])
    """
    X, y = _rows_and_targets(X, y)
    w = finite_matrix("weights", weights, "give the weights before every round and after the last")
    u = finite_vector("comparator", comparator, "give one number per column of X")
    if w.shape != (len(X) + 1, X.shape[1]) or len(u) != X.shape[1]:
        raise ValueError(
            f"{len(X)} rounds in {X.shape[1]} columns go with weights of shape {(len(X) + 1, X.shape[1])} and a "
            f"comparator of {X.shape[1]}, got {w.shape} and {len(u)}; give the weights of every round"
        )
    own, other = np.sum(w[:-1] * X, axis=1) - y, X @ u - y
    distance = np.sum((w - u) ** 2, axis=1)
    shrink = _shrink(step, float(np.linalg.norm(X, axis=1).max()))
    return np.diff(distance), -step * own**2 + step / shrink * other**2


def _shrink(step: float, row_norm: float) -> float:
    """``1 - s B**2`` of a step that the theorem covers."""
    positive("row_norm", row_norm, "it bounds ||x||")
    if not 0 < positive("step", step, "use a step in (0, 1 / B**2)") * row_norm**2 < 1:
        raise ValueError(f"step must be in (0, 1 / B**2) with B = {row_norm}, got {step}; use a smaller step")
    return 1 - step * row_norm**2


def _rows_and_targets(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    X, y = finite_matrix("X", X, "one row per round"), finite_vector("y", y, "one target per round")
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} rows and y {len(y)} targets; give one target per row")
    return X, y


def _regret(value: float, empirical: float, numbers: dict[str, float], reference: str) -> Bound:
    start = ("weights start at 0", "the step is constant and fixed beforehand")
    return Bound(value, empirical, 0.0, "regret", start, {**numbers, "comparator_loss": empirical}, False, reference)
