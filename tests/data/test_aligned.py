"""Room that begins with a line of the cache."""

import numpy as np
import pytest

from surefit.data.aligned import aligned


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 3), (1,), (7, 5), (64, 8)])
def test_room_begins_with_a_line_and_holds_what_is_written(shape, dtype):
    rooms = [aligned(shape, dtype) for _ in range(5)]  # held, so that they lie apart
    for k, room in enumerate(rooms):
        room[...] = k
        assert room.shape == shape
        assert room.dtype == dtype
        assert room.flags.c_contiguous
        assert room.size == 0 or room.ctypes.data % 64 == 0
    assert all(np.all(room == k) for k, room in enumerate(rooms))
