"""Rows looked up in a table of known ones: the same counts as by sorting."""

import numpy as np
import pytest

from surefit.data.blocks import counted as module
from surefit.data.blocks.block import Block, Codes
from surefit.data.blocks.counted import Count, Known, as_distinct, merge
from surefit.data.blocks.distinct import distinct
from surefit.data.blocks.distinct import merge as merge_distinct


def drawn(seed, levels=("a", "b", "c"), n=3000, weighted=True):
    rng = np.random.default_rng(seed)
    words = (Codes(rng.integers(0, len(levels), n).astype(np.int32), levels),)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    return Block(rng.integers(0, 9, (n, 2)).astype(float), words, rng.integers(0, 2, n).astype(float), weight)


def rows_of(found):
    words = found.block.words[0].words()
    return {
        (*found.block.numbers[i], words[i], found.block.target[i]): found.block.weight[i] for i in range(len(words))
    }


@pytest.mark.parametrize("probes", [1, 4])
@pytest.mark.parametrize("weighted", [True, False])
def test_counts_are_those_of_sorting_also_of_rows_and_levels_that_come_late(monkeypatch, probes, weighted):
    monkeypatch.setattr(module, "PROBES", probes)
    monkeypatch.setattr(module, "ROOM", 1)  # so that places are taken
    few = drawn(0, n=60, weighted=weighted)
    blocks = [drawn(1, weighted=weighted), drawn(2, ("c", "late", "a"), weighted=weighted)]
    known = Known.of(distinct(few))
    found = as_distinct(merge(*map(Count(known), blocks)), known)
    wanted = merge_distinct(*map(distinct, blocks))
    assert rows_of(found) == rows_of(wanted)
    assert found.n == wanted.n == 6000


def test_most_rows_are_found_and_keys_that_do_not_fit_are_refused():
    known = Known.of(distinct(drawn(0)))
    place = known.rows(drawn(3))
    assert np.mean(place >= 0) > 0.95
    assert np.array_equal(known.block.numbers[place[place >= 0]], drawn(3).numbers[place >= 0])
    wide = np.random.default_rng(0).normal(size=(300, 12))
    assert Known.of(distinct(Block(wide, target=np.zeros(300)))) is None
