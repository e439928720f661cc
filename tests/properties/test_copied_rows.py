"""Training rows handed back, files with copies, and honest rows that repeat by nature: none is taken for another."""

import contextlib
import pickle

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression

from surefit import (
    Certified,
    KernelRidge,
    LogisticRegression,
    NearestNeighbourClassifier,
    NearestNeighbourRegressor,
    Perceptron,
    Ridge,
    calibrate,
    calibrate_quantiles,
    certify,
)
from surefit.kernels import Gaussian
from surefit.theory.certificates.certificate import Standing, Verdict

FALSE_ALARM = 1e-4


def allowed(runs, delta=0.05):
    """Most misses of ``runs`` certificates that hold with probability ``1 - delta``, but for a false alarm."""
    return binom.ppf(1 - FALSE_ALARM, runs, delta)


def yes_or_no(seed, n=60):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, 5)).astype(float), rng.integers(0, 2, n)


@pytest.mark.parametrize("repeats", [0, 3, 60, 400])
def test_a_stored_model_refuses_its_training_rows_although_some_repeat(repeats):
    """Of 2000 rows it remembers 256; the labels are coins, so a bound below 50 % would be wrong."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
        X[2000 - repeats :], y[2000 - repeats :] = X[:repeats], y[:repeats]
        model = pickle.loads(pickle.dumps(NearestNeighbourClassifier(1).fit(X, y)))
        for rows in (slice(None), slice(0, 1000), slice(0, 300)):
            for declared in (False, True):
                with pytest.raises(ValueError, match="held-out rows were used in fit"):
                    model.certificate(X[rows], y[rows], equal_rows_are_draws=declared)


def test_a_stored_model_takes_equal_rows_of_few_answers_for_draws_and_says_so():
    X, y = yes_or_no(0, 2000)
    model = pickle.loads(pickle.dumps(LogisticRegression(lam=0.01).fit(X[:1000], y[:1000])))
    found = model.certificate(X[1000:], y[1000:])
    assert found.inputs["n"] == 1000
    assert named_as_draws(found) is Standing.UNVERIFIABLE
    assert named_as_draws(model.certificate(X[1000:], y[1000:], equal_rows_are_draws=True)) is Standing.DECLARED


def named_as_draws(certificate):
    """How the assumption that equal rows are draws stands; None if it is not named."""
    return next((one.standing for one in certificate.assumptions if "independent draws, not copies" in one.text), None)


@pytest.mark.parametrize("declared", [False, True])
def test_training_rows_of_few_answers_are_refused_whatever_is_declared(declared):
    """60 rows of five yes-or-no columns: most have an equal in training anyway, and still they are recognised."""
    for seed in range(60):
        X, y = yes_or_no(seed)
        order = np.random.default_rng(seed).permutation(60)
        with pytest.raises(ValueError, match="60 of the 60 held-out rows were used in fit"):
            LogisticRegression(lam=0.001).fit(X, y).certificate(X[order], y[order], equal_rows_are_draws=declared)


def test_half_of_the_training_rows_of_few_answers_are_refused_or_their_reading_is_named():
    """Too few rows to be sure that they are those of the fit: then it says that equal rows are taken for draws."""
    for seed in range(30):
        X, y = yes_or_no(seed)
        model = LogisticRegression(lam=0.001).fit(X, y)
        with contextlib.suppress(ValueError):  # refused, in the clearer cases
            found = model.certificate(X[:30], y[:30])
            assert found.status is Verdict.VACUOUS or named_as_draws(found) is Standing.UNVERIFIABLE


def oversampled(seed, times, n=150):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(1, 6, (n, 4)).astype(float), rng.integers(0, 2, n)
    chosen = np.repeat(np.arange(n), times) if seed % 2 else rng.integers(0, n, n * times)
    return X[chosen], y[chosen]


@pytest.mark.parametrize("times", [2, 4])
def test_copies_of_few_answers_cannot_be_told_from_draws_and_the_certificate_says_so(times):
    """Labels are coins.  Whether rows of so few values repeat by nature nobody can see: what is assumed is named."""
    for seed in range(10):
        X, y = oversampled(seed, times)
        found = NearestNeighbourClassifier(1).fit(X, y, certify=0.3).certificate()
        assert found.bound >= 0.5 or named_as_draws(found) is Standing.UNVERIFIABLE


def test_files_with_copies_keep_the_promise_of_other_models_too():
    """Rows of measurements, labels that are coins, every row four times: a bound below 50 % misses.  40 files."""
    misses = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = np.repeat(rng.normal(size=(150, 4)), 4, 0), np.repeat(rng.integers(0, 2, 150), 4)
        model = Certified(RandomForestClassifier(5, random_state=0), holdout=0.3).fit(X, y)
        misses += model.certificate_.bound < 0.5
    assert misses <= allowed(40)


def test_copies_of_one_class_keep_the_promise():
    """5 % of labels are 1, at random, each copied 19 times: the error rate of rows as they were drawn, 120 files."""
    misses = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(1000, 3)), (np.arange(1000) < 50).astype(int)
        times = np.where(y == 1, 19, 1)
        model = NearestNeighbourClassifier(1).fit(np.repeat(X, times, 0), np.repeat(y, times), certify=0.2)
        ones = model.predict(rng.normal(size=(4000, 3))).mean()
        misses += model.certificate().bound < 0.95 * ones + 0.05 * (1 - ones)
    assert misses <= allowed(120)


@pytest.mark.parametrize("method", ["jackknife+", "cv+", "full"])
def test_intervals_from_copies_promise_nothing_unless_declared_draws(method):
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(40, 3)), 4, 0), np.repeat(rng.normal(size=40), 4)
    model = KernelRidge(Gaussian(0.5), 1e-5, fit_intercept=True).fit(X, y)
    found = model.predict_interval(X[:2], method=method)
    assert found.guaranteed == 0.0
    assert any("training rows equal another" in text for text in found.broken)
    assert model.predict_interval(X[:2], method=method, equal_rows_are_draws=True).guaranteed > 0.0


def test_theorems_about_training_rows_are_given_up_for_copies_unless_declared_draws():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 6)), np.arange(100) % 2
    X[:, 0] += 6 * y - 3
    order = rng.permutation(np.repeat(np.arange(100), 4))
    model = Perceptron(max_epochs=50).fit(X[order], y[order])
    alone, declared = model.certificate(), model.certificate(equal_rows_are_draws=True)
    assert alone.status is Verdict.VACUOUS
    assert "equal_rows_are_draws=True" in alone.statement
    assert not [one for one in declared.assumptions if "copies" in one.text and one.standing is not Standing.DECLARED]
    assert declared.bound < 1.0


def test_calibrating_on_training_rows_of_few_answers_is_refused():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(1, 4, (60, 3)).astype(float), rng.integers(1, 6, 60).astype(float)
        model = NearestNeighbourRegressor(1).fit(X, y)
        with pytest.raises(ValueError, match="60 of the 60 held-out rows were used in fit"):
            calibrate(model, X, y)
        with pytest.raises(ValueError, match="60 of the 60 held-out rows were used in fit"):
            calibrate_quantiles(LinearRegression().fit(X, y), model, X, y, equal_rows_are_draws=True)


def test_honest_rows_that_are_looked_up_by_a_key_are_certified():
    """Two columns that depend on one key of 1000, 40 training rows, labels are coins: no refusal, few misses."""
    places, misses = np.random.default_rng(99).normal(size=(1000, 2)), 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, y = places[rng.integers(0, 1000, 400)], rng.integers(0, 2, 400)
        model = LogisticRegression(lam=0.1).fit(X[:40], y[:40])
        found = model.certificate(X[40:], y[40:])
        assert found.inputs["n"] > 250
        misses += found.bound < 0.5
    assert misses <= allowed(100)


def test_what_is_declared_is_certified_and_named():
    """One hold-out row equals a training row and nothing else repeats: an error, unless declared a draw."""
    X, y = np.arange(80.0)[:, None], np.arange(80) % 2
    model = LogisticRegression(lam=0.1).fit(X[:40], y[:40])
    rows = np.r_[39, 40:80]
    cautious = model.certificate(X[rows], y[rows])
    for found in (
        model.certificate(X[rows], y[rows], equal_rows_are_draws=True),
        certify(model, X[rows], y[rows], equal_rows_are_draws=True),
    ):
        assert found.inputs["n"] == 41
        assert found.bound <= cautious.bound
        assert "one held-out row equals a training row or another" in found.assumptions[2].evidence
        assert found.assumptions[2].standing is Standing.DECLARED


def test_one_row_read_twice_does_not_stop_a_division_at_random():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    for first in range(20):
        twice = np.r_[np.arange(200), first]
        assert Certified(LogisticRegression(lam=0.1)).fit(X[twice], y[twice]).certificate_.bound <= 1.0


class Zero:
    """Predicts nothing, so that a radius alone decides what is covered."""

    def predict(self, rows):
        return np.zeros(len(rows))


@pytest.mark.parametrize("method", ["split", "pac"])
def test_calibration_rows_that_are_copies_count_once(method):
    """40 rows ten times each, 400 hold-outs: the radius is that of the 40, or larger, and holds as it says."""
    short, missed = 0, 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=40)
        often = calibrate(Zero(), np.zeros((400, 1)), np.repeat(y, 10)).predict_interval([[0.0]], 0.9, method)
        once = calibrate(Zero(), np.zeros((40, 1)), y).predict_interval([[0.0]], 0.9, method)
        assert often.upper[0] >= once.upper[0]
        assert any("the wider of both" in text for text in often.assumptions)
        short += 2 * norm.cdf(often.upper[0]) - 1 < 0.9
        missed += abs(rng.normal()) > often.upper[0]
    assert missed <= allowed(400, 0.1)
    assert short <= (allowed(400) if method == "pac" else 400)


def test_too_few_distinct_calibration_rows_say_why():
    held_out = np.zeros((400, 1)), np.repeat(np.arange(5.0), 80)
    with pytest.raises(ValueError, match=r"5 rows are too few.*equal others count once.*equal_rows_are_draws=True"):
        calibrate(Zero(), *held_out).predict_interval([[0.0]])
    declared = calibrate(Zero(), *held_out, equal_rows_are_draws=True).predict_interval([[0.0]])
    assert declared.upper[0] == pytest.approx(4.0, rel=1e-14)
    assert any("declared" in text for text in declared.assumptions)


def test_a_calibrated_model_does_not_change_with_a_later_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300)
    model = Ridge(0.1).fit(X[:100], y[:100])
    held_out = calibrate(model, X[100:], y[100:])
    before = held_out.predict_interval(X[:5])
    model.fit(X, 100 * y + 7)
    after = held_out.predict_interval(X[:5])
    np.testing.assert_array_equal(before.lower, after.lower)


def test_one_equal_row_does_not_hide_training_rows_with_other_last_digits():
    """A row that repeats by nature is among them; the others came back from a file with fewer digits."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    X[-2:], y[-2:] = X[0], y[0]
    model = NearestNeighbourClassifier(1).fit(X, y)
    rows = X * (1 + 1e-12)
    rows[0] = X[0]
    with pytest.raises(ValueError, match=r"399 of the 399 held-out rows were used in fit, \d+ of them with other"):
        model.certificate(rows[:-1], y[:-1])
