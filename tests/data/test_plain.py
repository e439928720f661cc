"""Rows that every loop takes, and what belongs to the user stays as it was."""

import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier

from surefit import (
    SVC,
    Adaline,
    ElasticNet,
    KernelLogistic,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    OnlineRegressor,
    Perceptron,
    Ridge,
    lasso_path,
)
from surefit.kernels import Linear

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(60, 3)) * (RNG.random((60, 3)) < 0.7)
Y = DENSE[:, 0] + 0.1 * RNG.normal(size=60)
MODELS = [
    Ridge(0.1), LeastSquares(), Lasso(0.1), ElasticNet(0.1), OnlineRegressor(), LogisticRegression(0.1),
    Perceptron(weights="mean"), SVC(Linear(), 0.1), KernelLogistic(Linear(), 0.1), KernelRidge(Linear(), 0.1),
]  # fmt: skip


def in_halves(to):
    """Every entry stored twice, as halves, the second half before the entries of columns further left."""
    whole = to(DENSE)
    halves = type(whole)((np.tile(whole.data / 2, 2), np.tile(whole.indices, 2), whole.indptr * 2), shape=whole.shape)
    for first, last in zip(whole.indptr[:-1], whole.indptr[1:], strict=True):
        for part in (halves.indices, halves.data):
            own = (whole.indices if part is halves.indices else whole.data / 2)[first:last]
            part[2 * first : 2 * last] = np.concatenate([own, own])
    return halves


@pytest.mark.parametrize("to", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_entries_stored_twice_are_added_in_a_copy(model, to):
    """SciPy would do it in place: arrays of the user would change, and those that cannot be written to would fail."""
    X, y = in_halves(to), Y > 0 if is_classifier(model) else Y
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    predicted = model.fit(X, y).predict(X)
    np.testing.assert_allclose(predicted, model.fit(to(DENSE), y).predict(to(DENSE)), atol=1e-9)
    for part, own in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, own)


def test_two_threads_may_fit_to_one_matrix():
    """Both put its entries in order at once, and one read what the other was moving."""
    many = sparse.random_array((20_000, 50), density=0.1, format="csr", rng=np.random.default_rng(1))
    y = np.asarray(many[:, [0]].todense()).ravel() + np.random.default_rng(2).normal(size=20_000)
    expected = Ridge(0.1).fit(many, y).coef_
    for _ in range(5):
        X = sparse.csr_array((np.repeat(many.data / 2, 2), np.repeat(many.indices, 2), many.indptr * 2), many.shape)
        models = [Ridge(0.1) for _ in range(2)]
        threads = [threading.Thread(target=model.fit, args=(X, y)) for model in models]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        for model in models:
            np.testing.assert_allclose(model.coef_, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", [*MODELS, Adaline()], ids=lambda model: type(model).__name__)
def test_numbers_packed_into_records_are_taken(model):
    records = np.zeros(60, dtype=[("tag", "i1"), ("x", "f8", (3,))])
    records["x"] = DENSE
    y = Y > 0 if is_classifier(model) else Y
    np.testing.assert_array_equal(model.fit(records["x"], y).predict(DENSE), model.fit(DENSE, y).predict(DENSE))
    np.testing.assert_array_equal(model.predict(records["x"]), model.predict(DENSE))


def test_packed_rows_are_known_again():
    records = np.zeros(60, dtype=[("tag", "i1"), ("x", "f8", (3,)), ("y", "f8")])
    records["x"], records["y"] = DENSE, Y
    model = Ridge(0.1).fit(records["x"], records["y"])
    with pytest.raises(ValueError, match="60 of the 60 held-out rows were used in fit"):
        model.certificate(DENSE, Y)


@pytest.mark.parametrize("index", [-1, 3, 10**7])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_entries_outside_of_a_matrix_are_refused(model, index):
    """Most fits followed them out of their memory."""
    X = sparse.csr_array(DENSE)
    X.indices[5] = index
    with pytest.raises(ValueError, match=rf"X has an entry at index {index} of 3; .*build the matrix anew"):
        model.fit(X, Y > 0)


def test_paths_take_entries_stored_twice():
    twice = lasso_path(in_halves(sparse.csr_array), Y, lams=[0.1]).coefs
    np.testing.assert_allclose(twice, lasso_path(DENSE, Y, lams=[0.1]).coefs, atol=1e-9)


def test_spare_room_behind_the_entries_is_not_looked_at():
    X = sparse.csr_array(DENSE)
    X.indices, X.data = np.append(X.indices, 99), np.append(X.data, 1.0)
    np.testing.assert_allclose(Ridge(0.1).fit(X, Y).coef_, Ridge(0.1).fit(DENSE, Y).coef_, rtol=1e-9)
