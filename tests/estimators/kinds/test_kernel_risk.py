"""From rows to a fitted function: memory, landmarks, weights, for one score and for several."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning

from surefit import KernelERM, KernelLogistic
from surefit.kernels import Gaussian, Linear
from surefit.solvers.solution import Status


@pytest.mark.parametrize("k", [2, 3])
def test_beyond_the_memory_budget_landmarks_take_over_and_say_so(k, monkeypatch):
    X, y = make_blobs(400, centers=k, random_state=0, cluster_std=2.0)
    exact = KernelLogistic(Gaussian(3.0), 1e-3).fit(X, y)
    model = KernelLogistic(Gaussian(3.0), 1e-3, memory=600_000)
    plan = model.plan(400, 2, n_outputs=k)
    monkeypatch.setattr(Gaussian, "gram", refuse_beyond(200))
    model.fit(X, y)
    assert plan.solver == model.solution_.facts["method"] == "nystroem"
    assert plan.n_landmarks == model.plan_.n_landmarks == 62
    assert len(model.points_) == model.solution_.facts["rank"] <= 62
    assert "an exact fit of 400 points takes" in model.solution_.facts["reason"]
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=0.02)
    with pytest.raises(MemoryError, match="raise memory, or let solver='auto' go low-rank"):
        model.set_params(solver="exact").fit(X, y)


def refuse_beyond(rows):
    """A Gram matrix only for this many rows."""
    original = Gaussian.gram

    def gram(self, X, dtype=np.float64):
        assert len(X) <= rows, f"a {len(X)} x {len(X)} matrix was asked for"
        return original(self, X, dtype)

    return gram


def test_all_rows_as_landmarks_are_the_exact_fit():
    X, y = make_moons(50, noise=0.2, random_state=0)
    kernel = Gaussian(0.5)
    exact, thin = (KernelLogistic(kernel, 1e-3, solver=m, n_landmarks=50).fit(X, y) for m in ("exact", "nystroem"))
    np.testing.assert_allclose(thin.decision_function(X), exact.decision_function(X), atol=1e-4)


def test_a_weight_is_a_number_of_copies_and_zero_is_absence():
    X, y = make_blobs(40, centers=3, random_state=0, cluster_std=3.0)
    weight = np.random.default_rng(0).integers(0, 3, 40)
    weight[y == 2] = np.maximum(weight[y == 2], 1)
    weighted = KernelLogistic(lams=[1e-3, 1e-1], fit_intercept=True).fit(X, y, weight)
    copied = KernelLogistic(lams=[1e-3, 1e-1], fit_intercept=True).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    assert weighted.lam_ == copied.lam_
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-8)
    gone = KernelLogistic(Gaussian(1.0), 0.1).fit(X, y, (y != 2).astype(float))
    assert gone.classes_.tolist() == [0, 1]


def test_a_kernel_that_is_zero_everywhere_gives_the_zero_function():
    rows, y = np.column_stack([np.zeros(12), np.arange(12.0)]), np.arange(12.0)
    for method in ("exact", "nystroem"):
        model = KernelERM(kernel=Linear().on([0]), lam=0.1, fit_intercept=True, solver=method).fit(rows, y)
        np.testing.assert_allclose(model.predict(rows), 5.5)
        assert model.solution_.status is (Status.CONVERGED if method == "exact" else Status.LOW_RANK)


def test_the_plan_is_said_before_and_kept():
    model = KernelERM(lam=0.1)
    before = model.plan(30, 2)
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert model.fit(X, X[:, 0]).plan_ == before
    assert model.solution_.facts["method"] == before.solver == "exact"


@pytest.mark.parametrize("model", [KernelLogistic(Linear(), 1e-2), KernelERM("huber", Linear(), 1e-2)], ids=str)
def test_a_mean_that_swallows_the_spread_is_named(model):
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.warns(ConvergenceWarning, match="rounding decides; use a larger lam, or centre or rescale X"):
        model.fit(X + 1e8, (X[:, 0] > 0.3).astype(int))
    assert model.solution_.gap > 0.1


def test_no_objective_is_negative():
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.warns(ConvergenceWarning, match="rounding decides"):
        model = KernelLogistic(Linear(), 1e-10).fit(X + 1e3, X[:, 0] + X[:, 1] ** 2 > 0.7)
    assert model.solution_.objective >= 0
