"""scikit-learn's own conformance checks for every estimator, with no expected failure."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit import GradientDescent, LeastSquares, Ridge, StochasticGradientDescent
from surefit.estimators.erm import ERM
from surefit.estimators.robust import RobustRegression
from surefit.features import Polynomial
from surefit.objective import L1, Absolute, Huber

ESTIMATORS = [
    LeastSquares(),
    LeastSquares(fit_intercept=False),
    LeastSquares(solver="svd"),
    Ridge(),
    Ridge(lam=0.1),
    Ridge(lams=[0.1, 1.0], fit_intercept=False),
    RobustRegression(),
    RobustRegression(loss=Huber(1.0), lam=0.1, fit_intercept=False),
    RobustRegression(loss=Absolute(), penalty=L1(), lam=0.1),
    ERM(),
    ERM(loss=Huber(1.0), penalty=L1(), lam=0.1, fit_intercept=False),
    ERM(features=Polynomial(2), lam=0.1),
]


@pytest.mark.filterwarnings("ignore::surefit.RankDeficientWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", [GradientDescent(step=0.1), StochasticGradientDescent(epochs=3)])
def test_solver_objects_survive_cloning(solver):
    model = clone(LeastSquares(solver=solver))
    assert model.solver == solver
    assert np.all(np.isfinite(model.fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]).coef_))
