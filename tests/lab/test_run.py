"""Experiments are repeated from seeds, alike in any order and on any number of processes."""

import numpy as np
import pytest

from surefit.lab.claim import Claim, Kind, Verdict
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


def test_a_repeat_that_raises_is_kept_with_its_number():
    def fails(rng, wrong=False):
        raise ArithmeticError("no luck")

    outcome = run(Claim("T-00", "fails", "", (), Kind.MEAN, fails, ""))
    assert outcome.verdict is outcome.judgement.verdict is Verdict.UNDECIDED
    assert outcome.errors == ((0, "ArithmeticError: no luck"),)


def test_time_that_runs_out_leaves_a_claim_undecided():
    assert run(CLAIM, seconds=0.0).verdict is Verdict.UNDECIDED


def test_a_setting_that_a_claim_does_not_have_is_refused():
    with pytest.raises(ValueError, match="T-00 has no setting 'd'; its settings are: n"):
        run(CLAIM, d=3)


def test_settings_outside_the_assumptions_run_and_say_so():
    outcome = run("T-11", n=5, d=10, repeats=10)
    assert outcome.broken == ("the design has full column rank",)


def test_processes_do_not_change_an_outcome():
    alone = next(iter(run_all(["T-11"], seed=5, workers=1)))
    shared = next(iter(run_all(["T-11"], seed=5, workers=2)))
    assert np.array_equal(alone.ratios, shared.ratios)


@pytest.mark.parametrize("sabotage", ["structure", True])
def test_a_sabotage_that_is_none_is_refused(sabotage):
    with pytest.raises(TypeError, match=r"sabotage must be Sabotage\.\w+ or Sabotage\.\w+, got"):
        run("T-11", sabotage=sabotage)
