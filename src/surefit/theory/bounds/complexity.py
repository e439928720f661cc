"""Layer *theory*: Rademacher complexity, exactly, by simulation with its own confidence, and in closed form.

In: a class of functions seen through its values on ``n`` points: a finite table, a ball of a norm, a ball of a kernel's
space.  Out: ``Rad_S = E_s sup_g (1/n) sum_i s_i g(z_i)`` over independent signs ``s_i``, given the points and without
absolute value.  How large a class looks to pure noise is what its training error may hide.  Classes are closed under
the sums, multiples and shifts for which the complexity has a law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from surefit.data.simulate import Seed, as_generator
from surefit.objective.balls import dual_order
from surefit.parameters import finite_matrix, finite_vector, non_negative, positive, whole, within
from surefit.progress import Task, worked
from surefit.theory.means.arguments import failure_probability

MOST_POINTS = 20
"""Above this many points there are too many sign vectors to enumerate."""

_BLOCK = 1 << 13


class FunctionClass(Protocol):
    """What a class must tell about itself on its ``n`` points."""

    @property
    def n(self) -> int: ...

    def supremum(self, signs: np.ndarray) -> np.ndarray:
        """``sup_g sum_i s_i g(z_i)`` for every row of ``signs``, shape ``(draws, n)`` to ``(draws,)``."""
        ...

    def sizes(self) -> np.ndarray:
        """``a_i`` such that flipping the sign ``s_i`` moves the supremum by at most ``2 a_i``, shape ``(n,)``."""
        ...

    def bound(self) -> float:
        """A closed-form upper bound on the complexity."""
        ...


@dataclass(frozen=True, eq=False)
class FiniteClass:
    """Finitely many functions by their values, shape ``(functions, n)``.  Catalogue T-29, T-30, T-39.

    ``+`` is the Minkowski sum (every member of one plus every member of the other), whose complexity is the sum of
    the two; ``a * G`` has ``|a|`` times the complexity; `shifted` has the same one.

    >>> pair = FiniteClass([[1.0, 2.0], [-1.0, -2.0]])
    >>> exact_rademacher(pair), exact_rademacher(pair + 3 * pair), exact_rademacher(pair.shifted([5.0, 7.0]))
    (1.0, 4.0, 1.0)
    """

    values: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", finite_matrix("values", self.values, "one row per function"))

    @property
    def n(self) -> int:
        return self.values.shape[1]

    def supremum(self, signs: np.ndarray) -> np.ndarray:
        return np.max(signs @ self.values.T, axis=1)

    def sizes(self) -> np.ndarray:
        return np.abs(self.values).max(axis=0)

    def bound(self) -> float:
        """Massart's lemma: ``max_g ||g||_2 sqrt(2 log |G|) / n``.  Catalogue T-39, E-014."""
        longest = np.linalg.norm(self.values, axis=1).max()
        return float(longest * math.sqrt(2 * math.log(len(self.values))) / self.n)

    def __add__(self, other: FiniteClass) -> FiniteClass:
        if not isinstance(other, FiniteClass):
            return NotImplemented
        if other.n != self.n:
            raise ValueError(f"classes on {self.n} and {other.n} points cannot be added; evaluate both on one sample")
        return FiniteClass((self.values[:, None, :] + other.values[None, :, :]).reshape(-1, self.n))

    def __rmul__(self, factor: float) -> FiniteClass:
        return FiniteClass(factor * self.values)

    def shifted(self, values: np.ndarray) -> FiniteClass:
        """The class ``{g + g0}`` for one function ``g0`` given by its values, shape ``(n,)``."""
        shift = finite_vector("values", values, "give the value of g0 at each point")
        if len(shift) != self.n:
            raise ValueError(f"values must be one per point, got {len(shift)} for {self.n}; evaluate g0 on this sample")
        return FiniteClass(self.values + shift)


@dataclass(frozen=True, eq=False)
class NormBall:
    """Linear functions ``x -> <w, x>`` with ``||w||_order <= radius`` on the rows of ``X`` (n, d), no intercept.

    The supremum over the ball is the dual norm, ``radius * ||X^T s||_q`` with ``1/order + 1/q = 1``.
    Catalogue T-36, T-37, T-40, T-41.

    >>> NormBall(np.eye(2)).bound().__round__(8), exact_rademacher(NormBall(np.eye(2), order=1))
    (0.70710678, 0.5)
    """

    X: np.ndarray
    radius: float = 1.0
    order: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", finite_matrix("X", self.X, "one row per point"))
        non_negative("radius", self.radius, "it bounds the norm of the coefficients")
        dual_order(self.order)

    @property
    def n(self) -> int:
        return len(self.X)

    def supremum(self, signs: np.ndarray) -> np.ndarray:
        return self.radius * np.linalg.norm(signs @ self.X, ord=dual_order(self.order), axis=1)

    def sizes(self) -> np.ndarray:
        return self.radius * np.linalg.norm(self.X, ord=dual_order(self.order), axis=1)

    def bound(self) -> float:
        """``radius / n`` times a bound on ``E ||X^T s||_q`` by the norms ``c_j`` of the columns.

        For every finite ``q``, Khintchine's inequality gives ``sqrt(max(q - 1, 1)) ||c||_q`` (for the Euclidean ball
        the root of the trace of ``X X^T``), and for every ``q`` Massart's lemma gives
        ``d**(1/q) max_j c_j sqrt(2 log 2d)``; the smaller one holds.
        """
        return column_ball_bound(np.linalg.norm(self.X, axis=0), self.n, self.radius, self.order)


@dataclass(frozen=True, eq=False)
class KernelBall:
    """Functions of norm at most ``radius`` in the space of a kernel with Gram matrix ``K`` (n, n).  Catalogue T-38.

    ``Rad_S = (radius / n) E sqrt(s^T K s) <= radius sqrt(trace K) / n``, and never below 0.707 of that bound.

    >>> x = np.arange(4.0)
    >>> ball = KernelBall(np.exp(-((x[:, None] - x) ** 2) / 2))
    >>> round(exact_rademacher(ball), 9), ball.bound()
    (0.480408855, 0.5)
    """

    K: np.ndarray
    radius: float = 1.0

    def __post_init__(self) -> None:
        K = finite_matrix("K", self.K, "compute kernel(X)")
        if K.shape[0] != K.shape[1] or np.any(np.diagonal(K) < 0):
            raise ValueError("K must be a Gram matrix: square, with k(x, x) >= 0 on its diagonal; compute kernel(X)")
        object.__setattr__(self, "K", K)
        non_negative("radius", self.radius, "it bounds the norm in the kernel's space")

    @property
    def n(self) -> int:
        return len(self.K)

    def supremum(self, signs: np.ndarray) -> np.ndarray:
        return self.radius * np.sqrt(np.maximum(np.sum((signs @ self.K) * signs, axis=1), 0.0))

    def sizes(self) -> np.ndarray:
        return self.radius * np.sqrt(np.diagonal(self.K))

    def bound(self) -> float:
        return float(self.radius * math.sqrt(np.trace(self.K)) / self.n)


@worked("Rademacher complexity")
def exact_rademacher(functions: FunctionClass) -> float:
    """The empirical Rademacher complexity by enumeration of all ``2**n`` sign vectors, ``n <= 20``.  Catalogue T-29.

    >>> exact_rademacher(FiniteClass([[3.0, 1.0, 4.0]]))            # one function fits no noise
    0.0
    """
    n = functions.n
    if n > MOST_POINTS:
        raise ValueError(f"{n} points have 2**{n} sign vectors, at most {MOST_POINTS}; use simulated_rademacher")
    tell, total = Task("Rademacher complexity", 2**n, "sign vector"), 0.0
    for first in range(0, 2**n, _BLOCK):
        numbers = np.arange(first, min(first + _BLOCK, 2**n))
        signs = 2.0 * (numbers[:, None] >> np.arange(n) & 1) - 1
        total += float(np.sum(functions.supremum(signs)))
        tell(first, 1 - first / 2**n)
    return total / (n * 2**n)


@dataclass(frozen=True)
class SimulatedComplexity:
    """A mean over ``draws`` sign vectors, and an upper bound that fails with probability at most ``delta``."""

    value: float
    upper: float
    delta: float
    draws: int


@worked("Rademacher complexity")
def simulated_rademacher(
    functions: FunctionClass, *, draws: int = 1000, delta: float = 0.005, rng: Seed = 0
) -> SimulatedComplexity:
    """The empirical Rademacher complexity by simulation, with a bound on it.  Catalogue T-29.

    Flipping one of the ``draws * n`` signs moves the mean by at most ``2 a_i / (n draws)``, so by McDiarmid the true
    value is at most ``sqrt(sum a_i**2) / n * sqrt(2 log(1 / delta) / draws)`` above it, except with probability
    ``delta`` over the signs.  Spend a small part of a bound's failure probability here (a tenth, say).

    >>> found = simulated_rademacher(FiniteClass([[1.0, 2.0], [-1.0, -2.0]]), draws=4000)
    >>> abs(found.value - 1.0) < found.upper - found.value, found.upper < 1.1
    (True, True)
    """
    delta, draws = failure_probability(delta), whole("draws", draws, "it counts the sign vectors, use 1000")
    generator, n, total = as_generator(rng), functions.n, 0.0
    block, tell = max(1, min(512, (1 << 22) // n)), Task("Rademacher complexity", draws, "draw")
    for first in range(0, draws, block):
        signs = 2.0 * generator.integers(2, size=(min(block, draws - first), n)) - 1
        total += float(np.sum(functions.supremum(signs)))
        tell(first, 1 - first / draws)
    slack = float(np.linalg.norm(functions.sizes())) / n * math.sqrt(2 * math.log(1 / delta) / draws)
    value = total / (n * draws)
    return SimulatedComplexity(value, value + slack, delta, draws)


def column_ball_bound(columns: np.ndarray, n: int, radius: float = 1.0, order: float = 2.0) -> float:
    """`NormBall.bound` from the Euclidean norms of the ``columns`` (d,) of ``n`` rows, dense or sparse.

    >>> column_ball_bound(np.array([3.0, 4.0]), 10), NormBall(np.diag([3.0, 4.0])).bound() / 5
    (0.5, 0.5)
    """
    columns = finite_vector("columns", columns, "give the norm of each column")
    n, radius = whole("n", n, "it counts the rows"), _radius(radius)
    if columns.min() < 0:
        raise ValueError(f"columns must be norms >= 0, got {columns.min():g}; give the norm of each column")
    q, d = dual_order(order), len(columns)
    massart = d ** (1 / q) * np.max(columns) * math.sqrt(2 * math.log(2 * d))
    khintchine = math.inf if q == math.inf else math.sqrt(max(q - 1, 1)) * np.linalg.norm(columns, ord=q)
    return float(radius * min(massart, khintchine) / n)


def kernel_ball_rate(n: int, *, radius: float = 1.0, feature_bound: float = 1.0) -> float:
    """``radius * r / sqrt(n)``, at least the complexity of a kernel ball if ``k(x, x) <= r**2`` everywhere.

    ``feature_bound`` is ``r``: 1 for Gaussian and Laplace kernels, the largest ``||x||`` for the linear kernel.  It
    bounds the expected complexity too, ``r**2`` then being ``E k(x, x)``.  Catalogue T-37, T-38.

    >>> kernel_ball_rate(100, radius=2.0)
    0.2
    """
    return _radius(radius) * _features(feature_bound) / math.sqrt(whole("n", n, "it counts the rows"))


def l1_ball_rate(n: int, d: int, *, radius: float = 1.0, feature_bound: float = 1.0) -> float:
    """``radius * r sqrt(2 log(2 d) / n)``, at least the complexity of an L1 ball if ``|x_j| <= r`` everywhere.

    `NormBall.bound` knows the norms of the columns and is sharper on a given sample.  Catalogue T-40.

    >>> round(l1_ball_rate(1000, 100), 9)
    0.102939957
    """
    n, d = whole("n", n, "it counts the rows"), whole("d", d, "it counts the columns")
    return _radius(radius) * _features(feature_bound) * math.sqrt(2 * math.log(2 * d) / n)


def contracted(complexity: float, lipschitz: float) -> float:
    """``lipschitz * complexity``, at least the complexity of ``{phi_i(g(z_i))}`` if each ``phi_i`` is Lipschitz.

    The ``phi_i`` may differ from point to point, as ``loss(y_i, .)`` does.  Catalogue T-32, T-33, E-003.

    >>> contracted(0.1, power_loss_lipschitz(2, 3.0)).__round__(12)
    0.6
    """
    size = non_negative("complexity", complexity, "a Rademacher complexity is never negative")
    return non_negative("lipschitz", lipschitz, "a Lipschitz constant is a size") * size


def power_loss_lipschitz(power: float, largest_error: float) -> float:
    """``p * M**(p - 1)``: the Lipschitz constant of ``|f - y|**p`` where ``|f - y| <= M``, ``p >= 1``.  Catalogue T-34.

    >>> power_loss_lipschitz(2, 3.0), power_loss_lipschitz(1, 3.0)
    (6.0, 1.0)
    """
    power = within("power", power, (1, math.inf), "below 1 the loss is not Lipschitz")
    return power * positive("largest_error", largest_error, "it bounds |f - y|") ** (power - 1)


def _radius(radius: float) -> float:
    return non_negative("radius", radius, "it bounds the norm of the coefficients")


def _features(feature_bound: float) -> float:
    return non_negative("feature_bound", feature_bound, "it bounds the features")
