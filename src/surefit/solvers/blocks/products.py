"""Layer solvers: products with the columns of a table, whose words are never made indicators.

In: a `Table`, weights, what is beside the rows.  Out: products with ``A = [1, numbers, beside, indicators]``.  An
indicator is zero in most rows, so sums over the rows of a level take a fraction of the arithmetic (catalogue C-01).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.compiled import door
from surefit.compiled.twins import table as twin
from surefit.data.blocks.layout import Table

NARROW = 64
"""Columns of numbers up to which the compiled loop is faster than the BLAS, which takes the rest."""


@dataclass(frozen=True)
class Products:
    """``gram`` (s, s) is ``A' diag(weight) A``, ``cross`` (s, k) is ``A' U``.

    ``squares`` (s,) are sums of the squares of the columns, weighted by the last column of ``U``.
    """

    gram: np.ndarray
    cross: np.ndarray
    squares: np.ndarray


def times(table: Table, V: np.ndarray) -> np.ndarray:
    """``[1, numbers, indicators] V`` (rows, k).

    >>> table = Table(np.array([[1.0], [2.0]]), np.ones(1), np.zeros(1), np.array([[0, -1]], dtype=np.int32), 1)
    >>> times(table, np.array([[0.5], [1.0], [10.0]])).T
    array([[11.5,  2.5]])
    """
    found = np.empty((len(table.numbers), V.shape[1]))
    loops(table).table_times(*table[:4], np.ascontiguousarray(V), found)
    return found


def products(
    table: Table, weight: np.ndarray | None = None, U: np.ndarray | None = None, beside: np.ndarray | None = None
) -> Products:
    """Sums over rows, with ``U`` (rows, k) the weights unless it is given; weights may have any sign.

    >>> table = Table(np.array([[1.0], [2.0]]), np.ones(1), np.zeros(1), np.array([[0, -1]], dtype=np.int32), 1)
    >>> products(table).gram
    array([[2., 3., 1.],
           [3., 5., 1.],
           [1., 1., 1.]])
    """
    m, a = table.numbers.shape
    weight = np.ones(m) if weight is None else np.ascontiguousarray(weight)
    U = weight[:, None] if U is None else np.ascontiguousarray(U)
    beside = np.empty((m, 0)) if beside is None else np.ascontiguousarray(beside)
    q = 1 + a + beside.shape[1]
    s = q + table.levels
    gram, cross, squares = np.zeros((s, s)), np.zeros((s, U.shape[1])), np.zeros(q)
    loops(table).table_products(*table[:4], beside, weight, U, gram, cross, squares)
    gram += np.triu(gram, 1).T
    return Products(gram, cross, np.append(squares, cross[q:, -1]))


def loops(table: Table) -> Any:
    """The compiled loops for tables of few numbers, and NumPy's for others."""
    return door if table.numbers.shape[1] <= NARROW else twin
