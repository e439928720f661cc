"""Anything that yields rows, and what is said of what does not."""

import numpy as np
import pytest

from surefit.data.blocks.columns import SourceError
from surefit.data.blocks.source import Arrays, source_of


def test_arrays_are_read_as_often_as_wanted_and_memory_maps_too(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 3))
    np.save(tmp_path / "X.npy", X)
    for given in (X, np.load(tmp_path / "X.npy", mmap_mode="r")):
        source = source_of(given, y=np.arange(50.0), weight=np.ones(50), rows=16)
        for _ in range(2):
            blocks = [block for part in source.parts(False) for block in part.blocks()]
            assert [len(block) for block in blocks] == [16, 16, 16, 2]
            np.testing.assert_array_equal(np.vstack([block.numbers for block in blocks]), X)
        assert source.first().place == "rows 0 to 15"


def test_a_source_of_ones_own_is_taken_as_it_is():
    own = Arrays(np.eye(3), np.zeros(3))
    assert source_of(own) is own


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (np.zeros(3), {}, "two dimensions"),
        (np.eye(3), {"y": np.zeros(2)}, "one entry a row"),
        (np.eye(3), {"y": np.zeros(3), "rows": 0}, "at least 1"),
        (object(), {}, "yields no rows"),
    ],
)
def test_what_is_no_source_is_refused(given, options, words):
    with pytest.raises(ValueError, match=words):
        source_of(given, **options)


def test_bad_rows_are_named_by_number():
    X, y = np.eye(40), np.zeros(40)
    X[35, 0] = np.nan
    with pytest.raises(SourceError, match="NaN or infinity in rows 32 to 39"):
        [block for part in source_of(X, y=y, rows=16).parts(False) for block in part.blocks()]
    with pytest.raises(SourceError, match="negative"):
        source_of(np.eye(4), y=np.zeros(4), weight=-np.ones(4)).first()


FAR = 2**60 + np.arange(40)


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_whole_numbers_of_arrays_that_would_become_one_are_refused(kind):
    far, near = FAR.astype(kind)[:, None], np.arange(40)
    with pytest.raises(ValueError, match=r"column 0 holds whole numbers beyond 2\*\*53 .*, or leave the column out"):
        source_of(far, y=near).first()
    with pytest.raises(ValueError, match=r"y holds whole numbers beyond 2\*\*53 .* from all of them first$"):
        source_of(near[:, None], y=FAR).first()
    assert len(source_of(near[:, None].astype(kind), y=near).first()) == 40
