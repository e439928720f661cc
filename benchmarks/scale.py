"""Fits past memory beside a plain read of the same columns by the same reader, and beside what else one might take.

Run ``make scale ROWS=20000000 FOLDER=...``; the folder is made, and stays.  Files are read once before anything is
timed, so that all contenders find a warm cache.  Memory is the peak of a process of its own for each contender.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale_data import LEVELS, NUMBERS, written

COLUMNS = [*(f"x{j}" for j in range(NUMBERS)), *(f"c{k}" for k in range(len(LEVELS)))]


def read(folder: str, target: str) -> dict[str, Any]:
    """Every row group once, as blocks: what any fit has to do."""
    source = _source(folder, target)
    return {"rows": sum(len(block) for part in source.parts(False) for block in part.blocks())}


def scan(folder: str, target: str) -> dict[str, Any]:
    """The reader alone: batches as pyarrow gives them, nothing made of them."""
    import pyarrow.parquet as pq

    rows = 0
    for path in sorted(Path(folder).glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(65_536, columns=[*COLUMNS, target], use_threads=False):
            rows += batch.num_rows
    return {"rows": rows}


def _source(folder: str, target: str) -> Any:
    from surefit.data.blocks.columns import Columns
    from surefit.data.blocks.files import Parquet

    source = Parquet(sorted(map(str, Path(folder).glob("*.parquet"))), target, None, 65_536)
    source.columns = Columns(tuple(COLUMNS[:NUMBERS]), tuple(COLUMNS[NUMBERS:]), target)
    return source


def ridge(folder: str, target: str) -> dict[str, Any]:
    """50 lam, exact leave-one-out, a certificate from two per cent of the rows."""
    from surefit import Ridge

    model = Ridge(lams=np.geomspace(1e-8, 1.0, 50)).fit_blocks(_source(folder, target), certify=0.02)
    record = model.blocks_
    return {"passes": record.passes, "lam": model.lam_, "bound": float(record.certificate.bound),
            "rows": record.n + record.held_out, "mse": float(model.selection_.value)}  # fmt: skip


def logistic(folder: str, target: str) -> dict[str, Any]:
    from surefit import LogisticRegression

    model = LogisticRegression(lam=1e-6).fit_blocks(_source(folder, "class"))
    return {"passes": model.blocks_.passes, "gap": float(model.solution_.gap), "rows": model.blocks_.n}


def sgd(folder: str, target: str) -> dict[str, Any]:
    """scikit-learn's SGDRegressor.partial_fit, one pass over the same blocks and features."""
    from sklearn.linear_model import SGDRegressor

    from surefit.data.blocks.layout import Layout

    source, model, layout, rows = _source(folder, target), SGDRegressor(random_state=0), None, 0
    for part in source.parts(False):
        for block in part.blocks():
            layout = layout or Layout.of(block, source.columns)
            for cut, A in layout.chunks(block):
                model.partial_fit(A, block.target[cut])
            rows += len(block)
    return {"passes": 1, "rows": rows, "coef": model.coef_[0].item()}


CONTENDERS = {"scan": scan, "read": read, "ridge": ridge, "logistic": logistic, "sgd": sgd}


def measured(name: str, folder: str) -> dict[str, Any]:
    """One contender in this process."""
    begin, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CONTENDERS[name](folder, "y")
    spent = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"name": name, **found, **spent, "GB": peak, "rows/s": found["rows"] * found.get("passes", 1) / spent["cpu"]}


def main(folder: str, rows: int, names: list[str]) -> None:
    """Every contender in a process of its own; a line for each."""
    if not list(Path(folder).glob("*.parquet")):
        written(Path(folder), rows)
    for name in ["scan", *(names or CONTENDERS)]:
        done = subprocess.run([sys.executable, "-m", "benchmarks.scale", "--one", name, folder], capture_output=True,
                              text=True, check=False)  # fmt: skip
        print(done.stdout.strip() or done.stderr.strip()[-2000:], flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(measured(sys.argv[2], sys.argv[3])))
    else:
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
