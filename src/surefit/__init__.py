"""surefit: linear and kernel learning you can be sure of."""

from surefit.estimators.erm import ERM
from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.least_squares import LeastSquares, RankDeficientWarning
from surefit.estimators.ridge import Ridge
from surefit.estimators.robust import RobustRegression
from surefit.estimators.sparse import ElasticNet, Lasso, elastic_net_path, lasso_path
from surefit.estimators.subset import SubsetRegression
from surefit.estimators.transformers import Nystroem, PivotedCholesky
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
    "KernelRidge",
    "Lasso",
    "LeastSquares",
    "Nystroem",
    "PivotedCholesky",
    "RankDeficientWarning",
    "Ridge",
    "RobustRegression",
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
