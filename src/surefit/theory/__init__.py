"""What is known about a fit: numbers, factors and solutions in, statements out; never a model.

Every name below can be imported from here: ``from surefit.theory import betting, exact_loo, rademacher_bound``.  The
rooms, from the lowest up: ``means`` (bounds on a mean of losses); ``fit`` (leave-one-out and criteria), ``bounds`` (of
the training set), ``risk`` (under a known law); ``inference`` (standard errors, summaries), ``certificates`` (promises
and their words); ``intervals``.  None needs a later one.

"Catalogue T-76" in a docstring is an entry of ``docs/catalogue.md``: a sentence, and what implements it.
"""

from surefit.lazy import shown as _shown

_ROOMS = ("bounds", "certificates", "fit", "inference", "intervals", "means", "risk")

_HOMES = {
    # means: bounds on a mean from a sample of losses
    "means.betting": "betting star wsr",
    "means.concentration": (
        "hoeffding hoeffding_tail mcdiarmid mcdiarmid_tail chernoff clopper_pearson binomial_upper "
        "hoeffding_bentkus empirical_bernstein lower_bound catoni dkw_slack"
    ),
    "means.sequences": "bernoulli_sequence betting_sequence martingale_kl martingale_bernstein cesa_bianchi_gentile",
    # fit: what a factor tells of a fit: leverages, leave-one-out, criteria
    "fit.loo": "LeaveOneOut exact_loo leave_one_out loo_by_refitting loo_curve",
    "fit.approximate_loo": "approximate_loo approximate_loo_scores",
    "fit.criteria": "aic bic gcv gaussian_log_likelihood mallows_cp noise_variance",
    "fit.smoother": "DegreesOfFreedom degrees_of_freedom leverages",
    # inference: standard errors, tests, influence, summaries
    "inference.influence": "Influence LinearFit condition_number variance_inflation",
    "inference.linear": (
        "WaldTest coefficient_table contrasts covariance_matrix fit_statistics mean_interval prediction_interval "
        "slopes_test wald_test"
    ),
    "inference.logistic": "LogisticFit logistic_statistics logistic_table",
    "inference.logistic_tests": "likelihood_ratio_test logistic_wald_test",
    "inference.shrunken": "ridge_covariance ridge_table",
    "inference.summary": "Summary summarise",
    # bounds: training-set bounds, dimensions, sample sizes, regret
    "bounds.complexity": (
        "FiniteClass FunctionClass KernelBall NormBall exact_rademacher simulated_rademacher column_ball_bound "
        "kernel_ball_rate l1_ball_rate contracted power_loss_lipschitz"
    ),
    "bounds.compression": (
        "classical_compression_bound compression_interval compression_risk perceptron_compression_bound "
        "svm_margin_bound svr_tube_bound"
    ),
    "bounds.finite": (
        "bounded_differences_deviation class_size finite_class_bound single_predictor_bound uniform_deviation_bound"
    ),
    "bounds.online": (
        "best_widrow_hoff_bound gradient_regret_bound perceptron_mistake_bound tuned_widrow_hoff_step "
        "widrow_hoff_bound widrow_hoff_potential"
    ),
    "bounds.pac_bayes": "pac_bayes_linear pac_bayes_with_prior",
    "bounds.pick_to_learn": "PickedModel pick_to_learn",
    "bounds.pseudo_dimension": "pseudo_dimension_bound",
    "bounds.rademacher": (
        "bounded_erm_excess empirical_rademacher_bound kernel_squared_bound kernel_tube_bound l1_squared_bound "
        "margin_bound rademacher_bound"
    ),
    "bounds.record": "Bound Fitted",
    "bounds.sample_size": (
        "finite_class_excess finite_class_rows gaussian_least_squares_rows hoeffding_failure hoeffding_rows "
        "least_squares_rows lipschitz_linear_rows rows_needed"
    ),
    "bounds.shattering": (
        "boolean_polynomial_dimension hyperplane_dimension is_shattered linear_shatters polynomial_dimension "
        "pseudo_dimension shattering_witness squared_loss_dimension threshold_dimension vc_dimension "
        "vector_space_dimension"
    ),
    "bounds.stability": "loo_stability_bound stability_bound uniform_stability",
    # certificates: what a certificate is, and how held-out losses make one
    "certificates.certificate": "Assumption Certificate",
    "certificates.holdout": "classifier_certificate error_quantile mean_certificate regressor_certificate",
    # intervals: prediction intervals from scores and factors
    "intervals.conformal": "PredictionIntervals conformal_rank pac_rank",
    "intervals.full": "full_conformal full_conformal_sets",
    "intervals.jackknife": "cv_plus jackknife_plus",
    "intervals.response": "KernelResponse LinearResponse",
    # risk: true risks under a known law, and identities
    "risk.calculus": (
        "finite_difference linear_gradient mean_squared_gradient mean_squared_hessian push_through "
        "quadratic_form_gradient shrinkage_identity squared_residual_gradient woodbury"
    ),
    "risk.conditioning": "coefficient_shift_bound gradient_steps lam_for_norm ridge_conditioning",
    "risk.finite_law": "FiniteJoint plug_in_classifier",
    "risk.geometry": (
        "Hyperplane geometric_margin homogenise mahalanobis_distance margin weighted_distance weighted_squared_norm"
    ),
    "risk.least_squares": (
        "covariance_optimism fixed_design_bias_variance gaussian_design_excess least_squares_covariance "
        "least_squares_geometry least_squares_risk random_design_excess_given_rows replicated_fixed_design_split "
        "simulated_random_design_excess training_optimism"
    ),
    "risk.prior": "gaussian_prior_lam gaussian_prior_variance laplace_prior_lam laplace_prior_variance",
    "risk.ridge": (
        "dimension_free_bound mean_ridge_coefficients mean_squared_row_norm oracle_lam plug_in_lam "
        "ridge_risk_curve ridge_training_risk"
    ),
    "risk.risk": (
        "ball_approximation decompose_excess_risk empirical_risk estimated_risk estimation_by_uniform_deviation "
        "lipschitz_approximation_bound loss_function pointwise_bias_variance replicated_bias_variance"
    ),
}
"""From module to the names that it shows."""

_LISTED = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = list(_LISTED)
__getattr__, __dir__ = _shown(__name__, _LISTED, _ROOMS)
