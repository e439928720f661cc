"""surefit: linear and kernel learning you can be sure of.

The public names stand below in seven groups, each with the module that it comes from.  They are imported when they are
first asked for, so that ``import surefit`` is quick.  Type checkers read ``__init__.pyi``, which lists them too.

"Catalogue T-76" in a docstring is an entry of ``docs/catalogue.md``: a sentence, and what implements it.
"""

from surefit.lazy import shown as _shown

__version__ = "0.1.0"

_MODELS = {
    # linear regression
    "LeastSquares": "estimators.least_squares",
    "Ridge": "estimators.ridge",
    "Lasso": "estimators.lasso",
    "ElasticNet": "estimators.lasso",
    "SubsetRegression": "estimators.subset",
    "RobustRegression": "estimators.robust",
    # linear classification
    "LogisticRegression": "estimators.logistic",
    "Perceptron": "estimators.perceptron",
    "Adaline": "estimators.adaline",
    # kernels
    "KernelRidge": "estimators.kernel_ridge",
    "KernelRidgeClassifier": "estimators.kernel_ridge_classifier",
    "KernelLogistic": "estimators.kernel_logistic",
    "KernelPerceptron": "estimators.perceptron",
    "SVR": "estimators.svr",
    "tube_heuristics": "estimators.svr",
    "SVC": "estimators.svc",
    # streams
    "WidrowHoff": "estimators.online.regressors",
    "OnlineRegressor": "estimators.online.regressors",
    "OnlineClassifier": "estimators.online.classifiers",
    "OnlinePerceptron": "estimators.online.classifiers",
    "OnlineAdaline": "estimators.online.classifiers",
    "OnlineSVR": "estimators.online.svr",
    "Stream": "estimators.online.stream",
    "OnlineIntervals": "estimators.online.intervals",
    "OnlineRidgeIntervals": "estimators.online.intervals",
    # any loss
    "ERM": "estimators.erm",
    "KernelERM": "estimators.kernel_erm",
}
"""Models: scikit-learn estimators, and a rule of thumb for the tube of `SVR`."""

_GUARANTEES = {
    "Certified": "guarantee.certify",
    "certify": "guarantee.certify",
    "calibrate": "guarantee.calibrate",
    "calibrate_quantiles": "guarantee.calibrate",
    "calibrate_probabilities": "guarantee.probabilities",
    "choose_threshold": "guarantee.thresholds",
    "ReusableHoldOut": "guarantee.holdouts.reusable",
}
"""Guarantees for any fitted model; the models above have theirs as methods."""

_SOLUTIONS = {
    "lasso_path": "estimators.lasso",
    "elastic_net_path": "estimators.lasso",
    "lasso_homotopy": "solvers.lasso.exact.homotopy",
    "least_angle_path": "solvers.lasso.exact.homotopy",
    "constrained_lasso": "solvers.lasso.exact.constrained",
    "lasso_by_quadratic_programme": "solvers.lasso.exact.constrained",
    "least_squares_from_blocks": "solvers.linear.streamed",
    "solution_set": "solvers.linear.solution_set",
    "is_separable": "solvers.halfspaces.separability",
    "max_margin": "solvers.halfspaces.separability",
    "min_disagreement": "solvers.halfspaces.fewest_mistakes",
    "threshold_risk": "solvers.halfspaces.thresholds",
}
"""Paths and exact solutions: functions from data to records, without a model."""

_SETTINGS = {
    "convert_lambda": "objective.convert",
    "GradientDescent": "solvers.any_loss.descent",
    "StochasticGradientDescent": "solvers.any_loss.stochastic",
    "Nystroem": "estimators.transformers",
    "PivotedCholesky": "estimators.transformers",
}
"""What goes into a model: other conventions of lam, solvers with settings of their own, features of a kernel."""

_TABLES = {
    "Study": "study.study",
    "TableModel": "study.model",
}
"""Tables: a study of one, and the model that it leaves."""

_FILES = {
    "save": "store.file",
    "load": "store.file",
    "to_onnx": "export.write",
}
"""Files: a model or a certificate as one file of data, and back; a model for other runtimes."""

_MACHINE = {
    "show_versions": "versions",
}
"""The machine: what runs here."""

_MODULES = (
    "data",
    "display",
    "exhibits",
    "export",
    "features",
    "kernels",
    "lab",
    "objective",
    "progress",
    "report",
    "solvers",
    "study",
    "testing",
    "theory",
    "warnings",
)
"""Modules: ``surefit.kernels.Gaussian`` needs no other import."""

_MOVED = {
    "Memoriser": "estimators.exhibits.memoriser",
    "NearestNeighbourClassifier": "estimators.exhibits.neighbours",
    "NearestNeighbourRegressor": "estimators.exhibits.neighbours",
    "PlugInClassifier": "estimators.exhibits.plug_in",
    "ThresholdClassifier": "estimators.exhibits.threshold",
    "ChoiceWarning": "warnings",
    "RankDeficientWarning": "warnings",
    "SeparationWarning": "warnings",
}
"""Now in `surefit.exhibits` and `surefit.warnings`; they can still be imported from here, and are not listed."""

_LISTED = {**_MODELS, **_GUARANTEES, **_SOLUTIONS, **_SETTINGS, **_TABLES, **_FILES, **_MACHINE}

__all__ = list(_LISTED)
__getattr__, __dir__ = _shown(__name__, {**_LISTED, **_MOVED}, _MODULES, _MOVED)
