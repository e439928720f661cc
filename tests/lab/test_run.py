"""Experiments are repeated from seeds, alike in any order and on any number of processes."""

import re

import numpy as np
import pytest

from surefit.lab.claim import Claim, Kind, Verdict
from surefit.lab.claims import every_claim
from surefit.lab.run import replay, run, run_all


def noisy(rng, n, wrong=False):
    return rng.normal(size=n).mean() + 1, 1.0


CLAIM = Claim("T-00", "a mean", "E = 1", (), Kind.MEAN, noisy, "none", settings={"n": 400}, variance=1 / 400)


def test_the_same_seed_gives_the_same_experiments_and_another_seed_others():
    one, two, other = run(CLAIM, seed=1), run(CLAIM, seed=1), run(CLAIM, seed=2)
    assert np.array_equal(one.ratios, two.ratios)
    assert not np.array_equal(one.ratios[:10], other.ratios[:10])


def test_a_repeat_is_replayed_by_its_number():
    assert replay(CLAIM, 7, seed=1) == run(CLAIM, seed=1).ratios[7]
    assert replay("T-11", 70, seed=1) == run("T-11", seed=1).ratios[70]  # one of 50 in its call


def test_repeats_count_what_the_verdict_counts_and_not_calls():
    outcome = run("T-11", repeats=70)
    assert len(outcome.ratios) == outcome.judgement.repeats == 70
    assert np.array_equal(outcome.ratios, run("T-11").ratios[:70])


@pytest.mark.parametrize("name", ["T-21", "T-24"])
def test_few_repeats_leave_an_identity_and_an_inequality_undecided(name):
    outcome = run(name, repeats=5)
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.judgement.sentence.endswith(
        "5 repeats: nothing speaks against it, but the claim asks for more repeats"
    )
    assert run(name, repeats=300).judgement.repeats == 300


def test_a_repeat_that_raises_is_kept_with_its_number():
    def fails(rng, wrong=False):
        raise ArithmeticError("no luck")

    outcome = run(Claim("T-00", "fails", "", (), Kind.MEAN, fails, ""))
    assert outcome.verdict is outcome.judgement.verdict is Verdict.UNDECIDED
    assert outcome.errors == ((0, "ArithmeticError: no luck"),)
    assert outcome.judgement.sentence == "undecided after 0 repeats: repeat 0 raised ArithmeticError: no luck"


def test_a_later_repeat_that_raises_is_numbered_among_the_repeats_and_leaves_the_claim_undecided():
    calls = iter([np.ones(3), np.ones(3)])
    draw = lambda rng, wrong=False: (next(calls), np.ones(3))
    outcome = run(Claim("T-00", "ends", "", (), Kind.AT_MOST, draw, "", draws=2))
    assert outcome.verdict is Verdict.HOLDS
    calls = iter([np.ones(3)])
    outcome = run(Claim("T-00", "ends", "", (), Kind.AT_MOST, draw, "", draws=2))
    assert (outcome.verdict, outcome.errors) == (Verdict.UNDECIDED, ((3, "StopIteration: "),))


def test_time_that_runs_out_leaves_a_claim_undecided():
    outcome = run(CLAIM, seconds=0.0)
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.judgement.reason.startswith("its 0 s are used up, and observed is ")


@pytest.mark.parametrize("n", [10, 11])
def test_an_infinite_prediction_is_tried_and_says_how_large_the_mean_is_at_least(n):
    """Catalogue T-20: the lower end is exceeded by the mean with probability 1 - 5e-9, and 2,000 repeats give one."""
    outcome = run("T-20", n=n, repeats=2000)
    assert outcome.broken == ("n >= d + 2", "n >= d + 4 for a finite variance")
    assert outcome.verdict is Verdict.UNDECIDED
    assert "an infinite mean is predicted, which no sample can show" in outcome.judgement.reason
    assert 1 < outcome.judgement.low < np.inf


@pytest.mark.parametrize("n", [12, 13])
def test_a_variance_that_is_infinite_is_the_reason_why_a_claim_is_undecided(n):
    outcome = run("T-20", n=n, repeats=400)
    assert outcome.broken == ("n >= d + 4 for a finite variance",)
    assert outcome.judgement.reason.endswith("its variance is infinite, so no sample limits it")


@pytest.mark.parametrize(
    ("name", "settings", "assumption"),
    [
        ("T-07", {"n": 10}, "A x = b has a solution"),
        ("T-09", {"n": 3}, "full column rank"),
        ("T-12", {"n": 5}, "full column rank"),
        ("T-13", {"lam": 0}, "lam > 0"),
        ("T-19", {"n": 5}, "S is invertible"),
        ("T-52", {"step": 1.5}, "0 < s < 1 / B^2"),
        ("T-76", {"n": 4, "lam": 0}, "no leverage is 1"),
        ("T-85", {"lam": 0}, "lam > 0"),
        ("S-08", {"sigma": 0}, "sigma > 0"),
    ],
)
def test_settings_name_the_assumption_that_they_break(name, settings, assumption):
    outcome = run(name, repeats=3, **settings)
    assert outcome.broken == (assumption,)
    assert outcome.judgement.reason or outcome.verdict is Verdict.REFUTED


def test_assumptions_that_can_break_are_among_those_that_are_stated():
    far = {"n": 1, "d": 50, "sigma": 0.0, "lam": 0.0, "step": 2.0}
    for claim in every_claim():
        given = {name: far.get(name, value) for name, value in claim.settings.items()}
        assert set(claim.broken(given)) <= set(claim.assumptions)
        assert claim.broken(claim.settings) == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sigma": -1}, "sigma must be >= 0, got -1; T-11 has sigma = 2 unless told otherwise"),
        ({"n": 2.5}, "n must be a whole number >= 1, got 2.5; T-11 has n = 50 unless told otherwise"),
        ({"d": 0}, "d must be a whole number >= 1, got 0"),
        ({"sigma": "two"}, "sigma must be a number, got 'two'"),
        ({"repeats": 0}, "repeats must be a whole number >= 1, got 0; leave it out"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
    ],
)
def test_what_cannot_be_is_refused_by_its_name(given, said):
    with pytest.raises((ValueError, TypeError), match=re.escape(said)):
        run("T-11", **given)


def test_processes_and_repeats_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match=r"workers must be a whole number >= 1, got 0; take 1"):
        next(run_all(["T-11"], workers=0))
    with pytest.raises(ValueError, match=r"repeat must be a whole number >= 0, got -1"):
        replay("T-11", -1)


def test_a_setting_that_a_claim_does_not_have_is_refused():
    with pytest.raises(ValueError, match="T-00 has no setting 'd'; its settings are: n"):
        run(CLAIM, d=3)


def test_settings_outside_the_assumptions_run_and_say_so():
    """Catalogue T-11: with ten columns on five rows the excess risk is sigma^2, half of sigma^2 d / n."""
    outcome = run("T-11", n=5, d=10, repeats=4000)
    assert outcome.broken == ("the design has full column rank",)
    assert outcome.verdict is Verdict.REFUTED
    assert 0.4 < outcome.judgement.low < outcome.judgement.high < 0.7


def test_processes_do_not_change_an_outcome():
    alone = next(iter(run_all(["T-11"], seed=5, workers=1)))
    shared = next(iter(run_all(["T-11"], seed=5, workers=2)))
    assert np.array_equal(alone.ratios, shared.ratios)


@pytest.mark.parametrize("sabotage", ["structure", True])
def test_a_sabotage_that_is_none_is_refused(sabotage):
    with pytest.raises(TypeError, match=r"sabotage must be Sabotage\.\w+ or Sabotage\.\w+, got"):
        run("T-11", sabotage=sabotage)
