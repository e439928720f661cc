"""Traps that real tables set: raw units, copied rows, coin flips, class weights, missing compilers.

Each section holds what a default must do where it once went wrong without a word.  Data are small and seeded, and
resemble real tables: columns in dollars, counts and shares side by side.
"""

import os
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from surefit import RobustRegression
from surefit.data import threads
from surefit.objective import Huber

# ---- Choice of lam on raw columns ----


# ---- Intercepts, and choices that are worse than a constant ----


# ---- Copied rows ----


# ---- Weights in inference ----


# ---- Stored and copied models ----


# ---- Cost of defaults ----


# ---- Progress ----


# ---- Messages ----


# ---- Tables and displays ----


# ---- One lam costs no more than the path ----


# ---- Gaps at tiny lam ----


# ---- Statuses and extreme units ----


# ---- scikit-learn's own expectations ----


# ---- Forks and parallel jobs ----


class Watched(Huber):
    """Huber's loss, which notes how many threads the BLAS may use whenever its slope is asked for."""

    seen: ClassVar[set[int]] = set()

    def derivative(self, y, f):
        Watched.seen |= {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
        return super().derivative(y, f)


@pytest.mark.parametrize(("large", "most"), [(threads.WORTH_SHARING, 1), (1.0, 2)])
def test_threads_of_the_blas_are_left_to_large_fits(monkeypatch, large, most):
    """On a busy machine they turned a robust fit of 2,051 rows and 270 columns from seconds into minutes."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    Watched.seen.clear()
    monkeypatch.setattr(threads, "WORTH_SHARING", large)
    with threadpool_limits(2, user_api="blas"):
        if 2 not in {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}:
            pytest.skip("this BLAS has no threads")
        RobustRegression(loss=Watched(1.0), lam=0.1).fit(X, X[:, 0])
    assert max(Watched.seen) == most


# ---- Without a compiler ----

ANSWERS = """
import sys
import numpy as np
from surefit import KernelRidge, Lasso, LogisticRegression, SVR
X, y, t = (np.load(name) for name in sys.argv[1:4])
models = [Lasso(lam=0.01, tol=1e-12), KernelRidge(lam=0.1), SVR(lam=0.1), LogisticRegression(lam=0.01, l1_ratio=1.0)]
fits = [model.fit(X, t if model is models[-1] else y) for model in models]
scores = [fit.decision_function(X) if fit is models[-1] else fit.predict(X) for fit in fits]
np.save(sys.argv[4], scores)
"""


def test_the_twins_of_the_compiled_loops_come_to_the_same_answers(tmp_path, monkeypatch):
    """Columns that depend on each other to twelve digits, and 60 of them for 40 rows: work without an end once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60))
    X[:, 1] = X[:, 0] + 1e-12 * X[:, 2]
    y = X[:, :3].sum(axis=1) + rng.normal(size=40)
    files = [str(tmp_path / f"{name}.npy") for name in ("X", "y", "t", "plain", "compiled")]
    for file, numbers in zip(files, (X, y, y > 0), strict=False):
        np.save(file, numbers)
    command = [sys.executable, "-W", "ignore", "-c", ANSWERS, *files[:4]]
    subprocess.run(command, check=True, env=os.environ | {"SUREFIT_PLAIN": "1"}, timeout=300)
    monkeypatch.setattr(sys, "argv", ["", *files[:3], files[4]])
    exec(ANSWERS, {})
    plain, compiled = (np.load(file) for file in files[3:])
    np.testing.assert_allclose(plain, compiled, atol=1e-3)


# ---- The same hold-out on every machine ----
