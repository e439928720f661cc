"""Compression bounds.  Simulations accuse a right bound with probability below 1e-4."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp
from scipy.stats import beta, binom

from surefit import SVC, SVR
from surefit.kernels import Gaussian, Linear
from surefit.solvers.halfspaces.perceptron import perceptron
from surefit.theory.bounds import (
    classical_compression_bound,
    compression_interval,
    compression_risk,
    perceptron_compression_bound,
    svm_margin_bound,
    svr_tube_bound,
)
from surefit.theory.bounds.compression import largest_error_rate


def log_sums(n, k, delta, eps):
    """The defining sums, term by term in log space: (delta/n) below n, and the two-sided one."""
    choose = lambda m: gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
    m, later = np.arange(k, n), np.arange(n + 1, 4 * n + 1)
    below = logsumexp(choose(m) - choose(n) - (n - m) * math.log1p(-eps))
    above = logsumexp(choose(later) - choose(n) + (later - n) * math.log1p(-eps))
    return math.log(delta / n) + below, np.logaddexp(
        math.log(delta / (2 * n)) + below, math.log(delta / (6 * n)) + above
    )


@pytest.mark.parametrize(
    ("n", "k", "one", "two"),
    [
        (200, 20, 0.1721, (0.048, 0.179)),
        (500, 5, 0.0279, (0.002, 0.030)),
        (500, 50, 0.1447, (0.062, 0.149)),
        (1000, 100, 0.1316, (0.071, 0.134)),
        (5000, 50, 0.0148, (0.006, 0.015)),
        (5000, 500, 0.1145, (0.085, 0.115)),
        (20_000, 1000, 0.0554, (0.0444, 0.0557)),
    ],
)
def test_reference_table(n, k, one, two):
    assert round(compression_risk(n, k), 4) == one
    digits = 4 if n == 20_000 else 3
    assert tuple(round(end, digits) for end in compression_interval(n, k)) == two


@pytest.mark.parametrize(
    ("n", "k"), [(1, 0), (2, 1), (10, 0), (10, 9), (50, 3), (50, 10), (300, 4), (300, 250), (2000, 40)]
)
@pytest.mark.parametrize("delta", [1e-9, 0.05, 0.5])
def test_the_roots_solve_the_defining_sums(n, k, delta):
    """The theorem's equations, summed term by term."""
    one, (low, high) = compression_risk(n, k, delta), compression_interval(n, k, delta)
    if one < 0.999:
        np.testing.assert_allclose(log_sums(n, k, delta, one)[0], 0, atol=1e-7)
    if high < 0.999:
        np.testing.assert_allclose(log_sums(n, k, delta, high)[1], 0, atol=1e-7)
    np.testing.assert_allclose(log_sums(n, k, delta, low)[1], 0, atol=1e-7) if low else None
    assert low or log_sums(n, k, delta, 0.0)[1] <= 1e-9
    assert low <= k / n <= one <= high + 1e-12


@pytest.mark.parametrize("n", [20, 200, 3000])
def test_exact_coverage_when_the_compressed_set_is_the_k_largest(n):
    """The k largest of n numbers: a fresh one changes them with a probability that is Beta(k, n - k + 1) exactly."""
    for k in {1, 2, 5, n // 10, n // 2, n - 1}:
        low, high = compression_interval(n, k)
        law = beta(k, n - k + 1)
        assert law.sf(compression_risk(n, k)) <= 0.05
        assert law.sf(high) + law.cdf(low) <= 0.05


def test_the_bound_rises_with_k_and_falls_with_n_and_delta():
    risks = [compression_risk(300, k) for k in range(301)]
    assert np.all(np.diff(risks) > 0)
    assert risks[300] == 1.0
    assert np.all(np.diff([compression_risk(n, 10) for n in range(11, 400)]) < 0)
    assert np.all(np.diff([compression_risk(300, 10, delta) for delta in np.geomspace(1e-12, 0.99, 50)]) < 0)


@given(st.integers(1, 10**9), st.floats(0, 1), st.floats(1e-300, 1 - 1e-9))
def test_every_size_and_confidence_has_an_answer(n, share, delta):
    """The observed share k / n lies between the ends, and the one-sided end is no farther out than the two-sided."""
    k = round(share * n)
    risk, (low, high) = compression_risk(n, k, delta), compression_interval(n, k, delta)
    assert 0 <= low <= k / n <= risk <= high * (1 + 1e-9) <= 1 + 1e-9


def test_large_samples_take_no_longer():
    assert compression_risk(10**8, 10**6) < 0.0102
    low, high = compression_interval(10**8, 10**6)
    assert 0.0098 < low < 0.01 < high < 0.0102


def wave(rng, n):
    x = rng.uniform(-3, 3, size=(n, 1))
    return x, np.sin(2 * x[:, 0]) + 0.2 * rng.standard_normal(n)


def fitted_tube(x, y, epsilon=0.35, tol=1e-4):
    """``n * lam`` is fixed, so that leaving a row out is leaving its loss out."""
    return SVR(Gaussian(0.7), lam=0.5 / len(y), epsilon=epsilon, max_violation=tol).fit(x, y)


@pytest.mark.verify
def test_the_tube_of_a_support_vector_regression_becomes_a_prediction_band(protocol):
    """n = 400, about 9 % of fresh rows leave the tube; certified at .15 or less on average, and missed no oftener
    than delta = 0.05 allows over 200 fits, 5000 under ``make verify``.  Clopper-Pearson at 60 % confidence on the
    training rows, as if they were fresh, is missed more often than in 40 % of them."""
    rng, R = np.random.default_rng(0), protocol.of(200)
    fresh, target = wave(rng, 4000)
    found = []
    for _ in range(R):
        x, y = wave(rng, 400)
        model = fitted_tube(x, y)
        bound = svr_tube_bound(y - model.predict(x), 0.35, n_support=len(model.support_))
        truth = np.mean(np.abs(target - model.predict(fresh)) > 0.35)
        naive = beta.ppf(0.6, round(400 * bound.empirical) + 1, 400 - round(400 * bound.empirical))
        found.append((truth, bound.value, bound.value < truth, naive < truth))
    truth, value, missed, sabotaged = np.mean(found, axis=0)
    assert 0.085 < truth < 0.1
    assert value <= 0.15
    assert missed * R <= protocol.allowed(R)
    assert sabotaged * R > protocol.allowed(R, 0.4)


def test_rows_inside_the_tube_can_be_left_out_and_rows_outside_change_the_fit():
    """Preference on real fits: the kept rows alone give the same function, and every fresh row outside moves it."""
    rng = np.random.default_rng(1)
    x, y = wave(rng, 120)
    model = fitted_tube(x, y, tol=1e-10)
    kept = np.abs(y - model.predict(x)) >= 0.35 * (1 - 1e-6)
    again = fitted_tube(x[kept], y[kept], tol=1e-10)
    grid = np.linspace(-3, 3, 50)[:, None]
    np.testing.assert_allclose(again.predict(grid), model.predict(grid), atol=1e-6)
    assert len(model.support_) <= kept.sum() < 120
    outside = np.array([[0.0]]), model.predict([[0.0]]) + 0.5
    moved = fitted_tube(np.vstack([x, outside[0]]), np.append(y, outside[1]), tol=1e-10)
    assert np.abs(moved.predict(grid) - model.predict(grid)).max() > 1e-3


def test_counting_only_rows_outside_the_tube_is_too_few():
    """Free support vectors lie exactly on the tube: they are part of the compressed set."""
    x, y = wave(np.random.default_rng(2), 200)
    model = fitted_tube(x, y)
    bound = svr_tube_bound(y - model.predict(x), 0.35)
    assert bound.inputs["k"] >= len(model.support_) > 200 * bound.empirical
    assert svr_tube_bound(y - model.predict(x), 0.35, n_support=199).inputs["k"] == 199
    assert svr_tube_bound(np.ones(10), 0.0).value == 1.0


@pytest.mark.verify
def test_the_margin_of_a_support_vector_machine_is_certified(protocol):
    """n = 200, two overlapping clouds: P(t f < 1) and the error; 150 fits, 5000 under ``make verify``; the training
    share of small margins is missed more often than a fair coin would allow."""
    rng, R = np.random.default_rng(3), protocol.of(150)
    cloud = lambda n: (lambda t: (rng.standard_normal((n, 2)) + 1.2 * t[:, None], t))(rng.choice([-1.0, 1.0], size=n))
    fresh, labels = cloud(3000)
    found = []
    for _ in range(R):
        X, t = cloud(200)
        model = SVC(Gaussian(1.0), lam=0.5 / 200, max_violation=1e-4).fit(X, t)
        bound = svm_margin_bound(t * model.decision_function(X), n_support=len(model.support_))
        margins = labels * model.decision_function(fresh)
        small, wrong = np.mean(margins < 1), np.mean(margins <= 0)
        found.append((small, bound.value, bound.value < small, bound.empirical < small, wrong <= bound.value))
    small, value, missed, sabotaged, right = np.mean(found, axis=0)
    assert missed * R <= protocol.allowed(R)
    assert sabotaged * R > protocol.allowed(R, 0.5)
    assert right * R >= R - protocol.allowed(R)
    assert value < small + 0.15


@pytest.mark.verify
def test_a_converged_perceptron_is_certified_by_the_rows_that_updated_it(protocol):
    """n = 200 separable rows in 5 dimensions: 200 runs, 5000 under ``make verify``; the training error, which is zero,
    says nothing."""
    rng, R = np.random.default_rng(4), protocol.of(200)
    truth = rng.standard_normal(5)
    fresh = rng.standard_normal((4000, 5))
    missed = smaller = 0
    for _ in range(R):
        X = rng.standard_normal((200, 5))
        run = perceptron(X, np.sign(X @ truth), max_epochs=100_000)
        assert run.converged
        bound = perceptron_compression_bound(run.mistakes)
        missed += bound.value < np.mean(np.sign(fresh @ run.coef) != np.sign(fresh @ truth))
        smaller += bound.value < classical_compression_bound(200, int(bound.inputs["k"])).value
    assert missed <= protocol.allowed(R)
    assert smaller == R


@pytest.mark.verify
def test_a_perceptron_stopped_early_counts_the_rows_it_still_gets_wrong(protocol):
    """5 epochs over noisy labels, 300 runs, 5000 under ``make verify``."""
    rng, R, missed = np.random.default_rng(5), protocol.of(300), 0
    draw = lambda n: (lambda X: (X, np.sign(X[:, 0] + 0.7 * rng.standard_normal(n))))(rng.standard_normal((n, 3)))
    fresh, labels = draw(4000)
    for _ in range(R):
        X, t = draw(150)
        run = perceptron(X, t, max_epochs=5)
        wrong = t * (X @ run.coef) <= 0
        bound = perceptron_compression_bound(run.mistakes, wrong=wrong)
        assert bound.inputs["k"] == np.sum(wrong | (run.mistakes > 0))
        missed += bound.value < np.mean(labels * (fresh @ run.coef) <= 0)
    assert missed <= protocol.allowed(R)


def test_reference_numbers_of_the_perceptron():
    """n = 200, k = 38: .28 against .47 by classical compression."""
    mistakes = np.r_[np.full(38, 3), np.zeros(162)]
    assert round(perceptron_compression_bound(mistakes).value, 2) == 0.28
    assert round(classical_compression_bound(200, 38).value, 2) == 0.47


def test_binomial_tails_are_inverted_where_cumulative_functions_underflow():
    """Exact rational arithmetic at log P = -1000 and below; Clopper-Pearson where both work."""
    for n, errors, log_delta in ((400, 5, -1000.0), (300, 40, -1500.0)):
        p = largest_error_rate(n, errors, log_delta)
        exact = Fraction(p)
        total = sum(math.comb(n, i) * exact**i * (1 - exact) ** (n - i) for i in range(errors + 1))
        np.testing.assert_allclose(math.log(total.numerator) - math.log(total.denominator), log_delta, rtol=1e-9)
        assert binom.cdf(errors, n, p) == 0.0  # what an inversion of it would have stumbled over
    np.testing.assert_allclose(largest_error_rate(500, 10, math.log(0.05)), beta.ppf(0.95, 11, 490), rtol=1e-10)
    np.testing.assert_allclose(largest_error_rate(500, 0, math.log(0.05)), 1 - 0.05 ** (1 / 500), rtol=1e-12)
    np.testing.assert_allclose(largest_error_rate(50, 5, math.log(0.9)), beta.ppf(0.1, 6, 45), rtol=1e-10)
    assert largest_error_rate(5, 5, -1.0) == 1.0


def test_classical_compression_at_large_k_is_not_far_too_small():
    """n = 20000, k = 1000: about .22, although C(n, k) is beyond floats."""
    bound = classical_compression_bound(20_000, 1000)
    log_delta = math.log(0.05 / 20_000) - math.log(math.comb(20_000, 1000))
    np.testing.assert_allclose(bound.value, -math.expm1(log_delta / 19_000), rtol=1e-9)
    assert classical_compression_bound(20_000, 1000, errors=3).value > bound.value > 0.15
    assert classical_compression_bound(10, 10).value == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: compression_risk(10, 11),
        lambda: compression_risk(10, -1),
        lambda: compression_risk(0, 0),
        lambda: compression_risk(10, 1, delta=0.0),
        lambda: compression_interval(10, 1, delta=1.0),
        lambda: svr_tube_bound([np.nan], 0.1),
        lambda: svr_tube_bound([0.1], -0.1),
        lambda: svm_margin_bound([]),
        lambda: perceptron_compression_bound([1, 0], wrong=[True]),
        lambda: classical_compression_bound(10, 3, errors=8),
    ],
)
def test_bad_input_is_refused(wrong):
    with pytest.raises(ValueError, match=r"must "):
        wrong()


def test_an_offset_that_is_free_within_an_interval_costs_two_more_rows():
    """Uniform targets in a tube that just holds them: f = 0, no support vector, and the offset is the midpoint of the
    extremes, which two rows decide.  All n = 40 fit with probability (1 + u) e^-u where k = 0 allows e^-u only
    (u = n t, t the share outside): without the two rows the bound is missed too often, with them it is not.
    500 fits at delta = 0.5, false alarm 1e-6 each way."""
    rng, R, n, delta = np.random.default_rng(6), 500, 40, 0.5
    share = compression_risk(n, 0, delta) + 1e-9
    epsilon, without, missed, certified = (1 - share) / 2, 0, 0, 0
    for _ in range(R):
        x, y = rng.uniform(size=(n, 1)), rng.uniform(size=n)
        model = SVR(Linear(), lam=1e6, epsilon=epsilon, max_violation=1e-6).fit(x, y)
        b = model.intercept_
        truth = 1 - (min(b + epsilon, 1.0) - max(b - epsilon, 0.0))
        residuals, support = y - model.predict(x), len(model.support_)
        free = np.ptp(model.intercept_interval_) > 1e-6
        about = {"n_support": support, "tolerance": 1e-6, "delta": delta}
        plain = svr_tube_bound(residuals, epsilon, **about)
        right = svr_tube_bound(residuals, epsilon, free_offset=free, **about)
        assert right.inputs["k"] == plain.inputs["k"] + 2 * free
        without += plain.value < truth - 1e-12
        missed += right.value < truth - 1e-12
        certified += model.certificate(delta=delta).bound < truth - 1e-12
    assert without > binom.ppf(1 - 1e-6, R, delta)
    assert max(missed, certified) <= binom.ppf(1 - 1e-6, R, delta)


def test_two_rows_for_the_offset_are_never_more_than_there_are():
    assert svr_tube_bound(np.ones(10), 0.5, free_offset=True).inputs["k"] == 10
    assert svm_margin_bound(np.full(10, 2.0), free_offset=True).inputs["k"] == 2
