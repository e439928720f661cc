"""Layer solvers: the Newton step of kernel softmax regression.

In: a `KernelRiskProblem` with several classes and a point.  Out: the direction.

With ``W_i = p_i (diag(q_i) - q_i q_i') / (2 lam)`` for the class probabilities ``q_i``, the step solves
``(I + W K) D = -(p g / (2 lam) + A)``.  This system is symmetric and positive in the inner product
``<D, D'> = tr(D'K D')``, so conjugate gradients run in that one.  They are preconditioned by the inverse of the same
system with one scalar curvature in place of all classes.  If that takes long, the preconditioner becomes

- for a stored ``K`` the exact inverse without offset, a factorisation for each class and one for their sum; an offset
  costs one iteration more for each class;
- for features ``Z`` (n, r), unless there are too many, the same inverse from one system of side ``r k``.

All of them keep the class sums of every row at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefit.objective.softmax import indicators, softmax
from surefit.solvers.kernel import limits
from surefit.solvers.kernel.gram import DenseGram, LowRankGram, Map, cholesky_inverse
from surefit.solvers.kernel.problem import KernelPoint, KernelRiskProblem


def softmax_direction(problem: KernelRiskProblem, point: KernelPoint) -> KernelPoint:
    """From ``point`` towards the minimum of the quadratic model of the objective; the offset is eliminated."""
    assert problem.classes is not None
    q, share = softmax(point.scores), problem.p / (2 * problem.lam)
    weight = share * q
    target = weight - share * indicators(problem.y, problem.classes)
    bend = lambda V: weight * (V - np.sum(q * V, axis=1, keepdims=True))
    away, apply, offset_for = -(target + point.coef), bend, lambda V: np.zeros(problem.classes)
    if problem.fit_intercept:
        total = np.diag(weight.sum(axis=0)) - weight.T @ q
        settle = np.linalg.pinv(total + np.trace(total) / problem.classes**2, hermitian=True)
        offset_for = lambda V: -settle @ (target + bend(V)).sum(axis=0)
        apply = lambda V: bend(V - settle @ bend(V).sum(axis=0))
        away = away - bend(np.broadcast_to(offset_for(np.zeros_like(q)), q.shape))
    system = _System(problem, q, weight, bend, apply)
    coef = system.on_features(away) if isinstance(problem.gram, LowRankGram) else system.on_points(away)
    values = problem.gram.times(coef)
    return KernelPoint(coef, offset_for(values), values)


@dataclass(frozen=True, eq=False)
class _System:
    """``D + apply(K D) = rhs``, with probabilities ``q`` and ``weight = p q / (2 lam)``.

    ``bend`` is the map ``W``, ``apply`` the same with the offset eliminated.
    """

    problem: KernelRiskProblem
    q: np.ndarray
    weight: np.ndarray
    bend: Map
    apply: Map

    def on_points(self, rhs: np.ndarray) -> np.ndarray:
        """``D`` for a stored ``K``: with one curvature, and if that takes long with factors for all classes."""
        gram, root = self.problem.gram, self._one_root()
        assert isinstance(gram, DenseGram)
        size = gram.mean_diagonal(self.problem.weights)
        root = np.maximum(root, limits.SOFTMAX_LEAST_ROOT / np.sqrt(size)) if size > 0 else root + 1.0
        inverse, rounding = gram.inverse(root[:, 0]), 0.01 * np.finfo(float).eps * size

        def by_one(weights: np.ndarray, seen: np.ndarray) -> Vector:
            half = inverse(root * seen)
            nearly = weights - root * half
            values = inverse.identity / root * half  # K times the above, without another product
            return nearly, values, float(np.sum(nearly * seen))

        def solved(ready: Ready, rest: np.ndarray, enough: Callable[[float], float], most: int) -> Ended:
            noise = lambda nearly, rest: rounding * float(np.linalg.norm(nearly) * np.linalg.norm(rest))
            return _conjugate_gradients(gram.times, self.apply, ready, rest, enough, most, noise)

        most = max(gram.n // limits.SOFTMAX_PATIENCE, limits.SOFTMAX_LEAST_PATIENCE)
        first = solved(by_one, rhs, self._enough, most)
        if not first.left > first.enough:
            return first.answer
        near = _exact(gram, self.weight)

        def by_all(weights: np.ndarray, seen: np.ndarray) -> Vector:
            nearly = weights - near(seen)
            return nearly, gram.times(nearly), float(np.sum(nearly * seen))

        return first.part + solved(by_all, first.rest, lambda _: first.enough, limits.SOFTMAX_MAX_PRODUCTS).answer

    def on_features(self, rhs: np.ndarray) -> np.ndarray:
        """``D`` for ``K = Z Z'``: conjugate gradients, preconditioned at the side of ``Z``."""
        gram = self.problem.gram
        assert isinstance(gram, LowRankGram)
        Z, bend = gram.Z, self.bend
        if not self.problem.rough and Z.shape[1] * rhs.shape[1] <= limits.SOFTMAX_LARGEST_SYSTEM:
            inverse = self._all_classes(Z)
        else:
            root = self._one_root()
            inverse, bend = gram.small_inverse(root[:, 0]), lambda values: root**2 * values

        def ready(weights: np.ndarray, seen: np.ndarray) -> Vector:
            nearly = inverse(seen)
            values = Z @ nearly
            return weights - bend(values), values, float(np.sum(nearly * seen))

        see = lambda weights: Z.T @ weights
        return _conjugate_gradients(see, self.apply, ready, rhs, self._enough, limits.SOFTMAX_MAX_PRODUCTS).answer

    def _enough(self, decrement: float) -> float:
        """How much may be left of a squared decrement, both divided by ``2 lam``."""
        if not self.problem.rough:
            end = limits.SETTLED * np.log(self.q.shape[1]) / (2 * self.problem.lam)
            return float(max(limits.SOFTMAX_ACCURACY**2 * decrement, limits.SOFTMAX_LAST_ACCURACY * end))
        end = self.problem.rough / (2 * self.problem.lam)
        return max(limits.SOFTMAX_ROUGH_ACCURACY**2 * decrement, limits.SOFTMAX_ROUGH_ACCURACY * end)

    def _one_root(self) -> np.ndarray:
        """Square roots of the mean of the nonzero eigenvalues of every ``W_i``, as a column."""
        mean = np.sum(self.q * (1 - self.q), axis=1, keepdims=True) / (self.q.shape[1] - 1)
        root: np.ndarray = np.sqrt(self.problem.p * mean / (2 * self.problem.lam))
        return root

    def _all_classes(self, Z: np.ndarray) -> Map:
        """The map ``(I + Z'W Z)^{-1}`` without offset, features and classes in one small system."""
        r, k = Z.shape[1], self.q.shape[1]

        def build() -> np.ndarray:
            system = np.empty((k, r, k, r))
            for c in range(k):
                for other in range(c + 1):
                    block = Z.T @ ((self.weight[:, c] * ((c == other) - self.q[:, other]))[:, None] * Z)
                    system[c, :, other], system[other, :, c] = block, block
            return system.reshape(k * r, k * r)

        solve = cholesky_inverse(build, 1.0)
        return lambda seen: solve(seen.T.ravel()).reshape(k, r).T


def _exact(gram: DenseGram, weight: np.ndarray) -> Map:
    """The map ``(K + W^{-1})^{-1}``, whose inverse makes sense where ``W`` has none.

    With ``E_c = (K + diag(1 / weight_c))^{-1}`` for each class it is ``E - E 1 (sum_c E_c)^{-1} 1'E``: subtracting
    ``q_i q_i'`` from ``diag(q_i)`` forbids moving all scores of a row together.
    """
    roots = np.sqrt(weight).T
    inverses = [gram.inverse(root) for root in roots]
    size = np.sqrt(weight.sum(axis=1))  # of the sum of all E_c, so that it is scaled like the rest

    def build() -> np.ndarray:
        total = np.zeros_like(gram.K, order="F")
        for root, inverse in zip(roots / size, inverses, strict=True):
            part = inverse.lower_triangle()
            part *= root
            part *= root[:, None]
            total += part
        return total.T  # the factorisation reads the lower triangle of its transpose

    schur = cholesky_inverse(build, 0.0)

    def apply(V: np.ndarray) -> np.ndarray:
        E = lambda V: np.column_stack([s * inverse(s * v) for s, inverse, v in zip(roots, inverses, V.T, strict=True)])
        own = E(V)
        common = schur(own.sum(axis=1) / size) / size
        return own - E(np.broadcast_to(common[:, None], V.shape))

    return apply


Vector = tuple[np.ndarray, np.ndarray, float]
"""Dual weights ``V`` that nearly solve the system for a rest ``R``, the values ``K V``, and ``tr(V'K R)``."""

Ready = Callable[[np.ndarray, np.ndarray], Vector]
"""From a rest ``R`` and what is seen of it (``K R`` or ``Z'R``) to what nearly solves the system for it."""


@dataclass(frozen=True, eq=False)
class Ended:
    """What conjugate gradients came to: ``D``, nearly what it lacks, the rest of the right-hand side, its
    size, and what size is small enough.

    What ``D`` nearly lacks is part of the answer: in what ``K`` does not see, which the inner product does not measure,
    it is all of it, and without it weights of equal rows would grow until rounding decides.
    """

    part: np.ndarray
    nearly: np.ndarray
    rest: np.ndarray
    left: float
    enough: float

    @property
    def answer(self) -> np.ndarray:
        return self.part + self.nearly


def _conjugate_gradients(
    see: Map,
    bend: Map,
    ready: Ready,
    rhs: np.ndarray,
    enough: Callable[[float], float],
    most: int,
    noise: Callable[[np.ndarray, np.ndarray], float] = lambda nearly, rest: 0.0,
) -> Ended:
    """``D`` with ``D + bend(K D) = rhs``.  ``ready`` is nearly the answer for a rest of the right-hand side, and
    ``noise`` what rounding makes of its size.
    """
    D, rest = np.zeros_like(rhs), rhs
    nearly, there, size = ready(rest, see(rest))
    weights, values, limit = nearly, there, enough(size)
    for _ in range(most):
        if not size > max(limit, noise(nearly, rest)):
            break
        image = weights + bend(values)
        step, before = size / float(np.sum(values * image)), size
        D, rest = D + step * weights, rest - step * image
        nearly, there, size = ready(rest, see(rest))
        weights, values = nearly + size / before * weights, there + size / before * values
    return Ended(D, nearly, rest, size, limit)
