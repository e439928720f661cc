"""Which rows are held out and recognised: frames, sparse rows, labels, weights of zero, copies, rows that repeat."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import StandardScaler

from surefit import (
    Certified,
    LogisticRegression,
    NearestNeighbourClassifier,
    NearestNeighbourRegressor,
    Perceptron,
    Ridge,
    certify,
)
from surefit.guarantee.held_out import divided
from surefit.theory.certificates.certificate import Standing, Verdict

XR, YR = load_diabetes(return_X_y=True)
XR = 20 * XR
XC, YC = load_breast_cancer(return_X_y=True)
XC = StandardScaler().fit_transform(XC)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist])
def test_frames_sparse_matrices_and_lists_are_divided_and_recognised_alike(make):
    """Column names for frames, so that scikit-learn's name check runs too."""
    names = {"columns": [f"c{j}" for j in range(10)]} if make is pd.DataFrame else {}
    names = {"schema": [f"c{j}" for j in range(10)]} if make is pl.DataFrame else names
    X = make(XR, **names)
    plain, model = Ridge(0.1).fit(XR, YR, certify=0.2), Ridge(0.1).fit(X, pd.Series(YR), certify=0.2)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-6)
    assert model.certificate().bound == pytest.approx(plain.certificate().bound, rel=1e-6)
    np.testing.assert_array_equal(model._fit_record.seen.prints, plain._fit_record.seen.prints)
    assert Ridge(0.1).fit(X, pl.Series(YR), certify=0.2).certificate().bound == model.certificate().bound
    with pytest.raises(ValueError, match="were used in fit"):
        plain.certificate(X, YR)


def test_words_are_labels_too():
    names = np.where(YC == 1, "benign", "malignant")
    model = LogisticRegression(0.01).fit(XC[:400], names[:400])
    certificate = model.certificate(XC[400:], pd.Series(names[400:]))
    assert certificate.bound == LogisticRegression(0.01).fit(XC[:400], YC[:400]).certificate(XC[400:], YC[400:]).bound
    assert "Always answering 'benign'" in certificate.further[0].statement
    with pytest.raises(ValueError, match="were used in fit"):
        model.certificate(XC[:100], names[:100])


def test_rows_of_weight_zero_count_as_not_seen():
    """They cannot change the fit, so a certificate on them is as good as on any other rows."""
    weight = np.where(np.arange(len(YR)) < 300, 1.0, 0.0)
    model = Ridge(0.1).fit(XR, YR, sample_weight=weight)
    without = Ridge(0.1).fit(XR[:300], YR[:300])
    assert model.certificate(XR[300:], YR[300:]) == without.certificate(XR[300:], YR[300:])
    with pytest.raises(ValueError, match="were used in fit"):
        model.certificate(XR[:300], YR[:300])


def test_rows_of_weight_zero_are_not_held_out_either():
    weight = np.where(np.arange(len(YR)) < 300, 2.0, 0.0)
    model = Ridge(0.1).fit(XR, YR, weight, certify=0.2)
    assert model.certificate().inputs["n"] == 60
    plain = Ridge(0.1).fit(XR[:300], YR[:300], certify=0.2)
    assert model.certificate().bound == pytest.approx(plain.certificate().bound)
    np.testing.assert_allclose(model.coef_, plain.coef_)


def test_weights_go_with_their_rows():
    weight = np.random.default_rng(0).integers(1, 4, len(YR)).astype(float)
    model = Ridge(0.1).fit(XR, YR, sample_weight=list(weight), certify=0.2)
    rows = divided(XR, YR, weight, 0.2).training
    np.testing.assert_allclose(model.coef_, Ridge(0.1).fit(XR[rows], YR[rows], weight[rows]).coef_, rtol=1e-12)
    assert not np.allclose(model.coef_, Ridge(0.1).fit(XR[rows], YR[rows]).coef_, rtol=1e-3)


def test_copies_of_a_row_are_not_mistaken_for_new_rows():
    """Every row three times: nearly all held-out rows were remembered, and say nothing."""
    thrice, targets = np.repeat(XR, 3, axis=0), np.repeat(YR, 3)
    certificate = NearestNeighbourRegressor(1).fit(thrice, targets, certify=0.2).certificate()
    copies = certificate.assumptions[2]
    assert copies.standing is Standing.UNVERIFIABLE
    assert "the larger of the two" in copies.evidence
    assert certificate.vacuous
    assert np.isinf(certificate.bound)
    assert len(NearestNeighbourRegressor(1).fit(XR, YR, certify=0.2).certificate().assumptions) == 3


def noise(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 5)), rng.integers(0, 2, n)


def test_an_atom_of_the_population_counts_as_often_as_it_is_drawn():
    """Half of the rows are x = 0 with a fair coin for a label: the error rate is 25 %.  200 fits, at most 24 misses."""
    misses = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        atom = rng.random(300) < 0.5
        x = np.where(atom, 0.0, (1 + rng.random(300)) * rng.choice([-1, 1], 300))
        t = np.where(atom, rng.integers(0, 2, 300), x > 0).astype(int)
        misses += LogisticRegression(lam=0.01).fit(x[:, None], t, certify=0.2).certificate().bound < 0.249
    assert misses <= 24  # P(Binomial(200, 0.05) > 24) < 1e-4


def test_a_table_of_few_answers_is_certified_as_it_is_drawn():
    """Four yes-or-no columns and 10 % noise: rows repeat by chance, and are not thrown away."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 4)).astype(float)
    t = np.where(rng.random(1000) < 0.1, 1 - X[:, 0], X[:, 0]).astype(int)
    model = LogisticRegression(lam=0.01).fit(X, t, certify=0.2)
    found = model.certificate()
    assert "as rows of so few values do" in found.assumptions[2].evidence
    assert found.bound == model.certificate(equal_rows_are_draws=True).bound
    assert found.inputs["n"] == 200
    assert 0.1 < found.bound < 0.25
    assert found.status is Verdict.INFORMATIVE


def test_rows_that_were_trained_on_do_not_pass_as_chance():
    X, y = noise(400)
    with pytest.raises(ValueError, match="400 of the 400 held-out rows were used in fit"):
        NearestNeighbourClassifier(1).fit(np.r_[X, X], np.r_[y, y]).certificate(X, y)
    drawn = np.random.default_rng(1).integers(0, 400, 400)
    with pytest.raises(ValueError, match="260 of the 400 held-out rows were used in fit"):
        NearestNeighbourClassifier().fit(X[drawn], y[drawn]).certificate(X, y)
    doubled = Certified(NearestNeighbourClassifier(1)).fit(np.r_[X, X], np.r_[y, y]).certificate_
    assert doubled.status is not Verdict.INFORMATIVE
    own = NearestNeighbourClassifier(1).fit(X, y)
    with pytest.raises(ValueError, match="were used in fit"):
        certify(own, X, y)
    with pytest.raises(ValueError, match="were used in fit"):
        own.certificate(X.astype(np.float32), y)


def test_copies_do_not_make_more_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = ((X[:, 0] > 0) ^ (rng.random(40) < 0.1)).astype(int)
    order = rng.permutation(1200)
    alone = Perceptron().fit(np.repeat(X, 30, 0)[order], np.repeat(y, 30)[order]).certificate()
    assert alone.status is Verdict.VACUOUS
    assert "drop the copies" in alone.statement
    test, labels = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    model = LogisticRegression(lam=0.01).fit(X, y)
    often = model.certificate(np.repeat(test, 20, 0), np.repeat(labels, 20))
    assert often.bound == model.certificate(test, labels).bound
