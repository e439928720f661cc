"""Below all layers: 64-bit numbers mixed so that every bit of the result depends on every bit of the input."""

import numpy as np


def scrambled(z: np.ndarray) -> np.ndarray:
    """A permutation of the 64-bit numbers that leaves zero alone (the finaliser of splitmix64)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
