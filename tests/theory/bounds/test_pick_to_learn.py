"""Pick-to-Learn.  Simulations accuse a right bound with probability below 1e-4."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.svm import SVC

from surefit.progress import reporting
from surefit.theory.bounds import compression_risk, pick_to_learn


def first_of_each(t):
    return [int(np.argmax(t > 0)), int(np.argmax(t < 0))]


def centroid_rule(x, t):
    """Sign of the distance to the midpoint of the class means, on a line."""

    def fit(rows):
        return (x[rows][t[rows] > 0].mean() + x[rows][t[rows] < 0].mean()) / 2

    def wrongness(cut):
        return -t * (x - cut)

    return fit, wrongness


@pytest.mark.verify
def test_it_holds_with_rows_left_wrong_and_does_not_if_they_are_not_counted(protocol):
    """Two overlapping laws on a line, at most 10 rows picked of 150; the true error is a normal tail; 300 samples, 5000
    under ``make verify``."""
    rng, R = np.random.default_rng(0), protocol.of(300)
    missed = sabotaged = 0
    for _ in range(R):
        t = rng.choice([-1.0, 1.0], size=150)
        x = t + rng.standard_normal(150)
        found = pick_to_learn(*centroid_rule(x, t), 150, first=first_of_each(t), max_rows=10)
        error = (norm.cdf(found.model - 1) + norm.sf(found.model + 1)) / 2
        missed += found.bound.value < error
        sabotaged += compression_risk(150, len(found.rows)) < error
    assert missed <= protocol.allowed(R)
    assert sabotaged > protocol.allowed(R)


@pytest.mark.verify
def test_under_flipped_labels_it_is_wide_and_holds(protocol):
    """n = 200, 5 % of labels flipped, a Gaussian kernel: .332 on average for an error of .0996; 20 samples, 500 under
    ``make verify``.  Published: .35 for .097, from a number of fits that is not recorded; one varies by .048 and .015.

    Every flipped row gets picked.  To take the rows that were not picked for a hold-out, all of which the model gets
    right, would claim an error of 2 %, and be wrong nearly always.
    """
    rng, R, n = np.random.default_rng(0), protocol.of(20, 500), 200
    bounds, errors, naive = np.zeros((3, R))
    for k in range(R):
        X = rng.standard_normal((n + 4000, 2))
        t = np.where(X @ [1.0, 0.5] > 0, 1.0, -1.0) * np.where(rng.random(n + 4000) < 0.05, -1.0, 1.0)
        fit = lambda rows, X=X, t=t: SVC(C=100.0, gamma=1.0).fit(X[rows], t[rows])
        wrongness = lambda model, X=X, t=t: -t[:n] * model.decision_function(X[:n])
        found = pick_to_learn(fit, wrongness, n, first=first_of_each(t[:n]))
        assert found.n_wrong == 0
        bounds[k], naive[k] = found.bound.value, 1 - 0.05 ** (1 / (n - len(found.rows)))
        errors[k] = np.mean(t[n:] * found.model.decision_function(X[n:]) <= 0)
    assert np.mean(bounds) == pytest.approx(0.332, abs=0.15 / np.sqrt(R))  # three standard errors
    assert np.mean(errors) == pytest.approx(0.0996, abs=0.046 / np.sqrt(R))
    assert np.sum(bounds < errors) <= protocol.allowed(R)
    assert np.sum(naive < errors) > protocol.allowed(R)


def test_separable_rows_are_certified_by_a_few():
    """A support vector machine on separable rows: all others right, bound far below that of half the rows."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 2))
    t = np.sign(X @ [1.0, 2.0] + 0.3)
    fit = lambda rows: SVC(C=100.0, kernel="linear").fit(X[rows], t[rows])
    found = pick_to_learn(fit, lambda model: -t * model.decision_function(X), 400, first=first_of_each(t))
    assert found.n_wrong == 0
    assert len(found.rows) < 40
    assert found.bound.value == compression_risk(400, len(found.rows)) < 0.15
    others = np.setdiff1d(np.arange(400), found.rows)
    assert np.all((t * found.model.decision_function(X))[others] > 0)


def test_leaving_out_a_row_that_was_not_kept_changes_nothing():
    """Preference: the same rows are picked, in the same order, without any one of the others."""
    rng = np.random.default_rng(2)
    t = rng.choice([-1.0, 1.0], size=60)
    x = t + 0.7 * rng.standard_normal(60)
    found = pick_to_learn(*centroid_rule(x, t), 60, first=first_of_each(t), max_rows=6)
    wrong = -t * (x - found.model) > 0
    others = set(range(60)) - set(found.rows) - set(np.flatnonzero(wrong))
    assert len(others) > 10
    for left_out in others:
        keep = np.delete(np.arange(60), left_out)
        again = pick_to_learn(*centroid_rule(x[keep], t[keep]), 59, first=first_of_each(t[keep]), max_rows=6)
        assert keep[again.rows].tolist() == found.rows.tolist()
        assert again.bound.inputs["k"] == found.bound.inputs["k"]


def test_progress_is_reported_and_bad_input_refused():
    t = np.array([1.0, -1.0, 1.0, -1.0])
    x, said = np.array([1.0, -1.0, -2.0, 2.0]), []
    with reporting(said.append, after=0.0, every=0.0):
        found = pick_to_learn(*centroid_rule(x, t), 4, first=[0, 1])
    assert said
    assert found.bound.value == 1.0
    for first in ([], [0, 0], [0, 1, 2, 3, 0]):
        with pytest.raises(ValueError, match="distinct row numbers"):
            pick_to_learn(*centroid_rule(x, t), 4, first=first)
    with pytest.raises(ValueError, match="one per row"):
        pick_to_learn(lambda rows: None, lambda model: np.zeros(3), 4, first=[0])
