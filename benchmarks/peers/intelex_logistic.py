"""scikit-learn-intelex: oneDAL under scikit-learn's LogisticRegression."""

import os

from benchmarks.problems import Answer, Problem

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

name = "scikit-learn-intelex"
packages = ("scikit-learn-intelex",)
convention = "as scikit-learn: C = 1 / (2 n lam)"
own_process = True


def lbfgs(problem: Problem) -> Answer:
    from sklearnex.linear_model import LogisticRegression

    C = 1 / (2 * len(problem.y) * problem.lam)
    model = LogisticRegression(C=C, solver="lbfgs", tol=1e-6, max_iter=10_000, fit_intercept=problem.fit_intercept)
    model.fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)
