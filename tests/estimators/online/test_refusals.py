"""What is said of a row that cannot be learnt from."""

import numpy as np
from scipy import sparse

from surefit.compiled.twins import online as twin
from surefit.estimators.online.refusals import refused
from surefit.objective import Squared
from surefit.solvers.online.state import LinearState, OnlineSettings, Refusal


def state(d=3, names=()):
    found = LinearState(OnlineSettings(Squared(), 0.1), 0 if names else d)
    if names:
        found.add_features(list(names))
    return found


def test_the_column_to_blame_is_named():
    X = np.array([[1.0, 2.0, 3.0], [1.0, np.nan, np.inf]])
    assert "has NaN in column 1; clean it" in str(refused(Refusal(1, twin.NOT_FINITE), state(), X, 1.0))
    assert "has NaN in column 'b'" in str(refused(Refusal(1, twin.NOT_FINITE), state(names="abc"), X, 1.0))
    wide = sparse.csr_matrix([[0.0, 0.0, -np.inf]])
    assert "infinity in column 2" in str(refused(Refusal(0, twin.NOT_FINITE), state(), wide, 1.0))
    row = {"a": 1e200, "b": 0.0}
    assert "1e+200 in column 'a', whose square" in str(refused(Refusal(0, twin.NOT_FINITE), state(), row, 1.0))


def test_the_place_counts_skipped_rows_and_says_what_stays():
    found = state()
    found.learn_block(np.ones((5, 3)), np.ones(5))
    found.arrays["numbers"][twin.NUMBERS.index("skipped")] = 2
    text = str(refused(Refusal(0, twin.TARGET_NOT_FINITE), found, np.ones((1, 3)), np.nan))
    assert text.startswith("row 7 of the stream has the target nan")
    assert text.endswith("the 5 rows learnt before it stay learnt")
