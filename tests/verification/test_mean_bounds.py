"""The verification protocol for bounds on a mean: every method, law and size by simulation, from both sides.

In the suite 2000 samples of 50 and of 200; under ``make verify`` 5000, and sizes up to 1000.  A right bound is accused
with probability at most 1e-4 per law and size.  Where a bound is slow, a stand-in that misses at least as often is
simulated, and the stand-in is compared with the bound.
"""

import numpy as np
import pytest
from scipy.stats import binom

from surefit.testing import check_bound
from surefit.testing.certificate import BINARY_LAWS, LAWS, bernoulli, beta_law, simulated, sorted_law, two_points
from surefit.theory.certificates.holdout import mean_certificate
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.means.arguments import safe_root
from surefit.theory.means.betting import (
    STAR_GRID,
    STAR_LIMIT,
    betting,
    predictable_variance,
    star,
    star_rejections,
    wsr,
)
from surefit.theory.means.concentration import (
    binomial_upper,
    chernoff,
    clopper_pearson,
    empirical_bernstein,
    hoeffding,
    hoeffding_bentkus,
    lower_bound,
)
from surefit.theory.means.sequences import bernoulli_sequence, betting_sequence, martingale_bernstein, martingale_kl

pytestmark = pytest.mark.verify

UNORDERED = (hoeffding, chernoff, hoeffding_bentkus, empirical_bernstein, bernoulli_sequence, martingale_kl)
ORDERED = (wsr, betting_sequence, martingale_bernstein)
SORTED = tuple(sorted_law(law) for law in LAWS)


def mixed(losses):
    """As `betting` does before it bets, each row with its own seed: for a sorted file the promise is over seeds too."""
    return np.array([row[np.random.default_rng(seed).permutation(len(row))] for seed, row in enumerate(losses)])


def star_at(mean):
    """A stand-in for `star` that costs one candidate: zero where the largest candidate below the mean falls, else one.

    `star` can only be below the mean if that candidate falls, so its misses are among those of this one.
    """
    candidate = np.ceil(round((1.0 - mean) * STAR_GRID, 6)) / STAR_GRID

    def bound(losses, delta):
        fallen = np.empty(len(losses), dtype=np.int64)
        gains = np.ascontiguousarray(1.0 - mixed(losses))
        star_rejections(gains, -np.log(delta), np.array([candidate]), fallen)
        return 1.0 - fallen

    return bound


def wsr_at(mean):
    """A stand-in for `wsr`: zero where the wealth against the mean itself reaches its target; that decides a miss."""

    def bound(losses, delta):
        x, target = mixed(losses), -np.log(delta)
        stakes = np.minimum(1.0, np.sqrt(2 * target / (x.shape[-1] * predictable_variance(x))))
        return 1.0 - (np.log1p(stakes * (mean - x)).cumsum(axis=-1).max(axis=-1) >= target)

    return bound


named = {"ids": lambda one: getattr(one, "name", None) or one.__name__}


@pytest.mark.parametrize("law", LAWS, **named)
@pytest.mark.parametrize("bound", [*UNORDERED, *ORDERED], **named)
def test_every_bound_covers_every_law(bound, law, protocol):
    check_bound(bound, laws=[law], repeats=protocol.repeats, sizes=protocol.sizes)


@pytest.mark.parametrize("law", SORTED, **named)
@pytest.mark.parametrize("bound", UNORDERED, **named)
def test_bounds_that_ignore_the_order_cover_sorted_files(bound, law, protocol):
    check_bound(bound, laws=[law], repeats=protocol.repeats, sizes=protocol.sizes)


@pytest.mark.parametrize("law", [*LAWS, *SORTED], **named)
def test_re_targeted_bets_cover_every_law_and_sorted_files(law, protocol):
    check_bound(star_at(law.mean), laws=[law], repeats=protocol.repeats, sizes=protocol.sizes)


@pytest.mark.parametrize("law", [*LAWS, *SORTED], **named)
def test_bets_beyond_the_grid_cover_every_law_and_sorted_files(law, protocol):
    """The branch of `betting` above 10,000 losses: 300 samples in the suite, 5000 under ``make verify``."""
    check_bound(wsr_at(law.mean), laws=[law], repeats=protocol.of(300), sizes=[STAR_LIMIT + 1])


@pytest.mark.parametrize("law", [*BINARY_LAWS, *SORTED[:3]], **named)
def test_clopper_pearson_covers_errors(law, protocol):
    check_bound(clopper_pearson, laws=[law], repeats=protocol.repeats, sizes=protocol.sizes)


def test_stand_ins_miss_wherever_their_bounds_do():
    """`star` only there, `wsr` exactly there; at delta = 0.5 there are enough misses to see it."""
    for law in (bernoulli(0.3), beta_law(2, 8)):
        losses = law.draw(np.random.default_rng(3), (60, 40))
        below = star(mixed(losses), 0.5) < law.mean
        assert below.sum() > 0
        assert np.all(star_at(law.mean)(losses, 0.5)[below] == 0.0)
        np.testing.assert_array_equal(wsr(mixed(losses), 0.5) < law.mean, wsr_at(law.mean)(losses, 0.5) == 0.0)


@pytest.mark.parametrize("n", [20, STAR_LIMIT + 1], ids=["grid", "root"])
def test_betting_itself_covers_sorted_files(n, protocol):
    """The entry point with its own shuffle, on both of its branches: 200 files in the suite, each with its own seed."""
    R, law = protocol.of(200, 5000 if n < 50 else 2000), sorted_law(bernoulli(0.3))
    files = law.draw(np.random.default_rng(9), (R, n))
    missed = sum(betting(file, seed=seed) < law.mean for seed, file in enumerate(files))
    assert missed <= protocol.allowed(R)


def test_one_order_for_all_sorted_files_of_a_length_is_caught():
    """What the promise for sorted files is about: the draw of the order.  Seed 0 is unlucky at this n: 31 % misses."""
    order = np.random.default_rng(0).permutation(STAR_LIMIT + 1)
    with pytest.raises(AssertionError, match=r"of 300 samples of Bernoulli.0.01., sorted"):
        check_bound(lambda x, delta: wsr(x[:, order], delta), laws=SORTED[:1], sizes=[STAR_LIMIT + 1], repeats=300)


@pytest.mark.parametrize("law", [SORTED[0], SORTED[2], SORTED[3]], **named)
def test_certificates_cover_sorted_files_with_the_seed_that_their_rows_decide(law, protocol):
    """Each file has rows of its own, of which the losses are one column: 300 in the suite, 2000 under ``make verify``.

    Losses of many values decide the seed alone.
    """
    R, n, rng = protocol.of(300, 2000), STAR_LIMIT + 1, np.random.default_rng(10)
    files = law.draw(rng, (R, n))
    shuffles = [None if law is SORTED[3] else Shuffle.of(rng.random(n)) for _ in range(R)]
    missed = sum(
        mean_certificate(file, shuffle=shuffle).bound < law.mean for file, shuffle in zip(files, shuffles, strict=True)
    )
    assert missed <= protocol.allowed(R)


@pytest.mark.parametrize("law", LAWS, **named)
@pytest.mark.parametrize("bound", [*UNORDERED, *ORDERED, clopper_pearson], **named)
def test_lower_bounds_cover_every_law(bound, law, protocol):
    if bound is clopper_pearson and law not in BINARY_LAWS:
        with pytest.raises(ValueError, match="0 or 1"):
            lower_bound(bound, law.draw(np.random.default_rng(0), (1, 5)))
        return
    for n in protocol.sizes:
        below = lambda losses, delta: lower_bound(bound, losses, delta)
        ends = simulated(below, law, n, delta=0.05, repeats=protocol.repeats, seed=1)
        assert np.sum(ends > law.mean + 1e-12) <= protocol.allowed(protocol.repeats)


@pytest.mark.parametrize("law", LAWS, **named)
def test_lower_bounds_by_re_targeted_bets_cover_every_law(law, protocol):
    """The stand-in for the mirrored losses: `lower_bound(star)` misses only where `star` misses their mean."""
    mirrored = lambda losses, delta: star_at(1.0 - law.mean)(1.0 - losses, delta)
    for n in protocol.sizes:
        ends = simulated(mirrored, law, n, delta=0.05, repeats=protocol.repeats, seed=1)
        assert np.sum(ends == 0.0) <= protocol.allowed(protocol.repeats)


def two_halves(losses, delta):
    """Sabotage: the running maxima of two halves added up.  Each half may be lucky at its own time."""
    halves = np.array_split(losses, 2, axis=-1)
    target, n = -np.log(delta), losses.shape[-1]
    stakes = [np.minimum(1.0, np.sqrt(2 * target / (n * predictable_variance(half)))) for half in halves]

    def excess(m):
        paths = [np.log1p(s * (m[:, None] - x)).cumsum(axis=-1) for s, x in zip(stakes, halves, strict=True)]
        return sum(np.maximum(path.max(axis=-1), 0.0) for path in paths) - target

    return safe_root(excess, np.full(len(losses), 1e-9), np.ones(len(losses)))


def floored(losses, delta):
    """Sabotage: Clopper and Pearson on losses that are not 0 or 1, rounded down."""
    return binomial_upper(np.floor(losses.sum(axis=-1)), losses.shape[-1], delta)


def too_sure(losses, delta):
    """Sabotage: Hoeffding at 10 % confidence."""
    return hoeffding(losses, 0.9)


def with_a_normal_law(losses, delta):
    """Sabotage: mean plus 1.645 standard errors, as if the mean were normal."""
    return losses.mean(axis=-1) + 1.645 * losses.std(axis=-1) / np.sqrt(losses.shape[-1])


@pytest.mark.parametrize(
    ("sabotaged", "law", "n"),
    [
        (two_halves, bernoulli(0.3), 200),
        (floored, two_points(0.0, 0.99, 0.3), 50),
        (wsr, sorted_law(bernoulli(0.3)), 200),
        (betting_sequence, sorted_law(bernoulli(0.3)), 200),
        (too_sure, bernoulli(0.3), 200),
        (with_a_normal_law, beta_law(0.2, 1.8), 50),
    ],
    ids=["two halves", "floor", "unshuffled", "unshuffled sequence", "too sure", "normal"],
)
def test_sabotaged_bounds_are_caught(sabotaged, law, n):
    """The mildest, `floored`, misses 7.9 % and slips through 5000 samples with probability below 1e-5."""
    with pytest.raises(AssertionError, match=f"of 5000 samples of {law.name.replace('(', '.').replace(')', '.')}"):
        check_bound(sabotaged, laws=[law], sizes=[n], repeats=5000)


@pytest.mark.parametrize(
    ("law", "n"), [(bernoulli(0.3), 200), (bernoulli(0.3), 50), (beta_law(0.2, 1.8), 200)], ids=["200", "50", "beta"]
)
def test_two_halves_miss_as_often_as_published(law, n):
    """Published: 9 to 14 % at delta = 5 %, laws and sizes not named.  Here 9 to 12 %, up to 16 % on Bernoulli(0.05)."""
    bounds = simulated(two_halves, law, n, delta=0.05, repeats=2000, seed=0)
    assert 0.09 <= np.mean(bounds < law.mean) <= 0.14


def test_the_floored_bound_misses_as_often_as_computed_exactly():
    k = np.arange(51)
    wrong = binomial_upper(np.floor(0.99 * k), 50, 0.05) < 0.3 * 0.99
    assert binom.pmf(k, 50, 0.3)[wrong].sum() == pytest.approx(0.079, abs=5e-4)


def test_the_protocol_has_the_stated_power():
    assert binom.ppf(1 - 1e-4, 2000, 0.05) == 138
    assert binom.ppf(1 - 1e-4, 5000, 0.05) == 309
    assert round(binom.sf(138, 2000, 0.08), 2) == 0.96
    assert round(binom.sf(138, 2000, 0.10), 2) == 1.00
    assert round(binom.sf(309, 5000, 0.07), 2) == 0.99


FROZEN = {
    # mean slack of 2000 samples of 200: Beta(2, 8), Bernoulli(0.05)
    hoeffding: (0.0865, 0.0861),
    chernoff: (0.0747, 0.0458),
    hoeffding_bentkus: (0.0690, 0.0419),
    empirical_bernstein: (0.0664, 0.0841),
    wsr: (0.0208, 0.0462),
    bernoulli_sequence: (0.1074, 0.0694),
    betting_sequence: (0.0270, 0.0445),
    martingale_kl: (0.0978, 0.0615),
    martingale_bernstein: (0.0484, 0.0677),
    clopper_pearson: (None, 0.0326),
}


@pytest.mark.parametrize("bound", FROZEN, ids=lambda f: f.__name__)
def test_bounds_stay_as_sharp_as_they_were(bound):
    for law, frozen in zip((beta_law(2, 8), bernoulli(0.05)), FROZEN[bound], strict=True):
        if frozen is not None:
            slack = np.mean(simulated(bound, law, 200, delta=0.05, repeats=2000, seed=0)) - law.mean
            assert slack <= 1.02 * frozen


def test_re_targeted_bets_stay_as_sharp_as_they_were_and_need_a_third_of_the_slack_of_hoeffding(protocol):
    """The first 50 of 2000 samples in the suite, all of them under ``make verify``."""
    rows, column = (2000, 1) if protocol.full else (50, 0)
    for law, frozen in ((beta_law(2, 8), (0.0201, 0.0200)), (bernoulli(0.05), (0.0346, 0.0332))):
        slack = np.mean(simulated(star, law, 200, delta=0.05, repeats=rows, seed=0)) - law.mean
        assert slack <= 1.02 * frozen[column]
    assert np.mean(simulated(betting, beta_law(2, 8), 200, delta=0.05, repeats=20, seed=1)) - 0.2 <= 0.0865 / 3


PUBLISHED = {
    # mean slack at n = 200: Beta(2, 8), Bernoulli(0.05)
    hoeffding: (0.087, 0.087),
    chernoff: (0.075, 0.047),
    empirical_bernstein: (0.067, 0.085),
    clopper_pearson: (None, 0.033),
}


@pytest.mark.parametrize("bound", PUBLISHED, ids=lambda f: f.__name__)
def test_mean_slacks_equal_the_published_ones(bound):
    """Bernoulli(0.05): the exact expectation over the number of errors.  To the digits printed, except Chernoff's,
    which is .0463: the published .047 comes from 400 to 2000 samples, whose mean has a standard error of up to .0008.
    """
    k = np.arange(201)
    rows = (np.arange(200) < k[:, None]).astype(float)
    exact = binom.pmf(k, 200, 0.05) @ bound(rows) - 0.05
    smooth, counted = PUBLISHED[bound]
    assert exact == pytest.approx(counted, abs=8e-4 if bound is chernoff else 5e-4)
    if smooth is not None:
        slack = np.mean(simulated(bound, beta_law(2, 8), 200, delta=0.05, repeats=2000, seed=0)) - 0.2
        assert slack == pytest.approx(smooth, abs=7e-4)


def test_mean_slacks_of_bets_against_the_published_ones(protocol):
    """`wsr` on Beta(2, 8): .0208, published .021.  On Bernoulli(0.05) .0458 over 20,000 samples, published .043: the
    formula is that of the published table, whose 21 rows it gives to four digits.  Deviations from the mean *before*
    each loss would give .0434, and another table.  `star`: .0200 and .0332, published .022 and .035 from a grid that is
    not said: no wider."""
    means = {law.name: np.mean(simulated(wsr, law, 200, delta=0.05, repeats=5000, seed=0)) - law.mean for law in LAWS}
    assert means["Beta(2, 8)"] == pytest.approx(0.021, abs=5e-4)
    assert means["Bernoulli(0.05)"] == pytest.approx(0.0458, abs=1e-3)
    rows = protocol.of(100, 500)
    for law, most in ((beta_law(2, 8), 0.022), (bernoulli(0.05), 0.035)):
        bounds = simulated(star, law, 200, delta=0.05, repeats=rows, seed=0) - law.mean
        assert bounds.mean() <= most + 2 * bounds.std() / np.sqrt(rows)


def test_largest_misses_are_the_published_ones(protocol):
    """Published over its laws and sizes: WSR .0515, STaR .055, CP .046, Hoeffding and empirical Bernstein <= .005.  Of
    5000 samples a share of .05 varies by .003; two of these are allowed.  Clopper and Pearson's largest is exact."""
    largest = dict.fromkeys(("wsr", "star", "hoeffding", "bernstein"), 0.0)
    for law in LAWS:
        tried = {"wsr": wsr, "star": star_at(law.mean), "hoeffding": hoeffding, "bernstein": empirical_bernstein}
        for n in protocol.sizes:
            for name, bound in tried.items():
                bounds = simulated(bound, law, n, delta=0.05, repeats=5000, seed=0)
                largest[name] = max(largest[name], np.mean(bounds < law.mean - 1e-12))
    assert largest["wsr"] <= 0.0515 + 0.006
    assert largest["star"] <= 0.055 + 0.006
    assert max(largest["hoeffding"], largest["bernstein"]) <= 0.005
    exact = []
    for n in (50, 200, 1000):
        k = np.arange(n + 1)
        below = binomial_upper(k, n, 0.05)
        exact += [binom.pmf(k, n, p)[below < p].sum() for p in (0.01, 0.05, 0.3)]
    assert 0.04 < max(exact) <= 0.046
