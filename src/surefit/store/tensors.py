"""Layer store: arrays of numbers in the safetensors format, written and read without further packages.

In: arrays by name.  Out: bytes: the length of a JSON header in eight bytes, the header (type, shape and place of every
array), the numbers in little-endian order without gaps; and back.  A header is checked in full before any array is
made: what it declares must fill the bytes exactly, so that no file can ask for more memory than it brings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from surefit.store.refusal import ModelFileError

KINDS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
"""The names that the format has for the types of numbers, and NumPy's names for them."""

NAMES = {dtype: name for name, dtype in KINDS.items()}

MOST_HEADER = 1 << 23
"""Bytes of a header: some hundred thousand arrays."""

MOST_AXES = 32


def kind_of(dtype: np.dtype) -> str | None:
    """The format's name for a type of numbers; None if it has none.

    >>> kind_of(np.dtype(">f8")), kind_of(np.dtype(object))
    ('F64', None)
    """
    return NAMES.get(dtype.newbyteorder("<").str)


def packed(arrays: Mapping[str, np.ndarray]) -> list[bytes]:
    """The parts of a safetensors file, in order; arrays of wide numbers come first, so that all are aligned.

    >>> unpacked(b"".join(packed({"a": np.array([1.0, 2.0])})))
    {'a': array([1., 2.])}
    """
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    header, end = {}, 0
    for name in order:
        start, end = end, end + arrays[name].nbytes
        kind = kind_of(arrays[name].dtype)
        header[name] = {"dtype": kind, "shape": list(arrays[name].shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > MOST_HEADER:
        raise ValueError(f"{len(order)} arrays are more than one model file can hold")
    return [len(text).to_bytes(8, "little"), text, *(_bytes(arrays[name]) for name in order)]


def _bytes(array: np.ndarray) -> bytes:
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def unpacked(data: bytes) -> dict[str, np.ndarray]:
    """The arrays in the bytes of a safetensors file, each in memory of its own; or a `ModelFileError`."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 2 <= length <= min(MOST_HEADER, len(data) - 8):
        raise ModelFileError(f"the arrays declare a header of {length} bytes, and {max(len(data) - 8, 0)} follow")
    header = strict_json(data[8 : 8 + length], "the header of the arrays")
    if not isinstance(header, dict):
        raise ModelFileError("the header of the arrays is not a table of names")
    header.pop("__metadata__", None)
    found = {name: _declared(name, entry) for name, entry in header.items()}
    _refuse_gaps([(start, end) for _, _, start, end in found.values()], len(data) - 8 - length)
    numbers = memoryview(data)[8 + length :]
    return {name: _array(name, numbers[a:b], kind, shape) for name, (kind, shape, a, b) in found.items()}


def _declared(name: str, entry: Any) -> tuple[str, list[int], int, int]:
    """Type, shape, start and end of one array, which agree with each other."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"array {name[:60]!r} is declared without type, shape and place")
    kind, shape, place = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise ModelFileError(f"array {name[:60]!r} has the type {str(kind)[:30]!r}; only plain numbers are read")
    if not _whole(shape) or not _whole(place) or len(place) != 2 or len(shape) > MOST_AXES:
        raise ModelFileError(f"array {name[:60]!r} has a shape or a place that is not made of whole numbers >= 0")
    size, (start, end) = math.prod(shape) * np.dtype(KINDS[kind]).itemsize, place
    if end - start != size:
        raise ModelFileError(f"array {name[:60]!r} declares {end - start} bytes, and its shape takes {size}")
    return kind, shape, start, end


def _whole(values: Any) -> bool:
    return isinstance(values, list) and all(type(one) is int and 0 <= one < 2**48 for one in values)


def _refuse_gaps(places: list[tuple[int, int]], size: int) -> None:
    """Arrays must follow each other from the first byte to the last, without gaps and without sharing any."""
    reached = 0
    for start, end in sorted(places):
        if start != reached:
            raise ModelFileError("the arrays overlap, or leave bytes between them")
        reached = end
    if reached != size:
        raise ModelFileError(f"the arrays declare {reached} bytes, and the file has {size}")


def _array(name: str, numbers: memoryview, kind: str, shape: list[int]) -> np.ndarray:
    if kind == "BOOL" and len(numbers) and np.frombuffer(numbers, np.uint8).max() > 1:
        raise ModelFileError(f"array {name[:60]!r} holds truth values that are neither 0 nor 1")
    try:
        return np.frombuffer(numbers, KINDS[kind]).reshape(shape).astype(np.dtype(KINDS[kind]).newbyteorder("="))
    except (ValueError, OverflowError, MemoryError) as error:
        raise ModelFileError(f"array {name[:60]!r} has an impossible shape") from error


def strict_json(text: bytes, what: str) -> Any:
    """Plain data from JSON without repeated names, NaN or infinities; or a `ModelFileError`."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(table := dict(pairs)) < len(pairs):
            raise ModelFileError(f"{what} gives a name twice")
        return table

    def refused(constant: str) -> Any:
        raise ModelFileError(f"{what} holds {constant}, which is not JSON")

    def finite(digits: str) -> float:
        return value if math.isfinite(value := float(digits)) else refused(digits[:20])

    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=refused, parse_float=finite)
    except RecursionError as error:
        raise ModelFileError(f"{what} is nested too deeply") from error
    except ModelFileError:
        raise
    except ValueError as error:  # not UTF-8, not JSON, or numbers of thousands of digits
        raise ModelFileError(f"{what} cannot be read: {error}") from error
