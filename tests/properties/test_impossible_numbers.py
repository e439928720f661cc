"""Numbers that cannot be: every bound refuses them with cause and remedy, and none computes something out of them."""

import math

import numpy as np
import pytest

from surefit.theory.bounds import (
    complexity,
    compression,
    finite,
    online,
    pac_bayes,
    pick_to_learn,
    pseudo_dimension_bound,
    rademacher,
    sample_size,
    shattering,
    stability,
)
from surefit.theory.bounds.record import Fitted, checked_count
from surefit.theory.certificates import holdout
from surefit.theory.intervals import conformal
from surefit.theory.means import concentration as mean
from surefit.theory.means import sequences
from surefit.theory.means.arguments import failure_probability
from surefit.theory.means.betting import betting, star, wsr

LOSSES = np.linspace(0.0, 1.0, 40)
ROWS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

NEITHER = (None, "a", "0.5", math.nan, [0.1, 0.2], 1j)
"""No single number."""
SIZES = (*NEITHER, -1.0, math.inf)
COUNTS = (*NEITHER, -1, 2.5, math.inf, 10**400)
SHARES = (*NEITHER, 0.0, 1.0, 2, -1.0)
ARRAYS = (None, "a", math.nan, ["a", "b"], [math.nan], [None], [[1.0], [1.0, 2.0]])

SIZED = {
    "single_predictor_bound": lambda v: finite.single_predictor_bound(v, 100),
    "single_predictor_bound loss_bound": lambda v: finite.single_predictor_bound(0.1, 100, loss_bound=v),
    "finite_class_bound": lambda v: finite.finite_class_bound(v, 100, 3),
    "finite_class_bound n_hypotheses": lambda v: finite.finite_class_bound(0.1, 100, v),
    "uniform_deviation_bound": lambda v: finite.uniform_deviation_bound(v, 100),
    "rademacher_bound": lambda v: rademacher.rademacher_bound(v, 100, 0.1),
    "rademacher_bound complexity": lambda v: rademacher.rademacher_bound(0.1, 100, v),
    "rademacher_bound lipschitz": lambda v: rademacher.rademacher_bound(0.1, 100, 0.1, lipschitz=v),
    "empirical_rademacher_bound": lambda v: rademacher.empirical_rademacher_bound(v, 100, 0.1),
    "empirical_rademacher_bound complexity": lambda v: rademacher.empirical_rademacher_bound(0.1, 100, v),
    "kernel_squared_bound radius": lambda v: rademacher.kernel_squared_bound(0.1, 100, radius=v, largest_error=1.0),
    "kernel_squared_bound feature_bound": lambda v: rademacher.kernel_squared_bound(
        0.1, 100, radius=1.0, largest_error=1.0, feature_bound=v
    ),
    "kernel_tube_bound feature_bound": lambda v: rademacher.kernel_tube_bound(
        0.1, 100, radius=1.0, loss_bound=1.0, feature_bound=v
    ),
    "l1_squared_bound feature_bound": lambda v: rademacher.l1_squared_bound(
        0.1, 100, 5, radius=1.0, largest_error=1.0, feature_bound=v
    ),
    "margin_bound feature_bound": lambda v: rademacher.margin_bound([1.0], radius=1.0, feature_bound=v),
    "bounded_erm_excess radius": lambda v: rademacher.bounded_erm_excess(100, radius=v),
    "bounded_erm_excess factor": lambda v: rademacher.bounded_erm_excess(100, radius=1.0, factor=v),
    "stability_bound": lambda v: stability.stability_bound(v, 100, 0.1),
    "stability_bound stability": lambda v: stability.stability_bound(0.1, 100, v),
    "loo_stability_bound": lambda v: stability.loo_stability_bound(v, 100, 0.1),
    "loo_stability_bound stability": lambda v: stability.loo_stability_bound(0.1, 100, v),
    "uniform_stability lam": lambda v: stability.uniform_stability(100, v, lipschitz=1.0),
    "uniform_stability lipschitz": lambda v: stability.uniform_stability(100, 1.0, lipschitz=v),
    "uniform_stability feature_bound": lambda v: stability.uniform_stability(100, 1.0, lipschitz=1.0, feature_bound=v),
    "pseudo_dimension_bound": lambda v: pseudo_dimension_bound(v, 100, 3),
    "pseudo_dimension_bound dimension": lambda v: pseudo_dimension_bound(0.1, 100, v),
    "svr_tube_bound epsilon": lambda v: compression.svr_tube_bound([0.1], v),
    "svr_tube_bound tolerance": lambda v: compression.svr_tube_bound([0.1], 0.1, tolerance=v),
    "svm_margin_bound tolerance": lambda v: compression.svm_margin_bound([0.1], tolerance=v),
    "hoeffding_rows": lambda v: sample_size.hoeffding_rows(v, 0.05),
    "hoeffding_rows loss_bound": lambda v: sample_size.hoeffding_rows(0.1, 0.05, loss_bound=v),
    "hoeffding_failure": lambda v: sample_size.hoeffding_failure(100, v),
    "hoeffding_failure loss_bound": lambda v: sample_size.hoeffding_failure(100, 0.1, loss_bound=v),
    "finite_class_rows": lambda v: sample_size.finite_class_rows(0.1, 0.05, v),
    "finite_class_excess": lambda v: sample_size.finite_class_excess(100, 0.05, v),
    "least_squares_rows sigma": lambda v: sample_size.least_squares_rows(0.1, 3, sigma=v),
    "gaussian_least_squares_rows sigma": lambda v: sample_size.gaussian_least_squares_rows(0.1, 3, sigma=v),
    "lipschitz_linear_rows radius": lambda v: sample_size.lipschitz_linear_rows(0.1, radius=v),
    "lipschitz_linear_rows factor": lambda v: sample_size.lipschitz_linear_rows(0.1, factor=v),
    "gradient_regret_bound step": lambda v: online.gradient_regret_bound(v, 1.0, [1.0]),
    "gradient_regret_bound norm": lambda v: online.gradient_regret_bound(0.1, v, [1.0]),
    "widrow_hoff_bound step": lambda v: online.widrow_hoff_bound(v, 1.0, 1.0, 1.0),
    "widrow_hoff_bound row_norm": lambda v: online.widrow_hoff_bound(0.1, v, 1.0, 1.0),
    "widrow_hoff_bound loss": lambda v: online.widrow_hoff_bound(0.1, 1.0, v, 1.0),
    "widrow_hoff_bound norm": lambda v: online.widrow_hoff_bound(0.1, 1.0, 1.0, v),
    "perceptron_mistake_bound": lambda v: online.perceptron_mistake_bound(1.0, v),
    "Fitted": lambda v: Fitted(v).radius,
    "kernel_ball_rate radius": lambda v: complexity.kernel_ball_rate(100, radius=v),
    "l1_ball_rate feature_bound": lambda v: complexity.l1_ball_rate(100, 3, feature_bound=v),
    "contracted": lambda v: complexity.contracted(v, 1.0),
    "column_ball_bound radius": lambda v: complexity.column_ball_bound([1.0], 10, v),
    "hoeffding_tail upper": lambda v: mean.hoeffding_tail(0.1, 100, v),
    "catoni": lambda v: mean.catoni(LOSSES, variance_bound=v),
}

COUNTED = {
    "checked_count": checked_count,
    "single_predictor_bound": lambda v: finite.single_predictor_bound(0.1, v),
    "rademacher_bound": lambda v: rademacher.rademacher_bound(0.1, v, 0.1),
    "l1_squared_bound d": lambda v: rademacher.l1_squared_bound(0.1, 100, v, radius=1.0, largest_error=1.0),
    "bounded_erm_excess": lambda v: rademacher.bounded_erm_excess(v, radius=1.0),
    "stability_bound": lambda v: stability.stability_bound(0.1, v, 0.1),
    "uniform_stability": lambda v: stability.uniform_stability(v, 1.0, lipschitz=1.0),
    "pseudo_dimension_bound": lambda v: pseudo_dimension_bound(0.1, v, 1),
    "pac_bayes_linear": lambda v: pac_bayes.pac_bayes_linear([0.5], n=v) if v is not None else checked_count(v),
    "compression_risk n": lambda v: compression.compression_risk(v, 1),
    "compression_risk k": lambda v: compression.compression_risk(10, v),
    "svr_tube_bound n_support": lambda v: compression.svr_tube_bound([0.1], 0.1, n_support=v),
    "svm_margin_bound n_support": lambda v: compression.svm_margin_bound([0.1], n_support=v),
    "classical_compression_bound errors": lambda v: compression.classical_compression_bound(10, 1, errors=v),
    "largest_error_rate": lambda v: compression.largest_error_rate(10, v, -3.0),
    "hoeffding_failure": lambda v: sample_size.hoeffding_failure(v, 0.1),
    "least_squares_rows": lambda v: sample_size.least_squares_rows(0.1, v),
    "rows_needed at_least": lambda v: sample_size.rows_needed(lambda n: 1 / n, 0.1, at_least=v),
    "pick_to_learn": lambda v: pick_to_learn(lambda rows: 0, lambda model: np.zeros(5), v, first=[0]),
    "kernel_ball_rate": complexity.kernel_ball_rate,
    "l1_ball_rate": lambda v: complexity.l1_ball_rate(100, v),
    "column_ball_bound": lambda v: complexity.column_ball_bound([1.0], v),
    "simulated_rademacher": lambda v: complexity.simulated_rademacher(complexity.FiniteClass([[1.0, 2.0]]), draws=v),
    "hyperplane_dimension": shattering.hyperplane_dimension,
    "polynomial_dimension": lambda v: shattering.polynomial_dimension(v, 2),
    "polynomial_dimension degree": lambda v: shattering.polynomial_dimension(2, v),
    "boolean_polynomial_dimension": lambda v: shattering.boolean_polynomial_dimension(v, 2),
    "squared_loss_dimension": shattering.squared_loss_dimension,
    "threshold_dimension": shattering.threshold_dimension,
    "hoeffding_tail": lambda v: mean.hoeffding_tail(0.1, v),
    "binomial_upper": lambda v: mean.binomial_upper(0, v),
    "dkw_slack": mean.dkw_slack,
    "upper_rank": holdout.upper_rank,
    "conformal_rank": lambda v: conformal.conformal_rank(v, 0.9),
    "unlucky_coverage": lambda v: conformal.unlucky_coverage(v, 0.9),
    "betting seed": lambda v: betting(LOSSES, seed=v),
}

SHARED = {
    "failure_probability": failure_probability,
    "single_predictor_bound": lambda v: finite.single_predictor_bound(0.1, 100, delta=v),
    "bounded_differences_deviation": lambda v: finite.bounded_differences_deviation([0.1], v),
    "compression_risk": lambda v: compression.compression_risk(10, 1, v),
    "pick_to_learn": lambda v: pick_to_learn(lambda rows: 0, lambda model: np.zeros(5), 5, first=[0], delta=v),
    "pac_bayes_linear": lambda v: pac_bayes.pac_bayes_linear([0.5], delta=v),
    "hoeffding_rows": lambda v: sample_size.hoeffding_rows(0.1, v),
    "finite_class_rows": lambda v: sample_size.finite_class_rows(0.1, v, 3),
    "binomial_upper": lambda v: mean.binomial_upper(1, 10, v),
    "dkw_slack": lambda v: mean.dkw_slack(100, v),
    "upper_rank": lambda v: holdout.upper_rank(50, 0.9, v),
    "upper_rank coverage": lambda v: holdout.upper_rank(50, v),
    "rows_needed": lambda v: holdout.rows_needed(0.9, v),
    "rows_needed coverage": holdout.rows_needed,
    "error_quantile coverage": lambda v: holdout.error_quantile(LOSSES, v),
    "pac_rank": lambda v: conformal.pac_rank(50, 0.9, v),
    "pac_rank coverage": lambda v: conformal.pac_rank(50, v),
    "unlucky_coverage": lambda v: conformal.unlucky_coverage(50, 0.9, v),
    "unlucky_coverage coverage": lambda v: conformal.unlucky_coverage(50, v),
}

GIVEN = {
    "bounded_differences_deviation": lambda v: finite.bounded_differences_deviation(v, 0.05),
    "margin_bound": lambda v: rademacher.margin_bound(v, radius=1.0),
    "pac_bayes_linear": pac_bayes.pac_bayes_linear,
    "pac_bayes_with_prior scales": lambda v: pac_bayes.pac_bayes_with_prior([0.5], 0.5, prior_scales=v),
    "svr_tube_bound": lambda v: compression.svr_tube_bound(v, 0.1),
    "svm_margin_bound": compression.svm_margin_bound,
    "perceptron_compression_bound": compression.perceptron_compression_bound,
    "pick_to_learn first": lambda v: pick_to_learn(lambda rows: 0, lambda model: np.zeros(5), 5, first=v),
    "gradient_regret_bound": lambda v: online.gradient_regret_bound(0.1, 1.0, v),
    "best_widrow_hoff_bound X": lambda v: online.best_widrow_hoff_bound(v, [1.0], 0.1),
    "best_widrow_hoff_bound y": lambda v: online.best_widrow_hoff_bound(ROWS, v, 0.1),
    "widrow_hoff_potential": lambda v: online.widrow_hoff_potential(v, [[1.0]], [1.0], 0.5, [1.0]),
    "FiniteClass": complexity.FiniteClass,
    "NormBall": complexity.NormBall,
    "KernelBall": complexity.KernelBall,
    "column_ball_bound": lambda v: complexity.column_ball_bound(v, 10),
    "vector_space_dimension": shattering.vector_space_dimension,
    "linear_shatters": shattering.linear_shatters,
    "linear_shatters offset": lambda v: shattering.linear_shatters(ROWS, np.nan if v is None else v),
    "shattering_witness": shattering.shattering_witness,
    "pseudo_dimension": shattering.pseudo_dimension,
    "mcdiarmid": lambda v: mean.mcdiarmid(0.1, v),
    "mcdiarmid value": lambda v: mean.mcdiarmid(v, [0.1]),
    "mcdiarmid_tail": lambda v: mean.mcdiarmid_tail(0.1, v),
    "binomial_upper": lambda v: mean.binomial_upper(v, 5),
    "error_quantile": holdout.error_quantile,
    "classifier_certificate": holdout.classifier_certificate,
    "regressor_certificate": holdout.regressor_certificate,
    "mean_certificate": holdout.mean_certificate,
}

MEANS = {
    one.__name__: one
    for one in (
        mean.hoeffding, mean.chernoff, mean.clopper_pearson, mean.hoeffding_bentkus, mean.empirical_bernstein, betting,
        star, wsr, sequences.bernoulli_sequence, sequences.betting_sequence, sequences.martingale_kl,
        sequences.martingale_bernstein, sequences.cesa_bianchi_gentile,
    )
}  # fmt: skip


def refused(function, value):
    """A ``ValueError`` of ours: the cause, then the remedy; NumPy's and Python's own words have no semicolon."""
    with pytest.raises(ValueError, match=r"(must|is|were|take|n = ).*; "):
        function(value)


def cases(family, values):
    return [pytest.param(f, v, id=f"{name}-{str(v)[:12]}") for name, f in family.items() for v in values]


@pytest.mark.parametrize(("function", "value"), cases(SIZED, SIZES))
def test_a_size_is_a_finite_number_that_is_not_negative(function, value):
    refused(function, value)


@pytest.mark.parametrize(("function", "value"), cases(COUNTED, COUNTS))
def test_a_count_is_a_whole_number(function, value):
    refused(function, value)


@pytest.mark.parametrize(("function", "value"), cases(SHARED, SHARES))
def test_a_failure_probability_or_a_coverage_lies_between_zero_and_one(function, value):
    refused(function, value)


@pytest.mark.parametrize(("function", "value"), cases(GIVEN, ARRAYS))
def test_numbers_for_each_row_are_finite_numbers(function, value):
    refused(function, value)


@pytest.mark.parametrize(("function", "value"), cases(MEANS, (None, "x", math.nan, 0.0, -1.0, math.inf)))
def test_the_largest_loss_is_a_positive_number(function, value):
    with pytest.raises(ValueError, match=r"upper must be .*; it is the largest loss that can occur"):
        function(np.ones(40), upper=value)
    with pytest.raises(ValueError, match=r"upper must be .*; it is the largest loss that can occur"):
        mean.lower_bound(function, np.ones(40), upper=value)


@pytest.mark.parametrize("value", [None, "x", math.nan, -1.0])
def test_a_certificate_of_a_mean_needs_a_range_too(value):
    with pytest.raises(ValueError, match=r"upper must be .*; it is the largest loss"):
        holdout.mean_certificate(LOSSES, upper=value)


@pytest.mark.parametrize("function", [holdout.classifier_certificate, holdout.mean_certificate])
def test_a_certificate_is_about_one_model(function):
    with pytest.raises(ValueError, match=r"one number per row, got shape \(2, 2\); certify one model at a time"):
        function([[0, 1], [1, 0]])


@pytest.mark.parametrize("first", [[7], [-1, 4], [0.5], [], [1, 1], None, 3, "ab", [[0], [1]], [True, 2.5], [math.nan]])
def test_picking_starts_from_distinct_rows_that_there_are(first):
    with pytest.raises(ValueError, match=r"first must be .*; give between 1 and 5 distinct row numbers from 0 to 4"):
        pick_to_learn(lambda rows: 0, lambda model: np.zeros(5), 5, first=first)


def test_a_row_number_may_have_any_type_of_integer():
    found = pick_to_learn(lambda rows: 0, lambda model: np.zeros(5), 5, first=np.array([4, 0], dtype=np.uint8))
    assert found.rows.tolist() == [4, 0]


def test_the_numbers_of_the_reading_are_refused_or_right():
    """Values that were returned as bounds that are not vacuous; a deviation of nothing happens with any probability."""
    for wrong in (
        lambda: compression.svr_tube_bound([0.1], 0.1, tolerance=-2),
        lambda: compression.svm_margin_bound([0.1], tolerance=-3),
        lambda: stability.stability_bound(0.1, 100, None),
        lambda: sample_size.hoeffding_failure(100, -0.5),
        lambda: holdout.rows_needed(1.5, 0.05),
        lambda: mean.binomial_upper(-1, 5),
        lambda: mean.binomial_upper(6, 5),
        lambda: holdout.error_quantile([np.nan] * 50),
        lambda: mean.dkw_slack(-5),
        lambda: conformal.unlucky_coverage(50, 0.9, 2),
    ):
        with pytest.raises(ValueError, match="; "):
            wrong()
    assert sample_size.hoeffding_failure(100, 0.0) == 1.0
    assert stability.stability_bound(0.1, 100, 0).value == finite.single_predictor_bound(0.1, 100).value
    assert holdout.rows_needed(1e-9, 0.05) == 1


def test_more_rows_than_there_are_numbers_are_refused():
    for wrong in (
        lambda: sample_size.hoeffding_rows(1e-200, 0.05),
        lambda: sample_size.finite_class_rows(1e-200, 0.05, 2),
        lambda: sample_size.lipschitz_linear_rows(1e-200),
        lambda: sample_size.least_squares_rows(1e-300, 3, sigma=1e10),
    ):
        with pytest.raises(ValueError, match="ask for less accuracy"):
            wrong()


@pytest.mark.parametrize("promise", [None, 0.1, "a"])
def test_rows_are_searched_for_with_a_function(promise):
    with pytest.raises(ValueError, match="promise must be a function of the number of rows"):
        sample_size.rows_needed(promise, 0.1)
    with pytest.raises(ValueError, match=r"target must be .*; it is the bound to be reached"):
        sample_size.rows_needed(lambda n: 1 / n, math.nan)


@pytest.mark.parametrize("order", [None, "a", math.nan, 0.5])
def test_a_norm_has_an_order_of_one_or_more(order):
    with pytest.raises(ValueError, match=r"order must be .*; below 1 it is not a norm"):
        complexity.NormBall(ROWS, order=order)


@pytest.mark.parametrize("labels", [None, "a", math.nan, [[0, 2]], [0, 1]])
def test_labels_are_a_table_of_zeros_and_ones(labels):
    for function in (shattering.is_shattered, shattering.vc_dimension):
        with pytest.raises(ValueError, match=r"labels must be a table of 0 and 1, .*; threshold"):
            function(labels)


def test_a_tiny_coverage_is_the_first_rank_and_a_large_one_is_printed_as_it_was_asked_for():
    assert conformal.conformal_rank(100, 1e-300) == 1
    assert conformal.unlucky_coverage(100, 1e-12) > 0
    with pytest.raises(ValueError, match=r"200 rows are too few for 0\.999999 coverage: at least 999999 needed"):
        conformal.conformal_rank(200, 0.999999)
    with pytest.raises(ValueError, match=r"200 rows cannot show a 0\.999999 quantile"):
        conformal.pac_rank(200, 0.999999)


@pytest.mark.parametrize("delta", [0.500001, 0.999])
def test_intervals_refuse_promises_that_are_broken_more_often_than_kept_as_certificates_do(delta):
    with pytest.raises(ValueError, match="broken more often than kept"):
        conformal.pac_rank(200, 0.9, delta)
    with pytest.raises(ValueError, match="broken more often than kept"):
        holdout.classifier_certificate(np.zeros(10), delta)


def test_numbers_of_models_are_printed_as_counts():
    found = holdout.classifier_certificate(np.zeros(200), n_models_fixed=1e15)
    assert "allows for 1000000000000000 models that were fixed before" in found.statement
    assert "all of the 1000000000000000 models were fixed before" in str(found).replace("\n  ", " ")
