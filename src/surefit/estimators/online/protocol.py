"""Layer estimators: the online protocol: predict, see the label, suffer the loss, learn.  Catalogue A-26, R-12.

In: rows as arrays, data frames, sparse matrices or dictionaries of named features, a block or one at a time.  Out: a
model that has learnt from each row after predicting it.  ``partial_fit`` on a block is the loop over its rows, to the
last bit.  Subclasses say which loss, which step, and what a target is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, column_or_1d

from surefit.data.tables import explained, tell_of_labels, validate_data
from surefit.estimators.blocks.online import OnlineOfBlocks
from surefit.estimators.online.counted import CountsRows
from surefit.estimators.online.reading import (
    ReadBlock,
    Text,
    is_named,
    pieces,
    targets_without_text,
    uninterrupted,
    without_text,
)
from surefit.estimators.online.refusals import refused, refused_in, refused_text
from surefit.guarantee.certifiable import Guaranteed
from surefit.parameters import number, positive, switch
from surefit.progress import working
from surefit.solvers.online.state import LinearState, OnlineSettings, Refusal

NOT_SAID = math.nan
CHOICES = {
    "schedule": ("constant", "sqrt", "adaptive"),
    "weights": ("last", "mean"),
    "bad_rows": ("raise", "skip"),
    "missing": ("raise", "zero"),
}


class Ticket(float):
    """A prediction that waits for its label: hand it to ``learn_one(ticket, y)`` when the label comes.

    The number itself is the prediction of a regressor, the score of a classifier; ``prediction`` is on the scale of the
    target.  ``row`` is a copy of the row.  The loss that counts is that of this prediction, whatever was learnt since.
    """

    __slots__ = ("prediction", "row", "said")
    prediction: Any
    row: Any
    said: float

    def __new__(cls, value: float, prediction: Any, row: Any, said: float) -> Ticket:
        ticket = super().__new__(cls, value)
        ticket.prediction, ticket.row, ticket.said = prediction, row, said
        return ticket

    def __reduce__(self) -> Any:
        return Ticket, (float(self), self.prediction, self.row, self.said)


class OnlineModel(CountsRows, OnlineOfBlocks, Guaranteed, BaseEstimator):
    """A model that learns with every row; its state is arrays and numbers."""

    step: float
    schedule: str = "constant"
    weights: str = "last"
    fit_intercept: bool
    bad_rows: str
    missing: str
    farthest: float
    _takes_floats = False
    """Whether a target that is a float is taken as it is."""
    n_features_in_: int
    _state: Any

    def _new_state(self, width: int) -> Any:
        """A state that has seen nothing; an error if a parameter cannot be used."""
        return LinearState(self._online_settings(), width)

    def _online_settings(self) -> OnlineSettings:
        """How to step; an error if a parameter cannot be used."""
        raise NotImplementedError

    def _number_of(self, y: Any) -> float:
        """One target as a number."""
        raise NotImplementedError

    def _answer(self, score: float) -> Any:
        """A score on the scale of the target."""
        raise NotImplementedError

    def _check_rows(self) -> dict[str, Any]:
        """What to do with bad rows, as keywords of the settings."""
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                listed = " or ".join(map(repr, known))
                raise ValueError(f"{name} must be {listed}, got {getattr(self, name)!r}; see the class docstring")
        farthest = number("farthest", self.farthest, "how many times longer than all before a row may be; 1e4")
        if not farthest > 1:
            raise ValueError(f"farthest must be > 1, got {self.farthest!r}; use inf to let every row in")
        missing = self.missing == "zero"
        return {"skip": self.bad_rows == "skip", "missing_is_zero": missing, "farthest": farthest}

    def set_params(self, **params: Any) -> Any:
        """As scikit-learn's; other rules for bad rows hold from the next row on, all else after a new start."""
        super().set_params(**params)
        if "_state" in self.__dict__ and {"bad_rows", "missing", "farthest"} & params.keys():
            self._state.treat(**self._check_rows())
        return self

    def _check_rules(self) -> dict[str, Any]:
        """The settings that all linear learners share, as keywords of `OnlineSettings`."""
        return {
            **self._check_rows(),
            "step": positive("step", self.step, "0.01 is the default"),
            "schedule": self.schedule,
            "fit_intercept": switch("fit_intercept", self.fit_intercept),
            "averaged": self.weights == "mean",
        }

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Learn from ``X`` (m, d) and ``y`` (m,) in order: exactly as one row after the other, however rows are cut.

        ``X`` may be a list of dictionaries.  Stops at the first row that it cannot learn from, unless
        ``bad_rows="skip"``; the rows before it have been learnt then.
        """
        with working(f"learning {type(self).__name__}"):
            self._learn(X, y)
        for name in ("_fit_record", "blocks_"):  # of a fit that these rows were no part of
            self.__dict__.pop(name, None)
        return self

    def predict_then_learn(self, X: Any, y: Any) -> np.ndarray:
        """As `partial_fit`; returns the prediction of every row before its label was seen, NaN for skipped rows."""
        said: list[np.ndarray] = []
        self._learn(X, y, said)
        return self._answers_of(np.concatenate([np.zeros(0), *said]))

    def _learn(self, X: Any, y: Any, said: list[np.ndarray] | None = None) -> None:
        """Learn from a block; ``said`` is given the scores of all rows, those before an error included."""
        tell_of_labels(X, y=y)
        if is_named(X):
            self._learn_named(X, y, said)
        elif self._watches_rows():
            self._expect(y)
            for rows, targets in pieces(X, y):
                with uninterrupted():
                    self._learn_block(self._checked_block(rows, targets), [] if said is None else said)
        else:
            self._learn_block(self._checked_block(X, y), said)

    def _learn_block(self, block: ReadBlock, said: list[np.ndarray] | None) -> None:
        predictions, _, refusal = self._state.learn_block(block.rows, block.targets, said is not None)
        if said is not None:
            said.append(predictions)
        if self._watches_rows():
            kept = ~np.isnan(predictions)
            self._seen(block.rows[: len(kept)][kept], block.targets[: len(kept)][kept])
        if refusal is not None:
            raise refused_in(block, refusal, self._state, getattr(self, "classes_", None))

    def _learn_named(self, rows: Sequence[Mapping[Any, Any]], y: Any, said: list[np.ndarray] | None) -> None:
        if len(rows) != len(y):
            raise ValueError(f"X has {len(rows)} rows and y {len(y)} targets; give one target per row")
        self._expect(y)
        for row, label in zip(rows, y, strict=True):
            before = self._start(row).rows
            score = np.nan if said is None else self._state.score_row(row)
            self.learn_one(row, label)
            if said is not None:
                learnt = self._state.rows > before and not isinstance(score, Refusal)
                said.append(np.array([score if learnt else np.nan]))

    def _expect(self, y: Any) -> None:
        """Targets that are to come: what must be known of all of them before the first is learnt."""

    def learn_one(self, x: Any, y: Any) -> Any:
        """Learn from one row: an array (d,), a dictionary of named features, or the `Ticket` of an earlier prediction.

        A feature that appears later starts at zero.  One that is missing is an error, or zero with ``missing="zero"``.
        """
        if type(x) is dict and (state := self.__dict__.get("_state")) is not None and not self._watches_rows():
            core = state.__dict__.get("_core")
            if core is not None:  # the shortest way for rows that come one at a time
                target = y if type(y) is float and self._takes_floats else self._number_of(y)
                reason = core.learn(x, target, NOT_SAID)
                if reason != 0:
                    self._row(x)
                    self._settle(state.learnt(x, target, NOT_SAID, reason), x, target)
                return self
        if isinstance(x, Ticket):
            if x.row is None:
                raise ValueError("the label of this ticket has been learnt already; each ticket has one label")
            if "_state" not in self.__dict__ or not self.waiting_:
                raise ValueError(
                    f"this {type(self).__name__} waits for no label: the ticket is of another model, or was issued "
                    "before fit; hand it to the model that issued it"
                )
            self._learn_row(x.row, self._number_of(y), x.said)
            x.row = None  # after a label that was refused, the ticket still waits for a right one
            self._redeemed = getattr(self, "_redeemed", 0) + 1
            return self
        self._start(x)
        self._learn_row(self._row(x), self._number_of(y), NOT_SAID)
        return self

    def _learn_row(self, row: Any, target: float, said: float) -> None:
        state = self._state
        before = state.rows
        refusal = state.learn_row(row, target, said)
        self._settle(refusal, row, target)
        if self._watches_rows() and state.rows > before:
            self._seen(self._dense(row)[None], np.array([target]))

    def _settle(self, refusal: Refusal | None, row: Any, target: float) -> None:
        if self.n_features_in_ != self._state.width:
            self.n_features_in_ = self._state.width
            self.__dict__.pop("feature_names_in_", None)
        if refusal is not None and self.bad_rows == "raise":
            raise refused(refusal, self._state, row, target)

    def predict_one(self, x: Any) -> Ticket:
        """The prediction for one row, as a number that remembers its row: a `Ticket` for ``learn_one(ticket, y)``."""
        state = self._start(x)
        row = dict(x) if isinstance(x, Mapping) else self._row(x)
        score = state.score_row(row)
        if isinstance(score, Refusal):
            raise refused(score, state, row, None)
        self._issued = getattr(self, "_issued", 0) + 1
        shown = score
        if self.weights == "mean" and state.rows:
            coef, intercept = state.weights(mean=True)
            shown = float(self._dense(row) @ coef + intercept)
        return Ticket(shown, self._answer(shown), row, score)

    def _watches_rows(self) -> bool:
        """Whether `_seen` wants every row that was learnt from."""
        return False

    def _seen(self, X: Any, y: np.ndarray) -> None:
        """Rows that have been learnt from."""

    def _start(self, x: Any) -> Any:
        """The state; a new one if this is the first row."""
        if "_state" not in self.__dict__:
            if isinstance(x, Mapping):
                self._begin(self._new_state(0))
            else:
                self._begin(self._new_state(len(np.ravel(x))))
            self.n_features_in_ = self._state.width
        return self._state

    def _begin(self, state: Any) -> None:
        self._state = state

    def _restart(self) -> None:
        """Forget everything."""
        for name in ("_state", "_issued", "_redeemed", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)

    def _row(self, x: Any) -> Any:
        """One row without names, checked; dictionaries as they are."""
        if isinstance(x, Mapping):
            if self._state.width and not self._state.names:
                raise ValueError("this stream began with rows without names; give rows as arrays, or start a new model")
            return x
        if not isinstance(x, np.ndarray) or x.dtype.kind in "OSU":
            rows, texts = without_text([x])
            if texts and self.bad_rows == "raise":
                raise refused_text(texts[0], self._state)
            x = rows[0] if texts else x
        try:
            row = np.array(x, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            raise ValueError(f"a row must be numbers or a dictionary of named features, got {x!r:.60}") from None
        if len(row) != self._state.width:
            raise ValueError(
                f"the row has {len(row)} numbers, and {type(self).__name__} learns from {self._state.width}; give one "
                "per feature"
            )
        return row

    def _dense(self, row: Any) -> np.ndarray:
        """A row as an array (width,)."""
        if isinstance(row, np.ndarray):
            return row
        values = np.zeros(self._state.width)
        for name, value in row.items():
            if name in self._state.names:
                values[self._state.names[name]] = value
        return values

    def _checked_block(self, X: Any, y: Any) -> ReadBlock:
        """Rows in float64 and targets as numbers; NaN is left to the learner, which knows what to do with it."""
        first = "_state" not in self.__dict__
        if not first:
            self._show_names()
        options = {"accept_sparse": "csr", "dtype": np.float64, "ensure_all_finite": False, "reset": first}
        X, texts = without_text(X)
        rows = validate_data(self, X, **options)
        targets, others = self._targets_of(y)
        if len(targets) != rows.shape[0]:
            raise ValueError(f"X has {rows.shape[0]} rows and y {len(targets)} targets; give one target per row")
        if first:
            state = self._new_state(rows.shape[1])
            names = getattr(self, "feature_names_in_", None)
            state.names.update({} if names is None else {str(name): j for j, name in enumerate(names)})
            self._begin(state)
        return ReadBlock(rows, targets, {**others, **texts})

    def _targets_of(self, y: Any) -> tuple[np.ndarray, dict[int, Text]]:
        """All targets as numbers, NaN for those that are text, and what these say."""
        with explained(None, y, type(self).__name__):
            y, texts = targets_without_text(y)
            return np.ascontiguousarray(column_or_1d(y, warn=True), dtype=np.float64), texts

    def _not_a_number(self, y: Any) -> float:
        """What a target that is no number counts as: one that is missing where such rows are skipped."""
        if y is None or self.bad_rows == "skip":
            return math.nan
        raise refused_text(Text(None, y), self.__dict__.get("_state"))

    def _show_names(self) -> None:
        """``n_features_in_`` and ``feature_names_in_`` as they are now: named features may have joined."""
        state = self._state
        self.n_features_in_ = state.width
        if state.names and all(isinstance(name, str) for name in state.names):
            self.feature_names_in_ = np.array(list(state.names), dtype=object)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Names of features are listed when they are asked for: some may have joined."""
            if name == "feature_names_in_" and "_state" in self.__dict__:
                self._show_names()
                if name in self.__dict__:
                    return self.__dict__[name]
            return super().__getattr__(name)

    def _new_rows(self, X: Any) -> Any:
        """Checked rows to predict."""
        check_is_fitted(self, "_state")
        if is_named(X):
            rows = [self._state.score_row(row) for row in X]
            for row, score in zip(X, rows, strict=True):
                if isinstance(score, Refusal):
                    raise refused(score, self._state, row, None)
            return np.array([self._dense(row) for row in X])
        self._show_names()
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)

    def _scores(self, X: Any) -> np.ndarray:
        rows = self._new_rows(X)
        coef, intercept = self._state.weights(self.weights == "mean")
        return (np.asarray(rows @ coef) + intercept).astype(rows.dtype, copy=False)

    def _answers_of(self, scores: np.ndarray) -> np.ndarray:
        """Scores on the scale of the targets."""
        return scores

    def __getstate__(self) -> dict[str, Any]:
        if "_state" in self.__dict__:
            self._show_names()
        return super().__getstate__()

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
