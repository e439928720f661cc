"""Rows are held out one by one, by a hash that no carrier changes."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.hold_out import HoldOut


def test_equal_rows_are_drawn_one_by_one():
    """Five standard errors of the share: a false alarm in a million seeds, and the seed is fixed."""
    equal = Block(np.ones((20_000, 2)), target=np.zeros(20_000))
    share = HoldOut(0.1).mask(equal).mean()
    assert abs(share - 0.1) < 5 * np.sqrt(0.09 / 20_000)
    numbers = np.ones((20_000, 2))
    numbers[0] = 2.0  # another block: another draw of the same rows
    other = HoldOut(0.1).mask(Block(numbers, target=np.zeros(20_000)))
    both = np.mean(other & HoldOut(0.1).mask(equal))
    assert abs(both - 0.01) < 5 * np.sqrt(0.01 / 20_000)


def test_carriers_and_the_order_of_levels_change_nothing():
    rng = np.random.default_rng(0)
    numbers, codes = rng.normal(size=(1000, 3)), rng.integers(0, 2, 1000).astype(np.int32)
    block = Block(numbers, (Codes(codes, ("a", "b")),), numbers[:, 0])
    same = Block(np.asfortranarray(numbers), (Codes(1 - codes, ("b", "a")),), numbers[:, 0])
    wanted = HoldOut(0.3, 7).mask(block)
    assert np.array_equal(HoldOut(0.3, 7).mask(same), wanted)
    assert not np.array_equal(HoldOut(0.3, 8).mask(block), wanted)
    learn, held = HoldOut(0.3, 7).divided(same)
    assert np.array_equal(learn.numbers, numbers[~wanted])
    assert np.array_equal(held.numbers, numbers[wanted])


def test_a_share_that_is_none_is_refused():
    with pytest.raises(ValueError, match="certify"):
        HoldOut(1.0)
