"""Inference for ridge: covariances of the shrunken target (catalogue A-09, T-09, S-09); the refusal of the lasso."""

import numpy as np
import pytest
from scipy.stats import norm

from surefit import ElasticNet, Lasso, LeastSquares, Ridge
from surefit.data.design import Design
from surefit.solvers.linear.factor import spectral_factor
from surefit.theory.inference.shrunken import ridge_covariance, ridge_table

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 3]]) + [0.0, 5.0, -1.0]
Y = X @ [1.0, -1.0, 0.3] + (1 + np.abs(X[:, 0])) * RNG.normal(size=60)
KINDS = ["classical", "HC0", "HC1", "HC2", "HC3"]


@pytest.mark.parametrize("covariance", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_a_penalty_it_is_the_inference_of_least_squares(covariance, fit_intercept):
    weights = RNG.uniform(0.5, 2.0, 60)
    for sample_weight in (None, weights):
        known = LeastSquares(fit_intercept).fit(X, Y, sample_weight).inference(covariance=covariance)
        found = Ridge(0.0, fit_intercept=fit_intercept).fit(X, Y, sample_weight).inference(covariance=covariance)
        assert found.names == known.names
        for name in ("estimate", "standard_error", "lower", "upper"):
            np.testing.assert_allclose(getattr(found, name), getattr(known, name), rtol=1e-8)


@pytest.mark.parametrize("covariance", KINDS)
def test_the_covariance_is_the_sandwich_written_out(covariance):
    """L Sigma L' with L = inv(B) A', B = A'A + n lam D, D without the intercept."""
    n, lam = len(Y), 0.4
    A, D = np.column_stack([np.ones(n), X]), np.diag([0.0, 1, 1, 1])
    L = np.linalg.solve(A.T @ A + n * lam * D, A.T)
    H, r = A @ L, Y - A @ L @ Y
    h = np.diag(H)
    variance = {
        "classical": np.full(n, r @ r / (n - np.trace(2 * H - H @ H.T))),
        "HC0": r**2,
        "HC1": r**2 * n / (n - np.trace(H)),
        "HC2": r**2 / (1 - h),
        "HC3": r**2 / (1 - h) ** 2,
    }[covariance]
    expected = (L * variance) @ L.T
    factor = spectral_factor(Design.of(X), True, n * lam)
    np.testing.assert_allclose(ridge_covariance(factor, Y, lam, covariance), expected, rtol=1e-8, atol=1e-14)
    table = Ridge(lam).fit(X, Y).inference(covariance=covariance)
    np.testing.assert_allclose(table.standard_error, np.sqrt(np.diag(expected)), rtol=1e-8)
    np.testing.assert_allclose(table.estimate, L @ Y, rtol=1e-8)
    assert table.dof == pytest.approx(np.trace(H))


@pytest.mark.verify
def test_intervals_cover_the_shrunken_target_and_not_the_truth(protocol):
    """2000 draws (``make verify``: 5000) of the noise at a fixed design, nominal 95 %: within 5 standard errors of it
    for the shrunken target (normal noise, equal variance), and far below it for the true coefficients, which is why the
    label is there."""
    rng, lam, beta, R = np.random.default_rng(0), 1.0, np.array([2.0, -2.0, 1.0]), protocol.repeats
    factor = spectral_factor(Design.of(X), True, len(X) * lam)
    shrunken = ridge_table(factor, X @ beta, lam, ("a", "b", "c")).estimate
    hits = np.zeros((2, 4))
    for _ in range(R):
        table = ridge_table(factor, X @ beta + rng.normal(size=len(X)), lam, ("a", "b", "c"), "classical")
        for row, target in enumerate((shrunken, np.append(0.0, beta))):
            hits[row] += (table.lower <= target) & (target <= table.upper)
    slack = norm.ppf(1 - 1e-6) * np.sqrt(0.95 * 0.05 / R)
    assert np.all(hits[0] / R >= 0.95 - slack)
    assert np.all(hits[1][1:3] / R < 0.5)


def test_the_table_says_what_its_standard_errors_are_of():
    text = str(Ridge(0.3).fit(X, Y).inference())
    assert "of the shrunken target E[estimate], not of the true coefficients" in " ".join(text.split())
    assert "p values" in text
    assert max(map(len, text.splitlines())) <= 80


def test_unknown_kinds_levels_and_perfect_fits_are_refused():
    model = Ridge(0.3).fit(X, Y)
    with pytest.raises(ValueError, match="covariance must be one of classical, HC0"):
        model.inference(covariance="HC9")
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        model.inference(level=95)
    with pytest.raises(ValueError, match="leaves nothing to estimate the noise"):
        Ridge(0.0).fit(X[:4], Y[:4]).inference()
    with pytest.raises(ValueError, match="y had 2 columns; fit one column at a time"):
        Ridge(0.3).fit(X, np.column_stack([Y, Y])).inference()


def test_the_table_says_when_lam_was_chosen_on_the_same_rows():
    chosen = " ".join(str(Ridge().fit(X, Y).inference()).split())
    assert "lam was chosen on the same rows: intervals take it as given" in chosen
    assert "lam follows from radius and these rows" in str(Ridge(radius=1.0).fit(X, Y).inference())
    assert "same rows" not in str(Ridge(0.3).fit(X, Y).inference())


@pytest.mark.parametrize("model", [Lasso(0.1), ElasticNet(0.1)])
def test_the_lasso_has_no_standard_errors_and_says_why(model):
    reason = "chose its coefficients by looking at these data and shrank them"
    with pytest.raises(ValueError, match=reason):
        model.fit(X, Y).inference()
    assert f"No standard errors: {type(model).__name__} with lam=0.1 {reason}" in " ".join(str(model.summary()).split())
