"""The search over subsets: brute force, and how little of it has to be judged.  Catalogue A-46."""

from itertools import combinations

import numpy as np
import pytest

from surefit.data.design import Design
from surefit.solvers.linear.subsets import SubsetProblem, best_leave_one_out, best_of_each_size


def problem(seed, d, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, d))
    return SubsetProblem(Design.of(X), X[:, :3].sum(axis=1) + noise * rng.normal(size=40), True)


@pytest.mark.parametrize("noise", [1.0, 1e-2, 1e-5, 3e-6, 1e-8, 1e-10])
def test_branch_and_bound_finds_what_judging_every_subset_finds(noise):
    """Up to the slack within which sums are equal, and the smallest subset within it."""
    small = problem(1, 7, noise)
    every = [small.judged(columns) for size in range(8) for columns in combinations(range(7), size)]
    least = min(fit.loo for fit in every)
    found = best_leave_one_out(small, 7)
    assert found.loo <= least + 2 * small.slack(least)
    assert small.slack(least) < 1e-3 * least
    assert len(found.columns) <= min(len(fit.columns) for fit in every if fit.loo <= least)


@pytest.mark.parametrize("noise", [1e-6, 1e-8, 1e-10])
def test_each_size_has_the_subset_that_judging_every_subset_finds(noise):
    """Catalogue A-46: also where what is left is far below the digits that elimination keeps of the total."""
    small = problem(3, 7, noise)
    for size, fit in enumerate(best_of_each_size(small, 7)):
        every = [small.judged(columns) for columns in combinations(range(7), size)]
        assert fit.columns == min(every, key=lambda other: other.rss).columns


def test_each_size_is_compared_exactly_where_columns_depend_on_each_other():
    """Catalogue A-46: a column twice adds nothing, and does not hide the small effect of another."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 5))
    X[:, 1] = X[:, 0]
    y = X[:, 0] + X[:, 2] + 1e-7 * X[:, 4] + 1e-9 * rng.normal(size=60)
    found = best_of_each_size(SubsetProblem(Design.of(X), y, True), 5)
    assert [fit.columns for fit in found[2:4]] == [(0, 2), (0, 2, 4)]


@pytest.mark.parametrize(("noise", "columns"), [(3e-6, (0, 1, 2, 6, 13)), (1e-12, (0, 1, 2))])
def test_of_nearly_equal_subsets_few_are_judged(monkeypatch, noise, columns):
    """Elimination cannot tell the ``2**13`` supersets of the truth apart; a few dozen fits must do.

    The first answer is that of judging all of them; at noise 1e-12 they are equal up to the rounding of the target.
    """
    calls, judged = [], SubsetProblem.judged
    monkeypatch.setattr(SubsetProblem, "judged", lambda self, columns: calls.append(columns) or judged(self, columns))
    assert best_leave_one_out(problem(2, 16, noise), 16).columns == columns
    assert len(calls) < 100


def with_dependent_columns(kind):
    """Twelve columns of rank six: each given twice, beside mixtures of them, or with constants among them."""
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(30, 6))
    others = {"twice": Z, "mixed": Z @ rng.normal(size=(6, 6)), "constant": np.full((30, 6), 0.1)}[kind]
    return np.hstack([Z, others])[:, rng.permutation(12)], Z[:, :3].sum(axis=1) + rng.normal(size=30)


@pytest.mark.parametrize("kind", ["twice", "mixed", "constant"])
def test_dependent_columns_are_cut_before_they_are_judged(kind, monkeypatch):
    """Catalogue A-46: of each size as good as the best of all subsets, without looking at those that cannot be it."""
    X, y = with_dependent_columns(kind)
    given = SubsetProblem(Design.of(X), y, True)
    judged, seen = SubsetProblem.judged, []
    monkeypatch.setattr(SubsetProblem, "judged", lambda self, columns: seen.append(columns) or judged(self, columns))
    found = best_of_each_size(given, 12)
    assert len(seen) <= 2 * len(found)
    for size, fit in enumerate(found):
        assert len(fit.columns) == size
        best = min(judged(given, columns).rss for columns in combinations(range(12), size))
        assert fit.rss == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("kind", ["twice", "mixed", "constant"])
def test_leave_one_out_beside_dependent_columns_is_that_of_all_subsets(kind):
    """Catalogue A-46, S-04."""
    X, y = with_dependent_columns(kind)
    given = SubsetProblem(Design.of(X), y, True)
    every = [given.judged(c) for size in range(13) for c in combinations(range(12), size)]
    best = best_leave_one_out(given, 12)
    assert best.loo == pytest.approx(min(fit.loo for fit in every), rel=1e-12)
    assert len(best.columns) == min(len(fit.columns) for fit in every if fit.loo <= best.loo * (1 + 1e-12))
