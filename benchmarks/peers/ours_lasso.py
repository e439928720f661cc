"""Our lasso path, in a process of its own as those of its peers."""

import numpy as np

from benchmarks.problems import Answer, Problem
from surefit.data.design import Design
from surefit.solvers.lasso.path import SparsePenalty
from surefit.solvers.lasso.solve import elastic_net_path

name = "surefit"
packages = ("surefit",)
convention = (
    "none to translate: mean((y - X w)**2) + lam * sum(|w|); tol on the duality gap relative to the null objective"
)
own_process = True


def lasso_path(problem: Problem) -> Answer:
    design = Design(problem.X, np.ones(len(problem.y)))
    path = elastic_net_path(
        design, problem.y, problem.lams, SparsePenalty(), fit_intercept=problem.fit_intercept, tol=1e-6
    )
    return Answer(coefs=path.coefs)
