"""Certificates of whole studies hold: studies of two seconds on parts of three tables, and the rest of each table.

A part is drawn without replacement, and its study is asked what it promises.  The truth is the error on all rows of the
table that the model was not fitted to: the hold-out is a draw from these, so that the promise is about them.  Of 900
studies the promise may fail in at most a share ``delta`` (exact binomial test), and it is to be of use: on average at
most 1.35 times the truth.  Only the candidates that take milliseconds compete, among which the folds still choose, and
no learning curve is drawn, so that a study ends before its two seconds.  These are seconds of the processor: it comes
to the same answer on a busy machine.
"""

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from surefit.study import conclude
from surefit.study import study as rooms
from surefit.study.contest.candidates import entries
from surefit.study.division import divide
from surefit.study.study import Study
from surefit.study.tables.read import read_table

DELTA, COVERAGE = 0.05, 0.9


CHEAP = ("baseline: the mean", "ridge", "least squares", "lasso", "baseline: the class shares", "logistic regression")


def cheap_entries(task, n, d, seed=0, measure=None):
    return [one for one in entries(task, n, d, seed, measure) if one.name in CHEAP]


def diabetes():
    return load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "y"}), 400


def tumours():
    """How concave the worst nuclei are, from the means of their other features."""
    frame = load_breast_cancer(as_frame=True).data
    means = [name for name in frame if name.startswith("mean") and "conca" not in name]
    return frame[means].assign(y=frame["worst concavity"]), 500


def digits():
    """Whether a digit is even, from the upper three of eight rows of pixels."""
    data = load_digits()
    names = {j: f"pixel {j}" for j in range(24)}
    return pd.DataFrame(data.data[:, :24]).rename(columns=names).assign(
        y=np.where(data.target % 2, "odd", "even")
    ), 1000


def studied(table, seed):
    """What the study of a random part promises, and the truth."""
    frame, size = table()
    order = np.random.default_rng(seed).permutation(len(frame))
    part = frame.iloc[order[:size]].reset_index(drop=True)
    study = Study("y", budget="2s", delta=DELTA, coverage=COVERAGE, seed=seed).fit(part)
    classes = study.model_.target.is_classification
    rows = read_table(part)
    codes = study.model_.target.values(rows["y"]) if classes else None
    fitted = order[:size][divide(rows, codes, seed).training]
    others = frame.drop(index=fitted)
    answers = study.model_.predict(others)
    if classes:
        truth = float(np.mean(answers != others["y"].to_numpy()))
    else:
        truth = float(np.quantile(np.abs(answers - others["y"]), COVERAGE, method="inverted_cdf"))
    return study.result_.certificate.bound, truth


@pytest.fixture(autouse=True)
def _cheap(monkeypatch):
    monkeypatch.setattr(rooms, "entries", cheap_entries)
    monkeypatch.setattr(conclude, "CURVE_FITS", np.inf)
    monkeypatch.setattr(time, "perf_counter", time.process_time)


@pytest.mark.verify
def test_certificates_of_studies_hold_and_are_of_use(protocol):
    """Of six studies in the short form, in which three failures have probability 2e-3, or of 900."""
    each = protocol.of(2, 300)
    found = np.array([studied(table, seed) for seed in range(each) for table in (diabetes, tumours, digits)])
    failures = int(np.sum(found[:, 1] > found[:, 0]))
    assert failures <= protocol.allowed(len(found), DELTA)
    assert np.mean(found[:, 0] / found[:, 1]) <= (1.35 if protocol.full else 1.6)
