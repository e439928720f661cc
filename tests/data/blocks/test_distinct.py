"""Equal rows as one row with a count."""

import numpy as np
import pytest

from surefit.data.blocks import distinct as module
from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.distinct import TooManyDistinct, distinct, merge, pays


def rows_of(block):
    words = [one.words() for one in block.words]
    return {
        (*map(float, block.numbers[i]), *(one[i] for one in words), float(block.target[i])): float(block.weight[i])
        for i in range(len(block))
    }


def drawn(seed, levels, n=500):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(levels), n).astype(np.int32)
    return Block(rng.integers(0, 3, (n, 2)).astype(float), (Codes(codes, levels),), rng.integers(0, 2, n).astype(float),
                 rng.integers(0, 4, n).astype(float))  # fmt: skip


def test_weights_of_equal_rows_are_added_whatever_the_order_of_levels():
    left, right = drawn(0, ("a", "b", "c")), drawn(1, ("d", "c", "a"))
    found = merge(distinct(left), distinct(right))
    wanted = {}
    for block in (left, right):
        words = block.words[0].words()
        for i in range(len(block)):
            row = (*block.numbers[i], words[i], block.target[i])
            wanted[row] = wanted.get(row, 0.0) + block.weight[i]
    assert rows_of(found.block) == wanted
    assert found.n == 1000
    places = np.array([left.words[0].levels.index(one) for one in ("c", "a", "b")])
    other = Block(left.numbers, (Codes(np.argsort(places).astype(np.int32)[left.words[0].codes], ("c", "a", "b")),),
                  left.target, left.weight)  # fmt: skip
    assert list(rows_of(distinct(other).block).items()) == list(rows_of(distinct(left).block).items())


def test_many_columns_do_not_overflow_the_key():
    numbers = np.random.default_rng(2).normal(size=(300, 12))  # 300**12 > 2**62
    doubled = np.vstack([numbers, numbers[::-1]])
    found = distinct(Block(doubled, target=np.zeros(600)))
    assert np.array_equal(found.block.numbers, numbers[np.argsort(numbers[:, 0])])
    assert np.all(found.block.weight == 2.0)


def test_a_sample_says_whether_it_pays():
    rng = np.random.default_rng(3)
    few = Block(rng.integers(0, 50_000, (65_536, 1)).astype(float), target=np.zeros(65_536))
    assert pays(few, 20_000_000)
    assert pays(few, None)
    assert not pays(few, 100_000)
    assert not pays(Block(rng.normal(size=(65_536, 1)), target=np.zeros(65_536)), 20_000_000)
    assert not pays(Block(rng.integers(0, 10**6, (65_536, 1)).astype(float), target=np.zeros(65_536)), 20_000_000)


def test_a_sample_that_promised_too_few_ends_the_pass(monkeypatch):
    monkeypatch.setattr(module, "MOST_DISTINCT", 10)
    with pytest.raises(TooManyDistinct):
        merge(distinct(drawn(0, ("a", "b"))), distinct(drawn(1, ("a", "c"))))
