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
import pyarrow.parquet as pq

from benchmarks.scale_data import words_written, written
from benchmarks.scale_peers import COLUMNS, PEERS, source_of_folder


def read(folder: str, target: str) -> dict[str, Any]:
    """Every row group once, as blocks: what any fit has to do."""
    source = source_of_folder(folder, target)
    return {"rows": sum(len(block) for part in source.parts(False) for block in part.blocks())}


def scan(folder: str, target: str) -> dict[str, Any]:
    """The reader alone: batches as pyarrow gives them, nothing made of them."""
    rows = 0
    for path in sorted(Path(folder).glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(65_536, columns=[*COLUMNS, target], use_threads=False):
            rows += batch.num_rows
    return {"rows": rows}


def ridge(folder: str, target: str) -> dict[str, Any]:
    """50 lam, exact leave-one-out, a certificate from two rows in a thousand."""
    from surefit import Ridge

    model = Ridge(lams=np.geomspace(1e-8, 1.0, 50)).fit_blocks(source_of_folder(folder, target), certify=0.002)
    record = model.blocks_
    return {"passes": record.passes, "lam": model.lam_, "bound": float(record.certificate.bound),
            "rows": record.n + record.held_out, "mse": float(model.selection_.value)}  # fmt: skip


def logistic(folder: str, target: str) -> dict[str, Any]:
    from surefit import LogisticRegression

    model = LogisticRegression(lam=1e-6).fit_blocks(source_of_folder(folder, "class"))
    return {"passes": model.blocks_.passes, "gap": float(model.solution_.gap), "rows": model.blocks_.n}


def words(folder: str, target: str) -> dict[str, Any]:
    """A path of logistic regression on ten columns of words, of which 50,000 rows are distinct, in ``folder/words``."""
    from surefit import LogisticRegression

    model = LogisticRegression().fit_blocks(f"{folder}/words", "label")
    return {"passes": 1, "lams": len(model.lam_path_), "rows": model.blocks_.n}


def read_words(folder: str, target: str) -> dict[str, Any]:
    """The same rows as blocks, and nothing made of them."""
    from surefit.data.blocks.source import source_of

    source = source_of(f"{folder}/words", "label")
    return {"rows": sum(len(block) for part in source.parts(False) for block in part.blocks())}


def predict(folder: str, target: str) -> dict[str, Any]:
    """Intervals for every row, written to ``folder/predictions``, by a model fitted to the first file."""
    from surefit import Ridge
    from surefit.cli.many_files import predict_files
    from surefit.study.of_blocks import table_model_of

    columns = [*COLUMNS, target]
    first = pq.read_table(sorted(Path(folder).glob("*.parquet"))[0], columns=columns).slice(0, 200_000)
    model = table_model_of(Ridge(lam=1e-6).fit_blocks(first, target, certify=0.1))
    begin, cpu = time.perf_counter(), time.process_time()
    predict_files(model, folder, Path(folder) / "predictions", 0.9, False)
    spent = {"predicting": time.perf_counter() - begin, "predicting cpu": time.process_time() - cpu}
    return {"rows": sum(pq.read_metadata(path).num_rows for path in (Path(folder) / "predictions").iterdir()), **spent}


def nystroem(folder: str, target: str) -> dict[str, Any]:
    """Kernel ridge on 2,000 landmarks, ten columns, for 250,000 rows and twice and four times as many."""
    from surefit import KernelRidge
    from surefit.kernels import Gaussian

    rng, found = np.random.default_rng(0), {}
    X = rng.normal(size=(1_000_000, 10))
    y = np.sin(X[:, 0]) * X[:, 1] + np.cos(X[:, 2]) + 0.5 * rng.normal(size=len(X))
    for n in (250_000, 500_000, 1_000_000):
        cpu = time.process_time()
        model = KernelRidge(Gaussian(3.0), lam=1e-5, n_landmarks=2000).fit_blocks(X[:n], y=y[:n])
        found[f"cpu of {n:,}"] = time.process_time() - cpu
        found[f"GB at {n:,}"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    fresh = rng.normal(size=(20_000, 10))
    truth = np.sin(fresh[:, 0]) * fresh[:, 1] + np.cos(fresh[:, 2])
    memory = KernelRidge(Gaussian(3.0), lam=1e-5, n_landmarks=2000, solver="nystroem").fit(X[:200_000], y[:200_000])
    error = lambda one: float(np.mean((one.predict(fresh) - truth) ** 2))
    return {"rows": len(X), "passes": model.blocks_.passes, "error": error(model), "in memory": error(memory), **found}


CONTENDERS = {"scan": scan, "read": read, "ridge": ridge, "logistic": logistic, "read words": read_words,
              "words": words, "predict": predict, "nystroem": nystroem,
              **{name: lambda folder, target, run=run: run(folder) for name, run in PEERS.items()}}  # fmt: skip


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
    """Every contender in a process of its own; a line for each.  The first makes the cache warm and does not count."""
    if not list(Path(folder).glob("*.parquet")):
        written(Path(folder), rows)
        words_written(Path(folder) / "words", rows)
    for name in ["scan", *(names or CONTENDERS)]:
        done = subprocess.run([sys.executable, "-m", "benchmarks.scale", "--one", name, folder], capture_output=True,
                              text=True, check=False)  # fmt: skip
        print(done.stdout.strip() or f"{name} failed: {done.stderr.strip().splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(measured(sys.argv[2], sys.argv[3])))
    else:
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
