"""Layer solvers: what a fit will need, said before it starts: memory, seconds, the solver and why.

In: the shape of a table, and from each family the operations that its solvers take.  Out: a `Plan`.  Nothing of the
size of the table is allocated here.  Seconds are operations over rates.  The rates of matrix products and of reading
memory are measured once per process, in some hundredths of a second; those of compiled loops and of calls from Python
are the constants below.  How many iterations a fit takes depends on its data, and typical numbers are taken: expect
`Plan.seconds` to be right within a factor of three, for fits that take more than some milliseconds.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np

LOOPS_PER_SECOND = 1e9
"""Multiplications and additions of a compiled loop that runs on one core."""

SECONDS_PER_CALL = 2e-5
"""A call of a NumPy function on small arrays, with the Python around it."""

MEASURED_SIDE, MEASURED_LENGTH = 512, 2_000_000
"""The matrix product and the vector by which rates are measured."""

UNITS = {"": 1.0, "B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


@dataclass(frozen=True)
class Rates:
    """Operations of matrix products, and numbers read from memory, in a second."""

    products: float
    reads: float


@cache
def measured_rates() -> Rates:
    """The rates of this machine, measured by the best of three short runs when they are first asked for."""
    A, v = np.full((MEASURED_SIDE, MEASURED_SIDE), 0.5), np.full(MEASURED_LENGTH, 0.5)
    product, read = _quickest(lambda: A @ A), _quickest(lambda: v @ v)
    return Rates(2.0 * MEASURED_SIDE**3 / product, MEASURED_LENGTH / read)


def _quickest(task: Any) -> float:
    times = []
    for _ in range(4):
        start = perf_counter()
        task()
        times.append(perf_counter() - start)
    return max(min(times[1:]), 1e-9)


@dataclass(frozen=True)
class Work:
    """Operations by kind: of matrix products and factorisations, numbers read, steps of compiled loops, Python calls.

    >>> (2 * Work(products=3.0) + Work(loops=1.0)).operations
    7.0
    """

    products: float = 0.0
    reads: float = 0.0
    loops: float = 0.0
    calls: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(*(mine + theirs for mine, theirs in zip(self._kinds(), other._kinds(), strict=True)))

    def __rmul__(self, times: float) -> Work:
        return Work(*(times * mine for mine in self._kinds()))

    @property
    def operations(self) -> float:
        """All kinds together, a call counting as none."""
        return self.products + self.reads + self.loops

    def seconds(self, rates: Rates) -> float:
        """How long they take, one kind after the other."""
        return (
            self.products / rates.products
            + self.reads / rates.reads
            + self.loops / LOOPS_PER_SECOND
            + self.calls * SECONDS_PER_CALL
        )

    def _kinds(self) -> tuple[float, ...]:
        return self.products, self.reads, self.loops, self.calls


@dataclass(frozen=True)
class Plan:
    """How a fit would be computed, the memory it would take beside the data, how long it would take, and why so.

    The choice of ``lam`` is included.  ``n_landmarks`` is None if every row counts.

    >>> print(Plan("cholesky", 8_000_000, Work(products=1e9), "1,000 points are few"))
    cholesky: 8.0 MB, about ... s; 1,000 points are few
    """

    solver: str
    memory_bytes: int
    work: Work
    reason: str
    n_landmarks: int | None = None

    @property
    def seconds(self) -> float:
        """Roughly how long the fit would take on this machine: see `surefit.solvers.cost`."""
        return self.work.seconds(measured_rates())

    def __str__(self) -> str:
        return f"{self.solver}: {size(self.memory_bytes)}, about {duration(self.seconds)}; {self.reason}"


@dataclass(frozen=True)
class Shape:
    """Rows and columns of a table, scores per row that are fitted (targets, classes), and entries that are stored."""

    n: int
    d: int
    outputs: int = 1
    stored: float | None = None

    @classmethod
    def of(cls, X: Any, d: Any = None, outputs: int = 1) -> Shape:
        """The shape of a table ``X``, or of one with ``X`` rows and ``d`` columns.

        >>> Shape.of(100, 3) == Shape.of((100, 3)) == Shape.of(np.zeros((100, 3)))
        True
        """
        sides = (X, d) if d is not None else X if isinstance(X, tuple) else np.shape(X)
        if len(sides) != 2 or not all(isinstance(side, Integral) and int(side) >= 1 for side in sides):
            raise ValueError(
                f"a plan is for a table: give X (n, d), or its numbers of rows and columns, whole numbers >= 1; got "
                f"{sides if d is not None or isinstance(X, tuple) else f'shape {sides}'}"
            )
        stored = X.nnz if d is None and hasattr(X, "nnz") else None
        return cls(int(sides[0]), int(sides[1]), outputs, stored)

    @property
    def entries(self) -> float:
        """Numbers that a pass over the table reads."""
        return float(self.n) * self.d if self.stored is None else float(self.stored)


def size(n_bytes: float) -> str:
    """A number of bytes as people write it.

    >>> size(20e9), size(512)
    ('20.0 GB', '512 B')
    """
    for unit, amount in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= amount:
            return f"{n_bytes / amount:.1f} {unit}"
    return f"{n_bytes:.0f} B"


def duration(seconds: float) -> str:
    """A time to one digit, which is all that is known of it.

    >>> duration(0.0123), duration(47.0), duration(150.0), duration(8000.0)
    ('0.01 s', '50 s', '2 min', '2 h')
    """
    for unit, amount in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * amount:
            return f"{float(f'{seconds / amount:.0e}'):.0f} {unit}"
    return f"{float(f'{max(seconds, 0.001):.0e}'):g} s"


def memory_limit(wanted: float | str | None) -> float:
    """The bytes a fit may take: a number, a text such as ``"1GB"``, or None for half of the machine's memory.

    >>> memory_limit("1.5 GB"), memory_limit(2e9)
    (1500000000.0, 2000000000.0)
    """
    if wanted is None:
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2e9
    found = re.fullmatch(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zA-Z]*)\s*", str(wanted))
    amount = _number(found[1]) * UNITS.get(found[2].upper(), 0.0) if found else 0.0
    if isinstance(wanted, bool) or not 0.0 < amount < np.inf:
        raise ValueError(
            f"memory must be a number of bytes > 0 or a text such as '1GB', got {wanted!r}; leave it None for half the "
            "machine's"
        )
    return amount


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
