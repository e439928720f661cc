"""Layer guarantee: how `fit` may be called, and what it may return: refusals with a remedy.

In: the arguments of a call, or a model that was just fitted.  Out: nothing, or an error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

from surefit.guarantee.fit_record import parameter_names
from surefit.names import hint, meant
from surefit.parameters import switch

NOT_GIVEN: Any = object()


def state_of_division(model: Any, certify: float | None, given: Any) -> Any:
    """The ``random_state`` that decides what rows are held out: the model's own, or what ``fit`` was given."""
    if given is None:
        return getattr(model, "random_state", None)
    name = type(model).__name__
    if hasattr(model, "random_state"):
        raise ValueError(
            f"{name} has a random_state of its own, which decides what rows are held out too; give {name}(random_state="
            f"{given!r})"
        )
    if certify is None:
        raise ValueError(
            "random_state decides what rows certify holds out, and certify is not given; add certify=0.2, or leave it "
            "out"
        )
    return given


def shape_of(X: Any) -> tuple[int, int]:
    """Rows and columns, as far as ``X`` says so before it is looked at: lists are short, and count as nothing."""
    shape: tuple[Any, ...] = getattr(X, "shape", ())
    return (int(shape[0]), int(shape[1])) if len(shape) == 2 else (0, 0)


def refuse_class(model: Any, fit: Callable[..., Any]) -> None:
    """Raise ``TypeError`` if ``fit`` was called on a class, so that ``model`` is the rows."""
    if not hasattr(model, "_get_param_names"):
        name = fit.__qualname__.partition(".")[0]
        raise TypeError(f"fit was called on the class {name}; make a model first: {name}().fit(X, y)")


def check_call(model: Any, X: Any, y: Any, options: dict[str, Any], known: tuple[str, ...]) -> None:
    """A ``TypeError`` for a call of ``fit`` without data, without targets, or with a keyword that it does not have."""
    name = type(model).__name__
    for given in options:
        own = model._get_param_names()
        if given in own and given not in known:
            raise TypeError(
                f"{name}.fit has no parameter {given!r}; it belongs to the model: {name}({given}=...).fit(X, y)"
            )
        if given not in known:
            kinds = [kind.__name__ for kind in type(model).__mro__]
            remedy = meant(given, known) or meant(given, own, kinds) or hint(given, known)
            raise TypeError(f"{name}.fit has no parameter {given!r}; {remedy}")
    if X is None or y is NOT_GIVEN:
        raise TypeError(f"{name}.fit needs rows and their targets; call fit(X, y)")


def refuse_numbered_splits(model: Any) -> None:
    """Splits that are lists of row numbers do not fit the rows that are left."""
    cv = getattr(model, "cv", None)
    if np.iterable(cv) and not hasattr(cv, "split"):
        raise ValueError(
            "cv holds row numbers of all rows, and certify leaves fewer; give a number of folds or a splitter"
        )


def refuse_infinite(model: Any) -> None:
    """A fit whose numbers have left the range of floating point numbers is none."""
    for name in ("coef_", "intercept_", "dual_coef_"):
        values = getattr(model, name, None)
        if values is not None and not np.all(np.isfinite(np.asarray(values, dtype=np.float64))):
            raise ValueError(
                f"{name} of {type(model).__name__} leaves the range of floating point numbers, because columns or "
                "targets are extremely small or large; give them in other units"
            )


def check_settings(model: Any) -> None:
    """Refuse words, lists and truth values for ``lam``, and words for ``fit_intercept``, with what is meant by them.

    >>> from surefit import Ridge
    >>> check_settings(Ridge(lam=[0.1, 1.0]))
    Traceback (most recent call last):
        ...
    ValueError: lam must be a finite number, got [0.1, 1.0]; a grid to choose from is lams: Ridge(lams=[0.1, 1.0])
    """
    lam, names = getattr(model, "lam", None), parameter_names(type(model))  # type: ignore[arg-type]
    if "fit_intercept" in names:
        switch("fit_intercept", model.fit_intercept)
    if "lam" not in names or lam is None or type(lam) in (float, int):
        return
    name, several = type(model).__name__, np.ndim(lam) > 0
    if several and "lams" in names:
        remedy = f"a grid to choose from is lams: {name}(lams={_short(lam)})"
    elif several:
        remedy = f"give one; GridSearchCV({name}(), {{'lam': [...]}}) tries several"
    elif isinstance(lam, str | bool | np.bool_):
        chosen = _default(type(model), "lam") is None  # type: ignore[arg-type]
        remedy = "leave lam out to have it chosen" if chosen else "use lam=0 for no penalty"
    else:
        return
    raise ValueError(f"lam must be a finite number, got {_short(lam)}; {remedy}")


def _short(value: Any) -> str:
    shown = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return shown if len(shown) <= 40 else f"{shown[:30]}...{shown[-1]}"


@cache
def _default(kind: type, name: str) -> Any:
    return signature(kind).parameters[name].default
