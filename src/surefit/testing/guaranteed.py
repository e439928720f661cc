"""Testing layer: ``check_certified_model``, which tries to refute what a model says about its own future.

In: a model with ``fit(X, y, certify=...)`` and ``certificate``, and rows to try it on.  Out: nothing, or an
``AssertionError`` that says what is wrong.  Every certificate goes through `check_certificate` as well.
"""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from surefit.testing.certificate import check_certificate
from surefit.theory.certificates.certificate import Certificate

SHARE = 0.25
DELTAS = (0.2, 0.05, 0.001)


def check_certified_model(model: Any, X: Any, y: Any) -> None:
    """Try to refute ``model.certificate``: on new rows, on rows that ``fit`` holds out, and on no rows at all.

    ``X`` (n, d) and ``y`` (n,) with rows that differ; the last quarter is kept from `fit` to certify on.

    >>> from surefit import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> check_certified_model(Ridge(0.1), X, X.sum(axis=1) + rng.normal(size=200))
    """
    n = len(y) - round(SHARE * len(y))
    seen, new = np.arange(n), np.arange(n, len(y))
    part = lambda rows: (_safe_indexing(X, rows), _safe_indexing(y, rows))
    fitted = clone(model).fit(*part(seen))
    _check_refusal("the model", fitted, part(seen), "all")
    _check_one_known(fitted, part(new), part(np.append(new, 0)))
    _check_refusal("a stored copy", pickle.loads(pickle.dumps(fitted)), part(seen), "all")
    _check_new_rows(fitted, part, new)
    _check_held_out(model, X, y)
    _check_levels(lambda **asked: fitted.certificate(**asked), "without rows")


def _check_refusal(name: str, fitted: Any, rows: tuple[Any, Any], how_many: str) -> None:
    try:
        fitted.certificate(*rows)
    except ValueError:
        return
    raise AssertionError(f"{name} certifies itself on rows of which {how_many} were used in fit")


def _check_one_known(fitted: Any, new: tuple[Any, Any], and_one_known: tuple[Any, Any]) -> None:
    """One training row among new ones is refused, or counts as an error: it must not make a bound smaller."""
    before = fitted.certificate(*new).bound
    try:
        after = fitted.certificate(*and_one_known)
    except ValueError:
        return
    if after.bound < before or after.inputs.get("equal_a_training_row") != 1:
        raise AssertionError("a training row among the held-out rows is neither refused nor counted as an error")


def _check_new_rows(fitted: Any, part: Any, new: np.ndarray) -> None:
    certificate = _check_levels(lambda **asked: fitted.certificate(*part(new), **asked), "on new rows")
    if fitted.certificate(*part(new[::-1])).bound != certificate.bound:
        raise AssertionError("the bound depends on the order of the held-out rows")
    if certificate.inputs["n"] != len(new):
        raise AssertionError(f"{len(new)} rows were given, and the certificate counts {certificate.inputs['n']:g}")


def _check_held_out(model: Any, X: Any, y: Any) -> None:
    first, again = (clone(model).fit(X, y, certify=SHARE) for _ in range(2))
    certificate = _check_levels(lambda **asked: first.certificate(**asked), "on rows that fit held out")
    if again.certificate() != certificate:
        raise AssertionError("the same fit with the same share gives another certificate; fix the seed")
    if pickle.loads(pickle.dumps(first)).certificate() != certificate:
        raise AssertionError("the certificate of rows held out does not survive storage")
    if certificate.inputs["n"] != round(SHARE * len(y)):
        raise AssertionError(f"certify={SHARE:g} of {len(y)} rows held out {certificate.inputs['n']:g} of them")


def _check_levels(certify: Any, where: str) -> Certificate:
    """Less failure allowed, or more models at once, never gives a smaller bound; returns the one at 0.05."""
    found = [certify(delta=delta) for delta in DELTAS]
    for one in found:
        check_certificate(one)
    bounds = [one.bound for one in found]
    if not all(a <= b for a, b in pairwise(bounds)):
        raise AssertionError(f"{where}, the bound falls with delta: {bounds} for {DELTAS}")
    if certify(delta=0.05, n_models_fixed=10).bound < found[1].bound:
        raise AssertionError(f"{where}, ten models at once cost less than one")
    return found[1]
