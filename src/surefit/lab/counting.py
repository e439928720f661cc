"""Layer lab: textbook algorithms that count their multiplications; roots and divisions are not counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Count:
    """How many multiplications were made."""

    multiplications: int = 0

    def add(self, number: int) -> None:
        self.multiplications += number


def dot(a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray, count: Count) -> float:
    """An inner product: as many multiplications as entries.

    >>> count = Count()
    >>> dot([1.0, 2.0], [3.0, 4.0], count), count.multiplications
    (11.0, 2)
    """
    count.add(len(a))
    return float(sum(x * y for x, y in zip(a, b, strict=True)))


def cholesky(gram: Any, count: Count) -> list[list[float]]:
    """The lower factor ``L`` with ``L L' = gram``, row by row."""
    d = len(gram)
    L = [[0.0] * d for _ in range(d)]
    for i in range(d):
        for j in range(i + 1):
            left = gram[i][j] - dot(L[i][:j], L[j][:j], count)
            L[i][j] = left**0.5 if i == j else left / L[j][j]
    return L


def forward(L: list[list[float]], right: Any, count: Count) -> list[float]:
    """The solution of ``L z = right``; a solve with ``L'`` costs the same."""
    z: list[float] = []
    for i, row in enumerate(L):
        z.append((right[i] - dot(row[:i], z, count)) / row[i])
    return z
