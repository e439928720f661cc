"""Prediction intervals: jackknife+ for ridge and kernel ridge at 1,000 new rows, fit included."""

from collections.abc import Mapping

import numpy as np

from benchmarks.case import Case, times_faster
from benchmarks.kernel_problems import fresh_points  # noqa: F401  registers the kernel problems
from benchmarks.problems import Answer, Problem


def interval_facts(problem: Problem, answers: Mapping[str, Answer]) -> dict[str, dict[str, float]]:
    """Ours is judged by its largest difference (``error``) from anybody who refits; they are the definition."""
    ends = {who: np.asarray(answer.coef) for who, answer in answers.items()}
    ours, *others = ends
    apart = {who: float(np.max(np.abs(ends[who] - ends[ours]))) for who in others}
    return {ours: {"error": max(apart.values(), default=0.0)}} | {who: {"difference": apart[who]} for who in others}


CASES = (
    Case(
        name="intervals-ridge",
        title="Jackknife+ intervals of ridge, 5,000 x 20, at 1,000 new rows",
        problem="ridge-5000x20",
        quick_problem="ridge-40x3",
        contenders=("ours_intervals:ridge_intervals", "mapie:ridge_intervals"),
        quality=interval_facts,
        targets=(times_faster("mapie:ridge_intervals", at_least=20),),
        repeats=3,
        tolerance=1e-10,
    ),
    Case(
        name="intervals-kernel-ridge",
        title="Jackknife+ intervals of kernel ridge, 800 x 10, at 1,000 new rows",
        problem="kernel-800x10",
        quick_problem="kernel-40x4",
        contenders=("ours_intervals:kernel_ridge_intervals", "mapie:kernel_ridge_intervals"),
        quality=interval_facts,
        targets=(times_faster("mapie:kernel_ridge_intervals", at_least=100),),
        repeats=3,
        tolerance=1e-10,
    ),
)
