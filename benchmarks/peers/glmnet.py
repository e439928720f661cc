"""glmnet, in R: cyclic coordinate descent along a path; the clock is R's, around the call alone."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from scipy import io, sparse

from benchmarks.problems import Answer, Problem

name = "R glmnet"
packages = ()
own_process = True
convention = "halves the mean squared loss: lambda = lam / 2, for the logistic loss lam; standardize=FALSE, thresh=1e-9"

PROGRAM = """
suppressMessages({library(glmnet); library(Matrix)})
given <- commandArgs(trailingOnly=TRUE); folder <- given[1]
read <- function(name, n) readBin(file.path(folder, name), "double", n)
size <- read("size", 3)
X <- if (file.exists(file.path(folder, "X.mtx"))) as(readMM(file.path(folder, "X.mtx")), "CsparseMatrix") else
  matrix(read("X", size[1] * size[2]), size[1], size[2])
y <- read("y", size[1]); lambda <- read("lambda", size[3])
taken <- system.time(fit <- glmnet(X, if (given[2] == "binomial") factor(y) else y, family=given[2], lambda=lambda,
  standardize=FALSE, intercept=FALSE, thresh=1e-9, maxit=1e7))[["elapsed"]]
writeBin(c(taken, as.vector(as.matrix(fit$beta))), file.path(folder, "answer"))
"""


@cache
def missing() -> str | None:
    """What is to be installed, if anything."""
    command = ["Rscript", "-e", "quit(status = !requireNamespace('glmnet', quietly = TRUE))"]
    there = shutil.which("Rscript") is not None and subprocess.run(command, check=False).returncode == 0
    return None if there else "R with glmnet"


def lasso_path(problem: Problem) -> Answer:
    return _path(problem, "gaussian", problem.lams[::-1] / 2)


def logistic_path(problem: Problem) -> Answer:
    return _path(problem, "binomial", problem.lams[::-1])


def _path(problem: Problem, family: str, lambdas: np.ndarray) -> Answer:
    n, d = problem.X.shape
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        np.array([n, d, len(lambdas)], float).tofile(folder / "size")
        np.asarray(problem.y, float).tofile(folder / "y")
        np.ascontiguousarray(lambdas).tofile(folder / "lambda")
        if sparse.issparse(problem.X):
            io.mmwrite(folder / "X.mtx", sparse.coo_matrix(problem.X))
        else:
            np.asfortranarray(problem.X).T.tofile(folder / "X")
        (folder / "program.R").write_text(PROGRAM)
        subprocess.run(["Rscript", str(folder / "program.R"), name_of_folder, family], check=True)
        answer = np.fromfile(folder / "answer")
    return Answer(coefs=answer[1:].reshape(len(lambdas), d)[::-1], seconds=float(answer[0]))
