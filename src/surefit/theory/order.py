"""Layer theory: an order of the rows that nobody chose and that no sorting of the file can spoil.

In: what is known of the rows, one number each.  Out: the seed of a shuffle.
"""

from hashlib import blake2b
from typing import Any

import numpy as np


def seed_of(values: Any) -> int:
    """A seed that depends on which values there are, and not on their order.

    Rows in random order are in random order after any shuffle that only their set decides, so what is promised for
    them holds exactly.  One fixed seed would give all sorted files of a length the same order, lucky or unlucky for
    all of them; here each file has its own, which the hash makes as good as drawn.

    >>> seed_of([0.1, 0.2, 0.3]) == seed_of([0.3, 0.1, 0.2]), seed_of([0.1, 0.2]) == seed_of([0.1, 0.3])
    (True, False)
    """
    ordered = np.sort(np.asarray(values).ravel())
    return int.from_bytes(blake2b(ordered.tobytes(), digest_size=4).digest())
