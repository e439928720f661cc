"""Layer study: from runs to a leaderboard with ties, and the winner.

In: the runs of all candidates on the same folds.  Out: `Leaderboard`.  The simplest candidate of rank one wins, among
those whose mean loss is within one standard error of the best one's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefit.page import number
from surefit.study.contest.compete import Arena, Run
from surefit.study.contest.metrics import OF_TASK, Measure, described
from surefit.study.contest.ranking import LEVEL, ranked
from surefit.study.records.board import Candidate, Ending, Leaderboard
from surefit.study.tables.table import TableError
from surefit.study.target import Target

TEST = (
    "all pairs of candidates at once, by the differences of their losses on the same rows: each t against a Gaussian "
    "multiplier bootstrap of the largest t of the pairs that are not told apart yet"
)

AFFORDED = 1.0
"""Standard errors of the difference by which the winner's mean loss may be above the best one's."""


def leaderboard_of(
    arena: Arena, runs: Sequence[Run], measure: Measure, target: Target, seed: int = 0,
    units: np.ndarray | None = None,
) -> Leaderboard:  # fmt: skip
    """All candidates, the best first; ``units`` are groups of rows that are one draw each.

    Another library's model has a line by its score, and neither a rank nor a part in the test.
    """
    finished = [run for run in runs if run.ending is Ending.FINISHED and not run.entry.outside]
    if not finished:
        reasons = "; ".join(f"{run.entry.name}: {run.reason}" for run in runs)
        raise TableError(f"no candidate could be finished ({reasons})")
    rows = arena.judged
    losses = np.stack([losses_of(arena, run, measure) for run in finished], axis=1)
    weight = None if arena.weight is None else arena.weight[rows]
    weighted = losses if weight is None else losses * (weight * len(weight) / weight.sum())[:, None]
    found = ranked(weighted, None if units is None else units[rows], LEVEL, seed)
    lines = [
        _candidate(arena, run, measure, rank=rank, p=p)
        for run, rank, p in zip(finished, found.ranks, found.p_values, strict=True)
    ]
    near = [line for line, behind in zip(lines, found.behind, strict=True) if line.rank == 1 and behind <= AFFORDED]
    winner = min(near, key=lambda line: line.simplicity)
    lines += [_candidate(arena, run, measure) for run in runs if run not in finished]
    lines.sort(key=_place)
    why = _why(winner, near, lines, measure)
    return Leaderboard(described(measure, target), tuple(lines), len(arena.folds), LEVEL, TEST, winner.name, why)


def losses_of(arena: Arena, run: Run, measure: Measure) -> np.ndarray:
    """The losses of a finished run on all rows that folds judge by."""
    assert run.answers is not None
    rows = arena.judged
    return measure.losses(arena.y[rows], run.answers[rows])


def _candidate(arena: Arena, run: Run, measure: Measure, *, rank: int = 0, p: float = float("nan")) -> Candidate:
    line = Candidate(
        run.entry.name, run.entry.family, run.ending, run.reason, _settings(run), rank=rank, p_value=p,
        simplicity=run.entry.simplicity, seconds=run.seconds, gap=run.gap, outside=run.entry.outside,
    )  # fmt: skip
    if run.answers is None or run.n_folds == 0:
        return line
    done = np.sort(np.concatenate([test for _, test in arena.folds[: run.n_folds]]))
    weight = None if arena.weight is None else arena.weight[done]
    losses = measure.losses(arena.y[done], run.answers[done])
    folds = tuple(
        measure.score(measure.losses(arena.y[test], run.answers[test]), None if weight is None else arena.weight[test])  # type: ignore[index]
        for _, test in arena.folds[: run.n_folds]
    )
    if run.ending is not Ending.FINISHED:  # a score on some of the folds is none beside scores on all
        return Candidate(**{**vars(line), "fold_scores": folds})
    task = "classification" if arena.n_classes else "regression"
    others = {
        one.name: one.score(one.losses(arena.y[done], run.answers[done]), weight)
        for one in OF_TASK[task] if one is not measure
    }  # fmt: skip
    scored = {"score": measure.score(losses, weight), "standard_error": measure.standard_error(losses, weight)}
    return Candidate(**{**vars(line), **scored, "fold_scores": folds, "other_scores": others})


def _settings(run: Run) -> str:
    """What was chosen in the folds, in words."""
    lams = [lam for lam in run.lams if lam < 1e100]
    if not lams:
        return ""
    low, high = min(lams), max(lams)
    return f"lam = {number(low, 2)}" if high <= 1.05 * low else f"lam = {number(low, 2)} to {number(high, 2)}"


def _place(line: Candidate) -> tuple[bool, float]:
    unfinished = line.ending is not Ending.FINISHED
    return unfinished, line.score if np.isfinite(line.score) else np.inf


def _why(winner: Candidate, near: Sequence[Candidate], lines: Sequence[Candidate], measure: Measure) -> str:
    first = [line for line in lines if line.rank == 1]
    best = min(first, key=lambda line: line.score)
    if len(first) == 1:
        return f"{winner.name} is better than every other candidate by more than chance explains."
    if len(near) == 1:
        return (
            f"{winner.name} has the smallest {measure.name}; the others of rank one are behind it by more than one "
            "standard error of the difference."
        )
    among = f"the simplest of the {len(near)} candidates of rank one within one standard error of the best"
    if winner is best:
        return f"{winner.name} has the smallest {measure.name}, and is {among}."
    return (
        f"{winner.name} is {among}, {best.name}, which is better by "
        f"{number(100 * (1 - best.score / winner.score), 2)} %."
    )
