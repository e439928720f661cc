"""Rows cut anew: the same blocks whatever the batches were."""

from itertools import pairwise

import numpy as np
import pytest

from surefit.data.blocks.block import Block, Codes, recut, stacked


def rows(n, seed=0, levels=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    words = (Codes(rng.integers(0, len(levels), n).astype(np.int32), levels),)
    return Block(rng.normal(size=(n, 2)), words, Codes(rng.integers(0, 2, n).astype(np.int32), ("no", "yes")),
                 rng.random(n))  # fmt: skip


def same(a, b):
    return (
        np.array_equal(a.numbers, b.numbers)
        and all(np.array_equal(x.words(), y.words()) for x, y in zip(a.words, b.words, strict=True))
        and np.array_equal(a.target.words(), b.target.words())
        and np.array_equal(a.weight, b.weight)
    )


@pytest.mark.parametrize("cuts", [[], [1, 1, 50], [10, 20, 30], [3, 99]])
def test_blocks_do_not_depend_on_where_batches_end(cuts):
    whole, ends = rows(100), [0, *cuts, 100]
    found = list(recut([whole.cut(a, b) for a, b in pairwise(ends)], 30))
    assert [len(one) for one in found] == [30, 30, 30, 10]
    assert all(same(one, whole.cut(30 * k, 30 * k + 30)) for k, one in enumerate(found))


def test_levels_are_joined_by_name():
    left, right = rows(5), rows(5, 1, ("c", "d"))
    found = stacked([left, right])
    wanted = np.concatenate([left.words[0].words(), right.words[0].words()])
    assert found.words[0].words().tolist() == wanted.tolist()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_some_rows_are_the_same_from_either_order_in_memory(kind):
    numbers, some = np.random.default_rng(0).normal(size=(50, 3)).astype(kind), np.arange(50) % 3 == 0
    by_row, by_column = (Block(one).where(some).numbers for one in (numbers, np.asfortranarray(numbers)))
    assert np.array_equal(by_row, numbers[some])
    assert np.array_equal(by_column, numbers[some])
    assert by_column.dtype == kind
