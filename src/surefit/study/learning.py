"""Layer study: would more rows help?  The winner's error against the number of training rows.

In: the winner's entry and the arena.  Out: `LearningCurve`: scores on the rows of one fold of fits to growing parts of
the others, and what ``a + b / n`` fitted to them expects with twice the rows.
"""

from __future__ import annotations

import time

import numpy as np

from surefit.study.candidates import Entry
from surefit.study.clock import Clock, OutOfTime
from surefit.study.compete import Arena
from surefit.study.metrics import Measure
from surefit.study.record import LearningCurve

SHARES = (0.125, 0.25, 0.5, 1.0)
FEWEST = 20
"""Training rows of the smallest fit."""


def learning_curve(
    arena: Arena, entry: Entry, measure: Measure, clock: Clock, seconds: float, seed: int = 0
) -> LearningCurve | None:
    """None where there was no time for the whole of it."""
    end, rng = time.perf_counter() + seconds, np.random.default_rng(seed)
    sizes, scores, errors = [], [], []
    folds = arena.folds[:3]
    orders = [rng.permutation(train) for train, _ in folds]
    for share in SHARES:
        losses = []
        size = int(share * min(map(len, orders)))
        if size < FEWEST:
            continue
        for order, (_, test) in zip(orders, folds, strict=True):
            left = end - time.perf_counter()
            if left <= 0:
                return None
            try:
                with clock.limited(f"learning curve, {size:,} rows", left):
                    model = arena.fit(entry, np.sort(order[:size]))
                    losses.append(measure.losses(arena.y[test], arena.answers(model, arena.X[test])))
            except OutOfTime:
                return None
            except (ValueError, ArithmeticError):
                break
        if len(losses) == len(folds):
            together = np.concatenate(losses)
            sizes.append(size)
            scores.append(measure.score(together))
            errors.append(measure.standard_error(together))
    if len(sizes) < 2:
        return None
    expected = _at_double(np.array(sizes), np.array(scores))
    sentence = _sentence(scores[-1], expected, errors[-1], sizes[-1])
    return LearningCurve(tuple(sizes), tuple(scores), tuple(errors), expected, sentence)


def _at_double(sizes: np.ndarray, scores: np.ndarray) -> float:
    """What ``a + b / n`` with ``b >= 0`` expects at twice the largest size."""
    design = np.column_stack([np.ones(len(sizes)), 1.0 / sizes])
    weight = np.sqrt(sizes / sizes.max())
    coef = np.linalg.lstsq(design * weight[:, None], scores * weight, rcond=None)[0]
    gain = max(coef[1], 0.0) * (1.0 / sizes[-1] - 0.5 / sizes[-1])
    return float(max(scores[-1] - gain, 0.0))


def _sentence(score: float, expected: float, error: float, n: int) -> str:
    gain = 100 * (1 - expected / score) if score > 0 else 0.0
    if gain < 1:
        return "More rows of the same kind would hardly lower the error of this model."
    return f"With twice the rows the error would be about {gain:.0f} % lower, if the curve goes on as it has."
