"""Layer study: would more rows help, and which columns does the winner need?

In: the winner's entry and the arena.  Out: `LearningCurve`: scores on the rows of one fold of fits to growing parts of
the others, and what ``a + b / n`` fitted to them expects with twice the rows.  The fits to all rows of these folds also
say how much worse they get where a column is shuffled.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit.study.contest.candidates import Entry
from surefit.study.contest.clock import Clock, OutOfTime
from surefit.study.contest.compete import Arena
from surefit.study.contest.metrics import Measure
from surefit.study.records.winner import Importance, LearningCurve

SHARES = (0.125, 0.25, 0.5, 1.0)
FEWEST = 20
"""Training rows of the smallest fit."""


MOST_JUDGED = 2_000
"""Rows of a fold by which columns are judged."""


def learning_curve(
    arena: Arena, entry: Entry, measure: Measure, clock: Clock, seconds: float, seed: int = 0
) -> tuple[LearningCurve | None, list[Any]]:
    """The curve, None where there was no time for the whole of it, and the fits to most rows with the fold of each."""
    end, rng = time.perf_counter() + seconds, np.random.default_rng(seed)
    sizes, scores, errors = [], [], []
    folds, models = arena.folds[:3], list[Any]()
    orders = [rng.permutation(train) for train, _ in folds]
    for share in SHARES:
        size = int(share * min(map(len, orders)))
        if size < FEWEST:
            continue
        losses, models = [], []
        for order, (_, test) in zip(orders, folds, strict=True):
            left = end - time.perf_counter()
            if left <= 0:
                return None, []
            try:
                with clock.limited(f"learning curve, {size:,} rows", left):
                    model = arena.fit(entry, np.sort(order[:size]))
                    losses.append(measure.losses(arena.y[test], arena.answers(model, arena.X[test])))
            except OutOfTime:
                return None, []
            except (ValueError, ArithmeticError):
                break
            models.append((model, test))
        if len(losses) == len(folds):
            together = np.concatenate(losses)
            sizes.append(size)
            scores.append(measure.score(together))
            errors.append(measure.standard_error(together))
    if len(sizes) < 2:
        return None, models
    expected = _at_double(np.array(sizes), np.array(scores))
    sentence = _sentence(scores[-1], expected)
    return LearningCurve(tuple(sizes), tuple(scores), tuple(errors), expected, sentence), models


def importances(
    arena: Arena, models: Sequence[Any], sources: Sequence[str], measure: Measure, clock: Clock, seconds: float
) -> tuple[Importance, ...]:
    """By how much the score grows where one column is shuffled, the largest first; none without time."""
    end, found = time.perf_counter() + seconds, []
    columns = {name: [j for j, source in enumerate(sources) if source == name] for name in dict.fromkeys(sources)}
    parts = [(model, arena.X[test[:MOST_JUDGED]], arena.y[test[:MOST_JUDGED]]) for model, test in models]
    usual = [measure.score(measure.losses(y, arena.answers(model, X))) for model, X, y in parts]
    clock.say("which columns matter")
    for place, (name, features) in enumerate(columns.items()):
        if time.perf_counter() > end:
            return ()
        grown = []
        for (model, X, y), score in zip(parts, usual, strict=True):
            shuffled = X.copy()
            shuffled[:, features] = X[np.ix_(np.random.default_rng(place).permutation(len(X)), np.array(features))]
            grown.append(measure.score(measure.losses(y, arena.answers(model, shuffled))) - score)
        error = float(np.std(grown, ddof=1) / np.sqrt(len(grown))) if len(grown) > 1 else float("nan")
        found.append(Importance(name, float(np.mean(grown)), error))
    return tuple(sorted(found, key=lambda one: -one.increase))


def _at_double(sizes: np.ndarray, scores: np.ndarray) -> float:
    """What ``a + b / n`` with ``b >= 0`` expects at twice the largest size."""
    design = np.column_stack([np.ones(len(sizes)), 1.0 / sizes])
    weight = np.sqrt(sizes / sizes.max())
    coef = np.linalg.lstsq(design * weight[:, None], scores * weight, rcond=None)[0]
    gain = max(coef[1], 0.0) * (1.0 / sizes[-1] - 0.5 / sizes[-1])
    return float(max(scores[-1] - gain, 0.0))


def _sentence(score: float, expected: float) -> str:
    gain = 100 * (1 - expected / score) if score > 0 else 0.0
    if gain < 1:
        return "More rows of the same kind would hardly lower the error of this model."
    return f"With twice the rows the error would be about {gain:.0f} % lower, if the curve goes on as it has."
