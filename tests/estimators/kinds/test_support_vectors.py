"""What `SVR` and `SVC` share: summaries with a linear kernel alone, limits that are said, coefficients of columns."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from surefit import SVC, SVR
from surefit.estimators.kinds.support_vectors import linear_coefficients
from surefit.kernels import Gaussian, Linear
from surefit.solvers.solution import Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X @ [1.0, -2.0] + RNG.normal(size=60)
LABELS = np.where(Y > 0, "more", "less")
BOTH = [(SVR, Y), (SVC, LABELS)]
each = pytest.mark.parametrize(("kind", "y"), BOTH, ids=["SVR", "SVC"])


@each
def test_columns_have_coefficients_with_a_linear_kernel_alone(kind, y):
    with pytest.raises(ValueError, match=r"Gaussian\(bandwidth=1.0\) has none; use the kernel Linear\(\)"):
        kind(Gaussian(1.0), 0.1).fit(X, y).summary()
    model = kind(Linear(), 0.1).fit(X, y)
    facts = dict(model.summary().facts)
    assert facts["Support vectors"] == str(len(model.support_))
    expected = linear_coefficients(X[model.support_], np.atleast_2d(model.dual_coef_))
    np.testing.assert_allclose(np.ravel(model.coef_), np.ravel(expected), atol=1e-9)


@each
def test_a_fit_that_a_limit_ended_warns_and_loses_its_theorem(kind, y):
    model = kind(Gaussian(1.0), 1e-4, max_iter=3)
    with pytest.warns(ConvergenceWarning, match=f"{kind.__name__}: stopped at the iteration limit .*duality gap"):
        model.fit(X, y)
    broken = [one for one in model.certificate().assumptions if one.text == "the optimum was reached"]
    assert [one.standing.value for one in broken] == ["violated"]


@each
def test_a_penalty_of_zero_is_refused(kind, y):
    with pytest.raises(ValueError, match="support vectors need a penalty"):
        kind(lam=0.0).fit(X, y)


def test_coefficients_of_sparse_rows_are_those_of_dense_ones():
    weights = RNG.normal(size=(2, 60))
    np.testing.assert_allclose(linear_coefficients(sparse.csr_array(X), weights), linear_coefficients(X, weights))


def test_a_function_without_support_vectors_is_its_offset():
    flat = SVR(Gaussian(1.0), 0.1, epsilon=100.0).fit(X, Y)
    assert len(flat.support_) == 0
    np.testing.assert_array_equal(flat.predict(X[:3]), np.full(3, flat.intercept_))


def test_a_kernel_whose_rounding_decides_is_named():
    rng = np.random.default_rng(23)
    X = rng.normal(size=(20, 2))
    labels = (X[:, 0] + rng.normal(size=20) > 0).astype(int)
    with pytest.warns(ConvergenceWarning, match="rounding decides; centre or rescale X, or use a larger lam"):
        model = SVC(Linear(), lam=1e-4).fit(X + 1e6, labels)
    assert model.solutions_[0].status is Status.ROUNDING
    assert model.solutions_[0].gap > 0.02  # the true excess
    tame = SVC(Linear(), lam=1e-4).fit(X, labels).solutions_[0]
    assert tame.status is Status.CONVERGED
    assert tame.gap < 1e-3
