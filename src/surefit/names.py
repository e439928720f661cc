"""Below all layers: what a call with a wrong keyword is told: our name for it, and how the numbers translate.

In: a class that inherits from `Hinted`, or a function decorated with `hinted`.  Out: a ``TypeError`` that names the
parameter meant: one that other libraries call so, or one that is spelt nearly so; otherwise all that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache, wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_SQUARES = "1 / (2 * n * lam)"
_PENALTIES = {
    "Ridge": ("alpha", "n * lam", 'convert_lambda(alpha, "sklearn.Ridge", n)'),
    "KernelRidge": ("alpha", "n * lam", 'convert_lambda(alpha, "sklearn.KernelRidge", n)'),
    "Lasso": ("alpha", "lam / 2", 'convert_lambda(alpha, "sklearn.Lasso", n)'),
    "lasso_path": ("alpha", "lam / 2", 'convert_lambda(alpha, "sklearn.Lasso", n)'),
    "ElasticNet": (
        "alpha",
        "lam / 2 * (2 - l1_ratio)",
        'surefit.objective.convert_elastic_net(alpha, l1_ratio, "sklearn.ElasticNet", n), which changes both',
    ),
    "LogisticRegression": ("C", _SQUARES, 'convert_lambda(C, "sklearn.LogisticRegression", n) for squares'),
    "KernelLogistic": ("C", _SQUARES, 'convert_lambda(C, "sklearn.LogisticRegression", n)'),
    "SVC": ("C", _SQUARES, 'convert_lambda(C, "sklearn.SVC", n)'),
    "SVR": ("C", _SQUARES, 'convert_lambda(C, "sklearn.SVR", n)'),
}
"""What scikit-learn calls the penalty of a model, what that is in ours, and how to translate it."""

_ONE = "alpha C lambda lambda_ lamda lmbda reg reg_lambda regularization regularisation penalty_weight weight_decay"
_MANY = "alphas Cs lambdas lambda_grid grid"

_ELSEWHERE: Sequence[tuple[str, str, str]] = (
    # names elsewhere, the parameter of ours that must exist ("" for none), what to do
    ("n_neighbors k n_neighbour", "n_neighbours", "it is called n_neighbours here"),
    ("l1_ratio", "fit_intercept", "use ElasticNet(l1_ratio=...) for a mixture of penalties"),
    ("penalty", "l1_ratio", "l1_ratio=1 is the L1 penalty, l1_ratio=0 squares, and values between mix them"),
    ("gamma sigma length_scale", "bandwidth", "the length is bandwidth: gamma is 1 / (2 * bandwidth**2) in "
     "Gaussian, 1 / bandwidth in Laplace"),
    ("gamma sigma length_scale bandwidth", "kernel", "it belongs to the kernel: kernel=Gaussian(bandwidth), where "
     "gamma is 1 / (2 * bandwidth**2)"),
    ("degree coef0", "kernel", "it belongs to the kernel: kernel=Polynomial(degree, constant)"),
    ("coef0 c0", "constant", "it is called constant here"),
    ("nu", "smoothness", "it is called smoothness here"),
    ("kernel_params kernel_kwargs", "kernel", "a kernel has its parameters itself: kernel=Gaussian(bandwidth)"),
    ("delta epsilon knee", "threshold", "the knee of Huber's loss is threshold, in the units of y"),
    ("epsilon", "loss", "it belongs to the loss: loss=Huber(threshold) or EpsilonInsensitive(epsilon)"),
    ("tau q alpha level", "quantile", "it is called quantile here"),
    ("n_models_tried n_models", "n_models_fixed", "it is called n_models_fixed, since it counts models that were fixed "
     "before the rows were looked at; for models that answers on the rows led to, use ReusableHoldOut"),
    ("n_components", "n_landmarks", "it is called n_landmarks here"),
    ("n_components", "rank", "it is called rank here"),
    ("groups group category", "within", "the category of each row is within here; groups, in calibrate, are rows that "
     "depend on each other"),
    ("confidence confidence_level level alpha", "delta", "delta is the failure probability, 1 - confidence: delta=0.05 "
     "for 95 % confidence"),
    ("confidence confidence_level level alpha", "coverage", "coverage is the share of targets inside: coverage=0.9"),
    ("alpha confidence confidence_level", "level", "level is the confidence of the intervals: level=0.95"),
    ("seed rng", "random_state", "it is called random_state here"),
    ("method algorithm optimizer optimiser", "solver", "it is called solver here"),
    ("intercept bias", "fit_intercept", "it is called fit_intercept here"),
    ("n_iter epochs n_epochs", "max_iter", "it is called max_iter here"),
    ("max_iter n_iter epochs n_epochs", "max_epochs", "it is called max_epochs here"),
    ("max_iter n_iter n_epochs", "epochs", "it is called epochs here"),
    ("eta0 learning_rate lr alpha", "step", "the length of a step is step"),
    ("normalize normalise standardize scale", "standardise", "standardise=True penalises in units of each column's "
     "standard deviation; coefficients stay in the units of X"),
    ("solver", "radius", "the solver is chosen by the shape of the data; leave it out"),
    ("normalize standardize normalise standardise scale", "", "columns are scaled by sklearn's "
     "StandardScaler before the model in a pipeline"),
    ("max_iter n_iter", "", "nothing here stops after a number of iterations"),
    ("tol eps", "max_violation", "there is no gap to stop at: max_violation bounds the violation of the optimality "
     "conditions, as libsvm's tol does"),
    ("tol eps", "max_residual", "there is no gap to stop at: max_residual bounds the relative residual of the linear "
     "system"),
    ("tol eps", "", "nothing here is computed to a tolerance"),
    ("cv scoring", "", "searches are scikit-learn's: GridSearchCV(model, grid, cv=..., scoring=...)"),
    ("n_jobs", "", "the cores that help are used without being asked"),
    ("verbose", "", "long work says by itself what it does; see surefit.progress"),
    ("copy copy_X", "", "data are never changed"),
    ("warm_start precompute selection dual", "", "the solver decides that itself"),
    ("multi_class", "", "several classes are handled without being asked"),
    ("probability", "", "this model has none, KernelLogistic and LogisticRegression have"),
    ("class_weight", "", "weights of rows go to fit as sample_weight"),
    ("weights sample_weights w", "sample_weight", "it is called sample_weight here"),
)  # fmt: skip


class Hinted:
    """A class whose constructor explains wrong keywords.

    >>> class Model(Hinted):
    ...     def __init__(self, lam=None, *, n_neighbours=5): ...
    >>> Model(n_neighbors=3)
    Traceback (most recent call last):
        ...
    TypeError: Model has no parameter 'n_neighbors'; it is called n_neighbours here
    >>> Model(fit_intercpt=3)
    Traceback (most recent call last):
        ...
    TypeError: Model has no parameter 'fit_intercpt'; it has lam, n_neighbours
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _explained(cls.__init__)  # type: ignore[method-assign]


class HintedModel(Hinted):
    """The same for a scikit-learn estimator, whose parameters can also be set later."""

    def set_params(self, **params: Any) -> Any:
        """Change parameters by name, those of a part as ``part__name``; returns the model."""
        known = self._get_param_names()  # type: ignore[attr-defined]
        for name in params:
            if name.partition("__")[0] not in known:
                reason = hint(name, known, [kind.__name__ for kind in type(self).__mro__])
                raise ValueError(f"Invalid parameter {name!r} for {type(self).__name__}; {reason}")
        return super().set_params(**params)  # type: ignore[misc]


def _explained(init: Any) -> Any:
    """``init`` with a word to those who call it wrongly; ``inspect.signature`` sees through it."""
    names, places = _keywords(init)

    @wraps(init)
    def checked(self: Any, *args: Any, **options: Any) -> None:
        if names is not None:
            kind = type(self)
            if any(name not in names for name in options):
                check_keywords(kind.__name__, options, names, [one.__name__ for one in kind.__mro__])
            if len(args) > places:
                raise TypeError(_too_many(kind.__name__, len(args), names, places))
        init(self, *args, **options)

    return checked


def hinted(function: Function) -> Function:
    """Decorates a function or method that explains wrong keywords.

    >>> hinted(lambda X, delta=0.05: None)(1, confidence=0.95)
    Traceback (most recent call last):
        ...
    TypeError: <lambda> has no parameter 'confidence'; delta is the failure probability, 1 - confidence: delta=0.05 for
    95 % confidence
    """
    names, _ = _keywords(function)

    @wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        if names is not None:
            check_keywords(function.__name__, options, names)
        return function(*args, **options)

    return cast(Function, checked)


def check_keywords(called: str, given: Iterable[str], known: Sequence[str], kinds: Sequence[str] = ()) -> None:
    """A ``TypeError`` for the first name that is ``given`` and not ``known``; ``called`` is what was called."""
    for name in given:
        if name not in known:
            raise TypeError(f"{called} has no parameter {name!r}; {hint(name, known, kinds or [called])}")


def hint(name: str, known: Sequence[str], kinds: Sequence[str] = ()) -> str:
    """What to write instead of ``name`` where only ``known`` names are; ``kinds`` names the class and its bases.

    >>> hint("alpha", ["lam", "lams"], ["Ridge"])
    'the penalty is lam, and scikit-learn\\'s alpha is n * lam: lam=convert_lambda(alpha, "sklearn.Ridge", n)'
    >>> hint("lamb", ["lam", "fit_intercept"])
    "did you mean 'lam'? It has lam, fit_intercept"
    """
    return meant(name, known, kinds) or (f"it has {', '.join(known)}" if known else "it has none")


def meant(name: str, known: Sequence[str], kinds: Sequence[str] = ()) -> str | None:
    """As `hint`, if anything is known about ``name``.

    >>> meant("colour", ["lam"]) is None
    True
    """
    if name in _ONE.split() and not known:
        return "it has none; the weight of a penalty is lam of the model: ERM(penalty=L1(), lam=0.1)"
    for words, ours in ((_ONE, "lam"), (_MANY, "lams")):
        if name in words.split() and ours in known:
            return _penalty(name, ours, next((_PENALTIES[kind] for kind in kinds if kind in _PENALTIES), None))
    found = [(ours, remedy) for words, ours, remedy in _ELSEWHERE if name in words.split()]
    for ours, remedy in found:
        if ours in known:
            return remedy
    near = get_close_matches(name, known, n=1, cutoff=0.75)
    if near:
        return f"did you mean {near[0]!r}? It has {', '.join(known)}"
    return next((f"{remedy}; leave it out" for ours, remedy in found if not ours), None)


def _penalty(name: str, ours: str, theirs: tuple[str, str, str] | None) -> str:
    """What to write for the penalty that others call ``name``; ``theirs`` is what scikit-learn does."""
    what = "the penalty is lam" if ours == "lam" else "a grid of penalties is lams"
    if theirs is not None and name.rstrip("s") == "C" and theirs[1] == "n * lam":
        return f"{what}; for ||w||**2 / 2 + C * sum of squared errors write lam=1 / (2 * C * n), with n rows"
    if theirs is None or name.rstrip("s") != theirs[0]:
        return f"{what}, against the mean of the losses; convert_lambda translates other conventions"
    symbol, formula, call = theirs
    return f"{what}, and scikit-learn's {symbol} is {formula}: lam={call}"


@lru_cache(maxsize=512)
def _keywords(function: Any) -> tuple[tuple[str, ...] | None, int]:
    """The names that may be given to a function (None: any), without ``self``, and how many of them by position."""
    found = [one for one in signature(function).parameters.values() if one.name != "self"]
    if any(one.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL) for one in found):
        return None, len(found)
    by_position = [one for one in found if one.kind is not Parameter.KEYWORD_ONLY]
    return tuple(one.name for one in found), len(by_position)


def _too_many(called: str, given: int, names: Sequence[str], places: int) -> str:
    """What to say to ``given`` values without a name where there are ``places`` for them.

    >>> _too_many("Ridge", 2, ["lam", "lams"], 1)
    'Ridge takes lam alone without a name, got 2 values; write the others as name=value: lams'
    """
    values = f"got {given} value{'s' if given > 1 else ''}"
    if not names:
        return f"{called} has no parameters, {values}; write {called}()"
    rest = f"; write the others as name=value: {', '.join(names[places:])}" if names[places:] else "; leave some out"
    alone = f"{', '.join(names[:places])} alone" if places else "nothing"
    return f"{called} takes {alone} without a name, {values}{rest}"
