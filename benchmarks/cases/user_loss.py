"""A user's own loss against the built-in one: the same formula, so the same answer, and about the same time."""

from collections.abc import Mapping

import numpy as np

from benchmarks.case import Case, share_of_time
from benchmarks.problems import Answer, Problem, linear_sample, seeded_problem
from benchmarks.quality import Facts


@seeded_problem("huber")
def huber(rng: np.random.Generator, name: str, n: int, d: int) -> Problem:
    """A tenth of the targets are far off."""
    X, y = linear_sample(rng, n, d)
    y = y + np.where(rng.random(n) < 0.1, 20 * rng.standard_normal(n), 0.0)
    return Problem(name, X, y, lam=0.01, parameters={"threshold": 1.345})


def _facts(penalty_order: int):
    def facts(problem: Problem, answers: Mapping[str, Answer]) -> Facts:
        """Relative distance of the objective from the best of all answers."""
        values = {who: _objective(problem, answer, penalty_order) for who, answer in answers.items()}
        best = min(values.values())
        return {who: {"error": (value - best) / best} for who, value in values.items()}

    return facts


def _objective(problem: Problem, answer: Answer, penalty_order: int) -> float:
    coef, threshold = np.asarray(answer.coef), problem.parameters["threshold"]
    r = np.abs(problem.y - problem.X @ coef - answer.intercept)
    losses = np.where(r <= threshold, r**2, threshold * (2 * r - threshold))
    return float(losses.mean() + problem.lam * np.sum(np.abs(coef) ** penalty_order))


def _case(kind: str, penalty_order: int, title: str) -> Case:
    return Case(
        name=f"user-loss-{kind}",
        title=f"ERM with the user's own Huber loss against the built-in one, {title}, 20,000 x 100",
        problem="huber-20000x100",
        quick_problem="huber-60x5",
        contenders=(f"ours:user_{kind}", f"own_loss:built_in_{kind}"),
        quality=_facts(penalty_order),
        targets=(share_of_time(f"own_loss:built_in_{kind}", at_most=1.2),),
        repeats=9,
    )


CASES = (_case("smooth", 2, "squared L2 penalty"), _case("sparse", 1, "L1 penalty"))
