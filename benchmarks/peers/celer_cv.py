"""celer's path solver under the loop of a cross-validated lasso.

celer 0.7.4's own ``LassoCV`` cannot be constructed with scikit-learn 1.9 (it passes ``n_alphas``, which is gone there),
so the adapter does what that class does: one `celer_path` per fold on centred rows, the mean squared error of the
held-out rows, one more path on all rows for the answer.
"""

import numpy as np

from benchmarks.problems import Answer, Problem

name = "celer"
packages = ("celer",)
convention = "halves the loss: alpha = lam / 2; its tol is relative to the null objective too"
own_process = True

MAX_ITER = 100


def lasso_cv(problem: Problem) -> Answer:
    """One fold after the other, its default."""
    return _cross_validated(problem, n_jobs=1)


def lasso_cv_all_cores(problem: Problem) -> Answer:
    """A process for every core, its ``n_jobs=-1``."""
    return _cross_validated(problem, n_jobs=-1)


def _cross_validated(problem: Problem, n_jobs: int) -> Answer:
    from joblib import Parallel, delayed
    from sklearn.model_selection import KFold

    X, y, alphas = problem.X, problem.y, problem.lams[::-1] / 2
    folds = KFold(10).split(X)
    curve = np.mean(Parallel(n_jobs)(delayed(_held_out)(X, y, train, test, alphas) for train, test in folds), axis=0)
    best = int(np.argmin(curve))
    coefs, intercepts = _path(X, y, alphas[: best + 1])
    return Answer(coefs[:, best], float(intercepts[best]), 2 * alphas[best], 2 * alphas, curve)


def _held_out(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    coefs, intercepts = _path(np.asfortranarray(X[train]), y[train], alphas)
    return np.mean((y[test, None] - X[test] @ coefs - intercepts) ** 2, axis=0)


def _path(X: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from celer import celer_path

    shift, mean = X.mean(axis=0), y.mean()
    _, coefs, _ = celer_path(X - shift, y - mean, pb="lasso", alphas=alphas, tol=1e-6, max_iter=MAX_ITER, prune=True)
    return coefs, mean - shift @ coefs
