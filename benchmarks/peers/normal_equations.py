"""The normal equations in working precision, as running sums over a stream are usually kept."""

import numpy as np

from benchmarks.problems import Answer, Problem

name = "normal equations"
packages = ("numpy",)
convention = "no penalty; the intercept is a column of ones put first"


def least_squares(problem: Problem) -> Answer:
    ones = [np.ones(len(problem.y))] if problem.fit_intercept else []
    design = np.column_stack([*ones, problem.X])
    coef = np.linalg.solve(design.T @ design, design.T @ problem.y)
    return Answer(coef[len(ones) :], float(coef[0]) if ones else 0.0)
