"""The textbook's QR: ``R w = Q'y`` with SciPy's Householder factorisation, no pivoting, nothing dropped."""

import numpy as np
from scipy.linalg import qr, solve_triangular

from benchmarks.problems import Answer, Problem

name = "plain QR"
packages = ("scipy",)
convention = "no penalty; the intercept is a column of ones put first"


def least_squares(problem: Problem) -> Answer:
    design = np.column_stack([np.ones(len(problem.y)), problem.X]) if problem.fit_intercept else problem.X
    Q, R = qr(design, mode="economic")
    solution = solve_triangular(R, Q.T @ problem.y)
    return Answer(solution[1:], solution[0]) if problem.fit_intercept else Answer(solution)
