"""scikit-learn-intelex: oneDAL under scikit-learn's LogisticRegression."""

from benchmarks.peers.sklearn_logistic import TOLERANCES
from benchmarks.problems import Answer, Problem

name = "scikit-learn-intelex"
packages = ("scikit-learn-intelex",)
convention = "as scikit-learn: C = 1 / (2 n lam); its gradient is of the sum over rows: tol = n times scikit-learn's"
own_process = True


def lbfgs(problem: Problem) -> Answer:
    from sklearnex.linear_model import LogisticRegression

    n = len(problem.y)
    C, tol = 1 / (2 * n * problem.lam), n * TOLERANCES.get(problem.name, 1e-6)
    model = LogisticRegression(C=C, solver="lbfgs", tol=tol, max_iter=10_000, fit_intercept=problem.fit_intercept)
    model.fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)
