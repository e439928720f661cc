"""Layer store: the classes that a model file may name, and nothing else.

In: a class, or a name from a file.  Out: its name here, or the class.  Names are looked up in this table; none is ever
taken apart and imported.  A class that is not here cannot be stored, and a file that names one is refused.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from surefit.store.refusal import ModelFileError

MODELS = {
    "surefit.estimators.adaline": "Adaline",
    "surefit.estimators.erm": "ERM",
    "surefit.estimators.exhibits.memoriser": "Memoriser",
    "surefit.estimators.exhibits.neighbours": "NearestNeighbourClassifier NearestNeighbourRegressor",
    "surefit.estimators.exhibits.plug_in": "PlugInClassifier",
    "surefit.estimators.exhibits.threshold": "ThresholdClassifier",
    "surefit.estimators.kernel_erm": "KernelERM",
    "surefit.estimators.kernel_logistic": "KernelLogistic",
    "surefit.estimators.kernel_ridge": "KernelRidge",
    "surefit.estimators.kernel_ridge_classifier": "KernelRidgeClassifier",
    "surefit.estimators.lasso": "Lasso ElasticNet",
    "surefit.estimators.least_squares": "LeastSquares",
    "surefit.estimators.logistic": "LogisticRegression",
    "surefit.estimators.online.classifiers": "OnlineClassifier OnlinePerceptron OnlineAdaline",
    "surefit.estimators.online.intervals": "OnlineIntervals OnlineRidgeIntervals",
    "surefit.estimators.online.regressors": "OnlineRegressor WidrowHoff",
    "surefit.estimators.online.stream": "Stream",
    "surefit.estimators.online.svr": "OnlineSVR",
    "surefit.estimators.perceptron": "Perceptron KernelPerceptron",
    "surefit.estimators.ridge": "Ridge",
    "surefit.estimators.robust": "RobustRegression",
    "surefit.estimators.subset": "SubsetRegression",
    "surefit.estimators.svc": "SVC",
    "surefit.estimators.svr": "SVR",
    "surefit.estimators.transformers": "Nystroem PivotedCholesky",
    "surefit.features.basis": "Polynomial BooleanMonomials",
    "surefit.guarantee.certify": "Certified",
}
"""Built without their constructors; what they hold is then checked."""

FORMULAS = {
    "surefit.kernels.kernel": "Sum Product Scaled Power Exponential OnColumns",
    "surefit.kernels.library": "Linear Polynomial Min FiniteDomain",
    "surefit.kernels.radial": "Gaussian Laplace Matern",
    "surefit.objective.margin": "ZeroOne MarginZeroOne Logistic LogLoss PerceptronLoss Hinge SquaredMargin",
    "surefit.objective.penalty": "SquaredL2 L1 ElasticNet L2 PNorm",
    "surefit.objective.regression": (
        "Squared Absolute Power EpsilonInsensitive QuadraticEpsilonInsensitive Huber Pinball"
    ),
    "surefit.objective.softmax": "SoftmaxCrossEntropy",
}
"""Kernels, losses and penalties: built by their constructors, which check their parameters."""

RECORDS = {
    "surefit.data.blocks.columns": "Columns",
    "surefit.data.centred": "Centred",
    "surefit.data.design": "Design",
    "surefit.data.units": "Units",
    "surefit.estimators.blocks.reading": "BlocksRecord",
    "surefit.estimators.kinds.summarised": "PlainStatistics",
    "surefit.estimators.subset": "Subset",
    "surefit.guarantee.calibrate": "Band Calibrated",
    "surefit.guarantee.class_sets": "CalibratedSets",
    "surefit.guarantee.declared": "Values",
    "surefit.guarantee.fit_record": "FitRecord Settings Seen HeldOutAnswers",
    "surefit.guarantee.label_values": "LabelValues",
    "surefit.guarantee.probabilities": "CalibratedProbabilities",
    "surefit.guarantee.sampling": "Sampling",
    "surefit.guarantee.scores": "HeldOutScores",
    "surefit.guarantee.seen.division": "Draw",
    "surefit.guarantee.seen.equal": "Equalities",
    "surefit.guarantee.seen.rounded": "NearRows",
    "surefit.guarantee.thresholds": "ChosenThreshold",
    "surefit.guarantee.stored_intervals": "StoredIntervals StoredTargets",
    "surefit.kernels.low_rank": "LowRankMap",
    "surefit.selection.record": "Selection",
    "surefit.solvers.any_loss.solve": "SolverChoice",
    "surefit.solvers.cost": "Plan Work",
    "surefit.solvers.lasso.path": "SparsePath SparsePenalty",
    "surefit.solvers.logistic.separation": "Separation",
    "surefit.solvers.logistic.solve": "LogisticPath",
    "surefit.solvers.online.dual": "DualSettings DualState",
    "surefit.solvers.online.extents": "Extents",
    "surefit.solvers.online.state": "OnlineSettings LinearState",
    "surefit.solvers.online.triangle": "StackedRows",
    "surefit.solvers.solution": "Solution Path",
    "surefit.study.declared": "Declared",
    "surefit.study.encode.constants": "Constant",
    "surefit.study.encode.encoder": "Encoder",
    "surefit.study.encode.kinds": "Kind",
    "surefit.study.encode.parts": "NumberPart CategoryPart DatePart",
    "surefit.study.encode.words": "Style",
    "surefit.study.model": "TableModel",
    "surefit.study.target": "Target",
    "surefit.theory.certificates.certificate": "Assumption Certificate",
    "surefit.theory.certificates.shuffle": "Shuffle",
    "surefit.theory.inference.linear": "FitStatistics",
    "surefit.theory.means.alarms": "Alarm",
    "surefit.theory.means.order_bet": "OrderBet",
    "surefit.theory.means.running": "RunningMean",
    "surefit.theory.inference.logistic": "LogisticStatistics",
    "surefit.theory.inference.logistic_shrunken": "ShrunkenStatistics",
    "surefit.theory.inference.logistic_summary": "LogisticSummary",
    "surefit.theory.inference.stored": "StoredPages",
    "surefit.theory.inference.summary": "Summary",
    "surefit.theory.inference.tables": "EstimateTable CoefficientTable ShrunkenTable",
    "surefit.theory.intervals.adaptive": "AdaptiveIntervals",
    "surefit.theory.intervals.online_ridge": "ConformalRidge",
    "surefit.theory.intervals.stored": "LeftOutReach",
    "surefit.theory.intervals.venn_abers": "VennAbers",
}
"""Frozen records, whose values are checked against their declarations."""

WORDS = {
    "surefit.solvers.solution": "Status",
    "surefit.theory.certificates.certificate": "Standing Verdict",
}
"""Enumerations."""

SPLITTERS = {
    "sklearn.model_selection": (
        "KFold StratifiedKFold LeaveOneOut ShuffleSplit StratifiedShuffleSplit TimeSeriesSplit"
    ),
    "sklearn.pipeline": "Pipeline",
}
"""From scikit-learn: ways to divide rows, which are parameters of ours, and pipelines of our parts; by constructor."""

GROUPS = {"model": MODELS, "formula": FORMULAS, "record": RECORDS, "word": WORDS, "sklearn": SPLITTERS}


def _names(group: str) -> dict[str, tuple[str, str]]:
    pairs = [(module, name) for module, names in GROUPS[group].items() for name in names.split()]
    return {_label(group, module, name): (module, name) for module, name in pairs}


def _label(group: str, module: str, name: str) -> str:
    """What a file calls a class: ``kernel Power`` and ``loss Power`` are two formulas."""
    if group != "formula":
        return f"{group} {name}"
    kind = "kernel" if ".kernels." in module else "penalty" if module.endswith("penalty") else "loss"
    return f"{kind} {name}"


VOCABULARY = {label: place for group in GROUPS for label, place in _names(group).items()}
"""What a file calls a class, and where the class is."""

_LABELS = {place: label for label, place in VOCABULARY.items()}


def label_of(kind: type) -> str | None:
    """What a file calls this class; None if it may not name it.  A subclass is another class.

    >>> from surefit import Ridge
    >>> label_of(Ridge), label_of(dict)
    ('model Ridge', None)
    """
    found = _LABELS.get((kind.__module__, kind.__qualname__)) or _public(kind)
    return found if found is not None and class_of(found) is kind else None


def _public(kind: type) -> str | None:
    """The label of a class of scikit-learn, which lives in a private module."""
    places = [place for place in _LABELS if place[1] == kind.__name__ and not place[0].startswith("surefit")]
    return _LABELS[places[0]] if places and kind.__module__.startswith("sklearn") else None


@cache
def class_of(label: str) -> type:
    """The class that a file calls ``label``; an error for every name that is not in the table.

    >>> class_of("os.system")
    Traceback (most recent call last):
        ...
    surefit.store.refusal.ModelFileError: the file names the class 'os.system', which no model file may hold
    """
    if label not in VOCABULARY:
        raise ModelFileError(f"the file names the class {label[:60]!r}, which no model file may hold")
    module, name = VOCABULARY[label]
    found: type = getattr(import_module(module), name)
    return found
