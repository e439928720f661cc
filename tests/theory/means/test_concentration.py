"""Every published number of the bounds on a mean, and what must be true of each of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import betaln, rel_entr
from scipy.stats import beta, binom, binomtest
from statsmodels.stats.proportion import proportion_confint

from surefit.theory.means.betting import betting, star, wsr
from surefit.theory.means.concentration import (
    binomial_upper,
    catoni,
    chernoff,
    clopper_pearson,
    dkw_slack,
    empirical_bernstein,
    hoeffding,
    hoeffding_bentkus,
    hoeffding_tail,
    largest_mean,
    lower_bound,
    mcdiarmid,
    mcdiarmid_tail,
)
from surefit.theory.means.sequences import bernoulli_sequence, betting_sequence

COLUMNS = (
    hoeffding, chernoff, hoeffding_bentkus, clopper_pearson, empirical_bernstein, wsr, star,
    "confseq", bernoulli_sequence, betting_sequence,
)  # fmt: skip
TABLE = """
50 k=0 .1731 .0582 .0582 .0582 .1757 .0623 .0582 .0625 .1046 .1099
50 k=1 .1931 .1096 .1096 .0914 .2500 .1125 .0906 .1130 .1551 .1352
50 k=5 .2731 .2338 .2262 .1988 .3921 .2342 .2372 .2345 .2865 .2410
50 k=15 .4731 .4698 .4552 .4237 .6535 .4657 .4310 .4660 .5251 .4926
50 1,9 .2727 .2333 .2262 - .3097 .1663 .1649 .1665 .2860 .2007
50 2,8 .3728 .3581 .3461 - .4216 .2695 .2701 .2700 .4138 .2921
50 10,30 .4230 .4153 .4125 - .4515 .3144 .3091 .3145 .4711 .3338
500 k=0 .0547 .0060 .0060 .0060 .0172 .0061 .0060 .0065 .0133 .0119
500 k=10 .0747 .0393 .0376 .0337 .0543 .0477 .0344 .0480 .0508 .0395
500 k=50 .1547 .1360 .1317 .1249 .1537 .1398 .1298 .1400 .1544 .1381
500 k=150 .3547 .3516 .3450 .3355 .3730 .3500 .3367 .3505 .3758 .3658
500 1,9 .1547 .1360 .1317 - .1282 .1108 .1099 .1110 .1543 .1132
500 2,8 .2547 .2460 .2403 - .2319 .2139 .2113 .2140 .2683 .2158
500 10,30 .3047 .2993 .2930 - .2755 .2584 .2575 .2585 .3227 .2604
5000 k=0 .0173 .0006 .0006 .0006 .0017 .0006 .0006 .001 .0016 .0012
5000 k=100 .0373 .0252 .0246 .0236 .0271 .0236 .0239 .024 .0286 .0238
5000 k=500 .1173 .1107 .1092 .1073 .1132 .1103 .1082 .111 .1172 .1118
5000 k=1500 .3173 .3160 .3138 .3108 .3193 .3138 .3113 .314 .3254 .3271
5000 1,9 .1173 .1107 .1092 - .1052 .1030 .1026 .103 .1172 .1040
5000 2,8 .2173 .2141 .2121 - .2064 .2040 .2032 .204 .2225 .2058
5000 10,30 .2673 .2652 .2630 - .2543 .2522 .2519 .253 .2742 .2529
"""


def published():
    """Rows of the table: (n, sample, numbers)."""
    for line in TABLE.strip().splitlines():
        n, kind, *numbers = line.split()
        yield pytest.param(int(n), kind, numbers, id=f"{n}-{kind}")


def sample(n, kind):
    """The deterministic samples that the table was computed on: k ones, or quantiles of a beta law, shuffled."""
    if kind.startswith("k="):
        x = (np.arange(n) < int(kind[2:])).astype(float)
    else:
        x = beta.ppf((np.arange(n) + 0.5) / n, *map(int, kind.split(",")))
    return np.random.default_rng(0).permutation(x)


@pytest.mark.parametrize(("n", "kind", "numbers"), list(published()))
def test_every_bound_equals_its_published_number(n, kind, numbers):
    x = sample(n, kind)
    for bound, number in zip(COLUMNS, numbers, strict=True):
        if callable(bound) and number != "-":
            assert round(float(bound(x)), 4) == float(number), bound.__name__


MEANS = {
    "50 1,9": 0.0996, "50 2,8": 0.1997, "50 10,30": 0.2499, "500 1,9": 0.1000, "500 2,8": 0.2000, "500 10,30": 0.2500,
    "5000 1,9": 0.1000, "5000 2,8": 0.2000, "5000 10,30": 0.2500,
}  # fmt: skip


@pytest.mark.parametrize(("n", "kind", "numbers"), list(published()))
def test_samples_have_the_published_means(n, kind, numbers):
    mean = int(kind[2:]) / n if kind.startswith("k=") else MEANS[f"{n} {kind}"]
    assert round(sample(n, kind).mean(), 4) == mean


@pytest.mark.parametrize(("n", "kind", "numbers"), list(published()))
def test_bets_are_no_wider_than_those_of_confseq(n, kind, numbers):
    """The bound that is offered and the root alike; the grid alone is wider twice, by 0.003 and by 0.0001."""
    limit = float(numbers[COLUMNS.index("confseq")])
    assert wsr(sample(n, kind)) <= limit
    assert betting(sample(n, kind)) <= limit


def test_betting_needs_a_third_of_the_slack_of_hoeffding():
    x = sample(200, "2,8")
    assert betting(x) - x.mean() <= (hoeffding(x) - x.mean()) / 3


def test_clopper_pearson_agrees_with_statsmodels_and_scipy():
    for k, n in ((0, 30), (3, 50), (10, 500), (49, 50)):
        ours = binomial_upper(k, n, 0.05)
        theirs = binomtest(k, n, alternative="less").proportion_ci(0.95).high
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
        np.testing.assert_allclose(ours, proportion_confint(k, n, alpha=0.1, method="beta")[1], rtol=1e-9)


@pytest.mark.parametrize(("models", "number"), [(1, 0.0337), (5, 0.0399), (20, 0.0446), (100, 0.0497)])
def test_several_models_share_the_failure_probability(models, number):
    """Catalogue T-25, done exactly."""
    assert round(float(binomial_upper(10, 500, 0.05 / models)), 4) == number


def test_clopper_pearson_keeps_its_digits_at_tiny_failure_probabilities():
    np.testing.assert_allclose(binomial_upper(0, 10_000, 1e-250), -np.expm1(np.log(1e-250) / 10_000), rtol=1e-12)
    p = binomial_upper(3, 200, 1e-100)
    k = np.arange(4)
    tail = np.logaddexp.reduce(binom.logpmf(k, 200, p))
    np.testing.assert_allclose(tail, np.log(1e-100), rtol=1e-10)


def test_hoeffding_and_mcdiarmid_give_the_catalogue_numbers():
    """Catalogue T-24, T-26, T-27, T-28."""
    assert round(2 * float(hoeffding_tail(0.05, 1000)), 9) == 0.013475894
    assert round(float(hoeffding(np.zeros(1000))), 9) == 0.038702276
    assert 2 * binom.sf(29, 50, 0.5) == pytest.approx(0.2026, abs=5e-5)
    assert 2 * float(hoeffding_tail(0.1, 50)) == pytest.approx(0.7358, abs=5e-5)
    c = np.full(40, 3.0 / 40)
    x = np.linspace(0, 3, 40)
    np.testing.assert_allclose(mcdiarmid(x.mean(), c), hoeffding(x, upper=3.0))
    np.testing.assert_allclose(mcdiarmid_tail(0.2, c), hoeffding_tail(0.2, 40, upper=3.0))
    replaced = np.concatenate([[3.0], x[1:]])
    assert abs(replaced.mean() - x.mean()) <= c[0]


def test_the_tail_is_one_where_the_deviation_is_none():
    assert hoeffding_tail(0.0, 10) == 1.0
    assert hoeffding_tail(-0.1, 10) == 1.0


def test_bentkus_rounds_up():
    """Half losses: floor would claim the bound of no error at all."""
    x = np.array([0.99] + [0.0] * 49)
    assert hoeffding_bentkus(x) >= min(chernoff(x), binomial_upper(1, 50, 0.05 / np.e)) - 1e-12


BOUNDS = (hoeffding, chernoff, hoeffding_bentkus, empirical_bernstein, wsr, star, bernoulli_sequence, betting_sequence)


@pytest.mark.parametrize("bound", [*BOUNDS, betting], ids=lambda f: f.__name__)
class TestEveryBound:
    def test_scales_with_the_declared_range(self, bound):
        x = sample(60, "2,8")
        np.testing.assert_allclose(bound(7.0 * x, upper=7.0), 7.0 * bound(x), rtol=1e-9)

    def test_answers_a_table_row_by_row(self, bound):
        X = np.random.default_rng(3).beta(1, 4, size=(4, 37))
        np.testing.assert_allclose(bound(X), [bound(row) for row in X], rtol=1e-9)

    def test_falls_as_delta_grows(self, bound):
        x = sample(80, "2,8")
        values = [bound(x, delta) for delta in (1e-6, 0.01, 0.05, 0.2)]
        assert np.all(np.diff(values) < 0)

    def test_falls_as_the_same_losses_repeat(self, bound):
        x = sample(40, "2,8")
        assert bound(np.tile(x, 4)) < bound(x)

    def test_stays_within_the_range(self, bound):
        for x in (np.ones(20), np.zeros(20), np.array([1.0, 0.0])):
            assert x.mean() <= bound(x) <= 1.0

    @pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 5, np.nan])
    def test_refuses_a_delta_outside_the_open_interval(self, bound, delta):
        with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1"):
            bound(np.zeros(30), delta)

    @pytest.mark.parametrize("bad", [[0.2, 1.5], [-0.1, 0.3], [0.1, np.nan], [0.1, np.inf], [], 0.3])
    def test_refuses_losses_outside_the_declared_range(self, bound, bad):
        with pytest.raises(ValueError, match=r"losses must lie in \[0, 1\]|no losses"):
            bound(bad)


@given(st.integers(2, 60), st.data())
def test_bounds_that_count_rise_with_every_error(n, data):
    k = data.draw(st.integers(0, n - 1))
    for bound in (hoeffding, chernoff, hoeffding_bentkus, clopper_pearson, bernoulli_sequence):
        fewer, more = (np.arange(n) < k).astype(float), (np.arange(n) < k + 1).astype(float)
        assert bound(fewer) <= bound(more)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40))
def test_exact_bounds_are_above_the_mean_and_chernoff_beats_hoeffding(values):
    x = np.array(values)
    for bound in (hoeffding, chernoff, hoeffding_bentkus, bernoulli_sequence):
        assert bound(x) >= x.mean() - 1e-12
    assert chernoff(x) <= hoeffding(x) + 1e-11


def smallest_mean(evidence, target, most):
    """The ``m`` up to ``most`` at which ``evidence(m)``, falling in ``m``, is ``target``; zero where it never is."""
    tiny = 1e-12
    return brentq(lambda m: evidence(m) - target, tiny, most - tiny, xtol=1e-14) if evidence(tiny) > target else 0.0


def wealth_of_small_means(x, delta):
    """Log wealth of the bettor of `wsr` who gains from *large* losses, against ``m``, straight from the formulas."""
    target, n = -np.log(delta), len(x)
    count = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(x)) / (count + 1)
    variance = np.append(0.25, ((0.25 + np.cumsum((x - means) ** 2)) / (count + 1))[:-1])
    stakes = np.minimum(1.0, np.sqrt(2 * target / (n * variance)))
    return lambda m: np.max(np.cumsum(np.log1p(stakes * (x - m))))


@pytest.mark.parametrize("kind", ["2,8", "1,9", "10,30", "k=5", "k=15"])
def test_lower_ends_are_those_of_their_own_definitions(kind):
    """Each written for small means from the start, not mirrored: what x -> 1 - x must not change."""
    x, delta = sample(50, kind), 0.025
    n, total, mean, log, whole = 50, x.sum(), x.mean(), -np.log(delta), np.floor(x.sum())
    kl = lambda m: n * (rel_entr(mean, m) + rel_entr(1 - mean, 1 - m))
    mixture = betaln(0.5 + total, 0.5 + n - total) - betaln(0.5, 0.5)
    ratio = lambda m: mixture - total * np.log(m) - (n - total) * np.log1p(-m)
    spread = np.sqrt(2 * x.var(ddof=1) * np.log(2 / delta) / n) + 7 * np.log(2 / delta) / (3 * (n - 1))
    expected = {
        hoeffding: max(mean - np.sqrt(log / (2 * n)), 0.0),
        chernoff: smallest_mean(kl, log, mean),
        hoeffding_bentkus: max(smallest_mean(kl, log, mean), beta.ppf(delta / np.e, whole, n - whole + 1)),
        empirical_bernstein: max(mean - spread, 0.0),
        bernoulli_sequence: smallest_mean(ratio, log, mean),
        wsr: smallest_mean(wealth_of_small_means(x, delta), log, 1.0),
    }
    if kind.startswith("k="):
        expected[clopper_pearson] = binomtest(int(x.sum()), n).proportion_ci(0.95).low
    for bound, low in expected.items():
        assert lower_bound(bound, x, delta) == pytest.approx(low, rel=1e-8, abs=1e-10), bound.__name__


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=30), st.floats(0.001, 0.4))
def test_the_ends_of_an_interval_are_on_their_sides_and_move_apart_with_confidence(values, delta):
    """Not true of bets, whose bound may pass the mean of the sample after a lucky start."""
    x = np.array(values)
    for bound in (hoeffding, chernoff, hoeffding_bentkus, bernoulli_sequence):
        low, high = lower_bound(bound, x, delta), bound(x, delta)
        assert low - 1e-12 <= x.mean() <= high + 1e-12
        assert lower_bound(bound, x, delta / 2) <= low + 1e-12
        assert bound(x, delta / 2) >= high - 1e-12


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=30), st.randoms(use_true_random=False))
def test_bounds_that_do_not_bet_forget_the_order(values, random):
    other = list(values)
    random.shuffle(other)
    for bound in (hoeffding, chernoff, hoeffding_bentkus, empirical_bernstein, bernoulli_sequence):
        assert bound(other) == pytest.approx(bound(values), rel=1e-9)


@given(st.integers(2, 60), st.data())
def test_bounds_that_count_fall_with_every_row_without_an_error(n, data):
    k = data.draw(st.integers(0, n - 1))
    for bound in (hoeffding, chernoff, hoeffding_bentkus, clopper_pearson, bernoulli_sequence):
        fewer, more = ((np.arange(rows) < k).astype(float) for rows in (n, n + 1))
        assert bound(more) <= bound(fewer) + 1e-12


@given(st.lists(st.floats(0.0, 1.0), min_size=3, max_size=30), st.data())
def test_a_larger_loss_never_lowers_a_bound_that_ignores_the_variance(values, data):
    place = data.draw(st.integers(0, len(values) - 1))
    raised = np.array(values)
    raised[place] = data.draw(st.floats(values[place], 1.0))
    for bound in (hoeffding, chernoff, hoeffding_bentkus, bernoulli_sequence):
        assert bound(raised) >= bound(values) - 1e-12


def test_clopper_pearson_refuses_values_between_zero_and_one():
    with pytest.raises(ValueError, match="0 or 1; use betting"):
        clopper_pearson([0.0, 0.5])


def test_empirical_bernstein_refuses_one_loss():
    with pytest.raises(ValueError, match="needs two losses"):
        empirical_bernstein([0.5])


def test_the_slack_of_catoni_is_the_smallest_escape():
    """d = (1 - sqrt(1 - a^2 v - 2 L / n)) / a at the chosen a equals sqrt(2 v L / (n - 2 L)), and no a does better."""
    n, v, log = 100, 2.5, np.log(20)
    slack = np.sqrt(2 * v * log / (n - 2 * log))
    best = np.sqrt(2 * log / (n * (v + slack**2)))
    a = best * np.array([0.8, 0.95, 1.0, 1.05, 1.2])
    escape = (1 - np.sqrt(1 - a**2 * v - 2 * log / n)) / a
    assert escape[2] == pytest.approx(slack, rel=1e-12)
    assert np.all(escape >= slack * (1 - 1e-12))


def test_catoni_resists_one_wild_value():
    """The mean moves by a million, the bound by less than one: each value counts only by its logarithm."""
    x = np.random.default_rng(0).normal(size=400)
    wild = np.append(x, 4e8)
    assert abs(catoni(wild, variance_bound=1.0) - catoni(x, variance_bound=1.0)) < 1.0


@pytest.mark.parametrize(
    ("values", "variance", "message"),
    [
        (np.zeros(5), 1.0, "more than 2 ln"),
        (np.zeros(50), 0.0, "variance_bound"),
        ([np.nan] * 50, 1.0, "finite"),
        (0.5, 1.0, "shape"),
    ],
)
def test_catoni_refuses_what_it_cannot_bound(values, variance, message):
    with pytest.raises(ValueError, match=message):
        catoni(values, variance_bound=variance)


def test_catoni_answers_a_table_row_by_row_and_falls_as_delta_grows():
    X = np.random.default_rng(3).standard_t(3, size=(2, 4, 60))
    rows = [[catoni(row, variance_bound=3.0) for row in table] for table in X]
    np.testing.assert_allclose(catoni(X, variance_bound=3.0), rows, rtol=1e-9)
    assert np.all(np.diff([catoni(X[0, 0], delta, variance_bound=3.0) for delta in (1e-6, 0.01, 0.05, 0.2)]) < 0)
    np.testing.assert_allclose(catoni(5 * X, variance_bound=75.0), 5 * catoni(X, variance_bound=3.0), rtol=1e-9)


def test_the_one_sided_band_needs_a_delta_up_to_a_half():
    with pytest.raises(ValueError, match=r"delta <= 0.5"):
        dkw_slack(60, 0.6)


def test_largest_mean_inverts_the_divergence():
    kl = lambda q, p: q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))
    for q in (0.01, 0.3, 0.9):
        for c in (1e-6, 0.01, 0.5):
            np.testing.assert_allclose(kl(q, float(largest_mean(q, c))), c, rtol=1e-6)
    np.testing.assert_allclose(largest_mean(0.0, 0.2), -math.expm1(-0.2), rtol=1e-12)
    np.testing.assert_allclose(largest_mean(0.3, 0.0), 0.3, atol=1e-7)
    assert largest_mean(0.9, 1000.0) == largest_mean(1.0, 0.1) == 1.0
