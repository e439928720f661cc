"""Layer guarantee: the settings of a model as they were when it was fitted.

In: a model whose ``fit`` begins.  Out: `Settings`, which later edits of the model's parameters do not reach, so that
what its theorem assumes (a ``lam`` fixed beforehand, say) is judged by what was true of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

from surefit.parameters import own_copy, switch
from surefit.theory.certificates.certificate import Assumption, Standing


@dataclass(frozen=True)
class Settings:
    """Names and values of a model's parameters; those with parameters of their own (kernels) are copies."""

    given: tuple[tuple[str, Any], ...] = ()

    @staticmethod
    def of(model: Any) -> Settings:
        """The parameters of ``model`` as they are now.

        >>> from surefit import SVC
        >>> dict(Settings.of(SVC(lam=0.1)).given)["lam"]
        0.1
        """
        names = _names(type(model))  # type: ignore[arg-type]  # a class, hashable whatever its types
        return Settings(tuple((name, _apart(getattr(model, name))) for name in names))

    def restored(self, model: Any) -> Any:
        """``model`` with these settings: it shares everything fitted with the original, which stays as it is."""
        twin = object.__new__(type(model))
        twin.__dict__.update({**model.__dict__, **dict(self.given)})
        return twin

    def changed(self, model: Any) -> tuple[str, ...]:
        """Names of the parameters that have been set to something else since."""
        return tuple(name for name, value in self.given if not _same(value, getattr(model, name)))

    def as_fitted(self, model: Any) -> tuple[Assumption, ...]:
        """What to say of a statement about the fit if its settings have been changed since."""
        names = self.changed(model)
        if not names:
            return ()
        evidence = f"{', '.join(names)} set to something else since; fit again to have the certificate of that"
        return (Assumption("this is about the model as it was fitted", Standing.DECLARED, evidence),)


def check_settings(model: Any) -> None:
    """Refuse words, lists and truth values for ``lam``, and words for ``fit_intercept``, with what is meant by them.

    >>> from surefit import Ridge
    >>> check_settings(Ridge(lam=[0.1, 1.0]))
    Traceback (most recent call last):
        ...
    ValueError: lam must be a finite number, got [0.1, 1.0]; a grid to choose from is lams: Ridge(lams=[0.1, 1.0])
    """
    lam, names = getattr(model, "lam", None), _names(type(model))  # type: ignore[arg-type]
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


@cache
def _names(kind: type) -> tuple[str, ...]:
    """The parameters of a class of models; remembered, since reading a signature takes longer than a small fit."""
    return tuple(kind._get_param_names())  # type: ignore[attr-defined]


def _apart(value: Any) -> Any:
    """A copy of what can be changed from outside: kernels, and lists of them."""
    if isinstance(value, list | tuple):
        return type(value)(_apart(one) for one in value) if type(value) in (list, tuple) else value
    return own_copy(value) if hasattr(value, "get_params") and not isinstance(value, type) else value


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(np.all(one == other))
    except (TypeError, ValueError):  # arrays of different shapes, say
        return False
