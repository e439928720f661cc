"""surefit choosing lam by cross-validation, through its public face."""

from sklearn.model_selection import KFold

from benchmarks.problems import Answer, Problem
from surefit.estimators.sparse import Lasso

name = "surefit"
packages = ("surefit",)
convention = "none to translate; tol bounds the duality gap relative to the null objective"


def lasso_cv(problem: Problem) -> Answer:
    model = Lasso(lams=problem.lams, cv=KFold(10), tol=1e-6, fit_intercept=problem.fit_intercept)
    model.fit(problem.X, problem.y)
    return Answer(model.coef_, model.intercept_, model.lam_, model.lam_path_, model.criterion_path_)
