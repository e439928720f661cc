"""What is minimised: losses, penalties, and the problem they form.

In: targets and predictions, or coefficients.  Out: values, derivatives, conjugates, proximal maps, and the duality gap
of any point.  Nothing here searches.  Door: `Problem`.

Read ``problem.py`` (the one objective, its dual, its gap), ``loss.py`` and ``penalty.py`` (what both declare about
themselves), then the losses: ``regression.py``, ``margin.py``, ``softmax.py``.  ``balls.py`` has norms and projections,
``convert.py`` the penalties of other libraries, ``facts.py`` what is known of a pair, ``words.py`` losses by name.
"""

from surefit.objective.balls import (
    dual_norm,
    dual_order,
    norm,
    project_l1_ball,
    project_l2_ball,
    project_linf_ball,
    project_simplex,
)
from surefit.objective.convert import (
    convert_elastic_net,
    convert_lambda,
    elastic_net_to_convention,
    lambda_conventions,
    to_convention,
)
from surefit.objective.facts import LossFacts, loss_facts
from surefit.objective.loss import Loss
from surefit.objective.margin import (
    Hinge,
    Logistic,
    LogLoss,
    MarginZeroOne,
    PerceptronLoss,
    SquaredMargin,
    ZeroOne,
    sign_labels,
)
from surefit.objective.penalty import L1, L2, ElasticNet, Penalty, PNorm, SquaredL2
from surefit.objective.problem import Problem
from surefit.objective.regression import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Pinball,
    Power,
    QuadraticEpsilonInsensitive,
    Squared,
)
from surefit.objective.softmax import SoftmaxCrossEntropy

__all__ = [
    "L1",
    "L2",
    "Absolute",
    "ElasticNet",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "LogLoss",
    "Logistic",
    "Loss",
    "LossFacts",
    "MarginZeroOne",
    "PNorm",
    "Penalty",
    "PerceptronLoss",
    "Pinball",
    "Power",
    "Problem",
    "QuadraticEpsilonInsensitive",
    "SoftmaxCrossEntropy",
    "Squared",
    "SquaredL2",
    "SquaredMargin",
    "ZeroOne",
    "convert_elastic_net",
    "convert_lambda",
    "dual_norm",
    "dual_order",
    "elastic_net_to_convention",
    "lambda_conventions",
    "loss_facts",
    "norm",
    "project_l1_ball",
    "project_l2_ball",
    "project_linf_ball",
    "project_simplex",
    "sign_labels",
    "to_convention",
]
