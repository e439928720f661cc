"""surefit: linear and kernel learning you can be sure of."""

import sys as _sys
from importlib import import_module as _import_module
from typing import Any as _Any

from surefit.estimators.adaline import Adaline
from surefit.estimators.erm import ERM
from surefit.estimators.exhibits.memoriser import Memoriser
from surefit.estimators.exhibits.neighbours import NearestNeighbourClassifier, NearestNeighbourRegressor
from surefit.estimators.exhibits.plug_in import PlugInClassifier
from surefit.estimators.exhibits.threshold import ThresholdClassifier
from surefit.estimators.kernel_erm import KernelERM
from surefit.estimators.kernel_logistic import KernelLogistic
from surefit.estimators.kernel_ridge import KernelRidge
from surefit.estimators.kinds.dependence import RankDeficientWarning
from surefit.estimators.lasso import ElasticNet, Lasso, elastic_net_path, lasso_path
from surefit.estimators.least_squares import LeastSquares
from surefit.estimators.logistic import LogisticRegression, SeparationWarning
from surefit.estimators.perceptron import KernelPerceptron, Perceptron
from surefit.estimators.ridge import Ridge
from surefit.estimators.robust import RobustRegression
from surefit.estimators.subset import SubsetRegression
from surefit.estimators.svc import SVC
from surefit.estimators.svr import SVR, tube_heuristics
from surefit.estimators.transformers import Nystroem, PivotedCholesky
from surefit.guarantee.calibrate import calibrate, calibrate_quantiles
from surefit.guarantee.certify import Certified, certify
from surefit.objective.convert import convert_lambda
from surefit.selection.choice import ChoiceWarning
from surefit.solvers.halfspaces.fewest_mistakes import min_disagreement
from surefit.solvers.halfspaces.separability import is_separable, max_margin
from surefit.solvers.halfspaces.thresholds import threshold_risk
from surefit.solvers.lasso.exact.constrained import constrained_lasso, lasso_by_quadratic_programme
from surefit.solvers.lasso.exact.homotopy import lasso_homotopy, least_angle_path
from surefit.solvers.linear.gradient import GradientDescent, StochasticGradientDescent
from surefit.solvers.linear.solution_set import solution_set
from surefit.solvers.linear.streamed import least_squares_from_blocks

__version__ = "0.1.0"

__all__ = [
    "ERM",
    "SVC",
    "SVR",
    "Adaline",
    "Certified",
    "ChoiceWarning",
    "ElasticNet",
    "GradientDescent",
    "KernelERM",
    "KernelLogistic",
    "KernelPerceptron",
    "KernelRidge",
    "Lasso",
    "LeastSquares",
    "LogisticRegression",
    "Memoriser",
    "NearestNeighbourClassifier",
    "NearestNeighbourRegressor",
    "Nystroem",
    "Perceptron",
    "PivotedCholesky",
    "PlugInClassifier",
    "RankDeficientWarning",
    "Ridge",
    "RobustRegression",
    "SeparationWarning",
    "StochasticGradientDescent",
    "SubsetRegression",
    "ThresholdClassifier",
    "calibrate",
    "calibrate_quantiles",
    "certify",
    "constrained_lasso",
    "convert_lambda",
    "elastic_net_path",
    "is_separable",
    "lasso_by_quadratic_programme",
    "lasso_homotopy",
    "lasso_path",
    "least_angle_path",
    "least_squares_from_blocks",
    "max_margin",
    "min_disagreement",
    "solution_set",
    "threshold_risk",
    "tube_heuristics",
]

_MODULES = ("data", "display", "features", "kernels", "objective", "progress", "solvers", "testing", "theory")


def __getattr__(name: str) -> _Any:
    """Modules that are imported when they are first asked for: ``surefit.kernels.Gaussian`` needs no other import."""
    if name in _MODULES:
        return _import_module(f"surefit.{name}")
    raise AttributeError(f"module 'surefit' has no attribute {name!r}", name=name, obj=_sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
