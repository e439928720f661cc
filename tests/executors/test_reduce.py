"""The tree of a pass depends on the numbers of the blocks alone."""

import numpy as np
import pytest

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.source import Arrays
from surefit.executors.local import Serial, Threads
from surefit.executors.reduce import one_pass, pace


def name(block):
    return str(int(block.numbers[0, 0]))


def tree(a, b):
    return f"({a}{b})"


class Parts(Arrays):
    """Several blocks a part, as workers read files."""

    def __init__(self, n, size):
        super().__init__(np.arange(float(n))[:, None], rows=1)
        self.size = size

    def parts(self, apart):
        blocks = list(super().parts(apart))
        for start in range(0, len(blocks), self.size):
            yield _Several(blocks[start : start + self.size])


class _Several:
    def __init__(self, parts):
        self.held = parts

    def blocks(self):
        return (block for part in self.held for block in part.blocks())


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_parts_of_a_power_of_two_give_the_same_tree(size):
    wanted = "(((01)(23))((45)6))"
    for executor in (Serial(), Threads(3)):
        assert one_pass(Parts(7, size), name, tree, executor) == wanted


def test_no_more_parts_are_under_way_than_the_executor_takes():
    under_way, most = [0], [0]

    class Watched(Serial):
        width = 3

        def submit(self, function, part):
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
            inner = super().submit(function, part)

            class Future:
                def result(self):
                    under_way[0] -= 1
                    return inner.result()

            return Future()

    one_pass(Parts(20, 1), name, tree, Watched())
    assert (most[0], under_way[0]) == (3, 0)


def test_a_failure_ends_the_pass_and_no_rows_are_refused():
    def fails(block):
        raise SourceError(f"row {name(block)}")

    with pytest.raises(SourceError, match="row 0"):
        one_pass(Parts(5, 1), fails, tree, Threads(2))
    with pytest.raises(SourceError, match="no rows"):
        one_pass(Arrays(np.zeros((0, 1))), name, tree, Serial())
    assert pace(10, None, 2.0) == "5 rows/s"
    assert len(Block(np.zeros((0, 1)))) == 0
