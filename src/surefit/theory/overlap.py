"""Layer theory: was a hold-out really held out?  Compares rows by 64-bit fingerprints of their exact values.

In: rows and targets.  Out: fingerprints ``(n,)``; the `Assumption` that no held-out row was trained on, or an error.
"""

from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.special import betainc

from surefit.data.rows import fingerprints
from surefit.theory.certificate import Assumption, Standing

UNTOUCHED = "the held-out rows were not used to train or choose this model"
MOST_STORED = 256
"""Fingerprints of training rows that travel with a stored model, which has to stay small."""

TOO_RARE = 1e-6  # overlaps less likely than this under chance repeats are taken for leaks


def row_prints(X: Any, y: Any) -> np.ndarray:
    """One 64-bit number per row of ``(X, y)``: of its numbers, or of what it prints as where there are words.

    >>> prints = row_prints([["a", 0.0], ["b", 1.0], ["a", 0.0]], [1, 1, 1])
    >>> bool(prints[0] == prints[2]), bool(prints[0] == prints[1])
    (True, False)
    """
    try:
        return fingerprints(X, y)
    except (TypeError, ValueError):
        return _printed(X, y)


def _printed(X: Any, y: Any) -> np.ndarray:
    rows = zip(np.asarray(X, dtype=object).tolist(), np.asarray(y, dtype=object).tolist(), strict=True)
    return np.array([int.from_bytes(blake2b(repr(row).encode(), digest_size=8).digest()) for row in rows], np.uint64)


def smallest_prints(prints: np.ndarray) -> np.ndarray:
    """The 256 smallest of the prints and their equals: as good as random rows, and the same ones in any other file.

    >>> smallest_prints(np.arange(1000)[::-1]).tolist() == list(range(256))
    True
    """
    if len(prints) <= MOST_STORED:
        return prints
    return np.sort(prints[prints <= np.partition(prints, MOST_STORED - 1)[MOST_STORED - 1]])


def untouched(training: np.ndarray, held_out: np.ndarray, n_training: int | None = None) -> Assumption:
    """The checked assumption that no held-out row is a training row; an error if too many are to be chance.

    Data on a grid repeat by nature: the share of training rows that repeat within the training set says how often.
    If only the `smallest_prints` of ``n_training`` rows are left, held-out rows with prints as small are compared.

    >>> untouched(np.arange(5), np.array([3, 9]))
    Traceback (most recent call last):
        ...
    ValueError: 1 of the 2 held-out rows were used in fit; certify on rows that the model has never seen
    """
    partly, given = n_training is not None and n_training > len(training), len(held_out)
    if partly:
        held_out = held_out[held_out <= training.max()]
    shared = int(np.isin(held_out, training).sum())
    if shared == 0 and partly:
        return Assumption(
            UNTOUCHED,
            Standing.DECLARED,
            f"a stored model remembers {len(training)} of its {n_training} rows, and none of them is held out",
        )
    if shared == 0:
        return Assumption(UNTOUCHED, Standing.CHECKED, "no held-out row equals a training row")
    _, inverse, counts = np.unique(training, return_inverse=True, return_counts=True)
    repeats = float(np.mean(counts[inverse] > 1))
    if betainc(shared, len(held_out) - shared + 1, repeats) < TOO_RARE:  # P(Binomial >= shared)
        raise ValueError(
            f"{'at least ' if partly else ''}{shared} of the {given} held-out rows were used in fit; certify on rows "
            "that the model has never seen"
        )
    return Assumption(
        UNTOUCHED,
        Standing.UNVERIFIABLE,
        f"{shared} of {len(held_out)} held-out rows equal a training row, as chance explains: {repeats:.0%} of the "
        "training rows repeat among themselves",
    )
