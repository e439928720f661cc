"""The verification protocol: every bound by simulation, sabotaged ones caught, sharpness frozen.

In the suite: 2000 samples of 50 and of 200.  ``make verify`` sets SUREFIT_VERIFY: 5000 samples, sizes up to 1000.
A right bound is accused with probability at most 1e-4 per law and size.
"""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from surefit.testing import check_bound, check_certificate
from surefit.testing.certificate import (
    BINARY_LAWS,
    LAWS,
    bernoulli,
    beta_law,
    simulated,
    sorted_law,
    two_points,
)
from surefit.theory.betting import STAR_GRID, betting, predictable_variance, star, star_rejections, wsr
from surefit.theory.certificate import Assumption, Standing, Verdict
from surefit.theory.concentration import (
    binomial_upper,
    chernoff,
    clopper_pearson,
    empirical_bernstein,
    hoeffding,
    hoeffding_bentkus,
)
from surefit.theory.holdout import classifier_certificate
from surefit.theory.losses import safe_root
from surefit.theory.sequences import bernoulli_sequence, betting_sequence, martingale_bernstein, martingale_kl

FULL = "SUREFIT_VERIFY" in os.environ
PROTOCOL = {"repeats": 5000, "sizes": (50, 200, 1000)} if FULL else {"repeats": 2000, "sizes": (50, 200)}
ANY_LOSS = (
    hoeffding, chernoff, hoeffding_bentkus, empirical_bernstein, wsr, bernoulli_sequence, betting_sequence,
    martingale_kl, martingale_bernstein,
)  # fmt: skip


def shuffled(losses):
    """As `betting` does before it bets."""
    return losses[..., np.random.default_rng(0).permutation(losses.shape[-1])]


def star_at(mean):
    """A stand-in for `star` that costs one candidate: zero where the largest candidate below the mean falls, else one.

    `star` can only be below the mean if that candidate falls, so its misses are among those of this one.
    """
    candidate = np.ceil(round((1.0 - mean) * STAR_GRID, 6)) / STAR_GRID

    def bound(losses, delta):
        fallen = np.empty(len(losses), dtype=np.int64)
        gains = np.ascontiguousarray(1.0 - shuffled(losses))
        star_rejections(gains, -np.log(delta), np.array([candidate]), fallen)
        return 1.0 - fallen

    return bound


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("bound", ANY_LOSS, ids=lambda f: f.__name__)
def test_every_bound_covers_every_law(bound, law):
    check_bound(bound, laws=[law], **PROTOCOL)


@pytest.mark.parametrize("law", [*LAWS, sorted_law(bernoulli(0.3))], ids=lambda law: law.name)
def test_re_targeted_bets_cover_every_law_and_sorted_files(law):
    check_bound(star_at(law.mean), laws=[law], **PROTOCOL)


def test_misses_of_star_are_among_those_of_its_stand_in():
    law = bernoulli(0.3)
    losses = law.draw(np.random.default_rng(3), (60, 40))
    below = star(shuffled(losses), 0.5) < law.mean
    assert 0 < below.sum() <= (star_at(law.mean)(losses, 0.5) < law.mean).sum()


@pytest.mark.parametrize("law", [*BINARY_LAWS, sorted_law(bernoulli(0.3))], ids=lambda law: law.name)
def test_clopper_pearson_covers_errors(law):
    check_bound(clopper_pearson, laws=[law], **PROTOCOL)


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


@pytest.mark.parametrize(
    ("sabotaged", "law", "n"),
    [
        (two_halves, bernoulli(0.3), 200),
        (floored, two_points(0.0, 0.99, 0.3), 50),
        (wsr, sorted_law(bernoulli(0.3)), 200),
        (lambda losses, delta: hoeffding(losses, 0.9), bernoulli(0.3), 200),
    ],
    ids=["two halves", "floor", "unshuffled", "ten per cent confidence"],
)
def test_sabotaged_bounds_are_caught(sabotaged, law, n):
    """The mildest, `floored`, misses 7.9 % and slips through 5000 samples with probability below 1e-5."""
    with pytest.raises(AssertionError, match=f"of 5000 samples of {law.name.replace('(', '.').replace(')', '.')}"):
        check_bound(sabotaged, laws=[law], sizes=[n], repeats=5000)


def test_the_floored_bound_misses_as_often_as_computed_exactly():
    k = np.arange(51)
    wrong = binomial_upper(np.floor(0.99 * k), 50, 0.05) < 0.3 * 0.99
    assert binom.pmf(k, 50, 0.3)[wrong].sum() == pytest.approx(0.079, abs=5e-4)


def test_the_protocol_has_the_stated_power():
    assert binom.ppf(1 - 1e-4, 2000, 0.05) == 138
    assert binom.ppf(1 - 1e-4, 5000, 0.05) == 309
    assert round(binom.sf(138, 2000, 0.08), 2) == 0.96
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
}


@pytest.mark.parametrize("bound", FROZEN, ids=lambda f: f.__name__)
def test_bounds_stay_as_sharp_as_they_were(bound):
    for law, frozen in zip((beta_law(2, 8), bernoulli(0.05)), FROZEN[bound], strict=True):
        slack = np.mean(simulated(bound, law, 200, delta=0.05, repeats=2000, seed=0)) - law.mean
        assert slack <= 1.02 * frozen


def test_re_targeted_bets_stay_as_sharp_as_they_were_and_need_a_third_of_the_slack_of_hoeffding():
    for law, frozen in ((beta_law(2, 8), 0.0201), (bernoulli(0.05), 0.0346)):
        slack = np.mean(simulated(star, law, 200, delta=0.05, repeats=50, seed=0)) - law.mean
        assert slack <= 1.02 * frozen
    assert np.mean(simulated(betting, beta_law(2, 8), 200, delta=0.05, repeats=20, seed=1)) - 0.2 <= 0.0865 / 3


def test_bounds_of_the_wrong_shape_are_refused():
    with pytest.raises(AssertionError, match="one finite bound per row"):
        check_bound(lambda losses, delta: losses)
    with pytest.raises(AssertionError, match="one finite bound per row"):
        check_bound(lambda losses, delta: np.full(len(losses), np.inf))


GOOD = classifier_certificate(np.repeat([1, 0], [10, 490]))
VIOLATED = Assumption("rows are independent", Standing.VIOLATED)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 0.0}, "delta must lie between"),
        ({"bound": np.nan}, "must be numbers"),
        ({"bound": np.inf}, "must be VACUOUS"),
        ({"statement": "no sentence"}, "must be a sentence"),
        ({"assumptions": ()}, "without assumptions"),
        ({"assumptions": (VIOLATED,)}, "is violated"),
        ({"inputs": {"n": "500 rows"}}, "could not convert|JSON"),
        ({"further": (replace(GOOD, delta=2.0),)}, "delta must lie between"),
    ],
)
def test_dishonest_certificates_are_caught(change, message):
    check_certificate(GOOD)
    with pytest.raises((AssertionError, ValueError), match=message):
        check_certificate(replace(GOOD, **change))


def test_a_violated_assumption_may_be_admitted():
    check_certificate(replace(GOOD, assumptions=(VIOLATED,), status=Verdict.VACUOUS))
