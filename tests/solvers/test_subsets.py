"""The search over subsets: brute force, and how little of it has to be judged.  Catalogue A-46."""

from itertools import combinations

import numpy as np
import pytest

from surefit.data.design import Design
from surefit.solvers.subsets import SubsetProblem, best_leave_one_out


def problem(seed, d, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, d))
    return SubsetProblem(Design.of(X), X[:, :3].sum(axis=1) + noise * rng.normal(size=40), True)


@pytest.mark.parametrize("noise", [1.0, 1e-2, 1e-5, 3e-6])
def test_branch_and_bound_finds_what_judging_every_subset_finds(noise):
    """Up to the slack within which sums are equal, and the smallest subset within it."""
    small = problem(1, 7, noise)
    every = [small.judged(columns) for size in range(8) for columns in combinations(range(7), size)]
    least, slack = min(fit.loo for fit in every), 1e-12 * small.total
    found = best_leave_one_out(small, 7)
    assert found.loo <= least + 2 * slack
    assert len(found.columns) <= min(len(fit.columns) for fit in every if fit.loo <= least)


def test_of_equal_subsets_only_the_smaller_are_judged(monkeypatch):
    """Noise near the slack makes all ``2**13`` supersets of the truth equal; a few dozen fits must do."""
    calls, judged = [], SubsetProblem.judged
    monkeypatch.setattr(SubsetProblem, "judged", lambda self, columns: calls.append(columns) or judged(self, columns))
    assert best_leave_one_out(problem(2, 16, 3e-6), 16).columns == (0, 1, 2)
    assert len(calls) < 100
