"""What kernel estimators share: the kernel settled, the points kept, predictions in tiles."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from surefit import SVC, SVR, KernelERM, KernelLogistic, KernelPerceptron, KernelRidge
from surefit.kernels import Gaussian, Laplace, Linear, Min
from surefit.objective import QuadraticEpsilonInsensitive
from surefit.selection.choice import ChoiceWarning

RNG = np.random.default_rng(0)


def test_points_inside_the_tube_have_no_weight_and_are_not_kept():
    X = RNG.uniform(size=(40, 1))
    y = np.sin(6 * X[:, 0])
    model = KernelERM(QuadraticEpsilonInsensitive(0.3), Gaussian(0.3), 1e-6).fit(X, y)
    assert 0 < len(model.points_) < 40
    f = Gaussian(0.3).gram(X) @ model.solution_.coef
    np.testing.assert_allclose(model.predict(X), f + model.intercept_, atol=1e-9)


def test_a_function_without_weights_is_zero():
    model = KernelERM(kernel=Gaussian(1.0), lam=0.1).fit(RNG.normal(size=(5, 2)), np.zeros(5))
    np.testing.assert_array_equal(model.predict(RNG.normal(size=(3, 2))), 0.0)


def test_the_columns_must_be_those_of_the_fit():
    model = KernelERM(lam=0.1).fit(RNG.normal(size=(5, 2)), np.arange(5.0))
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.zeros((1, 3)))


ALL = [KernelRidge, KernelERM, KernelLogistic, SVR, SVC, KernelPerceptron]


@pytest.mark.parametrize("kind", ALL)
def test_a_number_is_no_kernel_and_every_model_says_so_alike(kind):
    with pytest.raises(ValueError, match=r"^kernel must be a Kernel such as Gaussian\(1.0\), got 3; surefit.kernels"):
        kind(kernel=3).fit(np.arange(6.0)[:, None], np.arange(6) % 2)


@pytest.mark.parametrize("kind", ALL)
def test_sparse_rows_are_taken_just_where_the_kernel_takes_them(kind):
    for kernel in (Gaussian(1.0), Linear(), Min()):
        assert get_tags(kind(kernel=kernel)).input_tags.sparse == kernel.takes_sparse


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Linear()])
@pytest.mark.parametrize(("kind", "n_classes"), [(SVR, 3), (SVC, 2), (SVC, 3), (KernelLogistic, 3)])
def test_scores_have_the_precision_of_the_rows_asked_about(kind, n_classes, kernel):
    X, y = RNG.normal(size=(30, 2)), np.arange(30) % n_classes
    model = kind(kernel=kernel, lam=0.1).fit(X, y)
    scores = model.predict if kind is SVR else model.decision_function
    for precision in (np.float32, np.float64):
        assert scores(X.astype(precision)).dtype == precision
    np.testing.assert_allclose(scores(X.astype(np.float32)), scores(X), rtol=1e-4, atol=1e-5)


UNITS = RNG.normal(size=(40, 3)) * [1.0, 1e6, 0.0] + [0.0, 1.7e9, 5.0]
FRAME = pd.DataFrame(UNITS, columns=["size", "ts", "one"])


def units_warned_of(model, X):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, UNITS[:, 0] > 0)
    return [one for one in said if "squared distances" in str(one.message)]


@pytest.mark.parametrize("kind", ALL)
def test_a_column_that_makes_up_all_distances_is_named_once_where_fit_was_called(kind):
    for X, name, scaler in ((FRAME, "'ts'", ""), (UNITS, "1", ""), (sparse.csr_array(UNITS), "1", "with_mean=False")):
        [warned] = units_warned_of(kind(), X)
        assert issubclass(warned.category, ChoiceWarning)
        assert str(warned.message) == (
            f"column {name} makes up 99.99 % of all squared distances, so the others do not count; scale the columns: "
            f"make_pipeline(StandardScaler({scaler}), {kind.__name__}())"
        )
        assert warned.filename == __file__


@pytest.mark.parametrize(
    ("kernel", "count"),
    [
        (Gaussian("median") + Linear(), 1),
        (2.0 * Gaussian("median").on([2, 1, 0]).on([0, 1, 2]) ** 2, 1),
        (Gaussian("median").on([1, 0]), 1),
        ([Gaussian("median"), Laplace("median")], 1),
        (Gaussian("median").on([0, 2]) * Laplace("median").on([1]), 0),
        (Gaussian(1e6), 0),
        (Linear(), 0),
    ],
    ids=str,
)
def test_only_columns_that_a_bandwidth_is_taken_from_are_compared(kernel, count):
    said = units_warned_of(KernelRidge(kernel, 0.1), UNITS)
    assert len(said) == count
    assert all("column 1 makes up" in str(one.message) for one in said)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("X", "count"),
    [
        (UNITS[:, 1:], 0),
        (UNITS * [1e5, 1.0, 1.0], 0),
        (UNITS * [2e4, 1.0, 1.0], 1),
        (UNITS * [1e300, 1e-300, 1.0], 1),
    ],
    ids=["one varies", "alike", "share below a thousandth", "extreme units"],
)
def test_constants_do_not_count_and_origins_do_not_matter(store, X, count):
    assert len(units_warned_of(SVR(Gaussian("median"), 0.1), store(X))) == count
