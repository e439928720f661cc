"""Layer solvers: LSMR for designs too large to factorise.  In: a centred design.  Out: a `Solution` and residuals."""

from types import MappingProxyType

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsmr

from surefit.data.centred import Centred
from surefit.solvers.solution import Solution, Status

TOLERANCE = 1e-13


def lsmr_fit(A: Centred, y: np.ndarray, lam: float) -> tuple[Solution, np.ndarray]:
    """(Ridge) least squares by Krylov iterations on the centred design, which is never formed; least norm at lam = 0.

    ``y`` has shape ``(n, k)``.  The gap is the strong-convexity bound for ``lam > 0`` and otherwise unknown (inf):
    the relative size of the gradient is recorded instead.
    """
    operator = LinearOperator((A.n, A.d), matvec=A.matvec, rmatvec=A.rmatvec, dtype=np.float64)
    sum_lam = lam * A.design.total_weight
    columns, iterations, converged = [], 0, True
    for target in A.target(y).T:
        answer = lsmr(operator, target, damp=np.sqrt(sum_lam), atol=TOLERANCE, btol=TOLERANCE, conlim=0.0,
                      maxiter=20 * min(A.n, A.d) + 100)  # fmt: skip
        columns.append(answer[0])
        iterations = max(iterations, int(answer[2]))
        converged &= answer[1] != 7
    coef = np.stack(columns, axis=1)
    raw, inner = (coef.T / A.scale).T, A.target_mean(y) - A.shift @ coef
    residual = y - A.design.matvec(raw) - inner
    intercept = A.design.user_intercept(raw, inner)
    gradient = A.rmatvec((residual.T * A.root_weight).T) - sum_lam * coef
    relative = np.linalg.norm(gradient) / max(np.linalg.norm(A.rmatvec(A.target(y))), np.finfo(float).tiny)
    gap = float(np.sum(gradient**2) / (sum_lam * A.design.total_weight)) if lam > 0 else np.inf
    objective = float(np.sum(A.design.weight @ residual**2) / A.design.total_weight + lam * np.sum(raw**2))
    facts = MappingProxyType({"method": "lsmr", "relative_gradient": float(relative)})
    status = Status.CONVERGED if converged else Status.MAX_ITER
    return Solution(raw, intercept, status, gap, objective, iterations, facts=facts), residual
