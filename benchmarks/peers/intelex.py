"""oneDAL, as scikit-learn-intelex offers it, on all cores."""

from benchmarks.peers.libsvm import convention, fitted  # noqa: F401  the same face, so the same convention
from benchmarks.problems import Answer, Problem

name = "scikit-learn-intelex"
packages = ("scikit-learn-intelex",)
own_process = True


def least_squares(problem: Problem) -> Answer:
    from sklearnex.linear_model import LinearRegression

    model = LinearRegression(fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def ridge(problem: Problem) -> Answer:
    from sklearnex.linear_model import Ridge

    model = Ridge(len(problem.y) * problem.lam, fit_intercept=problem.fit_intercept).fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_)


def svr(problem: Problem) -> Answer:
    from sklearnex.svm import SVR

    return fitted(SVR, problem)
