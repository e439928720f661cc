"""A model as plain data: what is written, and what is refused, with its place."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression

from surefit import ERM, Certified, KernelRidge, LeastSquares, Ridge
from surefit.kernels import FeatureMap, Gaussian, Linear
from surefit.objective import Huber, Loss
from surefit.store.encode import MANY_TEXTS, Encoded
from surefit.store.refusal import ModelFileError

X = np.random.default_rng(0).normal(size=(30, 2))
Y = X.sum(axis=1)


def encoded(value, place=""):
    found = Encoded()
    node = found.node(value, place)
    json.dumps(node, allow_nan=False)
    return node, found.arrays


def test_plain_data_are_themselves():
    assert encoded([None, True, 3, 2.5, "x", []]) == ([None, True, 3, 2.5, "x", []], {})


def test_arrays_are_called_by_their_place():
    _, arrays = encoded(Ridge(0.1).fit(X, Y))
    assert {"coef_", "solution_.coef", "_fit_record.seen.prints"} <= arrays.keys()


def test_an_array_that_occurs_twice_is_kept_once():
    one = np.ones(3)
    node, arrays = encoded([one, one, np.ones(3)], "a")
    assert [part["name"] for part in node] == ["a[0]", "a[0]", "a[2]"]
    assert arrays.keys() == {"a[0]", "a[2]"}


def test_many_names_become_arrays_and_are_kept_once():
    names = [f"column {k}" for k in range(MANY_TEXTS)]
    node, arrays = encoded([names, tuple(names), names[:-1]], "a")
    assert arrays.keys() == {"a[0].bytes", "a[0].ends"}
    assert [part["is"] for part in node[:2]] == ["text list", "text tuple"]
    assert node[2] == names[:-1]


def test_no_training_row_travels_with_a_linear_model():
    model = LeastSquares().fit(X, Y)
    model.predict_interval(X[:2])  # factors are remembered then
    _, arrays = encoded(model)
    every = np.concatenate([one.ravel() for one in arrays.values() if one.dtype == np.float64])
    assert not np.isin(X, every).any()


def test_the_points_of_a_kernel_travel():
    _, arrays = encoded(KernelRidge(Gaussian(1.0), lam=0.1).fit(X, Y))
    assert np.array_equal(arrays["points_"], X)


class MyLoss(Loss):
    """Somebody's own."""

    def value(self, y, f):
        return (y - f) ** 2

    def derivative(self, y, f):
        return 2 * (f - y)

    def curvature(self, y, f):
        return 2.0 + 0 * f


class MyRidge(Ridge):
    """Somebody's own."""


class MyHuber(Huber):
    """Somebody's own, though a child of ours."""


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (ERM(MyLoss()), r"loss is a MyLoss of .*; a model file holds data of surefit's own classes and no code: use"),
        (ERM(MyHuber(2.0)), "loss is a MyHuber of "),
        (MyRidge(), "this is a MyRidge of "),
        (KernelRidge(FeatureMap(np.square)), "kernel is a FeatureMap of "),
        (Certified(LinearRegression()), "estimator is a LinearRegression of sklearn"),
        (Ridge(lam=lambda: 0.1), "lam is the function "),
        (Ridge(lams=Ridge), "lams is the class Ridge"),
        (Ridge(lams={"a": {1, 2}}), r"lams\['a'\] is a set of builtins"),
        (Ridge(lams=1j), "lams is a complex of builtins"),
        (Ridge(lams=np.ones(2, complex)), "lams is an array of type complex128"),
        (Ridge(lams=np.array([object()])), r"lams\[0\] is an? object of builtins"),
        (Ridge(lams=b"bytes"), "lams is a bytes of builtins"),
    ],
)
def test_what_is_not_data_of_ours_is_refused_with_its_place(value, cause):
    with pytest.raises(ModelFileError, match=cause):
        encoded(value)


def test_what_contains_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(ModelFileError, match="contains itself"):
        encoded(Ridge(lams=loop))
    kernel = Gaussian(1.0) + Linear()
    assert encoded([kernel, kernel])[0][0] == encoded(kernel)[0]  # twice is no loop


def test_sparse_matrices_of_any_format_become_rows():
    node, arrays = encoded(sparse.coo_array(np.eye(2)), "a")
    assert node == {"is": "sparse rows", "as": "array", "shape": [2, 2],
                    "data": "a.data", "indices": "a.indices", "indptr": "a.indptr"}  # fmt: skip
    assert arrays["a.indptr"].tolist() == [0, 1, 2]
