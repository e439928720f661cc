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


def untouched(training: np.ndarray, held_out: np.ndarray) -> Assumption:
    """The checked assumption that no held-out row is a training row; an error if too many are to be chance.

    Data on a grid repeat by nature: the share of training rows that repeat within the training set says how often.

    >>> untouched(np.arange(5), np.array([3, 9]))
    Traceback (most recent call last):
        ...
    ValueError: 1 of the 2 held-out rows were used in fit; certify on rows that the model has never seen
    """
    shared = int(np.isin(held_out, training).sum())
    if shared == 0:
        return Assumption(UNTOUCHED, Standing.CHECKED, "no held-out row equals a training row")
    _, inverse, counts = np.unique(training, return_inverse=True, return_counts=True)
    repeats = float(np.mean(counts[inverse] > 1))
    if betainc(shared, len(held_out) - shared + 1, repeats) < TOO_RARE:  # P(Binomial >= shared)
        raise ValueError(
            f"{shared} of the {len(held_out)} held-out rows were used in fit; certify on rows that the model has "
            "never seen"
        )
    return Assumption(
        UNTOUCHED,
        Standing.UNVERIFIABLE,
        f"{shared} of {len(held_out)} held-out rows equal a training row, as chance explains: {repeats:.0%} of the "
        "training rows repeat among themselves",
    )
