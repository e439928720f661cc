"""Arrays as safetensors: the package of that name reads what we write, and we read what it writes."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from surefit.store.refusal import ModelFileError
from surefit.store.tensors import KINDS, kind_of, packed, strict_json, unpacked

EVERY = {name: np.arange(6).reshape(2, 3).astype(dtype) for name, dtype in KINDS.items()}


def test_the_safetensors_package_reads_what_we_write():
    safetensors = pytest.importorskip("safetensors.numpy")
    found = safetensors.load(b"".join(packed(EVERY)))
    assert found.keys() == EVERY.keys()
    assert all(found[name].dtype == one.dtype and np.array_equal(found[name], one) for name, one in EVERY.items())


def test_we_read_what_the_safetensors_package_writes():
    safetensors = pytest.importorskip("safetensors.numpy")
    found = unpacked(safetensors.save(EVERY, metadata={"note": "ours is empty"}))
    assert found.keys() == EVERY.keys()
    assert all(found[name].dtype == one.dtype and np.array_equal(found[name], one) for name, one in EVERY.items())


numbers = st.sampled_from([np.dtype(one) for one in KINDS.values()])


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=5).filter(lambda name: name != "__metadata__"),
                       arrays_of.arrays(numbers, arrays_of.array_shapes(min_dims=0, min_side=0))))  # fmt: skip
def test_what_is_packed_is_unpacked_bit_for_bit(arrays):
    found = unpacked(b"".join(packed(arrays)))
    assert found.keys() == arrays.keys()
    for name, one in arrays.items():
        assert found[name].dtype == one.dtype
        assert found[name].shape == one.shape
        assert found[name].tobytes() == one.tobytes()  # NaN and -0.0 too
        assert found[name].flags.writeable


def test_arrays_in_any_order_and_of_other_machines_are_written_row_by_row_in_little_endian():
    plain = np.arange(6.0).reshape(2, 3)
    others = {
        "columns": np.asfortranarray(plain),
        "big": plain.astype(">f8"),
        "strided": np.repeat(plain, 2, 1)[:, ::2],
    }
    found = unpacked(b"".join(packed(others)))
    assert all(np.array_equal(one, plain) for one in found.values())


def test_every_array_is_aligned_and_bytes_do_not_depend_on_the_order_of_names():
    some = {"a": np.ones(3, bool), "b": np.ones(3), "c": np.ones(5, np.float32)}
    whole = b"".join(packed(some))
    assert whole == b"".join(packed(dict(reversed(some.items()))))
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    assert length % 8 == 0
    assert all(header[name]["data_offsets"][0] % one.itemsize == 0 for name, one in some.items())


@pytest.mark.parametrize("dtype", [object, complex, "U3", "M8[s]", "V4"])
def test_only_plain_numbers_have_a_kind(dtype):
    assert kind_of(np.dtype(dtype)) is None


@pytest.mark.parametrize("text", [b"[NaN]", b"[-Infinity]", b"[1e999]", b'{"a": 1, "a": 2}', b"\xff", b"[1,", b""])
def test_json_is_read_strictly(text):
    with pytest.raises(ModelFileError, match=r"^the header "):
        strict_json(text, "the header")


def test_json_of_plain_data_is_read_as_ever():
    assert strict_json(b'{"a": [1, 2.5, null, true, "x"], "b": {"a": -0.0}}', "it")["a"] == [1, 2.5, None, True, "x"]
    assert math.copysign(1, strict_json(b"[-0.0]", "it")[0]) == -1
