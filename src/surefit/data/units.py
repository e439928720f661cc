"""Layer data: the spread of columns, and columns measured in units of it.

In: a `Design`.  Out: the weighted standard deviation of each column, and a `Units` that converts rows to it.
``standardise=True`` measures penalties this way.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.centred import centre
from surefit.data.design import Design
from surefit.data.scale import CONSTANT, column_sizes, power_of_two


def column_spreads(design: Design) -> np.ndarray:
    """Weighted standard deviation of each column; of a constant its root mean square, of zeros 1.

    What ``standardise=True`` measures penalties by.  Sparse designs are not densified.

    >>> column_spreads(Design.of([[1.0, 7.0, 0.0], [3.0, 7.0, 0.0]]))
    array([1., 7., 1.])
    """
    size = column_sizes(design)
    unit, share = power_of_two(size), design.weight / design.total_weight
    if design.is_sparse:
        near = design.settled()  # what is left of the mean does not dwarf the spread
        columns = near.X.multiply(1.0 / unit).tocsr()
        mean = np.asarray(columns.T @ share).ravel()
        square = np.asarray(columns.multiply(columns).T @ share).ravel() - mean**2
    else:
        A = centre(design, True, unit)
        blocks = ((rows, design.dense_rows(rows) / unit - A.shift - A.shift_low) for rows in design.row_slices())
        square = np.asarray(sum((share[rows] @ block**2 for rows, block in blocks), np.zeros(design.d)))
    spread = np.sqrt(np.maximum(square, 0.0)) * unit
    spread = np.where(spread <= CONSTANT * size, _root_mean_squares(design, unit, share), spread)
    return np.where(spread > 0, spread, 1.0)


def _root_mean_squares(design: Design, unit: np.ndarray, share: np.ndarray) -> np.ndarray:
    if design.is_sparse:
        scaled = design.X.multiply(1.0 / unit)
        return np.sqrt(np.asarray(scaled.multiply(scaled).T @ share).ravel()) * unit
    parts = (share[rows] @ (design.dense_rows(rows) / unit) ** 2 for rows in design.row_slices())
    return np.sqrt(np.asarray(sum(parts, np.zeros(design.d)))) * unit


@dataclass(frozen=True)
class Units:
    """Columns measured by their standard deviations ``scale``, from an ``origin`` that keeps far columns exact.

    >>> Units.of(Design.of([[1.0], [3.0]]), fit_intercept=True).scale
    array([1.])
    """

    scale: np.ndarray
    origin: np.ndarray

    @staticmethod
    def of(design: Design, fit_intercept: bool, scale: np.ndarray | None = None) -> "Units":
        """The units of these rows, or others; with an intercept, dense columns far from zero begin near it."""
        spreads, origin = column_spreads(design), np.zeros(design.d)
        if fit_intercept and not design.is_sparse:
            first = design.dense_rows(slice(0, 1))[0]
            origin = np.where(np.abs(first) > 10.0 * spreads, first, 0.0)
        return Units(spreads if scale is None else scale, origin)

    def rows(self, X: Any) -> Any:
        """Rows, dense or sparse, in these units."""
        return (
            (X @ sparse.diags_array(1.0 / self.scale)).tocsr() if sparse.issparse(X) else (X - self.origin) / self.scale
        )

    def design(self, design: Design) -> Design:
        """The same for a design, which remembers its origin: intercepts come out for the columns as they were."""
        offset = self.origin / self.scale if np.any(self.origin) else None
        return Design(self.rows(design.X), design.weight, offset)
