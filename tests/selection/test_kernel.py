"""The choice of lam of kernel models by cross-validation."""

import numpy as np
import pytest

from surefit import KernelLogistic
from surefit.kernels import Linear
from surefit.progress import reporting
from surefit.selection.choice import ChoiceWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
CODES = np.array([0] * 10 + [1] * 30)


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
