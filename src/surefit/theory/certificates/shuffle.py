"""Layer theory: an order of the rows that nobody chose and that no sorting of the file can spoil.

In: what is known of the rows, one number each.  Out: a `Shuffle`: its seed, and what may be said of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from surefit.theory.certificates.certificate import Assumption, Standing

ENOUGH_KINDS = 10
"""Kinds of rows from which their counts differ from file to file in so many ways that each file has its own seed."""
STEPS = 2.0**20
"""Losses count in steps of a millionth: the last bits, which differ between processors, must not decide an order."""


@dataclass(frozen=True)
class Shuffle:
    """A seed that depends on which values there are, and not on their order; and how many different ones there are.

    Rows in random order are in random order after any shuffle that only their set decides, so what is promised for
    them holds exactly.  One fixed seed would give all sorted files of a length the same order, lucky or unlucky for
    all of them; here each file has its own, which the hash makes as good as drawn unless there are few kinds of rows.
    What differs between processors must not decide, for another order gives another bound: rows come as prints in
    single precision, losses in ``[0, 1]`` are rounded to a millionth.

    >>> Shuffle.of([0.1, 0.2]) == Shuffle.of([0.1 + 1e-15, 0.2])
    True
    >>> Shuffle.of([0.1, 0.2, 0.3]) == Shuffle.of([0.3, 0.1, 0.2]), Shuffle.of([0.1, 0.2]) == Shuffle.of([0.1, 0.3])
    (True, False)
    """

    seed: int
    kinds: int

    @staticmethod
    def of(values: Any) -> Shuffle:
        """Decided by these values, one for each row: prints, or losses in ``[0, 1]``."""
        values = np.asarray(values).ravel()
        if values.dtype.kind == "f":
            values = np.rint(values.astype(np.float64) * STEPS) + 0.0  # one zero, not two
        values = np.sort(values)
        kinds = int(np.count_nonzero(values[1:] != values[:-1])) + 1
        return Shuffle(int.from_bytes(blake2b(values.tobytes(), digest_size=4).digest()), kinds)

    @property
    def permutation(self) -> Any:
        """The function that puts an array, or ``range(n)`` for a number, into the order of this seed."""
        return np.random.default_rng(self.seed).permutation

    @property
    def assumption(self) -> Assumption:
        """That the order of the file says nothing, now that it was shuffled.

        >>> print(Shuffle.of([0, 0, 1]).assumption.standing.value)
        unverifiable
        """
        text, how = "the rows are in random order", f"shuffled with seed {self.seed}"
        few = few_kinds(self.kinds)
        if few is None:
            return Assumption(
                text, Standing.CHECKED, f"{how}, which depends on the rows alone; another order gives another bound"
            )
        return Assumption(text, Standing.UNVERIFIABLE, f"{how}, but {few} too few to choose one as good as drawn")


def few_kinds(kinds: int) -> str | None:
    """How a sentence about too few kinds of rows begins; None if there are enough.

    >>> few_kinds(2), few_kinds(ENOUGH_KINDS)
    ('2 kinds of rows are', None)
    """
    if kinds >= ENOUGH_KINDS:
        return None
    return "one kind of rows is" if kinds == 1 else f"{kinds} kinds of rows are"
