"""Layer theory: was a hold-out really held out?  Compares rows by 64-bit fingerprints of their exact values.

In: rows and targets.  Out: fingerprints ``(n,)``; the `Assumption` that no held-out row was trained on, or an error.
"""

from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import betainc

from surefit.theory.certificate import Assumption, Standing

UNTOUCHED = "the held-out rows were not used to train or choose this model"
TOO_RARE = 1e-6  # overlaps less likely than this under chance repeats are taken for leaks


def fingerprints(X: Any, y: Any) -> np.ndarray:
    """One 64-bit number per row of ``(X, y)``; equal rows get equal numbers, dense or sparse, float32 or float64.

    A sum over columns of scrambled bits times a random odd number of the column; zeros add nothing.

    >>> prints = fingerprints([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [1, 1, 1])
    >>> bool(prints[0] == prints[2]), bool(prints[0] == prints[1])
    (True, False)
    """
    try:
        rows: Any = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X, dtype=float)
        targets = np.asarray(y, dtype=float)
    except (TypeError, ValueError):  # words or mixed columns: hash what they print as
        return _printed(X, y)
    targets = targets.reshape(len(targets), -1)
    n, d = rows.shape
    with np.errstate(over="ignore"):
        odd = _scrambled(np.arange(1, d + targets.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
        total = _bits(targets) @ odd[d:]
        if sparse.issparse(rows):
            entries = _bits(rows.data.astype(float)) * odd[rows.indices]
            np.add.at(total, np.repeat(np.arange(n), np.diff(rows.indptr)), entries)
            return total
        for j in range(d):
            total += _bits(rows[:, j]) * odd[j]
    return total


def _bits(values: np.ndarray) -> np.ndarray:
    return _scrambled(np.ascontiguousarray(values + 0.0).view(np.uint64))  # + 0.0: one zero, not two


def _scrambled(z: np.ndarray) -> np.ndarray:
    """A permutation of the 64-bit numbers that leaves zero alone (the finaliser of splitmix64)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


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
