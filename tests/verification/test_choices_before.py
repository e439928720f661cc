"""Choices that were made before a fit, with the rows of the fit: certificates name what they cannot see.

Each simulation does what a hurried user does, and shows by how much the statement is then wrong.
"""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from surefit import SVC, SVR, Certified, KernelPerceptron, LogisticRegression, Perceptron
from surefit.kernels import Gaussian, Linear
from surefit.theory.certificates.certificate import Standing, Verdict

pytestmark = pytest.mark.verify


def chosen_noise(rng, n=100, d=5000, kept=20):
    """The columns of noise that happen to agree most with fair coin tosses."""
    X, y = rng.normal(size=(n, d)), rng.choice([-1, 1], n)
    return X[:, np.argsort(-np.abs(y @ X))[:kept]], y


def test_columns_chosen_by_the_same_rows_make_compression_false_and_it_says_what_it_needs(protocol):
    """Nothing can be learnt from noise: the error is one half.  Declared for what it is, never silent."""
    rng, missed = np.random.default_rng(0), 0
    for _ in range(protocol.of(10, 100)):
        X, y = chosen_noise(rng)
        found = SVC(Linear(), 1e-3).fit(X, y).certificate()
        missed += found.bound < 0.5
        assert found.status is not Verdict.INFORMATIVE or named(found)
    assert missed > 5


def named(certificate):
    said = [one for one in certificate.assumptions if "columns were chosen" in one.text]
    return [one.standing for one in said] == [Standing.DECLARED] and "false" in said[0].evidence


@pytest.mark.parametrize(
    "model",
    [
        SVC(Gaussian(1.0), 0.01),
        SVR(Gaussian(1.0), 0.01, 0.3),
        Perceptron(max_epochs=1),
        KernelPerceptron(Gaussian(1.0)),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_theorem_by_compression_names_the_choice_of_columns(model):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    assert named(model.fit(X, np.where(X[:, 0] > 0, 1, -1)).certificate())


def test_a_hold_out_inside_a_pipeline_is_refused_and_the_one_around_it_holds(protocol):
    """Columns of noise, chosen before a hold-out inside sees them: no statement; held out before: at most delta.

    What a hold-out inside would say, the rule before, is what the model alone says of columns that all rows chose.
    """
    rng, missed, R = np.random.default_rng(2), 0, protocol.of(60, 1000)
    inside = 0
    pipeline = make_pipeline(SelectKBest(k=10), LogisticRegression(0.1))
    for repetition in range(R):
        X, y = rng.normal(size=(120, 400)), rng.integers(0, 2, 120)
        if repetition < 3:
            with pytest.raises(ValueError, match=r"Certified\(pipeline, holdout=0.3"):
                pipeline.fit(X, y, logisticregression__certify=0.3)
        missed += Certified(pipeline, holdout=0.3).fit(X, y).certificate_.bound < 0.5
        chosen = SelectKBest(k=10).fit_transform(X, y)
        inside += LogisticRegression(0.1).fit(chosen, y, certify=0.3).certificate().bound < 0.5
    assert missed <= protocol.allowed(R) < inside
