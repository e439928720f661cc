"""Training-set bounds, one family per file: what a fit promises about rows that nobody has seen.

In: plain numbers; ``n`` counts rows of equal weight.  Out: a `Bound`.  Most are vacuous at everyday sample sizes and
say so; the compression bounds are not.  A bound must be chosen before its value is seen: the smallest of several needs
``delta`` divided.

Read ``record.py`` (`Bound`, and what a fitted radius costs), ``finite.py`` (one predictor, finitely many),
``complexity.py`` and ``rademacher.py``, ``shattering.py`` and ``pseudo_dimension.py``, ``stability.py``,
``pac_bayes.py``, ``compression.py`` and ``pick_to_learn.py``.  ``online.py`` has regret and mistakes,
``sample_size.py`` how many rows are needed.
"""

from surefit.theory.bounds.compression import (
    classical_compression_bound,
    compression_interval,
    compression_risk,
    perceptron_compression_bound,
    svm_margin_bound,
    svr_tube_bound,
)
from surefit.theory.bounds.finite import finite_class_bound, single_predictor_bound, uniform_deviation_bound
from surefit.theory.bounds.online import (
    best_widrow_hoff_bound,
    gradient_regret_bound,
    perceptron_mistake_bound,
    tuned_widrow_hoff_step,
    widrow_hoff_bound,
)
from surefit.theory.bounds.pac_bayes import pac_bayes_linear, pac_bayes_with_prior
from surefit.theory.bounds.pick_to_learn import PickedModel, pick_to_learn
from surefit.theory.bounds.pseudo_dimension import pseudo_dimension_bound
from surefit.theory.bounds.rademacher import (
    bounded_erm_excess,
    empirical_rademacher_bound,
    kernel_squared_bound,
    kernel_tube_bound,
    l1_squared_bound,
    margin_bound,
    rademacher_bound,
)
from surefit.theory.bounds.record import Bound, Fitted
from surefit.theory.bounds.sample_size import rows_needed
from surefit.theory.bounds.stability import loo_stability_bound, stability_bound, uniform_stability

__all__ = [
    "Bound",
    "Fitted",
    "PickedModel",
    "best_widrow_hoff_bound",
    "bounded_erm_excess",
    "classical_compression_bound",
    "compression_interval",
    "compression_risk",
    "empirical_rademacher_bound",
    "finite_class_bound",
    "gradient_regret_bound",
    "kernel_squared_bound",
    "kernel_tube_bound",
    "l1_squared_bound",
    "loo_stability_bound",
    "margin_bound",
    "pac_bayes_linear",
    "pac_bayes_with_prior",
    "perceptron_compression_bound",
    "perceptron_mistake_bound",
    "pick_to_learn",
    "pseudo_dimension_bound",
    "rademacher_bound",
    "rows_needed",
    "single_predictor_bound",
    "stability_bound",
    "svm_margin_bound",
    "svr_tube_bound",
    "tuned_widrow_hoff_step",
    "uniform_deviation_bound",
    "uniform_stability",
    "widrow_hoff_bound",
]
