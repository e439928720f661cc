"""Layer guarantee: prediction intervals for any fitted regressor, from rows that it has never seen.

In: a fitted model, or two quantile fits, and held-out rows.  Out: `Calibrated`, which keeps a copy of the model and the
held-out scores, and gives `PredictionIntervals` of any coverage.  Rows that the model was fitted to are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_consistent_length

from surefit.guarantee.held_out import answers_labels, compared_rows
from surefit.guarantee.seen.equal import Equalities
from surefit.guarantee.seen.prints import DRAWS, DRAWS_OR_COPIES
from surefit.names import hinted
from surefit.theory.intervals.conformal import (
    PredictionIntervals,
    Promise,
    band_scores,
    conformal_rank,
    pac_promise,
    pac_rank,
    ranked,
    split_promise,
    unlucky_coverage,
    widened,
)
from surefit.theory.means.arguments import checked_coverage

HELD_OUT = ("split", "pac")
DECLARE = "if equal rows are draws that agree by chance, say calibrate(..., equal_rows_are_draws=True)"


@dataclass(frozen=True)
class Band:
    """The predictions of one model, or between those of two: what is widened.  A class, so that it can be stored."""

    lower: Any
    upper: Any

    def __call__(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        first = _predicted(self.lower, rows)
        if self.upper is None:
            return first, first
        second = _predicted(self.upper, rows)
        return np.minimum(first, second), np.maximum(first, second)  # quantile fits may cross


@dataclass(frozen=True, repr=False)
class Calibrated:
    """A band and its scores on held-out rows: `predict_interval` gives intervals of any coverage from them.

    ``groups`` holds the group of each score if coverage shall hold within each group.  ``found`` says which rows equal
    others, where some may be copies: intervals are then the wider of two, the second with each kind of row once, and
    nothing known (an infinite score) of those that equal a training row.
    """

    band: Callable[[Any], tuple[np.ndarray, np.ndarray]]
    scores: np.ndarray
    groups: np.ndarray | None
    of: str = ""
    found: Equalities | None = None
    assumed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        within = "" if self.groups is None else f", in each of {len(set(self.groups.tolist()))} groups"
        return (
            f"Calibrated{self.of} on {len(self.scores):,} held-out rows{within}. predict_interval(X, coverage) gives "
            "intervals that hold a new target with probability at least coverage, on average over hold-outs."
        )

    @hinted
    def predict_interval(
        self, X: Any, coverage: float = 0.9, method: str = "split", *, delta: float = 0.05, groups: Any = None
    ) -> PredictionIntervals:
        """Intervals for the rows of ``X``: the band, widened by an order statistic of the held-out scores.

        ``method="split"``: probability at least ``coverage``, on average over hold-outs.  ``"pac"``: for all but a
        share ``delta`` of hold-outs at least ``coverage`` of all new targets (needs 29 rows for 0.9 at 0.05).
        ``groups``: the group of each row of ``X``, if the hold-out had groups; the promise then holds in each group.
        """
        if method not in HELD_OUT:
            raise ValueError(f"method must be one of {HELD_OUT}, got {method!r}; jackknife+ needs no hold-out")
        coverage = checked_coverage(coverage)
        lower, upper = self.band(X)
        names = self._names(groups, len(lower))
        members = {name: self._members(name) for name in dict.fromkeys(names)}
        rank = conformal_rank if method == "split" else lambda n, share: pac_rank(n, share, delta)
        amounts = {name: self._widening(rows, coverage, rank) for name, rows in members.items()}
        sizes = [len(scores) for rows in members.values() for scores in self._readings(rows)]
        amount = np.array([amounts[name] for name in names])
        return self._promise(sizes, coverage, method, delta).intervals(*widened(lower, upper, amount))

    def _names(self, groups: Any, n: int) -> list[Any]:
        """The group of each new row; without groups all are in one."""
        if self.groups is None:
            if groups is not None:
                raise ValueError("the hold-out had no groups; give calibrate the group of each held-out row")
            return [None] * n
        if groups is None:
            raise ValueError(f"the hold-out had groups; give the group of each of the {n} rows of X")
        return one_name_each(groups, n, "rows of X").tolist()

    def _members(self, group: Any) -> np.ndarray:
        """Which held-out rows belong to a group, as a mask."""
        if self.groups is None:
            return np.ones(len(self.scores), dtype=bool)
        member = self.groups == group
        if not np.any(member):
            raise ValueError(f"group {group!r} has no held-out row, so nothing is known about it; hold some rows out")
        return member

    def _readings(self, member: np.ndarray) -> list[np.ndarray]:
        """The scores of a group if equal rows are draws, and if they are copies."""
        if self.found is None:
            return [self.scores[member]]
        return [self.scores[member], self.found.once(self.scores, np.inf, member)]

    def _widening(self, member: np.ndarray, coverage: float, rank: Callable[[int, float], int]) -> float:
        """What widens the band enough under every reading."""
        whole, *once = self._readings(member)
        amount = ranked(whole, rank(len(whole), coverage))
        for scores in once:
            try:
                amount = max(amount, ranked(scores, rank(len(scores), coverage)))
            except ValueError as error:
                raise ValueError(f"{error} (rows that equal others count once; {DECLARE})") from error
        if np.isinf(amount):
            raise ValueError(
                f"{np.sum(np.isinf(once))} of {len(once[0])} kinds of held-out rows equal a training row, too many for "
                f"{coverage!r} coverage if they are copies; hold out rows that are new ({DECLARE})"
            )
        return amount

    def _promise(self, sizes: Sequence[int], coverage: float, method: str, delta: float) -> Promise:
        """The weakest promise of groups and readings with so many scores; it is not always that of the fewest."""
        if method == "split":
            promise = split_promise(min(sizes, key=lambda n: unlucky_coverage(n, coverage)), coverage)
        else:
            promise = pac_promise(min(sizes), coverage, delta)
        promise = replace(promise, method=promise.method + self.of, assumptions=(*promise.assumptions, *self.assumed))
        if self.groups is None:
            return promise
        statement = f"In each group, {_uncapitalised(promise.statement)}"
        return replace(promise, method=f"{promise.method} by group", statement=statement)


def _uncapitalised(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def calibrate(model: Any, X: Any, y: Any, *, groups: Any = None, equal_rows_are_draws: bool = False) -> Calibrated:
    """Intervals ``f(x) -+ radius`` for any fitted regressor, from rows ``X``, ``y`` that it has never seen.

    Scores are the absolute errors on those rows.  ``groups`` (n,): coverage within each group (Mondrian), each with
    its own radius.  The rows must not have been used for fitting, scaling or tuning; there are no sample weights,
    because rows that count unequally are not exchangeable with a new one.  Rows that equal others may be copies:
    intervals are the wider of those with and without them, unless ``equal_rows_are_draws`` is your word that they
    repeat by nature.  The model is copied, so that a later fit does not change what was calibrated.

    >>> import numpy as np
    >>> from surefit import Ridge
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(300, 2)); y = X @ [1.0, 2.0] + rng.normal(size=300)
    >>> held_out = calibrate(Ridge(0.01).fit(X[:200], y[:200]), X[200:], y[200:])
    >>> held_out
    Calibrated on 100 held-out rows. predict_interval(X, coverage) gives intervals that hold a new target with
    probability at least coverage, on average over hold-outs.
    >>> float(held_out.predict_interval(X[:1], 0.9).width[0].round(3))
    3.559
    >>> print(held_out.predict_interval(X[:1], 0.9, "pac").statement)
    With 95 % confidence over the draw of the 100 held-out rows, at least 90 % of new targets lie in their interval.
    """
    return _calibrated(Band(_kept(model), None), (model,), (X, y, groups), equal_rows_are_draws)


def calibrate_quantiles(
    lower: Any, upper: Any, X: Any, y: Any, *, groups: Any = None, equal_rows_are_draws: bool = False
) -> Calibrated:
    """Conformalised quantile regression: a band ``[lower(x), upper(x)]`` of two fitted models, widened (or narrowed).

    Romano, Patterson and Candes (2019).  Intervals vary in width with the noise; their coverage does not rest on the
    quantile fits being right.  Otherwise as `calibrate`.

    >>> import numpy as np
    >>> from surefit import ERM
    >>> from surefit.objective import Pinball
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(600, 1)); y = (0.1 + X[:, 0]) * rng.normal(size=600)
    >>> low, high = (ERM(Pinball(q)).fit(X[:300], y[:300]) for q in (0.05, 0.95))
    >>> held_out = calibrate_quantiles(low, high, X[300:], y[300:])
    >>> held_out.predict_interval([[0.1], [0.9]]).width.round(1)
    array([0.6, 3.1])
    """
    found = _calibrated(Band(_kept(lower), _kept(upper)), (lower, upper), (X, y, groups), equal_rows_are_draws)
    return replace(found, of=" of a quantile band")


def _kept(model: Any) -> Any:
    """A copy, which no later fit can change."""
    if answers_labels(model):
        raise ValueError(
            f"{type(model).__name__} answers labels, which have no intervals; calibrate a regressor, or ask for "
            "certificate(X_test, y_test)"
        )
    return deepcopy(model)


def _calibrated(band: Any, models: tuple[Any, ...], rows: tuple[Any, Any, Any], draws: bool) -> Calibrated:
    X, y = rows[0], _numbers(rows[1])
    if _num_samples(X) != len(y) or not np.all(np.isfinite(y)):
        raise ValueError(
            f"y must hold one finite target for each of the {_num_samples(X)} held-out rows; drop missing ones"
        )
    groups = None if rows[2] is None else one_name_each(rows[2], len(y), "held-out rows")
    found = compared_rows(models, X, y, draws)
    low, high = band(X)
    check_consistent_length(low, y)
    if not np.all(np.isfinite(low)) or not np.all(np.isfinite(high)):
        raise ValueError("the model predicts values that are not finite; calibrate one that has an answer for each row")
    if not found.any:
        return Calibrated(band, band_scores(low, high, y), groups)
    count = f"{found.shared} held-out rows equal a training row, {found.repeated} more another"
    if draws:
        return Calibrated(band, band_scores(low, high, y), groups, assumed=(f"{DRAWS} ({count}; declared)",))
    text = f"{DRAWS_OR_COPIES} ({count}: the wider of both)"
    return Calibrated(band, band_scores(low, high, y), groups, found=found, assumed=(text,))


def _numbers(y: Any) -> np.ndarray:
    try:
        return np.ravel(np.asarray(y, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"y must be numbers, and {error}; intervals are for regressors, give numeric targets"
        ) from None


def one_name_each(groups: Any, n: int, rows: str) -> np.ndarray:
    """``groups`` as a vector of ``n`` names, also if it is one column."""
    try:
        names = np.asarray(groups)
    except ValueError:  # lists of different lengths
        names = np.empty(0)
    if names.size != n or names.shape[:1] != (n,):
        raise ValueError(
            f"groups must name one group for each of the {n} {rows}, got shape {names.shape}; give a vector"
        )
    return names.ravel()


def _predicted(model: Any, X: Any) -> np.ndarray:
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        return predicted[:, 0]
    if predicted.ndim != 1:
        raise ValueError(f"the model predicts {predicted.shape[1]} targets; calibrate one target at a time")
    return predicted
