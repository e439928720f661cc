"""statsmodels' OLS with its default method, the pseudo-inverse."""

import numpy as np
from statsmodels.regression.linear_model import OLS

from benchmarks.problems import Answer, Problem

name = "statsmodels OLS"
packages = ("statsmodels",)
convention = "no penalty; the intercept is a column of ones put first"


def least_squares(problem: Problem) -> Answer:
    if not problem.fit_intercept:
        return Answer(np.asarray(OLS(problem.y, problem.X).fit().params))
    design = np.column_stack([np.ones(len(problem.y)), problem.X])
    params = np.asarray(OLS(problem.y, design).fit().params)
    return Answer(params[1:], params[0])
