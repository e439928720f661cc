"""The compiled loop of the elastic net and its twin draw the same line between dependent and independent columns."""

import numpy as np
import pytest

from surefit.compiled import door
from surefit.compiled.limits import SMALLEST_PIVOT
from surefit.compiled.twins import coordinate


@pytest.mark.compiled
@pytest.mark.parametrize(("share", "held"), [(0.5, 1), (2.0, 2)])
def test_a_column_is_factored_from_the_smallest_pivot_on(share, held):
    """Two columns whose second pivot is a given share of the limit: the factor holds one of them below it, two above.

    The twin starts its factor afresh, so it is asked which of the columns it takes for independent.
    """
    sine = np.sqrt(share * SMALLEST_PIVOT)
    A = np.array([[1.0, np.sqrt(1.0 - sine**2)], [0.0, sine]])
    gram, t = A.T @ A, np.array([1.0, 0.5])
    coef, corr, factor, order = np.full(2, 0.1), np.zeros(2), np.empty((2, 2)), np.empty(2, dtype=np.int64)
    corr[:] = A.T @ (t - A @ coef)
    none = np.zeros(2)
    _, _, size = door.gram_descent(
        gram, A.T @ t, float(t @ t), none + 1e-9, none, False, (0.0, 1), coef, corr, factor, order, 0
    )
    assert size == held
    descent = coordinate._Descent((gram, A.T @ t, float(t @ t), none, none, False), np.full(2, 0.1), corr)
    assert len(descent._independent(np.array([0, 1]))[0]) == held
