"""Layer guarantee: everything that a fit keeps, in one record on one attribute, ``_fit_record``.

In: a model, the rows of its fit, and what its solver computed.  Out: a `FitRecord`.

    settings, target_name   the parameters as they were when the fit began; what the target is called
    seen                    fingerprints of the training rows, made once
    constant, cap           the best constant and the cap on squared errors, from training rows only
    held_out                targets and answers of the rows that the fit held out
    pages, intervals        what a stored model keeps of its inference and of its prediction intervals
    rows                    the training rows as they were given: a reference, which stays behind
    factored                the rows as the solver saw them, with the factor of the fit: stays behind too

What travels with a stored model is plain data: numbers, words, arrays, and frozen records of them (and, among the
settings, whatever the user gave: kernels, losses).  It stays small whatever the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from surefit.data.fingerprints import n_distinct
from surefit.guarantee.declared import Values
from surefit.guarantee.sampling import PLAIN, Sampling
from surefit.guarantee.seen.alike import Alike
from surefit.guarantee.seen.coarse import explained, stacked
from surefit.guarantee.seen.division import Draw
from surefit.guarantee.seen.equal import SMALL, Equalities, equalities
from surefit.guarantee.seen.prints import (
    NOT_TRAINED_ON,
    UNTOUCHED,
    column_names,
    equal_rows,
    in_order,
    row_prints,
    smallest_prints,
    untouched,
)
from surefit.guarantee.seen.rounded import NearRows
from surefit.guarantee.stored_intervals import StoredIntervals, StoredTargets
from surefit.parameters import own_copy
from surefit.theory.certificates.certificate import Assumption, Standing
from surefit.theory.inference.stored import StoredPages

CHANGED = "X or y has been changed in place since the fit; fit again"


@dataclass(frozen=True)
class Settings:
    """Names and values of a model's parameters as they were when its fit began.

    Those with parameters of their own (kernels) are copies, so that no later edit reaches them: what a theorem assumes
    (a ``lam`` fixed beforehand, say) is judged by what was true of the fit.
    """

    given: tuple[tuple[str, Any], ...] = ()

    @staticmethod
    def of(model: Any) -> Settings:
        """The parameters of ``model`` as they are now.

        >>> from surefit import SVC
        >>> dict(Settings.of(SVC(lam=0.1)).given)["lam"]
        0.1
        """
        names = parameter_names(type(model))  # type: ignore[arg-type]  # a class, hashable whatever its types
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


@dataclass(frozen=True)
class Seen:
    """Fingerprints of the ``n`` training rows: all of them, or a few after the model was stored.

    ``counted`` is `repeated` where not all prints are left to count it; ``columns`` are the names of a frame's columns;
    ``near`` holds prints in single precision, where they are known.

    >>> X = np.array([[1.0], [2.0], [1.0]])
    >>> Seen.of(X, np.zeros(3)).repeated
    1
    """

    prints: np.ndarray
    n: int
    counted: int | None = None
    columns: tuple[str, ...] | None = None
    near: NearRows | None = None

    @staticmethod
    def of(X: Any, y: Any, prints: np.ndarray | None = None, near: NearRows | None = None) -> Seen:
        """Of training rows, whose ``prints`` may be known already."""
        prints = row_prints(X, y) if prints is None else prints
        return Seen(prints, len(prints), None, column_names(X), near)

    def to_store(self, near: NearRows | None) -> Seen:
        """With few prints."""
        few = smallest_prints(self.prints)
        return replace(self, prints=few, counted=self.repeated, near=None if near is None else near.to_store())

    @cached_property
    def repeated(self) -> int:
        """How many rows equal an earlier one."""
        return self.n - n_distinct(self.prints) if self.counted is None else self.counted

    @property
    def many_repeat(self) -> bool:
        """Whether enough rows equal others to spoil a statement about all of them, were they copies."""
        return self.repeated > SMALL * self.n


UNSEEN = "copies of them that were changed cannot be seen"


@dataclass(frozen=True)
class HeldOutAnswers:
    """Targets and answers on the rows that a fit held out; the rows themselves are not kept.

    ``before_everything``: no step before the model and no search around it can have seen them.
    """

    targets: np.ndarray
    answers: np.ndarray
    share: float
    draw: Draw
    found: Equalities
    before_everything: bool = False
    values: Values | None = None
    sampling: Sampling = PLAIN

    def assumptions(self, draws: bool) -> tuple[Assumption, ...]:
        """What the fit did, what it cannot know, and what equal rows ask for."""
        how = f"{self.sampling.held_out_by} random_state={self.draw.random_state}"
        if self.sampling.time is not None:
            how = self.sampling.held_out_by
        if self.before_everything:
            drawn = Assumption(NOT_TRAINED_ON, Standing.CHECKED, f"they were held out before the fit, {how}; {UNSEEN}")
        else:
            doubt = "if a step before this model or a search around it saw them, use Certified"
            drawn = Assumption(UNTOUCHED, Standing.DECLARED, f"fit held them out, {how}; {doubt}")
        return drawn, *self.draw.doubt(draws), *equal_rows(self.found, draws)


@dataclass(frozen=True)
class GivenRows:
    """Training rows that count, as the user gave them: references, not copies."""

    X: Any
    y: Any
    weight: np.ndarray | None


@dataclass(frozen=True)
class FitRecord:
    """All that a fit keeps; the module says what each part is.

    It is made when a fit begins (settings alone), the model's own ``fit`` adds what its solver computed, and
    `certifiable` what the rows say.  Copies in memory share it; a stored model has `to_store` of it.
    """

    settings: Settings = Settings()
    target_name: str = "y"
    seen: Seen | None = None
    constant: Any = None
    cap: float = np.inf
    reach: float = np.inf
    held_out: HeldOutAnswers | None = None
    pages: StoredPages | None = None
    intervals: StoredIntervals | StoredTargets | None = None
    rows: GivenRows | None = None
    factored: Any = None

    @property
    def n(self) -> int:
        """How many training rows counted."""
        return 0 if self.seen is None else self.seen.n

    @cached_property
    def near(self) -> NearRows | None:
        """The training rows in single precision, as far as they are known."""
        if self.seen is None or self.seen.near is not None or self.rows is None:
            return None if self.seen is None else self.seen.near
        return NearRows.of(self.rows.X, self.rows.y, self.seen.prints)

    def unchanged(self, pair: tuple[Any, Any] | None = None) -> bool:
        """Whether the training rows, which are the user's own arrays, are still what the fit was given.

        ``pair``: the rows and targets that a solver kept, where only these are to be used again: views of the user's
        arrays, or copies, and then edits do not matter.  Rows that a fit divided by itself are copies too, and a stored
        model has none: no edit reaches either.
        """
        if self.rows is None or self.seen is None:
            return True
        pair = (self.rows.X, self.rows.y) if pair is None else pair
        return np.array_equal(row_prints(*pair), self.seen.prints)

    def refuse_changed(self, wanted: str, pair: tuple[Any, Any] | None = None) -> None:
        """Raise ``ValueError`` unless `unchanged`; ``wanted`` is what a new fit would give."""
        if not self.unchanged(pair):
            raise ValueError(f"{CHANGED} to have its {wanted}")

    def compared(self, X: Any, y: Any, draws: bool = False) -> tuple[Equalities, tuple[Assumption, ...]]:
        """Which of these rows equal training rows or each other, and what may be said of it; or an error.

        Columns may come in another order than in training.  Where the training rows are at hand, rows that are nearly
        equal are found as well; where only prints are left, those that agree to seven digits.
        """
        assert self.seen is not None
        X = in_order(X, self.seen.columns)
        prints = row_prints(X, y)
        if self.rows is not None and _as_wide((X, y), (self.rows.X, self.rows.y)):  # else the model refuses them
            training = in_order(self.rows.X, self.seen.columns), self.rows.y
            alike = Alike.of(*stacked((X, y), training), np.concatenate([prints, self.seen.prints]))
            found, m = alike.held_out(len(prints), draws), len(prints)
            return found, untouched(alike.kinds[m:], alike.kinds[:m], found, None, draws)
        found = equalities(prints, self.seen.prints)
        others = np.flatnonzero(~found.known)
        if found.any and not draws:
            found = found.without(explained(X, y, prints, found.known))
        assumptions = untouched(self.seen.prints, prints, found, self.seen.n, draws)
        if len(others) and self.seen.near is not None:
            self.seen.near.refuse(_safe_indexing(X, others), _safe_indexing(y, others))
        return found, assumptions

    @property
    def copies(self) -> str:
        """What copies there are among the training rows, in words; nothing if they are few or known no more."""
        if self._alike is not None:
            return self._alike.copies()
        seen = self.seen
        return f"{seen.repeated} of {seen.n} rows equal another" if seen is not None and seen.many_repeat else ""

    @property
    def coarse(self) -> int:
        """How many training rows equal an earlier one as rows of a coarse table do."""
        return 0 if self._alike is None else self._alike.coarse

    @cached_property
    def _alike(self) -> Alike | None:
        pair = self.factored.pair if self.rows is None and self.factored is not None else self.rows
        if pair is None:
            return None
        X, y = (pair.X, pair.y) if isinstance(pair, GivenRows) else pair
        return Alike.of(X, y, row_prints(X, y))

    def to_store(
        self, pages: StoredPages | None = None, intervals: StoredIntervals | StoredTargets | None = None
    ) -> FitRecord:
        """What travels with a stored model: everything but the rows, and a few of their fingerprints."""
        seen = None if self.seen is None else self.seen.to_store(self.near)
        pages, intervals = pages or self.pages, intervals or self.intervals
        return replace(self, seen=seen, pages=pages, intervals=intervals, rows=None, factored=None)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(stored, name) for stored in (self.to_store(),) for name in self.__dataclass_fields__}

    def __deepcopy__(self, memo: dict[int, Any]) -> FitRecord:
        """Nothing in it is ever changed, so that copies of a model in memory share it."""
        return self


def _as_wide(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    """Whether two tables of rows and targets have the same columns, as far as their numbers go."""
    return all(np.shape(a)[1:] == np.shape(b)[1:] for a, b in zip(one, other, strict=True))


@cache
def parameter_names(kind: type) -> tuple[str, ...]:
    """The parameters of a class of models; remembered, since reading a signature takes longer than a small fit."""
    return tuple(kind._get_param_names())  # type: ignore[attr-defined]


def _apart(value: Any) -> Any:
    """A copy of what can be changed from outside: kernels, and lists of them."""
    if isinstance(value, list | tuple):
        return type(value)(_apart(one) for one in value) if type(value) in (list, tuple) else value
    if isinstance(value, np.ndarray):
        return value.copy()
    return own_copy(value) if hasattr(value, "get_params") and not isinstance(value, type) else value


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(np.all(one == other))
    except (TypeError, ValueError):  # arrays of different shapes, say
        return False
