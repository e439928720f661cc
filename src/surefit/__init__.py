"""surefit: linear and kernel learning you can be sure of."""

from surefit.estimators.least_squares import LeastSquares, RankDeficientWarning
from surefit.estimators.ridge import Ridge
from surefit.objective.convert import convert_lambda
from surefit.solvers.gradient import GradientDescent, StochasticGradientDescent
from surefit.solvers.linear_systems import solution_set
from surefit.solvers.streamed import least_squares_from_blocks

__version__ = "0.1.0"

__all__ = [
    "GradientDescent",
    "LeastSquares",
    "RankDeficientWarning",
    "Ridge",
    "StochasticGradientDescent",
    "convert_lambda",
    "least_squares_from_blocks",
    "solution_set",
]
