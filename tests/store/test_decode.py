"""Plain data become what they were; nothing else is read.  Hostile files: ``test_hostile_files.py``."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from scipy import sparse
from sklearn.model_selection import KFold, TimeSeriesSplit

from surefit import kernels, objective
from surefit.kernels import Gaussian, Linear, Matern
from surefit.solvers.solution import Solution, Status
from surefit.store.decode import Decoded
from surefit.store.encode import Encoded
from surefit.store.refusal import ModelFileError


def again(value):
    encoded = Encoded()
    node = encoded.node(value, "x")
    decoded = Decoded(encoded.arrays)
    found = decoded.value(node)
    decoded.refuse_unasked()
    return found


def same(one, other):
    """Equal, and of the same types all the way down; NaN equals itself, 0.0 differs from -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    return one == other


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
keys = st.none() | st.booleans() | st.text() | st.tuples(st.text(), st.integers())
many = st.lists(st.text(max_size=3), min_size=32, max_size=34)
data = st.recursive(
    plain | many,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(keys, inner),
    max_leaves=10,
)


@settings(max_examples=40)
@given(data)
def test_nested_data_come_back_as_they_were(value):
    assert same(again(value), value)


@settings(max_examples=40)
@given(arrays_of.arrays(arrays_of.unicode_string_dtypes(max_len=6), arrays_of.array_shapes(min_dims=0, min_side=0)))
def test_arrays_of_texts_come_back_with_their_width(value):
    found = again(value)
    assert found.dtype == value.dtype.newbyteorder("=")
    assert found.shape == value.shape
    assert np.array_equal(found, value)


@given(st.lists(plain, max_size=5))
def test_arrays_of_objects_come_back(items):
    value = np.empty(len(items), dtype=object)
    value[:] = items
    found = again(value)
    assert found.dtype == object
    assert same(found.tolist(), items)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, np.int64, np.uint64, np.bool_, np.str_])
def test_numpys_own_numbers_come_back(kind):
    value = kind("1") if kind is np.str_ else kind(1)
    assert type(again(value)) is kind
    assert again(value) == value
    assert np.isnan(again(np.float32("nan")))


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_keep_the_order_of_their_memory(order):
    value = np.array(np.arange(6.0).reshape(2, 3), order=order)
    found = again(value)
    assert np.array_equal(found, value)
    assert found.flags.c_contiguous is value.flags.c_contiguous
    assert found.flags.writeable


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_rows_come_back(kind):
    value = kind(np.diag([1.0, 0.0, 2.0]))
    found = again(value)
    assert type(found) is kind
    assert (found != value).nnz == 0


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_generators_go_on_where_they_were(bits):
    value = np.random.Generator(bits(3))
    value.normal(size=5)
    assert np.array_equal(again(value).normal(size=4), value.normal(size=4))


def test_the_old_generator_goes_on_where_it_was():
    value = np.random.RandomState(3)
    value.normal(size=5)
    assert np.array_equal(again(value).normal(size=4), value.normal(size=4))


@pytest.mark.parametrize("value", [
    Gaussian(2.0), Gaussian("median"), Matern(1.0, 2.5), 2.0 * Linear() + Gaussian(1.0) * kernels.Polynomial(3),
    (Linear() ** 2).on([0, 1]), kernels.Min(), kernels.FiniteDomain([[2.0, 1.0], [1.0, 2.0]]), Linear().exp(),
    objective.Huber(2.5), objective.Pinball(0.1), objective.Power(1.5), objective.SoftmaxCrossEntropy(),
    objective.ElasticNet(0.3), objective.PNorm(3.0), objective.PerceptronLoss(True),
], ids=repr)  # fmt: skip
def test_kernels_losses_and_penalties_come_back_equal(value):
    assert again(value) == value
    assert repr(again(value)) == repr(value)


def test_ways_to_divide_rows_come_back():
    assert repr(again(KFold(3, shuffle=True, random_state=1))) == repr(KFold(3, shuffle=True, random_state=1))
    assert repr(again(TimeSeriesSplit(4))) == repr(TimeSeriesSplit(4))


def test_records_come_back_frozen():
    value = Solution(np.ones(2), 0.0, Status.CONVERGED, 0.0, 1.0, facts={"rank": 2})
    found = again(value)
    assert found.status is Status.CONVERGED
    assert dict(found.facts) == {"rank": 2}
    with pytest.raises(TypeError):
        found.facts["rank"] = 3


def test_a_record_from_before_a_field_existed_gets_its_default():
    node = Encoded().node(Solution(1.0, 0.0, Status.CONVERGED, 0.0, 1.0), "x")
    node["holds"]["coef"] = {"is": "array", "name": "a"}
    del node["holds"]["n_iter"]
    assert Decoded({"a": np.ones(2)}).value(node).n_iter == 0
    del node["holds"]["gap"]
    with pytest.raises(ModelFileError, match="a Solution comes without 'gap'"):
        Decoded({"a": np.ones(2)}).value(node)
