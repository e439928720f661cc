"""adelie: group elastic net in C++, here with groups of one."""

import numpy as np
from scipy import sparse

from benchmarks.problems import Answer, Problem

name = "adelie"
packages = ("adelie",)
own_process = True  # nobody's threads in anybody's way
convention = (
    "halves the mean loss: lmda = lam / 2; tol as loose as an objective within 1e-6 of the minimum allows (certified: "
    "as a duality gap of its own of 1e-6 allows); two threads"
)

TOL = 2e-10
CERTIFIED_TOL = 1e-15
THREADS = 2


def lasso_path(problem: Problem) -> Answer:
    """The naive method, which passes over the data, to an objective within 1e-6 of the minimum."""
    return _naive_path(problem, TOL)


def lasso_path_certified(problem: Problem) -> Answer:
    """The same to a residual whose duality gap is 1e-6, which is what the others stop on."""
    return _naive_path(problem, CERTIFIED_TOL)


def _naive_path(problem: Problem, tol: float) -> Answer:
    import adelie  # binds the process that imports it to one core

    make = adelie.matrix.sparse if sparse.issparse(problem.X) else adelie.matrix.dense
    X = sparse.csc_matrix(problem.X) if sparse.issparse(problem.X) else np.asfortranarray(problem.X)
    state = adelie.grpnet(
        make(X, method="naive", n_threads=THREADS),
        adelie.glm.gaussian(problem.y),
        lmda_path=problem.lams[::-1] / 2,
        intercept=False,
        early_exit=False,
        adev_tol=1.0,
        ddev_tol=0.0,
        tol=tol,
        n_threads=THREADS,
        progress_bar=False,
    )
    return Answer(coefs=state.betas.toarray()[::-1])


def logistic_path(problem: Problem) -> Answer:
    """Iteratively reweighted, each model by the naive method."""
    import adelie

    state = adelie.grpnet(
        adelie.matrix.sparse(sparse.csc_matrix(problem.X), method="naive", n_threads=THREADS),
        adelie.glm.binomial(problem.y.astype(float)),
        lmda_path=problem.lams[::-1],
        intercept=False,
        early_exit=False,
        adev_tol=1.0,
        ddev_tol=0.0,
        tol=1e-9,
        irls_tol=1e-9,
        n_threads=THREADS,
        progress_bar=False,
    )
    return Answer(coefs=state.betas.toarray()[::-1])


def lasso_path_covariance(problem: Problem) -> Answer:
    """The covariance method, which first forms the Gram matrix."""
    import adelie

    n = len(problem.y)
    state = adelie.gaussian_cov(
        np.asfortranarray(problem.X.T @ problem.X / n),
        problem.X.T @ problem.y / n,
        lmda_path=problem.lams[::-1] / 2,
        early_exit=False,
        rdev_tol=0.0,
        tol=TOL,
        n_threads=THREADS,
        progress_bar=False,
    )
    return Answer(coefs=state.betas.toarray()[::-1])
