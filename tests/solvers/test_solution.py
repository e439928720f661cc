"""The records of answers: units, statuses, and the text that users read."""

import pickle
from types import MappingProxyType

import numpy as np
import pytest

from surefit.solvers.solution import Path, ScaledTarget, Solution, Status, gap_in_units, status_in_units


def answer(**changes):
    given = {"coef": np.array([1.0, -2.0]), "intercept": 0.5, "status": Status.EXACT, "gap": 0.25, "objective": 2.0}
    return Solution(**(given | changes))


@pytest.mark.parametrize("size", [1e-300, 1e-3, 1.0, 48.0, 1e300])
def test_targets_are_divided_exactly_and_brought_back(size):
    y = size * np.array([0.3, -1.0, 0.7])
    scaled = ScaledTarget.of(y)
    assert np.all(scaled.values * scaled.size == y)
    assert 1.0 <= np.max(np.abs(scaled.values)) < 2.0
    assert np.frexp(scaled.size)[0] == 0.5


def test_a_solution_is_brought_back_with_its_squares():
    restored = ScaledTarget(np.zeros(2), 4.0).restore(answer())
    assert restored.coef.tolist() == [4.0, -8.0]
    assert (restored.intercept, restored.gap, restored.objective) == (2.0, 4.0, 32.0)
    assert restored.status is Status.EXACT


def test_an_objective_beyond_all_numbers_is_said_and_a_gap_never_vanishes():
    far = ScaledTarget(np.zeros(2), 2.0**600).restore(answer())
    assert far.status is Status.OUT_OF_RANGE
    assert ScaledTarget(np.zeros(2), 2.0**-600).restore(answer()).gap > 0
    assert gap_in_units(0.0, 1e-200) == 0.0
    assert status_in_units(Status.MAX_ITER, np.inf) is Status.MAX_ITER


def test_an_ending_says_how_far_from_the_minimum_where_that_is_known():
    assert answer(status=Status.MAX_ITER).ending.endswith("(duality gap 2.5e-01, objective 2)")
    assert answer(status=Status.MAX_ITER, gap=np.inf).ending == Status.MAX_ITER.value


def test_solutions_survive_pickling_with_read_only_records():
    again = pickle.loads(pickle.dumps(answer(facts=MappingProxyType({"method": "qr"}))))
    assert again.facts["method"] == "qr"
    with pytest.raises(TypeError):
        again.facts["method"] = "svd"


def test_a_path_names_its_columns():
    frame = Path(np.array([1.0, 0.1]), np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([5.0, 6.0])).to_frame(["a", "b"])
    assert list(frame.columns) == ["intercept", "a", "b"]
    with pytest.raises(ValueError, match="2 entries, one per column"):
        Path(np.ones(1), np.ones((1, 2)), np.ones(1)).to_frame(["a"])
