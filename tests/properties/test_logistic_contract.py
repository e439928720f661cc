"""scikit-learn's own conformance checks for `LogisticRegression`, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from surefit import LogisticRegression

ESTIMATORS = [
    LogisticRegression(),
    LogisticRegression(lam=0.01),
    LogisticRegression(lam=0),
    LogisticRegression(lam=0.01, l1_ratio=1.0),
    LogisticRegression(lam=0.01, l1_ratio=0.5),
    LogisticRegression(lam=0.01, solver="lbfgs"),
    LogisticRegression(lam=0.01, solver="newton-cg", class_weight="balanced"),
    LogisticRegression(criterion="approximate_loo", lams=[0.01, 0.1]),
]


@pytest.mark.filterwarnings("ignore::surefit.SeparationWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_accepts(estimator, check):
    check(estimator)
