"""A criterion along a grid: the minimum, one standard error, how far to walk, and what to warn of."""

import warnings

import numpy as np
import pytest

from surefit import Ridge
from surefit.selection.choice import ChoiceWarning, LamChoice, walked_down


def test_folds_count_by_the_weight_of_their_rows():
    """Catalogue S-05: a fold of weight 3 is worth three of weight 1, in the mean and in its standard error."""
    lams, errors = np.array([2.0, 1.0]), np.array([[1.0, 5.0], [4.0, 1.0]])
    choice = LamChoice.over_folds(lams, errors, [3.0, 1.0])
    np.testing.assert_allclose(choice.curve, [1.75, 4.0])
    np.testing.assert_allclose(choice.se, np.sqrt([(3 * 0.75**2 + 2.25**2) / 4, (3 * 1.0 + 9.0) / 4]))
    assert choice.lam_min == 2.0


def test_one_fold_has_no_standard_error():
    choice = LamChoice.over_folds(np.array([2.0, 1.0]), [[1.0, 5.0]], [3.0])
    assert np.all(np.isnan(choice.se))
    assert choice.lam_one_se == choice.lam_min == 2.0


def parabola(lams):
    """Least at ``lam = 1e-4``."""
    return LamChoice(lams, (np.log10(lams) + 4.0) ** 2 + 1.0, np.full(len(lams), np.nan), 20.0)


def test_a_walk_goes_on_until_the_best_lies_inside():
    found = walked_down(parabola(np.array([1.0, 0.1])), parabola, lambda: True, 2)
    assert found.lam_min == pytest.approx(1e-4)
    assert found.lams.min() < 0.6e-4
    assert np.all(np.diff(found.lams) < 0)


def test_a_walk_ends_where_the_penalty_no_longer_matters():
    asked = []
    found = walked_down(parabola(np.array([1.0, 0.1])), parabola, lambda: asked.append(1) or len(asked) < 3, 2)
    assert found.lams.min() == pytest.approx(1e-3)


def test_the_warning_of_a_choice_points_at_the_line_that_fits():
    X = np.random.default_rng(0).normal(size=(30, 2))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        Ridge(lams=[0.5, 1.0, 10.0]).fit(X, X[:, 0] + 0.1 * X[:, 1])
    assert said[0].category is ChoiceWarning
    assert said[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_standard_errors_do_not_overflow_before_the_errors_do():
    lams, errors = np.array([2.0, 1.0]), np.array([[1.0, 5.0], [4.0, 1.0]])
    here = LamChoice.over_folds(lams, errors, [3.0, 1.0])
    for unit in (1e-300, 1e300):
        np.testing.assert_allclose(LamChoice.over_folds(lams, unit * errors, [3.0, 1.0]).se / unit, here.se, rtol=1e-12)
