"""Quantiles of held-out scores for every way in which rows can have come about."""

import numpy as np
import pytest

from surefit.guarantee.sampling import Sampling
from surefit.guarantee.scores import HeldOutScores
from surefit.theory.intervals.conformal import INTERVALS, SETS, conformal_rank, pac_rank
from surefit.theory.intervals.weighted import weighted_quantile

RNG = np.random.default_rng(0)
SCORES = RNG.exponential(size=120)


def ask(held_out, coverage=0.9, method="split", m=2, within=None, weights=None):
    return held_out.request(m, (coverage, method, 0.05), within, weights)


def test_plain_rows_give_order_statistics():
    held_out = HeldOutScores(SCORES)
    ordered = np.sort(SCORES)
    assert held_out.quantiles(ask(held_out)).tolist() == [ordered[conformal_rank(120, 0.9) - 1]] * 2
    assert held_out.quantiles(ask(held_out, method="pac"))[0] == ordered[pac_rank(120, 0.9, 0.05) - 1]


def test_groups_of_one_row_are_plain_rows_and_copies_of_a_row_within_its_group_change_nothing():
    plain, alone = HeldOutScores(SCORES), HeldOutScores(SCORES, sampling=Sampling(groups=np.arange(120)))
    assert alone.quantiles(ask(alone))[0] == plain.quantiles(ask(plain))[0]
    many = HeldOutScores(np.repeat(SCORES, 7), sampling=Sampling(groups=np.repeat(np.arange(120), 7)))
    assert many.quantiles(ask(many))[0] == plain.quantiles(ask(plain))[0]
    assert abs(np.sum(many.quantiles(ask(many, method="pac"))[0] >= SCORES) - pac_rank(120, 0.9, 0.05)) <= 3


def test_weights_give_each_new_row_its_own_quantile():
    weights = RNG.uniform(0.5, 1.5, size=120)
    held_out = HeldOutScores(SCORES, sampling=Sampling(weights=weights))
    found = held_out.quantiles(ask(held_out, weights=[1.0, 30.0]))
    np.testing.assert_array_equal(found, weighted_quantile(SCORES, weights, 0.9, [1.0, 30.0]))
    assert found[1] > found[0]
    assert np.isinf(held_out.quantiles(ask(held_out, weights=[1.0, 1e6]))[1])
    assert np.isfinite(held_out.quantiles(ask(held_out, method="pac", weights=[1.0, 1.0]))).all()


def test_categories_have_quantiles_of_their_own_also_with_groups():
    within, groups = np.arange(120) % 2, np.arange(120) // 2
    held_out = HeldOutScores(SCORES * (1 + within), within)
    found = held_out.quantiles(ask(held_out, within=[1, 0]))
    for value, name in zip(found, (1, 0), strict=True):
        alone = HeldOutScores(held_out.scores[within == name])
        assert value == alone.quantiles(ask(alone))[0]
    both = HeldOutScores(SCORES, within, Sampling(groups=groups))
    assert np.all(np.isfinite(both.quantiles(ask(both, within=[1, 0]))))


@pytest.mark.parametrize("words", [INTERVALS, SETS])
@pytest.mark.parametrize("method", ["split", "pac"])
@pytest.mark.parametrize(
    ("sampling", "said"),
    [
        (Sampling(), "of the 120 held-out rows|hold-outs of 120 rows"),
        (Sampling(groups=np.arange(120) // 2), "60 held-out groups"),
        (Sampling(weights=np.ones(120), weights_are_known=True), "the law that the weights describe"),
        (Sampling(weights=np.ones(120)), "[Ii]f the estimated weights are right"),
    ],
    ids=["plain", "groups", "known", "estimated"],
)
def test_promises_say_what_rows_they_are_about(sampling, said, method, words):
    held_out = HeldOutScores(SCORES, sampling=sampling)
    weights = None if sampling.weights is None else [1.0, 1.0]
    promise = held_out.promise(ask(held_out, method=method, weights=weights), words)
    assert np.any([part in promise.statement for part in (words.one, words.many, words.one.capitalize())])
    import re

    assert re.search(said, promise.statement)
    estimated = sampling.weights is not None and not sampling.weights_are_known
    assert promise.guaranteed == (0.0 if estimated else 0.9)


def test_several_categories_with_confidence_hold_each_by_itself_and_the_remedy_is_named():
    held_out = HeldOutScores(SCORES, np.arange(120) % 3)
    promise = held_out.promise(ask(held_out, method="pac", m=3, within=[0, 1, 2]), INTERVALS)
    assert promise.statement.startswith("In each category by itself, with 95 % confidence")
    assert promise.statement.endswith("for all of them at once ask with delta=0.0167.")


@pytest.mark.parametrize(
    ("held_out", "options", "words"),
    [
        (HeldOutScores(SCORES), {"within": [1, 1]}, "the hold-out had no categories"),
        (HeldOutScores(SCORES), {"weights": [1, 1]}, "the held-out rows had no weights"),
        (HeldOutScores(SCORES), {"method": "full"}, "method must be one of"),
        (HeldOutScores(SCORES, np.zeros(120)), {}, "give within for each of the 2 rows"),
        (HeldOutScores(SCORES, np.zeros(120)), {"within": [0, 7]}, "category 7 has no held-out row"),
        (HeldOutScores(SCORES, sampling=Sampling(weights=np.ones(120))), {}, "give those of the 2 rows of X too"),
    ],
)
def test_wishes_that_do_not_fit_the_hold_out_are_refused(held_out, options, words):
    with pytest.raises(ValueError, match=words):
        ask(held_out, **options)


def test_few_groups_are_refused():
    held_out = HeldOutScores(SCORES, sampling=Sampling(groups=np.arange(120) % 8))
    for method in ("split", "pac"):
        with pytest.raises(ValueError, match="8 groups are too few"):
            held_out.quantiles(ask(held_out, method=method))
