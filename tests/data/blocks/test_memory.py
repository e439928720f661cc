import numpy as np
import pytest

from surefit.data.blocks.memory import RowBlocks, checked_blocks


def test_blocks_cover_every_row_once_and_can_be_walked_twice():
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10.0)
    blocks = RowBlocks(X, y, rows=4)
    for _ in range(2):
        np.testing.assert_array_equal(np.vstack([a for a, _ in blocks]), X)
        np.testing.assert_array_equal(np.concatenate([b for _, b in blocks]), y)


def test_a_memory_map_is_read_block_by_block(tmp_path):
    X = np.memmap(tmp_path / "x.bin", dtype=np.float64, mode="w+", shape=(6, 2))
    X[:] = np.arange(12.0).reshape(6, 2)
    sizes = [block[0].shape for block in checked_blocks(RowBlocks(X, np.zeros(6), rows=4))]
    assert sizes == [(4, 2), (2, 2)]


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ((np.ones((2, 1)), np.ones(3)), "each block needs"),
        ((np.array([[np.nan]]), np.ones(1)), "NaN or infinity"),
        ((np.ones((1, 1)), np.ones(1), np.array([-1.0])), "weights must be >= 0"),
        ((np.ones((2, 2)), np.ones(2)), "all blocks must agree"),
    ],
)
def test_a_bad_block_is_named(block, reason):
    good = (np.ones((2, 1)), np.ones(2))
    with pytest.raises(ValueError, match=f"block 1 .*{reason}"):
        list(checked_blocks([good, block]))


def test_blocks_need_at_least_one_row_each():
    with pytest.raises(ValueError, match="at least 1"):
        RowBlocks(np.ones((2, 1)), np.ones(2), rows=0)
    with pytest.raises(ValueError, match="one entry per row"):
        RowBlocks(np.ones((2, 1)), np.ones(3), rows=1)
