"""The black box is scikit-learn's as it comes, grown in steps."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from surefit.study.contest.candidates import entries
from surefit.study.contest.reference import NAME, Boosting, planned


def test_steps_grow_the_same_trees():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] * X[:, 1]
    whole = HistGradientBoostingRegressor(early_stopping=False, random_state=0).fit(X, y)
    np.testing.assert_allclose(Boosting("regression").fit(X, y).predict(X), whole.predict(X), rtol=1e-9)
    label = np.where(y > 0, "up", "down")
    whole = HistGradientBoostingClassifier(early_stopping=False, random_state=0).fit(X, label)
    boosted = Boosting("classification").fit(X, label)
    np.testing.assert_allclose(boosted.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    assert boosted.classes_.tolist() == ["down", "up"]


def test_it_stands_outside_the_contest():
    for task in ("regression", "classification"):
        (box,) = [entry for entry in entries(task, 100, 3) if entry.outside]
        assert box.name == NAME
    assert planned(1000, 10, 5) > 4 * planned(1000, 10, 2)
