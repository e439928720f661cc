"""Layer guarantee: held-out scores, and the quantile of them that keeps a promise: for intervals and for sets.

In: one score per held-out row (how far off, or how strange the true label is) and how the rows came about.  Out: for
each new row the quantile that its own score may not exceed, and the `Promise` that comes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.guarantee.sampling import PLAIN, Sampling, density_ratios, one_each
from surefit.guarantee.seen.equal import Equalities
from surefit.theory.certificates.unequal import refuse_other_mean
from surefit.theory.intervals.conformal import (
    ROUNDING,
    Covered,
    Promise,
    conformal_rank,
    not_at_once,
    pac_promise,
    pac_rank,
    ranked,
    split_promise,
    unlucky_coverage,
)
from surefit.theory.intervals.grouped import groups_pac_promise, groups_promise
from surefit.theory.intervals.weighted import group_weights, shift_pac_promise, shift_promise, weighted_quantile
from surefit.theory.means.arguments import checked_coverage, kept_promise
from surefit.theory.means.fixed_sequence import share_quantile

HELD_OUT = ("split", "pac")
DECLARE = "if equal rows are draws that agree by chance, say calibrate(..., equal_rows_are_draws=True)"


@dataclass(frozen=True)
class Request:
    """What is asked of new rows: coverage, method and confidence; their categories and weights, checked."""

    coverage: float
    method: str
    delta: float
    within: list[Any]
    weights: np.ndarray | None

    @property
    def pac(self) -> bool:
        return self.method == "pac"


@dataclass(frozen=True)
class HeldOutScores:
    """Scores of held-out rows and how these came about.

    ``within`` names the category of each row if the promise shall hold within each.  ``found`` says which rows equal
    others, where some may be copies: quantiles are then the larger of two, the second with each kind of row once, and
    nothing known (an infinite score) of those that equal a training row.  ``broken`` names what is known to fail.
    """

    scores: np.ndarray
    within: np.ndarray | None = None
    sampling: Sampling = PLAIN
    found: Equalities | None = None
    assumed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    seed: int = 0

    def request(self, m: int, asked: tuple[float, str, float], within: Any, weights: Any) -> Request:
        """The wishes for ``m`` new rows, checked against what was held out; ``asked``: coverage, method, delta."""
        coverage, method, delta = asked
        if method not in HELD_OUT:
            raise ValueError(f"method must be one of {HELD_OUT}, got {method!r}; jackknife+ needs no hold-out")
        return Request(
            checked_coverage(coverage),
            method,
            kept_promise(delta),
            self._names(within, m),
            self._new_weights(weights, m),
        )

    def _names(self, within: Any, m: int) -> list[Any]:
        """The category of each new row; without categories all are in one."""
        if self.within is None:
            if within is not None:
                raise ValueError("the hold-out had no categories; give calibrate(within=...) that of each held-out row")
            return [None] * m
        if within is None:
            raise ValueError(f"the hold-out was divided by within; give within for each of the {m} rows of X")
        names = one_each("within", within, m, "rows of X").tolist()
        for name in dict.fromkeys(names):
            if not np.any(self.within == name):
                raise ValueError(
                    f"category {name!r} has no held-out row, so nothing is known about it; hold some rows out"
                )
        return names

    def _new_weights(self, weights: Any, m: int) -> np.ndarray | None:
        if self.sampling.weights is None:
            if weights is not None:
                raise ValueError("the held-out rows had no weights; give calibrate(weights=...) those of held-out rows")
            return None
        if weights is None:
            raise ValueError(f"the held-out rows had weights; give those of the {m} rows of X too")
        return density_ratios(weights, m, "rows of X") if m else np.ones(0)

    def quantiles(self, request: Request, among: np.ndarray | None = None) -> np.ndarray:
        """For each new row the quantile of its category's scores, ``among`` some of the held-out rows."""
        found = np.empty(len(request.within))
        for name in dict.fromkeys(request.within):
            new = np.array([one == name for one in request.within], dtype=bool)
            found[new] = self._quantile(self._members(name, among), request, new)
        return found

    def _members(self, name: Any, among: np.ndarray | None = None) -> np.ndarray:
        everyone = np.ones(len(self.scores), dtype=bool) if among is None else among
        return everyone if self.within is None else everyone & (self.within == name)

    def _quantile(self, member: np.ndarray, request: Request, new: np.ndarray) -> np.ndarray | float:
        if self.sampling.groups is not None:
            return self._by_groups(member, request)
        if self.sampling.weights is not None:
            return self._by_weights(member, request, new)
        rank = (lambda n: pac_rank(n, request.coverage, request.delta)) if request.pac else None
        return self._by_rank(member, request.coverage, rank or (lambda n: conformal_rank(n, request.coverage)))

    def _by_rank(self, member: np.ndarray, coverage: float, rank: Callable[[int], int]) -> float:
        """An order statistic, large enough under every reading of equal rows."""
        whole, *once = self.readings(member)
        amount = ranked(whole, rank(len(whole)))
        for scores in once:
            try:
                amount = max(amount, ranked(scores, rank(len(scores))))
            except ValueError as error:
                raise ValueError(f"{error} (rows that equal others count once; {DECLARE})") from error
        if np.isinf(amount) and once:
            raise ValueError(
                f"{np.sum(np.isinf(once))} of {len(once[0])} kinds of held-out rows equal a training row, too many for "
                f"{coverage!r} coverage if they are copies; hold out rows that are new ({DECLARE})"
            )
        return amount

    def readings(self, member: np.ndarray) -> list[np.ndarray]:
        """The scores of some rows if equal rows are draws, and if they are copies."""
        if self.found is None:
            return [self.scores[member]]
        return [self.scores[member], self.found.once(self.scores, np.inf, member)]

    def _by_groups(self, member: np.ndarray, request: Request) -> float:
        scores, groups = self.scores[member], self.sampling.groups[member]  # type: ignore[index]
        names, numbers = np.unique(groups, return_inverse=True)
        weights, K = group_weights(groups), len(names)
        if request.pac:
            found = share_quantile(scores, numbers, weights, 1 - request.coverage, request.delta, seed=self.seed)
        else:
            found = float(weighted_quantile(scores, weights, request.coverage, 1.0)[0])
        if np.isinf(found):
            least = int(np.ceil(request.coverage / (1 - request.coverage) - ROUNDING))
            needed = "more" if request.pac else f"at least {least}"
            raise ValueError(
                f"{K} groups are too few for {request.coverage!r} coverage of new groups: {needed} needed; ask for "
                "less coverage or hold out more groups"
            )
        return found

    def _by_weights(self, member: np.ndarray, request: Request, new: np.ndarray) -> np.ndarray | float:
        scores, weights = self.scores[member], self.sampling.weights[member]  # type: ignore[index]
        if not request.pac:
            return weighted_quantile(scores, weights, request.coverage, request.weights[new])  # type: ignore[index]
        refuse_other_mean(weights)
        top = float(np.max(weights))
        limit = (1 - request.coverage) / top
        return share_quantile(scores, np.arange(len(scores)), weights / top, limit, request.delta, seed=self.seed)

    def promise(self, request: Request, words: Covered, parts: Sequence[np.ndarray | None] = (None,)) -> Promise:
        """What these quantiles promise to every part of the rows: the weakest of all categories and readings."""
        names = dict.fromkeys(request.within) or [None]
        members = [self._members(name, part) for name in names for part in parts]
        found = self._promise(request, members, words)
        found = replace(found, assumptions=(*found.assumptions, *self.assumed), broken=self.broken)
        if self.broken:
            found = replace(found, remedy="calibrate again on rows of the time that you predict for")
        if self.within is None:
            return found
        K = len(set(self.within.tolist()))
        at_once = f"  {not_at_once(K, 'categories', request.delta)}" if K > 1 and request.pac else ""
        statement = f"In each category by itself, {found.statement[0].lower()}{found.statement[1:]}{at_once}"
        return replace(found, method=f"{found.method} by category", statement=statement)

    def _promise(self, request: Request, members: list[np.ndarray], words: Covered) -> Promise:
        coverage, delta = request.coverage, request.delta
        if self.sampling.groups is not None:
            K = min(len(np.unique(self.sampling.groups[member])) for member in members)
            return groups_pac_promise(K, coverage, delta, words) if request.pac else groups_promise(K, coverage, words)
        if self.sampling.weights is not None:
            known, n = self.sampling.weights_are_known, min(int(member.sum()) for member in members)
            if request.pac:
                return shift_pac_promise(n, coverage, delta, known, words)
            return shift_promise(n, coverage, known, words)
        sizes = [len(scores) for member in members for scores in self.readings(member)]
        if request.pac:
            return pac_promise(min(sizes), coverage, delta, words)
        return split_promise(min(sizes, key=lambda n: unlucky_coverage(n, coverage)), coverage, words)

    def described(self) -> str:
        """The held-out rows in words: how many, of how many groups."""
        text = f"{len(self.scores):,} held-out rows"
        if self.sampling.groups is not None:
            text += f" of {len(np.unique(self.sampling.groups)):,} groups"
        if self.sampling.weights is not None:
            text += f", weighted ({'known' if self.sampling.weights_are_known else 'estimated'} density ratios)"
        if self.within is not None:
            text += f", in each of {len(set(self.within.tolist()))} categories"
        return text
