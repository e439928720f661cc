"""surefit itself, through its public face."""

import numpy as np
from sklearn.model_selection import KFold

from benchmarks.fresh_import import import_seconds
from benchmarks.peers.ours_svr import svr  # noqa: F401
from benchmarks.peers.own_loss import user_smooth, user_sparse  # noqa: F401  adapters of ours, next to their twins
from benchmarks.problems import Answer, Problem
from surefit import LeastSquares, Ridge
from surefit.estimators.lasso import Lasso
from surefit.solvers.linear.streamed import least_squares_from_blocks

name = "surefit"
packages = ("surefit",)
convention = "none to translate: mean((y - X w - b)**2) + lam * penalty(w)"

BLOCK_ROWS = 8  # of the streamed fits: small, so that even the tiny reference sets come in several blocks


def least_squares(problem: Problem) -> Answer:
    model = LeastSquares(fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def least_squares_one_pass(problem: Problem) -> Answer:
    return _from_blocks(problem, passes=1)


def least_squares_two_passes(problem: Problem) -> Answer:
    return _from_blocks(problem, passes=2)


def least_squares_partial_fit(problem: Problem) -> Answer:
    model = Ridge(lam=0.0, fit_intercept=problem.fit_intercept)
    for k in range(0, len(problem.y), BLOCK_ROWS):
        model.partial_fit(problem.X[k : k + BLOCK_ROWS], problem.y[k : k + BLOCK_ROWS])
    return Answer(model.coef_, model.intercept_)


def standard_errors(problem: Problem) -> np.ndarray:
    """Standard errors of the coefficients, the intercept's first."""
    model = LeastSquares(fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return np.asarray(model.inference().standard_error)


def ridge(problem: Problem) -> Answer:
    model = Ridge(problem.lam, fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def ridge_loo(problem: Problem) -> Answer:
    model = Ridge(lams=problem.lams, fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_, model.lam_, model.lam_path_, model.criterion_path_)


def lasso_cv(problem: Problem) -> Answer:
    """Folds in the order of the rows, so that every contender has the same."""
    model = Lasso(lams=problem.lams, cv=KFold(10), tol=1e-6, fit_intercept=problem.fit_intercept)
    model.fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_, model.lam_, model.lam_path_, model.criterion_path_)


def import_time(problem: Problem) -> Answer:
    return Answer(seconds=import_seconds("surefit"))


def _from_blocks(problem: Problem, passes: int) -> Answer:
    starts = range(0, len(problem.y), BLOCK_ROWS)
    blocks = [(problem.X[k : k + BLOCK_ROWS], problem.y[k : k + BLOCK_ROWS]) for k in starts]
    solution = least_squares_from_blocks(blocks, passes=passes, fit_intercept=problem.fit_intercept)
    return Answer(solution.coef, float(solution.intercept))
