"""Layer solvers: the Newton step of kernel softmax regression.

In: a `KernelRiskProblem` with several classes and a point.  Out: the direction.

With ``W_i = p_i (diag(q_i) - q_i q_i') / (2 lam)`` for the class probabilities ``q_i``, the step solves
``(I + W K) D = -(p g / (2 lam) + A)``.  This system is symmetric and positive in the inner product
``<D, D'> = tr(D'K D')``, so conjugate gradients run in that one.  They are preconditioned as well as is affordable:

- a stored ``K``: by the exact inverse without offset, a factorisation for each class and one for their sum; an offset
  costs one iteration more for each class;
- features ``Z`` (n, r): by the same inverse, one system of side ``r k``;
- features for which that system is too large: by one scalar curvature in place of all classes.

All of them keep the class sums of every row at zero.
"""

from __future__ import annotations

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
    near = _one_curvature(problem, q) if problem.rough else _near(problem, q, weight, bend)
    accuracy = limits.SOFTMAX_ROUGH_ACCURACY if problem.rough else limits.SOFTMAX_ACCURACY
    coef = _conjugate_gradients(problem.gram.times, apply, near, away, accuracy)
    values = problem.gram.times(coef)
    return KernelPoint(coef, offset_for(values), values)


def _near(problem: KernelRiskProblem, q: np.ndarray, weight: np.ndarray, bend: Map) -> Map:
    """The best affordable approximation of ``(K + W^{-1})^{-1}``."""
    gram = problem.gram
    if isinstance(gram, DenseGram):
        return _exact(gram, weight)
    if isinstance(gram, LowRankGram) and gram.Z.shape[1] * q.shape[1] <= limits.SOFTMAX_LARGEST_SYSTEM:
        return _exact_on_features(gram.Z, q, weight, bend)
    return _one_curvature(problem, q)


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


def _exact_on_features(Z: np.ndarray, q: np.ndarray, weight: np.ndarray, bend: Map) -> Map:
    """The map ``(Z Z' + W^{-1})^{-1} = W - W Z (I + Z'W Z)^{-1} Z'W``, features and classes in one small system."""
    r, k = Z.shape[1], q.shape[1]

    def build() -> np.ndarray:
        system = np.empty((k, r, k, r))
        for c in range(k):
            for other in range(c + 1):
                block = Z.T @ ((weight[:, c] * ((c == other) - q[:, other]))[:, None] * Z)
                system[c, :, other], system[other, :, c] = block, block
        return system.reshape(k * r, k * r)

    solve = cholesky_inverse(build, 1.0)

    def apply(V: np.ndarray) -> np.ndarray:
        bent = bend(V)
        return bent - bend(Z @ solve((Z.T @ bent).T.ravel()).reshape(k, r).T)

    return apply


def _one_curvature(problem: KernelRiskProblem, q: np.ndarray) -> Map:
    """The map ``(K + W^{-1})^{-1}`` with every ``W_i`` replaced by the mean of its nonzero eigenvalues."""
    mean = np.sum(q * (1 - q), axis=1) / (q.shape[1] - 1)
    root = np.sqrt(problem.weights * mean / (2 * problem.lam))
    inverse = problem.gram.inverse(root)
    return lambda V: root[:, None] * inverse(root[:, None] * V)


def _conjugate_gradients(times: Map, bend: Map, near: Map, rhs: np.ndarray, accuracy: float) -> np.ndarray:
    """``D`` with ``D + bend(K D) = rhs`` up to ``accuracy``; ``R - near(K R)`` is nearly the answer for ``rhs = R``."""
    D, P, KP, last = np.zeros_like(rhs), np.zeros_like(rhs), np.zeros_like(rhs), np.inf
    R, KR = rhs, times(rhs)
    enough = accuracy**2 * float(np.sum(R * KR))
    for _ in range(limits.SOFTMAX_MAX_PRODUCTS):
        Z = R - near(KR)
        size = float(np.sum(Z * KR))
        if not size > 0:
            break
        P, KP, last = Z + size / last * P, times(Z) + size / last * KP, size
        image = P + bend(KP)
        step = size / float(np.sum(image * KP))
        D, R = D + step * P, R - step * image
        KR = times(R)
        if float(np.sum(R * KR)) <= enough:
            break
    return D
