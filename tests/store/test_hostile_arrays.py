"""Arrays of model files that do not add up, or point elsewhere: refused before anything follows them."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import surefit
from surefit.kernels import Gaussian
from surefit.store.encode import Encoded
from surefit.store.tensors import packed
from tests.store.hostile import RNG, X, Y, built, parts_of, refused, whole_file


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return parts_of(whole_file(surefit.Ridge(0.1).fit(X, Y), tmp_path_factory.mktemp("good")))


def tensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def one(dtype="F64", shape=(2,), place=(0, 16)):
    return {"a": {"dtype": dtype, "shape": list(shape), "data_offsets": list(place)}}


TWO = {"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}


@pytest.mark.parametrize(("data", "cause"), [
    (b"", "declare a header of 0 bytes"), (b"\x01", "declare a header"), (bytes(8), "declare a header of 0 bytes"),
    (tensors(b"{}", length=2**63), "declare a header of 9223372036854775808 bytes, and 2 follow"),
    (tensors(b"{}", length=3), "declare a header of 3 bytes, and 2 follow"),
    (tensors(b"[]"), "not a table of names"), (tensors(b"12"), "not a table of names"),
    (tensors(b"{]"), "cannot be read"),
    (tensors(b'{"a": 1, "a": 2}'), "gives a name twice"), (tensors(b'{"a": NaN}'), "holds NaN"),
    (tensors({"a": None}), "without type, shape and place"), (tensors({"a": []}), "without type, shape and place"),
    (tensors({"a": {"dtype": "F64"}}), "without type, shape and place"),
    (tensors({"a": {**one()["a"], "code": 1}}, bytes(16)), "without type, shape and place"),
    (tensors(one("O"), bytes(16)), "has the type 'O'; only plain numbers"),
    (tensors(one("object"), bytes(16)), "has the type"),
    (tensors(one("|O8"), bytes(16)), "has the type"), (tensors(one("V8"), bytes(16)), "has the type"),
    (tensors(one("f8"), bytes(16)), "has the type"), (tensors(one(None), bytes(16)), "has the type"),
    (tensors(one(["F64"]), bytes(16)), "has the type"), (tensors(one("BF16"), bytes(16)), "has the type"),
    (tensors(one(shape=(-2,)), bytes(16)), "whole numbers >= 0"),
    (tensors(one(shape=(-1, -2)), bytes(16)), "whole numbers"),
    (tensors(one(shape=(2.0,)), bytes(16)), "whole numbers >= 0"),
    (tensors(one(shape=(True, 2)), bytes(16)), "whole numbers"),
    (tensors(one(shape=("2",)), bytes(16)), "whole numbers >= 0"),
    (tensors(one(shape=(None,)), bytes(16)), "whole numbers"),
    (tensors(one(shape=(2**50,)), bytes(16)), "whole numbers >= 0"),
    (tensors(one(shape=(1,) * 64), bytes(8)), "whole numbers"),
    (tensors(one(shape=(2**40, 2**40)), bytes(16)), "declares 16 bytes, and its shape takes"),
    (tensors(one(shape=(3,)), bytes(16)), "declares 16 bytes, and its shape takes 24"),
    (tensors(one(place=(16, 0)), bytes(16)), "declares -16 bytes"),
    (tensors(one(place=(0,)), bytes(16)), "whole numbers"),
    (tensors(one(place=(-16, 0)), bytes(16)), "whole numbers >= 0"),
    (tensors(one(place=(0, 1e300)), bytes(16)), "whole"),
    (tensors(one(), bytes(8)), "declare 16 bytes, and the file has 8"), (tensors(one(), bytes(24)), "file has 24"),
    (tensors(one(place=(8, 24)), bytes(24)), "overlap, or leave bytes"),
    (tensors({**TWO, "b": {"dtype": "F64", "shape": [1], "data_offsets": [4, 12]}}, bytes(12)), "overlap, or leave"),
    (tensors({**TWO, "b": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}, bytes(8)), "overlap, or leave"),
    (tensors({**TWO, "b": {"dtype": "F64", "shape": [1], "data_offsets": [16, 24]}}, bytes(24)), "overlap, or leave"),
    (tensors(one("BOOL", (2,), (0, 2)), b"\x01\x02"), "neither 0 nor 1"),
    (tensors(one(), bytes(16)), "asks for the array"),
])  # fmt: skip
def test_arrays_that_do_not_add_up(parts, data, cause, tmp_path):
    refused(built(parts[0], data), cause, tmp_path)


def test_an_empty_array_of_an_impossible_shape(parts, tmp_path):
    sides = (0, *[2**40] * 5)
    refused(built(parts[0], tensors(one(shape=sides, place=(0, 0)))), "impossible shape", tmp_path)


def test_arrays_that_nobody_asked_for(parts, tmp_path):
    header = copy.deepcopy(parts[0])
    header["model"]["holds"]["solution_"] = None
    refused(built(header, parts[1]), "brings arrays that the model does not use", tmp_path)


def remade(model, path, change):
    """A file of ``model`` with the array at ``path`` changed."""
    encoded = Encoded()
    node = encoded.node(model, "")
    arrays = {**encoded.arrays, path: change(encoded.arrays[path])}
    header = {"format": "surefit model", "schema": 1, "versions": {}, "model": node}
    return built(header, b"".join(packed(arrays)))


def put(value):
    def change(array):
        array = array.copy()
        array.ravel()[-1] = value
        return array

    return change


@pytest.fixture(scope="module")
def sparse_model():
    return surefit.KernelRidge(Gaussian(1.0), lam=0.1).fit(sparse.csr_array(np.where(X > 0, X, 0.0)), Y)


@pytest.mark.parametrize(("path", "change", "cause"), [
    ("points_.indices", put(10**6), "sparse rows do not fit together"),
    ("points_.indices", put(-1), "sparse rows do not fit together"),
    ("points_.indptr", put(10**6), "sparse rows do not fit together"),
    ("points_.indptr", lambda a: a[::-1].copy(), "sparse rows do not fit together"),
    ("points_.indices", lambda a: a.astype(float), "not given by numbers, columns and ends"),
    ("points_.data", lambda a: a[:-1].copy(), "sparse rows do not fit together"),
    ("points_.data", lambda a: a[:, None], "not given by numbers, columns and ends"),
])  # fmt: skip
def test_sparse_points_that_point_elsewhere(sparse_model, path, change, cause, tmp_path):
    """SciPy's loops would follow such an index to any place in memory."""
    refused(remade(sparse_model, path, change), cause, tmp_path)


def test_texts_that_are_none(tmp_path):
    names = [f"column {k}" for k in range(40)]
    model = surefit.Ridge(0.1).fit(pd.DataFrame(RNG.normal(size=(50, 40)), columns=names), np.arange(50.0))
    for path, change, cause in [
        ("_fit_record.seen.columns.ends", put(10**6), "end where there are no bytes"),
        ("_fit_record.seen.columns.ends", put(-1), "end where there are no bytes"),
        ("_fit_record.seen.columns.ends", lambda a: a[::-1].copy(), "end where there are no bytes"),
        ("_fit_record.seen.columns.ends", lambda a: a.astype(float), "are not given by bytes"),
        ("_fit_record.seen.columns.ends", lambda a: a[1:].copy(), "another number of entries"),
        ("_fit_record.seen.columns.bytes", put(0xFF), "not in UTF-8"),
        ("_fit_record.seen.columns.bytes", lambda a: a.astype(np.int8), "are not given by bytes"),
    ]:
        refused(remade(model, path, change), cause, tmp_path)


def test_letters_that_do_not_exist(tmp_path):
    model = surefit.LogisticRegression(0.1).fit(X, np.where(Y > 0, "yes", "no"))
    refused(remade(model, "classes_", put(0x110000)), "letters that do not exist", tmp_path)
    refused(remade(model, "classes_", lambda a: a[1:].copy()), "another number of", tmp_path)


def test_points_of_nearest_neighbours_that_are_none(tmp_path):
    model = surefit.exhibits.NearestNeighbourRegressor(3).fit(X, Y)
    refused(remade(model, "_tree", lambda a: a.ravel()), "does not fit together", tmp_path)
    refused(remade(model, "_tree", put(np.nan)), "does not fit together", tmp_path)
