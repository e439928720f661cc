"""What a user might take instead of `fit_blocks`, each on the same files in a process of its own.

In: the folder of `scale_data`.  Out: for each peer rows a second of processor time, memory, and how much larger its
mean squared error on the first 200,000 rows is than that of the exact answer.  A peer that is not installed says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale_data import LEVELS, NUMBERS

COLUMNS = [*(f"x{j}" for j in range(NUMBERS)), *(f"c{k}" for k in range(len(LEVELS)))]
JUDGED = 200_000
TEXT_ROWS = 200_000
"""Rows that Vowpal Wabbit gets: each is made a line of text first, which takes longer than learning from it."""


def source_of_folder(folder: str, target: str) -> Any:
    """The same reader and columns for all."""
    from surefit.data.blocks.columns import Columns
    from surefit.data.blocks.files import Parquet

    source = Parquet(sorted(map(str, Path(folder).glob("*.parquet"))), target, None, 65_536)
    source.columns = Columns(tuple(COLUMNS[:NUMBERS]), tuple(COLUMNS[NUMBERS:]), target)
    return source


def matrices(folder: str, target: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All rows as features and targets, as `fit_blocks` makes them."""
    from surefit.data.blocks.layout import Layout

    source, layout = source_of_folder(folder, target), None
    for part in source.parts(False):
        for block in part.blocks():
            layout = layout or Layout.of(block, source.columns)
            for cut, A in layout.chunks(block):
                yield np.ascontiguousarray(A), block.target[cut]


def squared_error(folder: str, predict: Any) -> float:
    """The mean squared error of predictions from features, on the first rows."""
    total, rows = 0.0, 0
    for X, y in matrices(folder, "y"):
        total, rows = total + float(np.sum((predict(X) - y) ** 2)), rows + len(y)
        if rows >= JUDGED:
            break
    return total / rows


def exact(folder: str) -> dict[str, Any]:
    """Ours with nothing to choose: the least squares that the others approximate."""
    from surefit import LeastSquares
    from surefit.data.blocks.layout import Layout

    source = source_of_folder(folder, "y")
    model, layout = LeastSquares().fit_blocks(source), Layout.of(source.first(), source.columns)
    units, origins = layout.units(layout.labels), layout.origins(layout.labels)
    predict = lambda X: (X * units + origins) @ model.coef_ + model.intercept_
    return {"passes": model.blocks_.passes, "rows": model.blocks_.n, "mse": squared_error(folder, predict)}


def sgd(folder: str) -> dict[str, Any]:
    """scikit-learn's SGDRegressor.partial_fit."""
    from sklearn.linear_model import SGDRegressor

    return _incremental(folder, SGDRegressor(random_state=0))


def sklearnex(folder: str) -> dict[str, Any]:
    """scikit-learn-intelex's IncrementalLinearRegression."""
    from sklearnex.linear_model import IncrementalLinearRegression

    return _incremental(folder, IncrementalLinearRegression())


def _incremental(folder: str, model: Any) -> dict[str, Any]:
    rows = 0
    for X, y in matrices(folder, "y"):
        model.partial_fit(X, y)
        rows += len(y)
    return {"passes": 1, "rows": rows, "mse": squared_error(folder, model.predict)}


def dask_ml(folder: str) -> dict[str, Any]:
    """dask-ml's LinearRegression (L-BFGS) on an array of all features, which has to be made first."""
    import dask.array as da
    from dask_ml.linear_model import LinearRegression

    parts = list(matrices(folder, "y"))
    X = da.concatenate([da.from_array(X, chunks=X.shape) for X, _ in parts]).rechunk((65_536, -1))
    y = da.concatenate([da.from_array(y, chunks=y.shape) for _, y in parts]).rechunk(65_536)
    model = LinearRegression(solver="lbfgs", C=1e10).fit(X, y)
    predict = lambda Z: np.asarray(model.predict(Z))
    return {"passes": 1, "rows": int(X.shape[0]), "mse": squared_error(folder, predict)}


def duckreg(folder: str) -> dict[str, Any]:
    """duckreg's DuckRidge on the numbers alone, for it takes no words."""
    from duckreg.regularized import DuckRidge

    name = f"read_parquet('{folder}/*.parquet')"
    formula = f"y ~ {' + '.join(COLUMNS[:NUMBERS])}"
    model = DuckRidge(":memory:", name, formula, lambda_grid=np.array([1e-8]), cv_folds=1)
    model.fit(lambda_selection=1e-8)
    return {"passes": 1, "rows": int(np.sum(model.df_compressed["count"])), "of": "14 numbers"}


def vowpal_wabbit(folder: str) -> dict[str, Any]:
    """Vowpal Wabbit as it comes, one pass, on the first rows."""
    from vowpalwabbit import Workspace

    learner, rows, line = Workspace("--quiet"), 0, lambda row: " ".join(f"{j}:{v:g}" for j, v in enumerate(row) if v)
    for X, y in matrices(folder, "y"):
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            learner.learn(f"{label:g} | {line(row)}")
        rows += len(y)
        if rows >= TEXT_ROWS:
            break
    predict = lambda Z: np.array([learner.predict(f"| {line(row)}") for row in Z.tolist()])
    return {"passes": 1, "rows": rows, "mse": squared_error(folder, predict)}


PEERS = {"exact": exact, "sgd": sgd, "sklearnex": sklearnex, "dask-ml": dask_ml, "duckreg": duckreg,
         "vowpal": vowpal_wabbit}  # fmt: skip
