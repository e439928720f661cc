"""Layer theory: what a stored model keeps of its inference: finished tables, a few numbers for each coefficient.

In: the way to a table or summary for each covariance.  Out: `StoredPages`, which give them at any level without the
rows.  A page that the rows do not have is kept as the reason why.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from surefit.theory.inference.tables import EstimateTable, ShrunkenTable, checked_level

WORK = 1e9
"""Products up to which pages are computed while a model is stored: about a second."""


@dataclass(frozen=True)
class StoredPages:
    """Tables or summaries by what was asked for; a string in its place is the reason why there is none."""

    pages: dict[Hashable, Any]

    @staticmethod
    def of(page: Callable[..., Any], keys: Iterable[Hashable], work: float = 0.0) -> StoredPages:
        """``page(*key)`` for each of ``keys``, or the reason why not; ``work`` is what that costs, ``n p**2``."""
        return StoredPages({key: _page_or_reason(page, key, work) for key in keys})

    def page(self, key: Hashable, level: float) -> Any:
        """The page with intervals of this level, or the error that stands in its place."""
        if key not in self.pages:
            raise ValueError(f"{key!r} is not among what this stored model keeps: {', '.join(map(str, self.pages))}")
        found = self.pages[key]
        if isinstance(found, str):
            raise ValueError(found)
        return at_level(found, level)


def _page_or_reason(page: Callable[..., Any], key: Any, work: float) -> Any:
    if work > WORK:
        return (
            "this model was stored without these standard errors, because its rows and columns are too many to compute "
            "them on the way; ask for them before storing, or fit again"
        )
    try:
        with np.errstate(all="ignore"):
            return page(*key) if isinstance(key, tuple) else page(key)
    except ValueError as error:
        return str(error)


def at_level(page: Any, level: float) -> Any:
    """The same table, or summary with such a table, with intervals of another level.

    >>> from surefit.theory.inference.tables import CoefficientTable
    >>> one = np.ones(1)
    >>> table = CoefficientTable(("a",), one, one, one, one, one, one, 0.95, "classical", "normal", 9)
    >>> at_level(table, 0.9).upper.round(3)
    array([2.645])
    """
    if hasattr(page, "table"):
        return replace(page, table=at_level(page.table, level))
    checked_level(level)
    if isinstance(page, EstimateTable):
        return page
    df = page.df if isinstance(page, ShrunkenTable) else page.df_residual if page.distribution == "t" else float("inf")
    reach = special.stdtrit(df, (1 + level) / 2) * page.standard_error
    return replace(page, lower=page.estimate - reach, upper=page.estimate + reach, level=level)
