"""What linear regressors share: shapes and precision of the answers, one target, names of columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from surefit import ERM, Lasso, LeastSquares, Ridge, RobustRegression, SubsetRegression
from surefit.estimators.kinds.linear import column_names
from surefit.objective import L2

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = X @ np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 3.0]]) + RNG.normal(size=(30, 2))


@pytest.mark.parametrize("model", [LeastSquares(), Ridge(0.1)], ids=repr)
def test_several_targets_are_as_many_models_and_one_column_is_one_of_them(model):
    together = model.fit(X, Y)
    coef, intercept = together.coef_, together.intercept_
    assert (coef.shape, intercept.shape) == ((2, 3), (2,))
    for k in range(2):
        alone = model.fit(X, Y[:, k])
        np.testing.assert_allclose(alone.coef_, coef[k], rtol=1e-10)
        assert isinstance(alone.intercept_, float)
        assert alone.intercept_ == pytest.approx(intercept[k], rel=1e-10)
    assert model.fit(X, Y[:, :1]).coef_.shape == (1, 3)


@pytest.mark.parametrize("model", [Lasso(0.1), SubsetRegression(), RobustRegression(), ERM()], ids=repr)
def test_models_whose_choices_belong_to_one_target_refuse_two(model):
    with pytest.raises(ValueError, match=f"{type(model).__name__} has one target: fit one column of y at a time"):
        model.fit(X, Y)


@pytest.mark.parametrize("model", [LeastSquares(), Lasso(0.1), RobustRegression()], ids=repr)
def test_answers_have_the_precision_of_the_rows(model):
    assert model.fit(X.astype(np.float32), Y[:, 0]).coef_.dtype == np.float32
    assert model.fit(X, Y[:, 0]).coef_.dtype == np.float64


def test_columns_are_called_as_the_frame_calls_them():
    frame = pd.DataFrame(X, columns=["age", "bmi", "bp"])
    assert column_names(LeastSquares().fit(frame, Y)) == ("age", "bmi", "bp")
    assert column_names(LeastSquares().fit(X, Y)) == ("x0", "x1", "x2")


def test_a_penalty_of_all_columns_together_has_no_units():
    with pytest.raises(ValueError, match="standardise=True needs a penalty that is a sum over the columns"):
        ERM(penalty=L2(), lam=0.1, standardise=True).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match=r"got the class L2, without \(\)"):
        ERM(penalty=L2, lam=0.1).fit(X, Y[:, 0])


def test_a_search_that_was_cut_short_warns():
    with pytest.warns(ConvergenceWarning, match="RobustRegression: stopped at the iteration limit"):
        RobustRegression(max_iter=1, tol=1e-14).fit(X, Y[:, 0])
