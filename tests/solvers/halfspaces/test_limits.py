"""Other tuned numbers spend the time otherwise and prove the same number of mistakes."""

import numpy as np
import pytest

from surefit.solvers.halfspaces import limits
from surefit.solvers.halfspaces.fewest_mistakes import min_disagreement
from tests.solvers.tuned import changed, unexplained

RNG = np.random.default_rng(6)
X = RNG.integers(0, 4, (14, 2)).astype(float)
LABELS = np.where(X[:, 0] + RNG.normal(size=14) > 1.5, 1, -1)


def test_every_number_has_a_sentence_of_its_own():
    assert not unexplained(limits)


@pytest.mark.parametrize(("name", "value"), [*changed(limits, without=["SEARCH"]), ("SWEEPS_PER_SECOND", 0.0)])
def test_the_fewest_mistakes_are_found_whatever_the_number(name, value, monkeypatch):
    """Catalogue A-36."""
    least = min_disagreement(X, LABELS)
    assert least.optimal
    monkeypatch.setattr(limits, name, value)
    again = min_disagreement(X, LABELS)
    assert again.errors == least.errors
    assert again.lower_bound <= least.errors
