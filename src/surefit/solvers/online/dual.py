"""Layer solvers: support vector regression on a stream: one multiplier a row, any kernel.  Catalogue A-39, E-085.

In: rows in order.  Out: ``f(x) = sum_s (up_s - down_s) k(x_s, x)``.  Row ``t`` is predicted, then its own multipliers
step along the dual and are kept in their box; those of other rows do not change (E-085).  Rows that are predicted to
within the tube get no multiplier and are forgotten.  Swept over the same rows again and again, it is coordinate ascent
on the dual of ``||f||**2 / 2 + row_weight * sum(loss)``, the batch problem without an offset.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surefit.compiled.twins import online as twin
from surefit.kernels.kernel import Kernel
from surefit.objective.loss import Loss
from surefit.objective.regression import EpsilonInsensitive, QuadraticEpsilonInsensitive
from surefit.solvers.online.state import SETTLED, Refusal

FIRST_ROOM = 16


@dataclass(frozen=True)
class DualSettings:
    """``loss`` is the linear or the quadratic tube; ``step=None``: ``1 / k(x, x)``, the best step for a row alone.

    ``budget``: the most rows that are kept; beyond it the one whose term ``|up - down| sqrt(k(x, x))`` is smallest is
    removed, which changes no prediction ``f(z)`` by more than that times ``sqrt(k(z, z))``.
    """

    kernel: Kernel
    loss: Loss
    row_weight: float
    step: float | None = None
    budget: int | None = None
    skip: bool = False
    missing_is_zero: bool = False
    farthest: float = 1e4

    @property
    def quadratic(self) -> bool:
        """Whether the tube's excess is squared."""
        return isinstance(self.loss, QuadraticEpsilonInsensitive)

    @property
    def tube(self) -> float:
        """The half-width of the tube."""
        assert isinstance(self.loss, EpsilonInsensitive | QuadraticEpsilonInsensitive)
        return float(self.loss.epsilon)

    def moved(self, up: float, down: float, residual: float, reach: float) -> tuple[float, float]:
        """Both multipliers of a row after a step; ``residual`` is ``y - f(x)``, ``reach`` ``k(x, x)``.

        The quadratic tube adds ``1 / (2 row_weight)`` to the diagonal of the kernel matrix, and its multipliers have no
        upper end.
        """
        ceiling = self.row_weight
        if self.quadratic:
            ceiling, ridge = np.inf, 0.5 / self.row_weight
            residual, reach = residual - ridge * (up - down), reach + ridge
        step = self.step if self.step is not None else 1.0 / reach if reach > 0 else 0.0
        return (
            min(max(up + step * (residual - self.tube), 0.0), ceiling),
            min(max(down + step * (-residual - self.tube), 0.0), ceiling),
        )


@dataclass(eq=False)
class DualState:
    """The rows that are kept, their multipliers, and what was counted; room doubles when it runs out.

    It answers to the same calls as `LinearState`.
    """

    settings: DualSettings
    width: int = 0
    names: dict[Any, int] = field(default_factory=dict)
    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    multipliers: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(len(twin.NUMBERS)))
    kept: int = 0
    removed: int = 0
    removed_norm: float = 0.0

    @property
    def rows(self) -> int:
        """Rows learnt from."""
        return int(self.numbers[0])

    def number(self, name: str) -> float:
        """One of the counted numbers, by name."""
        return float(self.numbers[twin.NUMBERS.index(name)])

    @property
    def weights(self) -> np.ndarray:
        """``up - down`` of the rows that are kept."""
        return self.multipliers[: self.kept, 0] - self.multipliers[: self.kept, 1]

    def score(self, row: np.ndarray) -> float:
        """``f`` at one row (width,); one at a time, so that blocks change nothing."""
        if self.kept == 0:
            return 0.0
        values = self.settings.kernel.block(row[None], self.points[: self.kept])[0]
        return float(np.cumsum(values * self.weights)[-1])

    def learn_block(self, X: Any, y: np.ndarray, told: bool = True) -> tuple[np.ndarray, np.ndarray, Refusal | None]:
        """As `LinearState.learn_block`."""
        rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        predictions, losses = np.full(len(y), np.nan), np.full(len(y), np.nan)
        for i, (row, target) in enumerate(zip(rows, y.tolist(), strict=True)):
            reason, predictions[i], losses[i] = self._learn(row, target, np.nan)
            if reason != twin.FINE and not self.settings.skip:
                return predictions[:i], losses[:i], Refusal(i, reason)
        return predictions, losses, None

    def learn_row(self, row: Any, target: float, said: float = np.nan) -> Refusal | None:
        """As `LinearState.learn_row`."""
        width = self.width
        values, refusal = self._read(row, grow=True)
        if refusal is not None:
            self.numbers[1] += bool(self.settings.skip)
            self._narrow(width)
            return refusal
        reason, _, _ = self._learn(values, target, said)
        if reason != twin.FINE:
            self._narrow(width)
        filled = reason == twin.FINE and not isinstance(row, np.ndarray) and len(row) < self.width
        self.numbers[twin.NUMBERS.index("filled")] += filled
        return None if reason == twin.FINE or self.settings.skip else Refusal(0, reason)

    def score_row(self, row: Any) -> float | Refusal:
        """As `LinearState.score_row`."""
        values, refusal = self._read(row, grow=False)
        return refusal if refusal is not None else self.score(values)

    def _learn(self, row: np.ndarray, target: float, said: float) -> tuple[int, float, float]:
        square = float(row @ row) if np.all(np.isfinite(row)) else np.nan
        reason = twin.judged(square, 0.0, target, self.numbers, (self.settings.farthest, SETTLED))
        if reason != twin.FINE:
            self.numbers[1] += bool(self.settings.skip)
            return reason, np.nan, np.nan
        score = self.score(row)
        shown = score if np.isnan(said) else said
        loss = float(self.settings.loss.value(target, shown))
        twin.count(self.numbers, target, shown, loss, square)
        reach = float(self.settings.kernel.diag(row[None])[0])
        up, down = self.settings.moved(0.0, 0.0, target - score, reach)
        if up != down:
            self._keep(row, up, down, reach)
        return twin.FINE, shown, loss

    def _keep(self, row: np.ndarray, up: float, down: float, reach: float) -> None:
        if self.kept == len(self.points):
            room = max(FIRST_ROOM, 2 * self.kept)
            self.points = np.vstack([self.points.reshape(-1, self.width), np.zeros((room - self.kept, self.width))])
            self.multipliers = np.vstack([self.multipliers, np.zeros((room - self.kept, 3))])
        self.points[self.kept], self.multipliers[self.kept] = row, (up, down, reach)
        self.kept += 1
        if self.settings.budget is not None and self.kept > self.settings.budget:
            size = np.abs(self.weights) * np.sqrt(self.multipliers[: self.kept, 2])
            least = int(np.argmin(size))
            self.removed, self.removed_norm = self.removed + 1, self.removed_norm + float(size[least])
            for array in (self.points, self.multipliers):
                array[least : self.kept - 1] = array[least + 1 : self.kept].copy()
            self.kept -= 1

    def _read(self, row: Any, grow: bool) -> tuple[np.ndarray, Refusal | None]:
        """A row as an array; named features that are new join if ``grow``."""
        if isinstance(row, np.ndarray):
            return row, None
        new = [name for name in row if name not in self.names]
        if grow and new:
            self.add_features(new)
        values = np.zeros(self.width)
        for name, value in row.items():
            if name in self.names:
                try:
                    values[self.names[name]] = np.nan if value is None else _number(value)
                except (TypeError, ValueError):
                    return values, Refusal(0, twin.NOT_A_NUMBER, name)
        if not self.settings.missing_is_zero:
            for name in self.names:
                if name not in row:
                    return values, Refusal(0, twin.MISSING_FEATURE, name)
        return values, None

    def add_features(self, names: list[Any]) -> None:
        """Room for features that have not been seen before: zero in all rows that are kept."""
        for name in names:
            self.names[name] = self.width
            self.width += 1
        self.points = np.hstack([self.points, np.zeros((len(self.points), self.width - self.points.shape[1]))])

    def _narrow(self, width: int) -> None:
        """Take back features that came with a row that was refused: no row has had them."""
        for name in [name for name, place in self.names.items() if place >= width]:
            del self.names[name]
        self.width, self.points = width, self.points[:, :width]

    def treat(self, skip: bool, missing_is_zero: bool, farthest: float) -> None:
        """As `LinearState.treat`."""
        rules = {"skip": skip, "missing_is_zero": missing_is_zero, "farthest": farthest}
        self.settings = replace(self.settings, **rules)  # type: ignore[arg-type]


def _number(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError("a word is no number")
    return float(value)


def dual_passes(gram: np.ndarray, y: np.ndarray, settings: DualSettings, passes: int) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers (up, down) after so many sweeps over all rows, from zero: coordinate ascent on the dual.

    >>> from surefit.kernels.library import Linear
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    >>> up, down = dual_passes(X @ X.T, y, DualSettings(Linear(), EpsilonInsensitive(0.1), 10.0), 3)
    >>> ((up - down) @ X).round(9)
    array([0.9])
    """
    up, down = np.zeros(len(y)), np.zeros(len(y))
    for _ in range(passes):
        for t in range(len(y)):
            residual = float(y[t] - gram[t] @ (up - down))
            up[t], down[t] = settings.moved(up[t], down[t], residual, float(gram[t, t]))
    return up, down
