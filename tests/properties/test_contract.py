"""scikit-learn's own conformance checks for every model of the table, with no expected failure."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit import GradientDescent, LeastSquares, StochasticGradientDescent
from tests.properties.models import CLASSIFIERS, REGRESSORS, ROUTES, TRANSFORMERS, public_estimators

ONCE = [*REGRESSORS, *CLASSIFIERS, *TRANSFORMERS]


def test_every_public_estimator_stands_in_the_table_once():
    kinds = sorted((type(model) for model in ONCE), key=lambda kind: kind.__name__)
    assert kinds == public_estimators()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::surefit.RankDeficientWarning")
@pytest.mark.filterwarnings("ignore::surefit.SeparationWarning")
@pytest.mark.filterwarnings("ignore:.*as many as the rows allow:surefit.warnings.ChoiceWarning")  # 15 rows, 30 columns
@parametrize_with_checks([*ONCE, *ROUTES])
def test_scikit_learn_accepts(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", [GradientDescent(step=0.1), StochasticGradientDescent(epochs=3)])
def test_solver_objects_survive_cloning(solver):
    model = clone(LeastSquares(solver=solver))
    assert model.solver == solver
    assert np.all(np.isfinite(model.fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]).coef_))
