"""Folds for kernel models: classes spread evenly, equal rows together, rows of weight zero nowhere."""

import numpy as np
import pytest

from surefit import KernelLogistic
from surefit.data.design import Design
from surefit.kernels import Linear
from surefit.progress import reporting
from surefit.selection.choice import ChoiceWarning
from surefit.selection.kernel import class_folds, folds_of_counted

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
CODES = np.array([0] * 10 + [1] * 30)


def test_every_fold_has_its_share_of_every_class():
    """S-05."""
    folds = class_folds(Design.of(X), CODES, 5, 0)
    assert [np.bincount(CODES[test]).tolist() for _, test in folds] == [[2, 6]] * 5
    assert all(len(np.intersect1d(train, test)) == 0 and len(train) + len(test) == 40 for train, test in folds)


def test_a_class_of_one_row_is_never_held_out():
    codes = np.append(CODES[:-1], 2)
    assert all(39 in train for train, _ in class_folds(Design.of(X), codes, 5, 0))


def test_rows_of_weight_zero_are_in_no_fold_and_positions_are_among_the_others():
    weight = np.ones(40)
    weight[:4] = 0.0
    folds = folds_of_counted(Design.of(X, weight), CODES, True, 3, 0)
    assert np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(36))
    given = folds_of_counted(Design.of(X, weight), CODES, True, [(np.arange(20), np.arange(20, 40))], 0)
    assert given[0][0].tolist() == list(range(16))
    with pytest.raises(ValueError, match="no row of positive weight to fit on"):
        folds_of_counted(Design.of(X, weight), CODES, True, [(np.arange(4), np.arange(4, 40))], 0)


def test_where_all_criteria_are_equal_the_largest_lam_is_taken():
    """S-11: a kernel that sees only a column of zeros fits nothing."""
    rows = np.column_stack([np.zeros(40), X])
    with pytest.warns(ChoiceWarning, match="worse than a constant.*use fit_intercept=True"):
        model = KernelLogistic(Linear().on([0]), fit_intercept=False).fit(rows, CODES)
    assert model.lam_ == model.lam_path_.max()
    np.testing.assert_allclose(model.criterion_path_, np.log(2))


def test_every_fold_is_reported():
    said = []
    with reporting(said.append, after=0.0, every=0.0):
        KernelLogistic(lams=[0.1, 1.0], cv=3).fit(X, CODES)
    assert [one.step for one in said if one.task == "choosing lam"] == [1, 2, 3]
