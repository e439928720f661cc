"""Finite laws: every statement is checked exactly, by brute force over all predictors where there are finitely many."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefit.theory.risk.finite_law import FiniteJoint, plug_in_classifier
from surefit.theory.risk.risk import decompose_excess_risk


def zero_one(y, z):
    return (y != z).astype(float)


def square(y, z):
    return (y - z) ** 2


def absolute(y, z):
    return np.abs(y - z)


def logistic(y, z):
    return np.logaddexp(0.0, -y * z)


class SquareWithValue:
    def value(self, y, f):
        return (y - f) ** 2


THREE_POINTS = FiniteJoint.binary([0.5, 0.3, 0.2], [0.1, 0.6, 0.5])
COINS = FiniteJoint(np.full((2, 2), 0.25))


def random_law(seed, k=4, m=3):
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.ones(k * m)).reshape(k, m)
    return FiniteJoint(table, rng.standard_normal(k), rng.standard_normal(m))


seeds = st.integers(0, 10_000)


def test_bayes_risks_of_the_three_point_law():
    """R-03, T-03, T-04, A-43: 0.27 for 0-1 loss, 0.167 = E eta (1 - eta) for squared loss."""
    p, eta = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.6, 0.5])
    np.testing.assert_allclose(THREE_POINTS.bayes_risk(zero_one), 0.27, rtol=1e-12)
    np.testing.assert_allclose(p @ np.minimum(eta, 1 - eta), 0.27, rtol=1e-12)
    np.testing.assert_allclose(THREE_POINTS.bayes_risk(square), 0.167, rtol=1e-12)
    np.testing.assert_allclose(p @ (eta * (1 - eta)), 0.167, rtol=1e-12)
    assert THREE_POINTS.majority().tolist() == [0, 1, 0]
    np.testing.assert_allclose(THREE_POINTS.conditional_mean(), eta, rtol=1e-14)


@given(seeds)
def test_bayes_predictor_beats_every_predictor(seed):
    """T-02, R-03: brute force over all k-tuples of actions."""
    law = random_law(seed)
    for loss in (zero_one, absolute, square):
        every = np.array(list(product(law.y, repeat=len(law.x))))
        risks = law.risk(loss, every)
        assert risks.shape == (3**4,)
        np.testing.assert_allclose(law.bayes_risk(loss, actions=law.y), risks.min(), rtol=1e-12)
        np.testing.assert_array_equal(law.bayes_predictor(loss, actions=law.y), every[np.argmin(risks)])


@given(seeds)
def test_bayes_predictors_are_majority_mean_and_median(seed):
    """T-03, T-04, A-43: found by search on the real line, equal to the closed forms."""
    law = random_law(seed)
    np.testing.assert_array_equal(law.bayes_predictor(zero_one), law.majority())
    np.testing.assert_allclose(law.bayes_predictor(square), law.conditional_mean(), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(law.bayes_predictor(absolute), law.conditional_median())


@given(seeds)
def test_squared_bayes_risk_is_the_mean_conditional_variance(seed):
    """T-04, T-08's pattern: Risk(f) = E Var(Y | X) + E (f - E[Y | X])**2 for every f."""
    law = random_law(seed)
    mean = law.conditional_mean()
    variance = law.y_given_x @ law.y**2 - mean**2
    np.testing.assert_allclose(law.bayes_risk(square), law.p_x @ variance, rtol=1e-10)
    f = np.random.default_rng(seed + 1).standard_normal(4)
    np.testing.assert_allclose(law.excess_risk(square, f), law.p_x @ (f - mean) ** 2, rtol=1e-8, atol=1e-12)


@given(seeds)
def test_tower_property(seed):
    """T-01: E E[g | X] = E E[g | Y] = E g."""
    law = random_law(seed)

    def g(x, y):
        return np.sin(3 * x) * y + y**2

    np.testing.assert_allclose(law.p_x @ law.expectation_given_x(g), law.expectation(g), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(law.p_y @ law.expectation_given_y(g), law.expectation(g), rtol=1e-12, atol=1e-14)


@given(seeds)
def test_bayes_rule_turns_one_conditional_into_the_other(seed):
    """D-10: P(X|Y) P(Y) = P(Y|X) P(X); both sum to 1 the right way round."""
    law = random_law(seed)
    np.testing.assert_allclose(law.x_given_y * law.p_y, law.y_given_x * law.p_x[:, None], rtol=1e-13)
    np.testing.assert_allclose(law.x_given_y.sum(axis=0), 1, rtol=1e-13)
    np.testing.assert_allclose(law.y_given_x.sum(axis=1), 1, rtol=1e-13)


def test_two_fair_coins():
    """X-04, X-05: P(A1 + A2 = 1 | A1 = 0) = 1/2 = E[A1 + A2 | A1 = 0]."""
    first_is_zero = lambda a, b: a == 0
    assert COINS.conditional_probability(lambda a, b: a + b == 1, given=first_is_zero) == 0.5
    assert COINS.conditional_expectation(lambda a, b: a + b, given=first_is_zero) == 0.5
    assert COINS.probability(lambda a, b: a + b == 1) == 0.5
    assert COINS.conditional_probability(lambda a, b: a == 1, given=lambda a, b: a + b == 2) == 1.0


def test_constant_classifier_on_balanced_classes_errs_half_the_time():
    """X-02, R-01."""
    law = FiniteJoint([[0.1, 0.3], [0.4, 0.2]])
    assert law.p_y.tolist() == [0.5, 0.5]
    assert law.risk(zero_one, lambda x: np.ones_like(x)) == 0.5


@pytest.mark.parametrize("event", [lambda x, y: x > 5, lambda x, y: (x == 0) & (y == 1)])
def test_conditioning_on_an_impossible_event_is_refused(event):
    """D-10: P(B) = 0."""
    law = FiniteJoint([[0.5, 0.0], [0.25, 0.25]])
    with pytest.raises(ValueError, match=r"probability 0.*widen the event"):
        law.conditional_probability(lambda x, y: y == 1, given=event)


def test_zero_rows_make_conditionals_undefined_but_not_risks():
    """D-10: P(X = 1) = 0."""
    law = FiniteJoint([[0.5, 0.5], [0.0, 0.0]])
    assert law.risk(zero_one, [0, 1]) == 0.5
    for undefined in (law.conditional_mean, law.majority, lambda: law.bayes_predictor(square)):
        with pytest.raises(ValueError, match=r"P\(X = x\) = 0 at 1"):
            undefined()


def test_the_two_plug_in_classifiers_differ_only_at_one_half_and_share_their_risk():
    """A-44, T-03: 1[eta >= 1/2] and 1[eta > 1/2] are both Bayes."""
    eta = THREE_POINTS.y_given_x[:, 1]
    upper, lower = plug_in_classifier(eta), plug_in_classifier(eta, at_half=0)
    np.testing.assert_array_equal(upper != lower, eta == 0.5)
    assert (upper != lower).sum() == 1
    for f in (upper, lower):
        np.testing.assert_allclose(THREE_POINTS.risk(zero_one, f), 0.27, rtol=1e-12)


@given(seeds)
def test_multiclass_plug_in_is_the_majority(seed):
    """A-44: argmax of the class probabilities is Bayes."""
    law = FiniteJoint(random_law(seed).p_xy)
    np.testing.assert_array_equal(plug_in_classifier(law.y_given_x), law.majority())


def test_logistic_bayes_predictor_is_the_log_odds():
    """T-02, L-09: the minimum lies outside the range of the labels and is found all the same."""
    eta = np.array([0.03, 0.4, 0.5, 0.999])
    law = FiniteJoint(np.column_stack([1 - eta, eta]) / 4, y=[-1, 1])
    np.testing.assert_allclose(law.bayes_predictor(logistic), np.log(eta / (1 - eta)), atol=1e-6)


def test_an_infimum_that_is_not_attained_is_refused_unless_actions_are_given():
    """T-02, edge: a loss that falls for ever has no Bayes predictor."""
    falling = lambda y, z: -z + 0 * y
    with pytest.raises(ValueError, match="may not be attained; pass actions="):
        THREE_POINTS.bayes_predictor(falling)
    assert THREE_POINTS.bayes_predictor(falling, actions=[0, 5]).tolist() == [5, 5, 5]


def test_loss_objects_and_functions_are_both_accepted():
    """R-01: an object's value(y, f), or a plain function."""
    f = np.array([0.0, 0.2, 1.0])
    assert THREE_POINTS.risk(SquareWithValue(), f) == THREE_POINTS.risk(square, f)
    with pytest.raises(TypeError, match="method value"):
        THREE_POINTS.risk(3, f)


def test_labels_may_be_words():
    """D-10, T-03: predictions are then chosen among the labels."""
    law = FiniteJoint([[0.4, 0.1], [0.2, 0.3]], y=["cat", "dog"])
    assert law.bayes_predictor(zero_one).tolist() == ["cat", "dog"]
    np.testing.assert_allclose(law.bayes_risk(zero_one), 0.3, rtol=1e-12)


def test_estimation_and_approximation_add_up_for_thresholds():
    """R-05: f_a(x) = 1[x >= a] on a law whose Bayes classifier is not a threshold; all of it exact."""
    law = FiniteJoint.binary([0.3, 0.2, 0.1, 0.4], [0.1, 0.8, 0.3, 0.9])
    thresholds = np.array([(law.x >= a).astype(int) for a in range(5)])
    risks = law.risk(zero_one, thresholds)
    bayes = law.bayes_risk(zero_one)
    parts = decompose_excess_risk(risks[0], risks.min(), bayes)
    np.testing.assert_allclose(parts.total, law.excess_risk(zero_one, thresholds[0]), rtol=1e-12)
    # best threshold is 1[x >= 1]: it errs with probability 0.7 instead of 0.3 at x = 2, of mass 0.1
    np.testing.assert_allclose(parts.approximation, 0.04, rtol=1e-12)
    assert parts.estimation > 0


def test_sample_frequencies_match_the_table():
    """D-10: 20 000 draws, each cell within 5 standard errors (false alarm 6e-7 per cell)."""
    law = random_law(3)
    rows, y = law.sample(0, 20_000)
    seen = np.array([[np.mean((rows == i) & (y == value)) for value in law.y] for i in range(4)])
    np.testing.assert_array_less(np.abs(seen - law.p_xy), 5 * np.sqrt(law.p_xy * (1 - law.p_xy) / 20_000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FiniteJoint([0.5, 0.5]), "must be a table"),
        (lambda: FiniteJoint([[0.5, 0.6]]), "got sum 1.1; divide the table by its sum"),
        (lambda: FiniteJoint([[1.5, -0.5]]), "must be >= 0"),
        (lambda: FiniteJoint([[0.5, 0.5]], x=[1, 2]), "x has 2 values"),
        (lambda: COINS.risk(zero_one, [0]), "give one for each x"),
        (lambda: plug_in_classifier([2.0]), "pass probabilities"),
        (lambda: plug_in_classifier([0.5], at_half=2), "at_half must be 0 or 1"),
    ],
)
def test_wrong_tables_are_refused_with_a_remedy(call, message):
    """D-10, A-44."""
    with pytest.raises(ValueError, match=message):
        call()
