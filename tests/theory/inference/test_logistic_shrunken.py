"""Inference of logistic regression with a squared penalty: what it covers, and what it does not say.  A-29, T-78."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import expit
from scipy.stats import norm

from surefit import LogisticRegression
from surefit.theory.inference.logistic import LogisticFit, logistic_table
from surefit.theory.inference.shrunken import ShrunkenTable

RNG = np.random.default_rng(4)
X = RNG.normal(size=(150, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 3]]) + [0.0, 5.0, -1.0]
TWO = (RNG.random(150) < expit(X @ [1.0, -1.0, 0.3] + 5)).astype(int)
THREE = np.argmax((X - X.mean(axis=0)) @ (0.3 * RNG.normal(size=(3, 3))) + RNG.gumbel(size=(150, 3)), axis=1)
KINDS = ["classical", "robust", "hessian"]


def by_differences(slope, at, step=1e-5):
    """The matrix of derivatives of ``slope`` at a point, by central differences."""
    rows = [(slope(at + step * e) - slope(at - step * e)) / (2 * step) for e in np.eye(len(at))]
    return np.array(rows).T


def gradients(theta, y, k, fit_intercept=True):
    """Gradient of each row's loss in the coefficients against the first class, straight from the formula."""
    A = np.column_stack([np.ones(len(X)), X]) if fit_intercept else X
    scores = np.column_stack([np.zeros(len(X)), A @ theta.reshape(k - 1, -1).T])
    q = np.exp(scores - scores.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    miss = q[:, 1:] - (y[:, None] == np.arange(1, k))
    return (miss[:, :, None] * A[:, None, :]).reshape(len(X), -1)


def penalty_slope(theta, lam, k, fit_intercept=True):
    """Gradient of ``n lam min ||W||**2`` over the ``W`` with these differences: for three classes they sum to zero."""
    slopes = theta.reshape(k - 1, -1).copy()
    slopes[:, : int(fit_intercept)] = 0.0
    return 2 * len(X) * lam * (slopes - (slopes.sum(axis=0) / k if k > 2 else 0.0)).ravel()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three"])
def test_covariances_equal_those_from_finite_differences(y, fit_intercept):
    lam, k = 0.05, len(np.unique(y))
    fit = LogisticRegression(lam, fit_intercept=fit_intercept).fit(X, y).logistic_fit()
    at = fit.theta.ravel()
    slope = lambda t: gradients(t, y, k, fit_intercept).sum(axis=0)
    assert np.max(np.abs(slope(at) + penalty_slope(at, lam, k, fit_intercept))) < 1e-5  # it is the minimum
    information = by_differences(slope, at)
    bread = np.linalg.inv(information + by_differences(lambda t: penalty_slope(t, lam, k, fit_intercept), at))
    rows = gradients(at, y, k, fit_intercept)
    meats = {"classical": information, "robust": np.cov(rows.T, bias=True) * len(X), "hessian": np.linalg.inv(bread)}
    for kind, meat in meats.items():
        np.testing.assert_allclose(fit.covariance_as(kind), bread @ meat @ bread, rtol=1e-5, atol=1e-9)
    table = LogisticRegression(lam, fit_intercept=fit_intercept).fit(X, y).inference()
    np.testing.assert_allclose(table.dof, np.trace(bread @ information), rtol=1e-6)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three"])
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_penalty_it_is_the_inference_of_maximum_likelihood(y, kind):
    weight = RNG.integers(1, 4, 150).astype(float)
    known = LogisticRegression(0.0).fit(X, y, weight).inference(covariance=kind, weights_are_counts=True)
    found = LogisticRegression(1e-9).fit(X, y, weight).inference(covariance=kind, weights_are_counts=True)
    assert found.names == known.names
    for name in ("estimate", "standard_error", "lower", "upper"):
        np.testing.assert_allclose(getattr(found, name), getattr(known, name), rtol=1e-4, atol=1e-4)


def test_robust_errors_without_a_penalty_equal_statsmodels():
    theirs = sm.Logit(TWO, sm.add_constant(X)).fit(disp=0, tol=1e-10, cov_type="HC0")
    ours = LogisticRegression(0.0).fit(X, TWO).inference(covariance="robust")
    np.testing.assert_allclose(ours.standard_error, theirs.bse, rtol=1e-7)
    np.testing.assert_allclose(ours.p_value, theirs.pvalues, rtol=1e-6)


def test_a_large_penalty_leaves_the_intercept_alone():
    table = LogisticRegression(1e6).fit(X, TWO).inference(covariance="classical")
    share = TWO.mean()
    assert table.standard_error[0] == pytest.approx(1 / np.sqrt(150 * share * (1 - share)), rel=1e-3)
    assert np.all(table.standard_error[1:] < 1e-4)
    assert table.dof == pytest.approx(1.0, abs=1e-3)


@pytest.mark.verify
def test_intervals_cover_the_shrunken_target_and_not_the_truth(protocol):
    """800 samples (``make verify``: 5000) of 300 rows of 60 points of known probabilities, nominal 95 %; the target is
    the fit to the law itself.  The law is not logistic, so only the robust covariance has a claim.  Within one point
    of its nominal level (the approximation) and 5 standard errors (chance) for the target; the coefficients of the
    best unpenalised model are covered far less often, which is why the label is there."""
    rng, lam, R = np.random.default_rng(0), 0.1, protocol.of(800)
    atoms = rng.normal(size=(60, 2))
    chance = expit(2.0 * atoms[:, 0] - 1.0 * atoms[:, 1] + 0.8 * atoms[:, 0] ** 2)
    twice, labels = np.vstack([atoms, atoms]), np.repeat([1, 0], 60)
    law = np.concatenate([chance, 1 - chance])
    exact = lambda lam: LogisticRegression(lam).fit(twice, labels, law).logistic_fit().theta.ravel()
    targets, hits = (exact(lam), exact(0.0)), np.zeros((2, 3))
    for _ in range(R):
        at = rng.integers(0, 60, 300)
        y = (rng.random(300) < chance[at]).astype(int)
        table = LogisticRegression(lam).fit(atoms[at], y).inference()
        for row, target in enumerate(targets):
            hits[row] += (table.lower <= target) & (target <= table.upper)
    chance_alone = norm.ppf(1 - 1e-6) * np.sqrt(0.95 * 0.05 / R)
    assert np.all(np.abs(hits[0] / R - 0.95) <= 0.01 + chance_alone)
    assert hits[1][1] / R < 0.2


def test_the_posterior_spread_is_the_largest_and_all_shrink():
    free, held = (LogisticRegression(lam).fit(X, TWO).logistic_fit() for lam in (0.0, 0.05))
    size = lambda fit, kind: np.sqrt(np.diag(fit.covariance_as(kind)))
    assert np.all(size(held, "hessian") >= size(held, "classical"))
    assert np.all(size(held, "hessian")[1:] < size(free, "hessian")[1:])


def test_separated_classes_have_inference_once_there_is_a_penalty():
    table = LogisticRegression(0.1).fit([[0.0], [1], [2], [3]], [0, 0, 1, 1]).inference()
    assert np.all(np.isfinite(table.standard_error))


def test_the_table_and_the_summary_say_what_they_are_of():
    frame = pd.DataFrame(X, columns=["dose", "age", "<b>"])
    model = LogisticRegression(0.05).fit(frame, pd.Series(TWO, name="cured"))
    table, summary = model.inference(), model.summary()
    assert isinstance(table, ShrunkenTable)
    for text in (str(table), str(summary)):
        assert "shrunken target" in " ".join(text.split())
        assert "no p values exist" in " ".join(text.split())
        assert "chosen on the same rows" not in text
        assert "dose" in text
    assert max(map(len, str(summary).splitlines())) <= 80
    assert "&lt;b&gt;" in summary._repr_html_()
    assert list(summary.to_frame().columns) == ["estimate", "std_error", "lower", "upper", "odds_ratio"]
    plain = json.loads(json.dumps(summary.as_dict()))
    assert plain["coefficients"][1]["std_error"] == table.standard_error[1]
    assert plain["aic"] == pytest.approx(-2 * plain["log_likelihood"] + 2 * table.dof)


def test_a_lam_chosen_on_the_same_rows_is_admitted():
    chosen = LogisticRegression(lams=[0.01, 0.1]).fit(X, TWO)
    assert "lam was chosen on the same rows" in " ".join(str(chosen.inference()).split())
    assert "lam was chosen on the same rows" in " ".join(str(chosen.summary()).split())
    chosen.lam = 0.1  # what counts is what was done
    assert "lam was chosen on the same rows" in " ".join(str(chosen.inference()).split())


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_an_absolute_penalty_is_refused_with_a_remedy(l1_ratio):
    model = LogisticRegression(0.05, l1_ratio=l1_ratio).fit(X, TWO)
    with pytest.raises(ValueError, match=r"chose its coefficients by looking at these data.*fit LogisticRegression"):
        model.inference()
    assert "chose its coefficients by looking at these data" in " ".join(str(model.summary()).split())
    with pytest.raises(ValueError, match=r"odds ratios alone are in to_frame"):
        model.summary().odds_ratios()


def test_wrong_use_is_refused_with_a_remedy():
    model = LogisticRegression(0.05).fit(X, TWO)
    with pytest.raises(ValueError, match="covariance must be one of classical, robust, hessian"):
        model.inference(covariance="HC9")
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        model.inference(level=95)
    with pytest.raises(ValueError, match="training data do not travel"):
        pickle.loads(pickle.dumps(model)).logistic_fit()
    with pytest.raises(ValueError, match="does not vary"):
        logistic_table(LogisticFit(np.zeros((4, 1)), np.arange(4) % 2, np.zeros((1, 1)), np.zeros(1), np.ones(4)))
