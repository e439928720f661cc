"""Calls of ``fit``: what is given, what is meant, and what is refused before any row is looked at."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from surefit import ERM, SVR, KernelRidge, Lasso, LeastSquares, Ridge
from surefit.guarantee.fit_calls import (
    NOT_GIVEN,
    check_call,
    check_settings,
    refuse_infinite,
    refuse_numbered_splits,
    shape_of,
    state_of_division,
)


def test_one_random_state_decides_what_is_held_out():
    """The model's own where it has one, else that of the call, which needs something to decide."""
    assert state_of_division(LeastSquares(), 0.2, 7) == 7
    assert state_of_division(LeastSquares(), 0.2, None) is None
    assert state_of_division(Lasso(random_state=3), 0.2, None) == 3
    with pytest.raises(ValueError, match=r"Lasso has a random_state of its own.* give Lasso\(random_state=7\)"):
        state_of_division(Lasso(), 0.2, 7)
    with pytest.raises(ValueError, match=r"certify is not given; add certify=0\.2"):
        state_of_division(LeastSquares(), None, 7)


@pytest.mark.parametrize(
    ("X", "shape"), [(np.ones((3, 2)), (3, 2)), ([[1, 2]], (0, 0)), (np.ones(4), (0, 0)), (None, (0, 0))]
)
def test_a_shape_is_read_and_never_computed(X, shape):
    assert shape_of(X) == shape


@pytest.mark.parametrize(
    ("y", "options", "told"),
    [
        (NOT_GIVEN, {}, "Ridge.fit needs rows and their targets; call fit"),
        (None, {"lam": 0.1}, r"it belongs to the model: Ridge\(lam=...\).fit\(X, y\)"),
        (None, {"weights": None}, "Ridge.fit has no parameter 'weights'; it is called sample_weight here"),
    ],
)
def test_a_wrong_call_is_told_the_right_one(y, options, told):
    with pytest.raises(TypeError, match=told):
        check_call(Ridge(), np.ones((3, 1)), y, options, ("X", "y", "sample_weight"))


def test_lists_of_row_numbers_do_not_survive_a_hold_out():
    for cv in (5, KFold(3), None):
        refuse_numbered_splits(Lasso(cv=cv))
    with pytest.raises(ValueError, match="cv holds row numbers of all rows"):
        refuse_numbered_splits(Lasso(cv=[([0, 1], [2])]))


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (KernelRidge(lam=[0.1, 1.0]), r"a grid to choose from is lams: KernelRidge\(lams=\[0\.1, 1\.0\]\)"),
        (ERM(lam=[0.1]), r"GridSearchCV\(ERM\(\), \{'lam': \[...\]\}\) tries several"),
        (SVR(lam="auto"), "leave lam out to have it chosen"),
        (ERM(lam=True), "use lam=0 for no penalty"),
        (Ridge(lam=np.arange(100.0)), r"got \[0\.0, 1\.0, .*\.\.\.\]; a grid"),
    ],
)
def test_a_lam_that_is_no_number_is_told_what_was_meant(model, told):
    with pytest.raises(ValueError, match=told):
        check_settings(model)


def test_coefficients_beyond_all_numbers_are_no_fit():
    model = Ridge(0.1).fit([[0.0], [1.0]], [0.0, 1.0])
    refuse_infinite(model)
    model.coef_ = np.array([np.inf])
    with pytest.raises(ValueError, match=r"coef_ of Ridge leaves the range .* give them in other units"):
        refuse_infinite(model)
