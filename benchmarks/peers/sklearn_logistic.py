"""scikit-learn's LogisticRegression, solver by solver; tolerances as loose as nine digits of the objective allow."""

import numpy as np

from benchmarks.problems import Answer, Problem

name = "scikit-learn"
packages = ("scikit-learn",)
convention = "weighs the summed loss: C = 1 / (2 n lam), for L1 C = 1 / (n lam)"
own_process = True


TOLERANCES = {"logistic-20000x2000": 5e-7, "logistic-ar-20000x2000": 3e-7, "multinomial-ar-60000x200": 5e-7}
"""Of lbfgs where 1e-6 leaves more than 1e-9 of the objective."""


FEW_ROWS = 1_000
"""Below this many rows the tolerance of liblinear's path leaves more than that, whatever the columns."""


def lbfgs(problem: Problem) -> Answer:
    return _fit(problem, "lbfgs", TOLERANCES.get(problem.name, 1e-6))


def newton_cholesky(problem: Problem) -> Answer:
    return _fit(problem, "newton-cholesky", 1e-5)


def newton_cg(problem: Problem) -> Answer:
    return _fit(problem, "newton-cg", 1e-6)


def liblinear(problem: Problem) -> Answer:
    return _fit(problem, "liblinear", 1e-6)


def path_liblinear(problem: Problem) -> Answer:
    """One fit for each lam: it has no warm start."""
    from sklearn.linear_model import LogisticRegression

    n = len(problem.y)
    tol = 4e-5 if n > FEW_ROWS else 1e-6
    coefs = [
        LogisticRegression(
            C=1 / (n * lam), l1_ratio=1.0, solver="liblinear", tol=tol, max_iter=1000, fit_intercept=False
        ).fit(problem.X, problem.y).coef_[0]
        for lam in problem.lams
    ]  # fmt: skip
    return Answer(coefs=np.array(coefs))


def _fit(problem: Problem, solver: str, tol: float) -> Answer:
    from sklearn.linear_model import LogisticRegression

    C = 1 / (2 * len(problem.y) * problem.lam)
    model = LogisticRegression(C=C, solver=solver, tol=tol, max_iter=10_000, fit_intercept=problem.fit_intercept)
    model.fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)
