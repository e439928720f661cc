"""surefit: linear and kernel learning you can be sure of."""

from surefit.estimators.erm import ERM
from surefit.estimators.least_squares import LeastSquares, RankDeficientWarning
from surefit.estimators.logistic import LogisticRegression, SeparationWarning
from surefit.estimators.ridge import Ridge
from surefit.estimators.robust import RobustRegression
from surefit.estimators.sparse import ElasticNet, Lasso, elastic_net_path, lasso_path
from surefit.estimators.subset import SubsetRegression
from surefit.objective.convert import convert_lambda
from surefit.solvers.constrained import constrained_lasso, lasso_by_quadratic_programme
from surefit.solvers.gradient import GradientDescent, StochasticGradientDescent
from surefit.solvers.homotopy import lasso_homotopy, least_angle_path
from surefit.solvers.linear_systems import solution_set
from surefit.solvers.streamed import least_squares_from_blocks

__version__ = "0.1.0"

__all__ = [
    "ERM",
    "ElasticNet",
    "GradientDescent",
    "Lasso",
    "LeastSquares",
    "LogisticRegression",
    "RankDeficientWarning",
    "Ridge",
    "RobustRegression",
    "SeparationWarning",
    "StochasticGradientDescent",
    "SubsetRegression",
    "constrained_lasso",
    "convert_lambda",
    "elastic_net_path",
    "lasso_by_quadratic_programme",
    "lasso_homotopy",
    "lasso_path",
    "least_angle_path",
    "least_squares_from_blocks",
    "solution_set",
]
