"""Layer *theory*: Pick-to-Learn, which makes a compression out of any learner (Paccagnan, Campi and Garatti 2023)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.parameters import all_numbers, whole
from surefit.progress import Task, worked
from surefit.theory.bounds.compression import compression_risk
from surefit.theory.bounds.record import INDEPENDENT, Bound, checked_count
from surefit.theory.means.arguments import failure_probability


@dataclass(frozen=True, eq=False)
class PickedModel:
    """A model learnt from a few rows, which rows, and the bound on its error."""

    model: Any
    rows: np.ndarray
    n_wrong: int
    bound: Bound


@worked("picking rows")
def pick_to_learn(
    fit: Callable[[np.ndarray], Any],
    wrongness: Callable[[Any], np.ndarray],
    n: int,
    *,
    first: Sequence[int],
    max_rows: int | None = None,
    delta: float = 0.05,
) -> PickedModel:
    """Add the row that the model gets most wrong, refit on the picked rows alone, until all other rows are right.

    ``fit(rows)`` learns from these row numbers (in the order picked) and nothing else; ``wrongness(model)`` (n,) says
    how wrong each row is, positive if wrong.  ``first`` are the rows to start from, such as the first row of each
    class: they must be a rule of the order of the rows, and that order must be random.  Ties go to the earlier row.  At
    most ``max_rows`` are picked (all by default; a number fixed beforehand); rows still wrong then count as picked too,
    which keeps the proof: a row that was neither picked nor wrong can be left out, and a fresh row that is wrong
    changes the set.  ``P(wrong) <= eps_k`` for ``k = picked + wrong``, see `compression_risk`.

    Excellent where a few rows describe the rest, poor under label noise, because every noisy row gets picked.

    >>> x = np.random.default_rng(0).uniform(size=500)
    >>> threshold = lambda rows: np.min(x[rows][x[rows] > 0.3], initial=1.0)            # the truth is x > 0.3
    >>> wrong = lambda cut: np.where((x > 0.3) != (x >= cut), cut - x, -1.0)
    >>> found = pick_to_learn(threshold, wrong, 500, first=[0])
    >>> len(found.rows), found.n_wrong, round(found.bound.value, 3)
    (2, 0, 0.018)
    """
    n, delta = checked_count(n), failure_probability(delta)
    most = n if max_rows is None else min(whole("max_rows", max_rows, "it limits the rows that are picked"), n)
    rows, tell = _first_rows(first, n, most), Task("pick to learn", most)
    while True:
        model = fit(np.array(rows))
        wrong = np.array(wrongness(model), dtype=float)
        if wrong.shape != (n,) or np.isnan(wrong).any():
            raise ValueError(f"wrongness must return {n} numbers without NaN, got shape {wrong.shape}; one per row")
        wrong[rows] = -np.inf
        n_wrong = int(np.sum(wrong > 0))
        if not n_wrong or len(rows) >= most:
            return PickedModel(model, np.array(rows), n_wrong, _bound(n, len(rows), n_wrong, delta))
        rows.append(int(np.argmax(wrong)))
        tell(len(rows), n_wrong / n)


def _first_rows(first: Sequence[int], n: int, most: int) -> list[int]:
    """``first`` if these are different rows of ``n``, at most ``most``, none of them counted from the end."""
    remedy = f"give between 1 and {most} distinct row numbers from 0 to {n - 1}"
    found = all_numbers("first", first, remedy)
    known = np.isin(found, np.arange(n)).all()
    if found.ndim != 1 or not 1 <= len(found) <= most or len(np.unique(found)) < len(found) or not known:
        raise ValueError(f"first must be row numbers, got {first!r}; {remedy}")
    return [int(row) for row in found]


def _bound(n: int, picked: int, n_wrong: int, delta: float) -> Bound:
    value = compression_risk(n, picked + n_wrong, delta)
    return Bound(
        value,
        n_wrong / n,
        delta,
        "pick to learn",
        (
            INDEPENDENT,
            "the order of the rows is random",
            "the learner sees the picked rows only, and settings were fixed",
        ),
        {"n": n, "k": picked + n_wrong, "picked": picked, "n_wrong": n_wrong},
        value >= 1,
        "Paccagnan, Campi and Garatti 2023; Campi and Garatti 2023",
    )
