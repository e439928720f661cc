"""A seeded table of any number of rows as Parquet files: 14 columns of float32, five of words, a number and a class.

Run ``python -m benchmarks.scale_data FOLDER ROWS``.  The same rows whatever the machine; 20,000,000 take 1.6 GB.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROWS_PER_FILE = 2_000_000
NUMBERS = 14
LEVELS = (4, 6, 8, 10, 12)


def written(folder: Path, rows: int, seed: int = 0) -> None:
    """Files of two million rows, row groups of 500,000."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    effects = np.random.default_rng(seed)
    slope = effects.normal(size=NUMBERS).astype(np.float32)
    by_level = [effects.normal(size=k).astype(np.float32) for k in LEVELS]
    for number, start in enumerate(range(0, rows, ROWS_PER_FILE)):
        rng, n = np.random.default_rng([seed, number]), min(ROWS_PER_FILE, rows - start)
        X = rng.standard_normal((NUMBERS, n), dtype=np.float32)
        codes = [rng.integers(0, k, size=n, dtype=np.int32) for k in LEVELS]
        signal = slope @ X + sum(effect[code] for effect, code in zip(by_level, codes, strict=True))
        y = (signal + 2.0 * rng.standard_normal(n, dtype=np.float32)).astype(np.float32)
        columns = {f"x{j}": X[j] for j in range(NUMBERS)}
        for k, code in enumerate(codes):
            names = pa.array([f"level {j:02}" for j in range(LEVELS[k])])
            columns[f"c{k}"] = pa.DictionaryArray.from_arrays(pa.array(code), names)
        columns["y"] = y
        columns["class"] = (y > 0).astype(np.int8)
        pq.write_table(pa.table(columns), folder / f"part{number:04}.parquet", row_group_size=500_000)


WORD_LEVELS = (3, 4, 5, 6, 8, 10, 12, 4, 5, 6)
DISTINCT = 50_000


def words_written(folder: Path, rows: int, seed: int = 0) -> None:
    """Ten columns of words and a label, no more than 50,000 distinct rows among all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, k, DISTINCT).astype(np.int32) for k in WORD_LEVELS]
    score = sum(rng.normal(scale=0.5, size=k)[code] for k, code in zip(WORD_LEVELS, codes, strict=True))
    label = (rng.random(DISTINCT) < 1 / (1 + np.exp(-score))).astype(np.int32)
    for number, start in enumerate(range(0, rows, ROWS_PER_FILE)):
        n = min(ROWS_PER_FILE, rows - start)
        kind = np.random.default_rng([seed, 1, number]).integers(0, DISTINCT, n)
        columns = {}
        for j, code in enumerate(codes):
            names = pa.array([f"level {k:02}" for k in range(WORD_LEVELS[j])])
            columns[f"c{j}"] = pa.DictionaryArray.from_arrays(pa.array(code[kind]), names)
        columns["label"] = pa.DictionaryArray.from_arrays(pa.array(label[kind]), pa.array(["no", "yes"]))
        pq.write_table(pa.table(columns), folder / f"part{number:04}.parquet", row_group_size=500_000)


if __name__ == "__main__":
    written(Path(sys.argv[1]), int(sys.argv[2]))
