"""A checkpoint holds states and nothing that could run."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block, Codes
from surefit.executors.checkpoint import Checkpoint


def test_states_come_back_and_other_fits_are_refused(tmp_path):
    path = tmp_path / "fit"
    state = (Block(np.eye(2), (Codes(np.array([0, 1]), ("a", "b")),), np.array([1.0, 2.0])), 3)
    Checkpoint(path, "key", (Block, Codes)).add(state)
    block, number = Checkpoint(path, "key", (Block, Codes)).states[0]
    assert number == 3
    assert block.words[0].levels == ("a", "b")
    np.testing.assert_array_equal(block.numbers, np.eye(2))
    with pytest.raises(ValueError, match="another fit"):
        Checkpoint(path, "other", (Block, Codes))
    with pytest.raises(KeyError):
        Checkpoint(path, "key", (Block,))
    path.write_bytes(b"no archive")
    with pytest.raises(ValueError, match="no checkpoint"):
        Checkpoint(path, "key", (Block, Codes))
