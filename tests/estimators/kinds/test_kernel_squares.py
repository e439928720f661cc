"""Squared errors over the functions of a kernel: one fit, whether the targets are numbers or signs of labels."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from surefit import KernelRidge, KernelRidgeClassifier
from surefit.estimators.kinds.kernel_squares import KernelSquares
from surefit.kernels import Gaussian, Linear, Polynomial
from surefit.solvers.solution import Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
SIGNS = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=80) > 0, 1, -1)
SPLITS = [(np.flatnonzero(np.arange(80) % 4 != i), np.flatnonzero(np.arange(80) % 4 == i)) for i in range(4)]


@pytest.mark.parametrize(
    "settings",
    [
        {"lam": 0.01},
        {"lam": 0.01, "solver": "nystroem", "n_landmarks": 30},
        {"lam": 0.01, "solver": "partial cholesky", "n_landmarks": 30},
        {"lams": [1e-3, 1e-2, 1e-1], "criterion": "cv", "cv": SPLITS},
        {"lams": [1e-3, 1e-2, 1e-1], "select": "one_se"},
    ],
    ids=str,
)
def test_labels_as_signs_are_fitted_as_numbers_are(settings):
    weight = RNG.integers(1, 4, 80)
    labels, numbers = (kind(Gaussian(1.0), **settings) for kind in (KernelRidgeClassifier, KernelRidge))
    scores = labels.fit(X, SIGNS, weight).decision_function(X)
    np.testing.assert_allclose(scores, numbers.fit(X, SIGNS, weight).predict(X), atol=1e-12)
    assert labels.lam_ == numbers.lam_
    assert labels.plan_ == numbers.plan_


@pytest.mark.parametrize("kind", [KernelRidge, KernelRidgeClassifier])
def test_a_fit_that_stops_early_warns_in_its_own_name_at_the_line_of_the_caller(kind, monkeypatch):
    exact, left = KernelSquares._exact, MappingProxyType({"method": "conjugate gradients", "relative_residual": 0.1})
    stopped = lambda *given: replace(exact(*given), status=Status.MAX_ITER, facts=left)
    monkeypatch.setattr(KernelSquares, "_exact", stopped)
    with pytest.warns(ConvergenceWarning, match=f"^{kind.__name__} stopped at a relative residual") as caught:
        kind(Gaussian(1.0), 0.1, solver="exact").fit(X, SIGNS)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("kernel", "lam", "rows"),
    [(Linear(), None, X[:30] + 1e6), (Linear(), 1e-10, X[:30] + 1e4), (Polynomial(3), 1e-6, 10 * X[:30] + 50)],
    ids=str,
)
def test_a_fit_that_rounding_decides_says_so(kernel, lam, rows):
    y = X[:30] @ [1.0, -2.0] + 0.3 * np.random.default_rng(1).normal(size=30)
    with pytest.warns(ConvergenceWarning, match="rounding decides; centre or rescale X, or use a larger lam"):
        model = KernelRidge(kernel, lam).fit(rows, y)
    assert model.solution_.status is Status.ROUNDING
    assert model.solution_.gap > 0.01 * np.var(y)


@pytest.mark.parametrize("lam", [0.0, 1e-6, 1.0])
def test_equal_targets_and_functions_beyond_the_kernel_are_no_matter_of_rounding(lam):
    assert KernelRidge(Gaussian(1.0), lam).fit(X, np.full(80, 7.3)).solution_.status is Status.EXACT
    assert KernelRidge(Linear(), max(lam, 1e-3) if lam else 0.0).fit(X, SIGNS).solution_.status is Status.EXACT
