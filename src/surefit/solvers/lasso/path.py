"""Layer solvers: the records of the elastic-net path: what is penalised, and what came out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.parameters import all_numbers, number, switch
from surefit.solvers.solution import SOLVED, Path, Status


@dataclass(frozen=True)
class SparsePenalty:
    """``sum_j v_j (l1_ratio |w_j| + (1 - l1_ratio) w_j**2)``: the lasso at ``l1_ratio = 1``.  Catalogue P-01, P-02.

    ``weights`` holds the ``v_j >= 0``, shape ``(d,)``, one each by default; 0 leaves a feature unpenalised.
    ``units`` (d,) are sizes that stand for one unit of each column: ``w_j`` is then replaced by ``units_j w_j``.
    ``positive`` asks for ``w >= 0``, also of unpenalised features.

    >>> SparsePenalty(l1_ratio=0.5).value(np.array([3.0, -4.0]))
    16.0
    """

    l1_ratio: float = 1.0
    weights: np.ndarray | None = None
    positive: bool = False
    units: np.ndarray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "l1_ratio", number("l1_ratio", self.l1_ratio, "give one number in (0, 1]"))
        if not 0.0 < self.l1_ratio <= 1.0:
            raise ValueError(f"l1_ratio must lie in (0, 1], got {self.l1_ratio}; for l1_ratio = 0 use Ridge")
        object.__setattr__(self, "positive", switch("positive", self.positive))

    def feature_weights(self, d: int) -> np.ndarray:
        """The ``v_j`` as an array of ``d`` checked numbers."""
        if self.weights is None:
            return np.ones(d)
        weights = all_numbers("penalty_weights", self.weights, "give one per feature; to leave one out, drop it")
        if weights.shape != (d,):
            raise ValueError(f"penalty_weights have shape {weights.shape} for {d} features; give one per feature")
        if np.any(weights < 0):
            raise ValueError("penalty_weights must be finite and >= 0; 0 leaves a feature unpenalised")
        return weights

    def absolute_weights(self, d: int) -> np.ndarray:
        """What multiplies ``l1_ratio |w_j|``."""
        return self.feature_weights(d) * (1.0 if self.units is None else self.units)

    def square_weights(self, d: int) -> np.ndarray:
        """What multiplies ``(1 - l1_ratio) w_j**2``."""
        return self.feature_weights(d) * (1.0 if self.units is None else self.units**2)

    def value(self, coef: np.ndarray) -> float:
        """The penalty of ``coef``; infinite where a sign is forbidden."""
        if self.positive and np.any(coef < 0):
            return float("inf")
        absolute = float(self.absolute_weights(len(coef)) @ np.abs(coef))
        if self.l1_ratio == 1.0:  # no squares, which may leave the range
            return absolute
        return self.l1_ratio * absolute + (1 - self.l1_ratio) * float(self.square_weights(len(coef)) @ coef**2)


@dataclass(frozen=True, repr=False)
class SparsePath(Path):
    """Solutions along a grid of ``lam``, in the order of ``lams``.  Catalogue A-22.

    ``coefs`` has shape ``(L, d)``; ``gaps`` bound, on the scale of the objective, how far each solution is from the
    smallest value possible, and ``statuses`` say how each search ended; ``n_iter`` counts Newton and sweep rounds over
    the whole path.
    """

    gaps: np.ndarray
    statuses: tuple[Status, ...]
    n_iter: int

    def _beside(self) -> dict[str, Any]:
        return {"gap": self.gaps, **({"status": self.statuses} if len(self.statuses) else {})}

    @property
    def converged(self) -> np.ndarray:
        """Which solutions reached the tolerance, shape ``(L,)``."""
        return np.array([status in SOLVED for status in self.statuses])

    @property
    def status(self) -> Status:
        """`Status.CONVERGED` if every solution reached the tolerance, else how the first search that did not ended."""
        return Status.CONVERGED if np.all(self.converged) else self.statuses[int(np.argmin(self.converged))]

    def place(self, lam: float) -> int:
        """The position of ``lam`` on the grid; a value between two of them is refused, as nothing bounds its error.

        >>> SparsePath(np.array([2.0, 1.0]), np.zeros((2, 1)), np.zeros(2), np.zeros(2), (), 0).place(1.0)
        1
        """
        here = np.flatnonzero(self.lams == lam)
        if not len(here):
            raise ValueError(
                f"lam = {lam!r} is not on the grid, and between its values the path has no gap to offer; solve for it "
                "with lams=[lam], or use lasso_homotopy, whose path is exact everywhere"
            )
        return int(here[0])

    def at(self, lam: float) -> tuple[np.ndarray, np.ndarray]:
        """The solution ``(coef, intercept)`` at a ``lam`` of the grid: shapes ``(d,)`` and ``()``."""
        k = self.place(lam)
        return self.coefs[k], self.intercepts[k]


def joined_paths(paths: Sequence[SparsePath]) -> SparsePath:
    """One path of several, in their order."""
    if len(paths) == 1:
        return paths[0]
    lams, coefs, intercepts, gaps = (
        np.concatenate([getattr(path, name) for path in paths]) for name in ("lams", "coefs", "intercepts", "gaps")
    )
    statuses = tuple(status for path in paths for status in path.statuses)
    return SparsePath(lams, coefs, intercepts, gaps, statuses, sum(path.n_iter for path in paths))
