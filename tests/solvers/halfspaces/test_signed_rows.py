"""Scaled rows are separated by exactly the planes that separate the data."""

import numpy as np
import pytest

from surefit.solvers.halfspaces.signed_rows import SignedRows, checked_signs


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_scores_keep_their_sign_on_the_way_back_to_the_users_units(fit_intercept):
    rng = np.random.default_rng(0)
    X, t = rng.standard_normal((30, 3)) * [1, 1e6, 1e-6] + [0, 1e6, 0], rng.choice([-1, 1], 30)
    cloud = SignedRows.of(X, t, fit_intercept)
    direction = rng.standard_normal(cloud.rows.shape[1])
    coef, intercept = cloud.separator(direction)
    np.testing.assert_array_equal(np.sign(t * (X @ coef + intercept)), np.sign(cloud.rows @ direction))
    np.testing.assert_allclose(np.linalg.norm(cloud.rows, axis=1), 1)
    assert intercept == 0 or fit_intercept


def test_constant_columns_and_rows_of_zeros_stay_zero():
    cloud = SignedRows.of([[0.0, 3], [0, 3]], [1, -1], fit_intercept=True)
    assert cloud.rows.tolist() == [[0, 0, 1], [0, 0, -1]]
    assert not SignedRows.of([[0.0], [2.0]], [1, -1], fit_intercept=False).rows[0].any()


@pytest.mark.parametrize(
    ("X", "t", "message"),
    [
        ([[1.0], [2.0]], [0, 1], "labels must be -1 or"),
        ([[1.0], [np.nan]], [1, -1], "NaN or infinity"),
        ([[1.0], [np.inf]], [1, -1], "NaN or infinity"),
        ([1.0, 2.0], [1, -1], "one label per row"),
        ([[1.0]], [1, -1], "one label per row"),
        (np.empty((0, 2)), [], "one label per row"),
        ([[1.0], [2.0]], ["a", "b"], "labels must be -1 or"),
    ],
)
def test_what_is_not_two_classes_of_finite_rows_is_refused(X, t, message):
    with pytest.raises(ValueError, match=message):
        checked_signs(X, t)
