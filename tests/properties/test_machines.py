"""The same answers on every machine: threads of the BLAS, no compiler, other last bits, another order of the rows."""

import os
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from surefit import (
    SVR,
    Certified,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    Ridge,
    RobustRegression,
    threads,
)
from surefit.data.design import Design
from surefit.guarantee.held_out import divided
from surefit.objective import Huber
from surefit.selection.folds import folds_of

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


def test_the_twins_of_the_door_come_to_the_same_answers(tmp_path, monkeypatch):
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


def rounded_elsewhere(X, seed=1):
    """``X`` as another processor may compute it: the last bit of a third of its numbers is another."""
    return np.where(np.random.default_rng(seed).random(X.shape) < 1 / 3, np.nextafter(X, np.inf), X)


def measured():
    X, y = load_breast_cancer(return_X_y=True)
    return np.log1p(X), y


@pytest.mark.parametrize("fit", [
    lambda X, y: LogisticRegression(lam=1e-3).fit(X, y, certify=0.2).certificate(),
    lambda X, y: Ridge(lam=1e-3).fit(X, 1.0 * y, certify=0.2).certificate().further[1],
    lambda X, y: Certified(DummyClassifier()).fit(X, y).certificate_,
])  # fmt: skip
def test_the_last_bits_of_the_rows_do_not_decide_what_is_held_out(fit):
    X, y = measured()
    here, there = fit(X, y), fit(rounded_elsewhere(X), y)
    assert here.bound == pytest.approx(there.bound, rel=1e-9)
    assert here.inputs.get("seed") == there.inputs.get("seed")


def test_a_row_dropped_or_a_file_re_sorted_leaves_the_others_where_they_were():
    X, y = measured()
    first = set(map(tuple, X[divided(X, y, None, 0.2).held_out]))
    order = np.argsort(X[:, 3])
    assert first == set(map(tuple, X[order][divided(X[order], y[order], None, 0.2).held_out]))
    without = set(map(tuple, X[1:][divided(X[1:], y[1:], None, 0.2).held_out]))
    assert len(first ^ without) <= 2  # the row itself, and one at the end of those held out


def test_another_random_state_holds_other_rows_out():
    X, y = measured()
    one, two = (LeastSquares().fit(X, y, certify=0.2, random_state=seed).certificate() for seed in (None, 7))
    assert one.bound != two.bound
    assert two.inputs["random_state"] == 7
    own = LogisticRegression(lam=1e-3, random_state=7).fit(X, y, certify=0.2)._fit_record.held_out
    assert sorted(own.targets) == sorted(y[divided(X, y, None, 0.2, 7).held_out])
    with pytest.raises(ValueError, match=r"a random_state of its own.*give LogisticRegression\(random_state=7\)"):
        LogisticRegression().fit(X, y, certify=0.2, random_state=7)
    with pytest.raises(ValueError, match=r"certify is not given; add certify=0.2"):
        LeastSquares().fit(X, y, random_state=7)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_the_last_bits_of_the_rows_deal_no_other_folds(store):
    X, y = measured()
    here, there = (folds_of(Design.of(store(A)), 1.0 * y, 5, 0) for A in (X, rounded_elsewhere(X)))
    for (_, one), (_, other) in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("model", [Ridge(), Lasso(), KernelRidge(), SVR()], ids=repr)
def test_one_number_is_the_weight_of_every_row(model):
    rng = np.random.default_rng(12)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + rng.normal(size=30)
    answers = [clone(model).fit(X, y, sample_weight=weight).predict(X) for weight in (2.0, np.full(30, 2.0))]
    np.testing.assert_array_equal(*answers)
