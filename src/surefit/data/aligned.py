"""Layer data: arrays that begin where a line of the processor's cache does.

In: a shape and a type.  Out: an array whose entries may be anything.
"""

from __future__ import annotations

import math

import numpy as np

LINE = 64
"""Bytes of a line, and of the widest vector: what lies across two lines takes two loads."""


def aligned(shape: tuple[int, ...], dtype: type[np.floating] = np.float64) -> np.ndarray:
    """Room for an array of this shape, from the beginning of a line.

    >>> aligned((3, 2)).ctypes.data % 64
    0
    """
    wide = np.dtype(dtype).itemsize
    size = math.prod(shape)
    room = np.empty(size + LINE // wide, dtype=dtype)
    first = -room.ctypes.data % LINE // wide
    return room[first : first + size].reshape(shape)
