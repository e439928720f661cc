"""Layer study: what would most likely help.

In: the leaderboard, the runs, the learning curve and the checks.  Out: `Advice`, the most promising first: more rows,
another kind of model, a look at outliers, the logarithm of the target.  Two candidates are compared by the same test as
on the leaderboard, so that nothing is advised on what may be chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from surefit.page import number
from surefit.study.contest.compete import Arena, Run
from surefit.study.contest.leaderboard import losses_of
from surefit.study.contest.metrics import Measure
from surefit.study.contest.ranking import ranked
from surefit.study.records.board import Ending
from surefit.study.records.noticed import Advice, Check
from surefit.study.records.winner import LearningCurve


def advice_of(
    arena: Arena, runs: Sequence[Run], winner: str, measure: Measure, curve: LearningCurve | None,
    noticed: Sequence[Check],
) -> tuple[Advice, ...]:  # fmt: skip
    """Everything that is worth saying; what has no known gain comes last."""
    done = {run.entry.name: run for run in runs if run.ending is Ending.FINISHED}
    found = [*_other_models(arena, done, winner, measure), *_outliers(arena, done, measure)]
    if curve is not None:
        gain = 1 - curve.at_double / curve.scores[-1] if curve.scores[-1] > 0 else float("nan")
        found.append(Advice("More rows?", curve.sentence, gain if gain >= 0.01 else float("nan")))
    if any(one.code == "SF111" for one in noticed):
        found.append(Advice("The logarithm of the target?", "Errors grow with a positive, skewed target: on a log "
                            "scale one model may fit all of its sizes."))  # fmt: skip
    return tuple(sorted(found, key=lambda one: -one.gain if np.isfinite(one.gain) else 0.0))


def _other_models(arena: Arena, done: Mapping[str, Run], winner: str, measure: Measure) -> list[Advice]:
    """What the black box says about models that are not linear, where it ran."""
    box = next((run for run in done.values() if run.entry.outside), None)
    if box is None:
        return []
    gain, chance = _gain(arena, done[winner], box, measure)
    theirs = number(_score(arena, box, measure))
    if chance:
        return [Advice("Another kind of model?", f"Gradient boosting gets {theirs}, which is no better than {winner} "
                       "by more than chance explains: there is little to gain from a black box.")]  # fmt: skip
    if gain > 0:
        return [Advice("Another kind of model?", f"Gradient boosting gets {theirs}: there are steps or interactions "
                       f"that {winner} lacks. Columns that express them (products, thresholds) may close the gap.",
                       gain)]  # fmt: skip
    return [Advice("Another kind of model?", f"Gradient boosting gets {theirs}, which is worse than {winner}: there "
                   "is nothing to gain from a black box.")]  # fmt: skip


def _outliers(arena: Arena, done: Mapping[str, Run], measure: Measure) -> list[Advice]:
    """Whether Huber's loss does better than squares."""
    if "ridge" not in done or "Huber regression" not in done:
        return []
    gain, chance = _gain(arena, done["ridge"], done["Huber regression"], measure)
    if chance or gain < 0.01:
        return []
    return [Advice("Outliers?", "Huber regression does better than ridge, so that a few rows far off weigh on fits by "
                   "squares: look at these rows.", gain)]  # fmt: skip


def _gain(arena: Arena, one: Run, other: Run, measure: Measure) -> tuple[float, bool]:
    """The share by which the other's score is lower, and whether that may be chance."""
    losses = np.stack([losses_of(arena, one, measure), losses_of(arena, other, measure)], axis=1)
    mine, theirs = measure.score(losses[:, 0]), measure.score(losses[:, 1])
    chance = max(ranked(losses).ranks) == 1
    return (1 - theirs / mine if mine > 0 else 0.0), chance


def _score(arena: Arena, run: Run, measure: Measure) -> float:
    return measure.score(losses_of(arena, run, measure))
