"""A small table, what a study prepares from it, and the candidates that take milliseconds."""

from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache

import numpy as np
import pandas as pd

from surefit.store.declared import check_declared
from surefit.study.conclude import conclude
from surefit.study.contest.candidates import entries
from surefit.study.contest.clock import Clock
from surefit.study.contest.compete import compete
from surefit.study.contest.leaderboard import leaderboard_of
from surefit.study.contest.metrics import measure_of
from surefit.study.prepare import prepare
from surefit.study.settings import Settings

CHEAP = (
    "baseline: the mean", "baseline: the median", "ridge", "least squares", "lasso",
    "baseline: the class shares", "logistic regression",
)  # fmt: skip


def cheap_entries(task, n, d, seed=0, measure=None):
    """Those of the usual candidates that take milliseconds, in their order."""
    return [one for one in entries(task, n, d, seed, measure) if one.name in CHEAP]


def table(n=240, seed=0):
    """A number and a class that hang on two of three columns; a tenth of ``x`` is missing."""
    rng = np.random.default_rng(seed)
    x, colour = rng.normal(size=n), rng.choice(["red", "blue", "green"], n)
    y = 3 * x + 2 * (colour == "red") + rng.normal(size=n)
    x = np.where(rng.random(n) < 0.1, np.nan, x)
    return pd.DataFrame(
        {"x": x, "z": rng.normal(size=n), "colour": colour, "y": y, "big": np.where(y > 0, "yes", "no")}
    )


def prepared(target="y", **options):
    """What candidates see of the table, with the other target left out."""
    other = "big" if target == "y" else "y"
    return prepare(table(), Settings(target, types={other: "left out"}, **options))


@cache
def contest(target="y"):
    """What was prepared, the runs of the first two candidates, and their leaderboard."""
    data = prepared(target)
    runs = compete(data.arena, cheap_entries(data.target.task, *data.X.shape)[:2], Clock())
    return data, runs, leaderboard_of(data.arena, runs, measure_of(data.target.task), data.target)


@cache
def winner(target="y"):
    """The second candidate, ridge or logistic regression, fitted to all training rows."""
    data, runs, _ = contest(target)
    return data.arena.fit_to_all(runs[1].entry)


@cache
def results():
    """The records of a regression and of a classification with a threshold."""
    found = []
    for target, options in (("y", {}), ("big", {"recall": 0.8})):
        _, runs, board = contest(target)
        about = (datetime(2026, 1, 2, tzinfo=UTC), "surefit fit")
        found.append(conclude(prepared(target, **options), runs, board, Clock(), about)[1])
    return found


def records_of(kind, value=None):
    """All records of a class inside the results."""
    value = results() if value is None else value
    if isinstance(value, kind):
        yield value
    if is_dataclass(value):
        value = [getattr(value, one.name) for one in fields(value)]
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from records_of(kind, one if one is not None else ())


def refuse_misfits(kind):
    """Raise unless there are records of this class and their values are of the types that it declares."""
    found = list(records_of(kind))
    assert found, f"no study leaves a {kind.__name__}"
    for one in found:
        check_declared(kind, vars(one))
