"""The twins of the loops over levels: sums over rows by the levels of columns of words (catalogue C-01)."""

import numpy as np


def sums_by_level(values: np.ndarray, codes: np.ndarray, sums: np.ndarray) -> None:
    """Add to row ``k`` of ``sums`` (levels, width) the ``values`` (rows, width) of all rows of level ``k``.

    ``codes`` (columns, rows) number the levels of all columns of words; a negative one has no indicator.
    """
    for column in codes:
        there = column >= 0
        np.add.at(sums, column[there], values[there])


def pairs_of_levels(codes: np.ndarray, weight: np.ndarray, pairs: np.ndarray) -> None:
    """Add to ``pairs[k, l]`` the weights of all rows of level ``k``, and of ``l`` of the same or a later column."""
    for k, column in enumerate(codes):
        for other in codes[k:]:
            both = (column >= 0) & (other >= 0)
            np.add.at(pairs, (column[both], other[both]), weight[both])
