"""Layer guarantee: models inside others: pipelines, searches, wrapped targets, ensembles.

In: any fitted model.  Out: `Memory`: the record of the model of ours that it ends in, or of those that are its members,
and the way from the user's rows to the rows that these were given, so that training rows are recognised; and the
refusal of a hold-out that the steps before a model have seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from surefit.guarantee.fit_record import FitRecord, GivenRows, Seen
from surefit.guarantee.seen.equal import Equalities
from surefit.theory.certificates.certificate import Assumption

Change = Callable[[Any, Any], tuple[Any, Any]]

FITTED_PARTS = ("best_estimator_", "estimator_")
"""Where searches, and classifiers with a threshold of their own, keep the model that answers."""
MOST_MEMBERS = 10
"""Members of an ensemble that are asked: so many bootstrap samples leave out one row in 20,000."""
OTHERS = ("sklearn", "imblearn")
"""Libraries whose functions and classes fit models of ours to rows that something else may have seen."""


def _as_given(X: Any, y: Any) -> tuple[Any, Any]:
    return X, y


@dataclass(frozen=True)
class Memory:
    """What is remembered of the rows that a model was fitted to; ``change`` turns rows and targets into such rows.

    ``same_target``: the innermost model has the user's targets, so that its best constant is one for them too.
    ``others``: what further members of an ensemble remember.
    """

    record: FitRecord
    change: Change = _as_given
    same_target: bool = True
    others: tuple[Memory, ...] = ()

    @staticmethod
    def of_rows(X: Any, y: np.ndarray) -> Memory:
        """Of training rows that are at hand."""
        return Memory(FitRecord(seen=Seen.of(X, y), rows=GivenRows(X, y, None)))

    def compared(self, X: Any, y: Any, draws: bool = False) -> tuple[Equalities, tuple[Assumption, ...]]:
        """`FitRecord.compared` for rows as the user has them; of an ensemble, with the rows of every member."""
        found, told = self.record.compared(*self.change(X, y), draws)
        for other in self.others:
            theirs, more = other.compared(X, y, draws)
            told = more if theirs.shared > found.shared else told
            found = replace(found, first=found.first & theirs.first, known=found.known | theirs.known)
        return found, told

    @property
    def baseline(self) -> FitRecord | None:
        """The record whose constant and cap are about the user's targets, if it has them."""
        return self.record if self.same_target and self.record.constant is not None else None


def remembered(model: Any) -> Memory | None:
    """What the model of ours at the end of ``model`` keeps of its training rows; None if there is none.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from surefit import Ridge
    >>> X = np.arange(10.0)[:, None]
    >>> remembered(make_pipeline(StandardScaler(), Ridge(0.1)).fit(X, X[:, 0])).record.n
    10
    """
    record = getattr(model, "_fit_record", None)
    if isinstance(record, FitRecord):
        return None if record.seen is None else Memory(record)
    steps = getattr(model, "steps", None)
    if steps and hasattr(model, "named_steps"):
        return _before(remembered(steps[-1][1]), lambda X, y: (_transformed(model, X), y))
    if hasattr(model, "regressor_") and hasattr(model, "transformer_"):
        return _before(remembered(model.regressor_), lambda X, y: (X, _inner_target(model, y)), same_target=False)
    ensemble = _of_members(model)
    if ensemble is not None:
        return ensemble
    for name in FITTED_PARTS:
        if hasattr(model, name):
            part = getattr(model, name)
            if hasattr(model, "get_support"):  # it chooses columns before it answers
                return _before(remembered(part), lambda X, y: (model.transform(X), y))
            return remembered(part) if _same_columns(model, part) else None
    inner = getattr(model, "estimator", None)
    return remembered(inner) if type(model).__name__ == "FrozenEstimator" else None


def _of_members(model: Any) -> Memory | None:
    """What the members of an ensemble remember that are of ours; None if these have other columns or labels than it.

    Their best constants are not those of the whole.
    """
    mine, found = getattr(model, "classes_", None), []
    for one in _members(model):
        memory = remembered(one)
        if memory is None:
            continue
        labels = _label_change(mine, getattr(one, "classes_", None))
        if labels is None or not _same_columns(model, one):
            return None
        found.append(Memory(memory.record, _after(labels, memory.change), same_target=False))
        if len(found) == MOST_MEMBERS:
            break
    return replace(found[0], others=tuple(found[1:])) if found else None


def _members(model: Any) -> list[Any]:
    """The fitted members of an ensemble, in one list."""
    parts = getattr(model, "estimators_", None)
    if parts is None:
        parts = [one.estimator for one in getattr(model, "calibrated_classifiers_", ())]
    lists = (one if isinstance(one, list | np.ndarray) else [one] for one in parts)
    return [one for several in lists for one in several]


def _same_columns(model: Any, part: Any) -> bool:
    """Whether a part of a model was given rows as the model was, as far as both say how wide these were."""
    widths = {getattr(one, "n_features_in_", None) for one in (model, part)} - {None}
    return len(widths) <= 1


def _label_change(mine: Any, theirs: Any) -> Change | None:
    """From the labels of an ensemble to those of a member, which has the same or their numbers; None for any other."""
    if (mine is None and theirs is None) or np.array_equal(mine, theirs):
        return _as_given
    if mine is None or theirs is None or not np.array_equal(theirs, np.arange(len(mine))):
        return None
    return lambda X, y: (X, np.searchsorted(mine, y))


def _after(first: Change, then: Change) -> Change:
    return lambda X, y: then(*first(X, y))


def pair_of_training(training: Any, targets: Callable[[Any], np.ndarray]) -> tuple[Any, np.ndarray]:
    """Training rows and their targets, as many of one as of the other; ``ValueError`` for anything else."""
    known = isinstance(training, tuple | list) and len(training) == 2 and all(part is not None for part in training)
    if not known:
        raise ValueError("training must be the pair (X, y) that was given to fit; or leave it out")
    X, y = training[0], targets(training[1])
    if _num_samples(X) != len(y):
        raise ValueError(
            f"training has {_num_samples(X)} rows and {len(y)} targets; give X and y as they were given to fit"
        )
    return X, y


def _before(memory: Memory | None, first: Change, same_target: bool = True) -> Memory | None:
    """``memory`` of a model that gets its rows through ``first``."""
    if memory is None:
        return None
    others = tuple(replace(one, change=_after(first, one.change)) for one in memory.others)
    return Memory(memory.record, _after(first, memory.change), same_target and memory.same_target, others)


def _transformed(pipeline: Any, X: Any) -> Any:
    return X if len(pipeline.steps) == 1 else pipeline[:-1].transform(X)


def _inner_target(model: Any, y: Any) -> np.ndarray:
    """The targets that a wrapped regressor was fitted to."""
    y = np.asarray(y, dtype=np.float64)
    inner = model.transformer_.transform(y.reshape(-1, 1) if y.ndim == 1 else y)
    return np.asarray(inner).reshape(y.shape)


def refuse_inside(model: Any, share: Any) -> None:
    """Raise ``ValueError`` if a pipeline, a search or another library's function is fitting this model.

    Called where ``certify`` is given: what it would hold out has been seen by the steps before, or is to be used by
    the search around.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        # not by the objects that call: to ask a frame for them would keep them alive
        if str(frame.f_globals.get("__name__", "")).split(".")[0] in OTHERS:
            raise ValueError(
                f"a pipeline, a search or a cross-validation is fitting {type(model).__name__}, and has seen or will "
                f"use the rows that certify={share!r} would hold out, so that no certificate would hold; hold rows out "
                f"before everything, with the whole of it inside: Certified(pipeline, holdout={share!r}).fit(X, y)"
            )
        frame = frame.f_back
