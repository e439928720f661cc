"""Values of records are checked against their declarations."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pytest

from surefit.store.declared import check_declared, conforms
from surefit.store.refusal import ModelFileError
from surefit.theory.certificates.certificate import Certificate, Standing, Verdict

GOOD = [
    (1, int), (np.int64(1), int), (1, float), (1.5, float), (np.float32(1), float), (True, bool), ("a", str),
    (None, None), (None, str | None), ("a", str | None), ((), tuple[int, ...]), ((1, 2), tuple[int, ...]),
    ((1, "a"), tuple[int, str]), ({"a": 1.0}, Mapping[str, float]), ({"a": 1}, dict[str, Any]), ({1: 2}, dict),
    (MappingProxyType({}), MappingProxyType), ([1], list[int]), (np.ones(2), np.ndarray), (len, Callable),
    (len, Callable[[Any], int]), ("a", Literal["a", "b"]), (Standing.CHECKED, Standing), (object(), Any),
]  # fmt: skip
BAD = [
    (1.5, int), (True, int), (True, float), (1, bool), ("1", float), (1, str), (0, None), (1, str | None),
    ([1], tuple[int, ...]), ((1, "a"), tuple[int, ...]), ((1,), tuple[int, str]), ({"a": "b"}, Mapping[str, float]),
    ({1: 1.0}, Mapping[str, float]), ([("a", 1)], dict[str, int]), (["a"], list[int]), ([1.0], np.ndarray),
    ("len", Callable), ("c", Literal["a", "b"]), ("checked", Standing), (Verdict.VACUOUS, Standing),
]  # fmt: skip


@pytest.mark.parametrize(("value", "hint"), GOOD)
def test_a_value_of_the_declared_type_conforms(value, hint):
    assert conforms(value, hint)


@pytest.mark.parametrize(("value", "hint"), BAD)
def test_a_value_of_another_type_does_not(value, hint):
    assert not conforms(value, hint)


def test_the_field_and_the_record_are_named():
    with pytest.raises(ModelFileError, match="bound of Certificate holds a value of type str"):
        check_declared(Certificate, {"statement": "x", "bound": "small"})
