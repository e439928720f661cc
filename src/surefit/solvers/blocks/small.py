"""Layer solvers: a design of few rows that stands for all rows of a source.

In: a `Factor`.  Out: a `Small`: as many rows as columns, whose products and total weight are those of all rows,
centred, in the units of the table.  What minimises a sum of squares on it minimises that of all rows, so the solvers
for rows in memory serve here too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefit.compiled.doubled import two_sum
from surefit.data.blocks.layout import Label, Layout
from surefit.data.design import Design
from surefit.data.scale import EPS
from surefit.solvers.blocks.factor import ONE, TARGET, Factor, Target
from surefit.solvers.blocks.offset import rounded_offset


@dataclass(frozen=True)
class Small:
    """``R`` (m, d) and ``t`` (m,) with ``||t - R w||**2`` the sum of squares of all rows, at its best intercept.

    ``means`` (d,) and ``mean`` are of the features and the target, in the units of the table; ``low`` (d + 1,) is what
    rounding them to one double left away, that of the target last.  ``sizes`` (d + 1,) are root mean squares about the
    origins of the first block, in the same order.
    """

    R: np.ndarray
    t: np.ndarray
    means: np.ndarray
    mean: float
    weight: float
    n: int
    fit_intercept: bool
    low: np.ndarray | None = None
    sizes: np.ndarray | None = None

    @property
    def design(self) -> Design:
        """The rows with their total weight."""
        m = len(self.R)
        return Design(self.R * np.sqrt(m / self.weight), np.full(m, self.weight / m))

    @property
    def targets(self) -> np.ndarray:
        """The targets (m, 1) that belong to them."""
        return (self.t * np.sqrt(len(self.t) / self.weight))[:, None]

    def intercept(self, coef: np.ndarray) -> np.ndarray:
        """The best offset for coefficients (d,) or (..., d)."""
        return self.mean - coef @ self.means if self.fit_intercept else np.zeros(np.shape(coef)[:-1])

    def published_intercept(self, coef: np.ndarray) -> tuple[float, float]:
        """The best offset for coefficients (d,), rounded once, and what its rounding can add to the mean of squares."""
        if not self.fit_intercept:
            return 0.0, 0.0
        low = np.zeros(len(coef) + 1) if self.low is None else self.low
        rounded, missed = rounded_offset([self.mean, low[-1]], coef, self.means, low[:-1])
        summed = 0.25 * (self.n + 4.0) * self.rounding(coef)  # errors of a long sum of one sign may add up
        with np.errstate(over="ignore"):
            return rounded, float(np.square(abs(missed) + summed))

    def rounding(self, coef: np.ndarray) -> float:
        """What rounding of the triangle does to a root mean squared error of coefficients (d,)."""
        sizes = np.zeros(len(coef) + 1) if self.sizes is None else self.sizes
        return 4.0 * EPS * float(sizes[-1] + sizes[:-1] @ np.abs(coef))

    def mean_squares(self, coef: np.ndarray) -> np.ndarray:
        """The mean squared error of all rows for coefficients (L, d), each with its best intercept."""
        return np.sum((self.t - coef @ self.R.T) ** 2, axis=-1) / self.weight


def small(factor: Factor, layout: Layout, target: Target, without: int | None = None) -> Small:
    """From all rows, or all but those of one fold; features in the order of the ``layout``'s labels."""
    first = int(ONE in factor.labels)
    labels: tuple[Label, ...] = (*(ONE,) * first, *layout.labels, TARGET)
    T = factor.triangle(labels, without)
    weight = factor.weight - (0.0 if without is None else factor.weights[without])
    units, origins = layout.units(layout.labels), layout.origins(layout.labels)
    means, mean = np.zeros(len(units)), 0.0
    if first:
        means, mean = T[0, 1:-1] / T[0, 0], float(T[0, -1] / T[0, 0])
    rest = T[first:, first:-1]
    dead = np.linalg.norm(rest, axis=0) <= 8.0 * EPS * np.abs(means + origins / units) * np.sqrt(weight)
    R = np.where(dead, 0.0, rest) * units
    t = T[first:, -1] * target.scale
    centre, low = two_sum(np.append(means * units, mean * target.scale), np.append(origins, target.origin))
    sizes = np.linalg.norm(T[:, first:], axis=0) / np.sqrt(weight) * np.append(units, target.scale)
    return Small(R, t, centre[:-1], float(centre[-1]), weight, factor.n, bool(first), low, sizes)


def held_out_squares(factor: Factor, layout: Layout, target: Target, fold: int, coef: np.ndarray, b: np.ndarray) -> (
    np.ndarray
):  # fmt: skip
    """The mean squared error on the rows of one fold, for coefficients (L, d) and intercepts (L,)."""
    first = int(ONE in factor.labels)
    labels = (*(ONE,) * first, *layout.labels, TARGET)
    only = Factor(factor.labels, (factor.triangles[fold],), 0, (factor.weights[fold],), 0)
    T = only.triangle(labels)
    inside = coef * layout.units(layout.labels)
    shift = (b + coef @ layout.origins(layout.labels) - target.origin)[:, None]
    columns = [shift] if first else []
    params = np.column_stack([*columns, inside, np.full(len(coef), -target.scale)])
    return np.sum((params @ T.T) ** 2, axis=1) / factor.weights[fold]
