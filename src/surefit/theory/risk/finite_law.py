"""Layer *theory*: a joint law on finitely many points, where every expectation is a finite sum.

In: a table of probabilities ``p_xy`` and the values that its rows and columns stand for.  Out: marginals, conditionals,
risks and Bayes predictors, all exact.  Refused: conditioning on an event of probability zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.data.simulate import Seed, as_generator
from surefit.theory.risk.risk import LossLike, loss_function

Event = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class FiniteJoint:
    """A joint law of ``(X, Y)``: ``p_xy[i, j] = P(X = x[i], Y = y[j])``, shape ``(k, m)``.

    ``x`` and ``y`` default to ``0, 1, 2, ...``.  Predictors are arrays of ``k`` predictions, one for each ``x``.
    Catalogue D-10.

    >>> coins = FiniteJoint([[0.25, 0.25], [0.25, 0.25]])
    >>> float(coins.conditional_probability(lambda a, b: a + b == 1, given=lambda a, b: a == 0))
    0.5
    >>> float(coins.conditional_expectation(lambda a, b: a + b, given=lambda a, b: a == 0))
    0.5
    """

    p_xy: np.ndarray
    x: np.ndarray = None  # type: ignore[assignment]
    y: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        table = np.asarray(self.p_xy, dtype=float)
        if table.ndim != 2 or table.size == 0:
            raise ValueError(f"p_xy must be a table of shape (k, m), got {table.shape}; rows are x, columns are y")
        if not (table >= 0).all() or abs(table.sum() - 1) > 1e-9:
            raise ValueError(f"p_xy must be >= 0 with sum 1, got sum {table.sum():.12g}; divide the table by its sum")
        object.__setattr__(self, "p_xy", table)
        for name, length in (("x", table.shape[0]), ("y", table.shape[1])):
            given = getattr(self, name)
            values = np.arange(length) if given is None else np.asarray(given)
            if len(values) != length:
                raise ValueError(f"{name} has {len(values)} values for a table of shape {table.shape}; give {length}")
            object.__setattr__(self, name, values)

    @classmethod
    def binary(cls, p_x: np.ndarray, eta: np.ndarray, x: np.ndarray | None = None) -> FiniteJoint:
        """The law with ``P(X = x_i) = p_x[i]`` and ``P(Y = 1 | X = x_i) = eta[i]``, labels 0 and 1.

        >>> FiniteJoint.binary([0.5, 0.3, 0.2], [0.1, 0.6, 0.5]).bayes_risk(lambda y, z: y != z).round(12).item()
        0.27
        """
        p_x, eta = np.asarray(p_x, dtype=float), np.asarray(eta, dtype=float)
        return cls(np.stack([p_x * (1 - eta), p_x * eta], axis=1), x)  # type: ignore[arg-type]

    # --- probability reminders -------------------------------------------------------------------------------------

    @property
    def p_x(self) -> np.ndarray:
        """Law of ``X``, shape ``(k,)``."""
        return self.p_xy.sum(axis=1)

    @property
    def p_y(self) -> np.ndarray:
        """Law of ``Y``, shape ``(m,)``."""
        return self.p_xy.sum(axis=0)

    @property
    def y_given_x(self) -> np.ndarray:
        """``P(Y = y_j | X = x_i)``, shape ``(k, m)``; rows sum to 1."""
        return self.p_xy / _positive(self.p_x, "X = x", self.x)[:, None]

    @property
    def x_given_y(self) -> np.ndarray:
        """``P(X = x_i | Y = y_j)``, shape ``(k, m)``; columns sum to 1."""
        return self.p_xy / _positive(self.p_y, "Y = y", self.y)

    def expectation(self, function: Event) -> np.ndarray:
        """``E g(X, Y) = sum_ij p_xy[i, j] g(x_i, y_j)``; ``function`` is vectorised over ``(k, 1)`` and ``(1, m)``."""
        return np.sum(self.p_xy * self._table(function))

    def probability(self, event: Event) -> np.ndarray:
        """``P(event)`` for a true-or-false function of ``(x, y)``."""
        return np.sum(self.p_xy, where=self._table(event).astype(bool))

    def conditioned(self, given: Event) -> FiniteJoint:
        """The law given an event: the table cut to it and divided by ``P(given)``, which must be positive."""
        cut = np.where(self._table(given).astype(bool), self.p_xy, 0.0)
        if not cut.sum() > 0:
            raise ValueError(
                "the conditioning event has probability 0, so nothing given it is defined; widen the event"
            )
        return FiniteJoint(cut / cut.sum(), self.x, self.y)

    def conditional_probability(self, event: Event, *, given: Event) -> np.ndarray:
        """``P(event | given) = P(event and given) / P(given)``.  Catalogue D-10, X-04."""
        return self.conditioned(given).probability(event)

    def conditional_expectation(self, function: Event, *, given: Event) -> np.ndarray:
        """``E[g(X, Y) | given]``.  Catalogue D-10, X-05."""
        return self.conditioned(given).expectation(function)

    def expectation_given_x(self, function: Event) -> np.ndarray:
        """``E[g(X, Y) | X = x_i]`` for every ``x_i``, shape ``(k,)``; its mean is ``E g``.  Catalogue T-01."""
        return np.sum(self.y_given_x * self._table(function), axis=1)

    def expectation_given_y(self, function: Event) -> np.ndarray:
        """``E[g(X, Y) | Y = y_j]`` for every ``y_j``, shape ``(m,)``; its mean is ``E g``.  Catalogue T-01."""
        return np.sum(self.x_given_y * self._table(function), axis=0)

    def sample(self, rng: Seed, n: int) -> tuple[np.ndarray, np.ndarray]:
        """``n`` independent pairs, as indices into ``x`` (for predictor arrays) and values of ``y``."""
        cells = as_generator(rng).choice(self.p_xy.size, size=n, p=self.p_xy.ravel() / self.p_xy.sum())
        rows, columns = np.unravel_index(cells, self.p_xy.shape)
        return rows, self.y[columns]

    # --- risk ------------------------------------------------------------------------------------------------------

    def risk(self, loss: LossLike, predictions: np.ndarray | Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """``E loss(Y, f(X))``, exact; predictions of shape ``(..., k)``, or a function of ``x``.  Catalogue R-01."""
        f = np.asarray(predictions(self.x) if callable(predictions) else predictions)
        if f.shape[-1:] != self.x.shape[:1]:
            raise ValueError(f"predictions of shape {f.shape} do not fit {len(self.x)} points x; give one for each x")
        return np.sum(self.p_xy * loss_function(loss)(self.y, f[..., None]), axis=(-2, -1))

    def conditional_risk(self, loss: LossLike, actions: np.ndarray) -> np.ndarray:
        """``E[loss(Y, z) | X = x_i]``: ``(k, a)`` for ``a`` actions, or ``(k, a)`` actions of each ``x`` its own."""
        z = np.asarray(actions)
        z = z[None, :, None] if z.ndim == 1 else z[:, :, None]
        return np.sum(self.y_given_x[:, None, :] * loss_function(loss)(self.y, z), axis=2)

    def bayes_predictor(self, loss: LossLike, actions: np.ndarray | None = None) -> np.ndarray:
        """``f*(x) in argmin_z E[loss(Y, z) | X = x]``, shape ``(k,)``.  Catalogue T-02, A-43.

        With ``actions`` the minimum is over these predictions, exactly (first of several).  Without, over the values of
        ``y`` and the real line: a grid that grows until the minimum lies inside it, refined by golden section around
        its best point; a value of ``y`` wins a tie.  A minimum narrower than the grid (1/256 of the range of ``y``) and
        away from the values of ``y`` can be missed: pass ``actions`` for such losses.

        >>> law = FiniteJoint.binary([0.5, 0.5], [0.2, 0.7])
        >>> law.bayes_predictor(lambda y, z: (y - z) ** 2).round(9).tolist()
        [0.2, 0.7]
        >>> law.bayes_predictor(lambda y, z: (y - z) ** 2, actions=[0, 1]).tolist()
        [0, 1]
        """
        if actions is None and not np.issubdtype(self.y.dtype, np.number):
            actions = self.y
        if actions is None:
            return self._real_minimiser(loss)
        return np.asarray(actions)[np.argmin(self.conditional_risk(loss, actions), axis=1)]

    def bayes_risk(self, loss: LossLike, actions: np.ndarray | None = None) -> np.ndarray:
        """``R* = E_X min_z E[loss(Y, z) | X]``, the risk of `bayes_predictor`.  Catalogue R-03."""
        return self.risk(loss, self.bayes_predictor(loss, actions))

    def excess_risk(self, loss: LossLike, predictions: np.ndarray) -> np.ndarray:
        """``risk - bayes_risk``, which is ``>= 0``.  Catalogue R-04."""
        return self.risk(loss, predictions) - self.bayes_risk(loss)

    def majority(self) -> np.ndarray:
        """The most likely ``y`` given each ``x`` (first of several): Bayes for 0-1 loss.  Catalogue T-03."""
        return self.y[np.argmax(self.y_given_x, axis=1)]

    def conditional_mean(self) -> np.ndarray:
        """``E[Y | X = x_i]``: Bayes for squared loss; its risk is ``E Var(Y | X)``.  Catalogue T-04."""
        return self.y_given_x @ self.y

    def conditional_median(self) -> np.ndarray:
        """The smallest median of ``Y`` given each ``x``: Bayes for absolute loss.  Catalogue A-43."""
        order = np.argsort(self.y)
        reached = np.cumsum(self.y_given_x[:, order], axis=1) >= 0.5 - 1e-12  # 1e-12: sums of rounded probabilities
        return self.y[order][np.argmax(reached, axis=1)]

    def _table(self, function: Event) -> np.ndarray:
        return np.broadcast_to(function(self.x[:, None], self.y[None, :]), self.p_xy.shape)

    def _real_minimiser(self, loss: LossLike) -> np.ndarray:
        low, high = float(self.y.min()), float(self.y.max())
        width = (high - low) or 1.0
        for _ in range(12):
            low, high, width = low - width, high + width, 3 * width
            grid = np.union1d(np.linspace(low, high, 769), self.y)
            best = np.argmin(self.conditional_risk(loss, grid), axis=1)
            if np.all((best > 0) & (best < len(grid) - 1)):
                refined = _golden_section(lambda z: self.conditional_risk(loss, z), grid[best - 1], grid[best + 1])
                return self._tidied(loss, np.column_stack([refined, grid[best]]))
        raise ValueError(
            f"no minimum of the conditional risk in [{low:.3g}, {high:.3g}]: it may not be attained; pass actions="
        )

    def _tidied(self, loss: LossLike, candidates: np.ndarray) -> np.ndarray:
        """The best candidate of each row, a value of ``y`` winning ties up to rounding."""
        support = np.broadcast_to(self.y, (len(self.x), len(self.y)))
        z = np.hstack([support, candidates])
        values = self.conditional_risk(loss, z)
        lowest = values.min(axis=1, keepdims=True)
        tie = values <= lowest + 1e-15 * np.abs(lowest)
        return z[np.arange(len(z)), np.argmax(tie, axis=1)]


def plug_in_classifier(eta: np.ndarray, *, at_half: int = 1) -> np.ndarray:
    """Labels from probabilities: ``1[eta >= 1/2]`` with ``at_half=1``, ``1[eta > 1/2]`` with ``at_half=0``.

    ``eta`` of shape ``(n,)``; with shape ``(n, K)`` the most likely class.  The two rules differ only where
    ``eta = 1/2`` and have the same risk: with the true ``eta`` both are Bayes.  Catalogue A-44, T-03.

    >>> plug_in_classifier(np.array([0.2, 0.5, 0.9])), plug_in_classifier(np.array([0.2, 0.5, 0.9]), at_half=0)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    eta = np.asarray(eta, dtype=float)
    if at_half not in (0, 1):
        raise ValueError(f"at_half must be 0 or 1, got {at_half}; it is the label given where eta = 1/2")
    if not ((eta >= 0) & (eta <= 1)).all():
        raise ValueError("eta must lie in [0, 1]; pass probabilities, not scores")
    if eta.ndim == 2:
        return np.argmax(eta, axis=1)
    return (eta >= 0.5 if at_half else eta > 0.5).astype(int)


def _positive(marginal: np.ndarray, event: str, values: np.ndarray) -> np.ndarray:
    if not (marginal > 0).all():
        where = values[np.argmin(marginal)]
        raise ValueError(f"P({event}) = 0 at {where}, so nothing given it is defined; drop it from the table")
    return marginal


def _golden_section(function: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Minimise each row's function of one number on its own bracket; then one parabola, exact for quadratics."""
    ratio = (np.sqrt(5.0) - 1) / 2
    left, right = low.astype(float), high.astype(float)
    for _ in range(70):  # the bracket shrinks by 0.618**70 = 2e-15
        a, b = right - ratio * (right - left), left + ratio * (right - left)
        values = function(np.column_stack([a, b]))
        keep_left = values[:, 0] <= values[:, 1]
        left, right = np.where(keep_left, left, a), np.where(keep_left, b, right)
    middle = (left + right) / 2
    step = (high - low) / 4
    around = function(np.column_stack([middle - step, middle, middle + step]))
    bend = around[:, 0] - 2 * around[:, 1] + around[:, 2]
    slope = around[:, 2] - around[:, 0]
    vertex = middle - step * np.divide(slope, 2 * bend, out=np.zeros_like(slope), where=bend > 0)
    pair = np.column_stack([vertex, middle])
    values = function(pair)
    better = values[:, 0] <= values[:, 1] + 1e-14 * np.abs(values[:, 1])
    return np.where(better, vertex, middle)
