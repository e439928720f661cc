"""Layer guarantee: how rows came about, where they are not all drawn alike: in groups, in time, from another law.

In: what a user declares of each row: its group, its time, its weight.  Out: a `Sampling`, checked; a `Division` that
holds out whole groups, or the latest rows; and what a test of the order of time says of their errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from surefit.guarantee.seen.division import Division, Draw, division, division_seed
from surefit.theory.certificates.in_time import change
from surefit.theory.certificates.shuffle import Shuffle
from surefit.theory.means.exchangeability import Evidence, evidence_of_order
from surefit.warnings import DriftWarning


@dataclass(frozen=True)
class Sampling:
    """Of each row its group, its time, or its weight (a density ratio, known or estimated); at most one of them."""

    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    weights: np.ndarray | None = None
    weights_are_known: bool = False

    @staticmethod
    def of(
        n: int, rows: str, groups: Any = None, time: Any = None, weights: Any = None, known: bool = False
    ) -> Sampling:
        """Checked for the ``n`` ``rows`` that they describe ("held-out rows", say)."""
        given = [name for name, one in (("groups", groups), ("time", time), ("weights", weights)) if one is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} ask for statements about different rows; give one of them")
        if weights is not None:
            weights = density_ratios(weights, n, rows)
        return Sampling(
            None if groups is None else one_each("groups", groups, n, rows),
            None if time is None else points_of_time(time, n, rows),
            weights,
            bool(known),
        )

    def at(self, rows: np.ndarray) -> Sampling:
        """The same for some of the rows."""
        groups, time, weights = (
            None if part is None else part[rows] for part in (self.groups, self.time, self.weights)
        )
        return Sampling(groups, time, weights, self.weights_are_known)

    @property
    def plain(self) -> bool:
        """Whether nothing is declared: rows are draws, all alike."""
        return self.groups is None and self.time is None and self.weights is None

    @property
    def counts_unequally(self) -> bool:
        """Whether rows are no draws that count alike."""
        return self.groups is not None or self.weights is not None

    @property
    def held_out_by(self) -> str:
        """How rows were held out, in words."""
        if self.time is not None:
            return "the latest of all rows"
        return "each by a hash of itself and" if self.groups is None else "whole groups, each by a hash of its name and"

    @property
    def span(self) -> tuple[str, str]:
        """The first and the last time, in words."""
        assert self.time is not None
        return str(self.time.min()), str(self.time.max())

    def evidence(self, scores: np.ndarray, seed: int) -> Evidence:
        """What a bet on the order of time gains from these scores; rows of one time are in random order."""
        assert self.time is not None
        order = np.lexsort((np.random.default_rng(seed).permutation(len(scores)), self.time))
        return evidence_of_order(scores[order], seed)

    def warn_of(self, evidence: Evidence) -> None:
        """Warn if errors change with time."""
        if evidence.found:
            first, last = self.span
            warnings.warn(
                f"errors on the held-out rows change from {first} to {last}: {change(evidence)}. Nothing is promised "
                "for a later time; fit to later rows, or add columns that explain the change",
                DriftWarning,
                stacklevel=4,
            )


PLAIN = Sampling()
"""Nothing declared."""


def one_each(name: str, values: Any, n: int, rows: str) -> np.ndarray:
    """``values`` as a vector of ``n`` names, also if it is one column."""
    kind = "group" if name == "groups" else "category"
    try:
        named = np.asarray(values)
    except ValueError:  # lists of different lengths
        named = np.empty(0)
    if named.size != n or named.shape[:1] != (n,):
        raise ValueError(
            f"{name} must name one {kind} for each of the {n} {rows}, got shape {named.shape}; give a vector"
        )
    named = named.ravel()
    if named.dtype == object:
        missing = np.array([one is None or one != one for one in named], dtype=bool)
        named = named.astype(str) if not missing.any() else named
    else:
        missing = named != named
    if np.any(missing):
        raise ValueError(f"{name} of {int(np.sum(missing))} of the {n} {rows} are missing; name a {kind} for each row")
    return named


def points_of_time(time: Any, n: int, rows: str) -> np.ndarray:
    """``time`` as a vector of ``n`` numbers or dates.

    >>> points_of_time(["2024-05-01", "2024-04-01"], 2, "rows").min()
    np.datetime64('2024-04-01')
    """
    found = np.asarray(time)
    if found.shape != (n,) and found.shape != (n, 1):
        raise ValueError(f"time must be one point of time for each of the {n} {rows}, got shape {found.shape}")
    found = found.ravel()
    if found.dtype.kind not in "iufM":
        try:
            found = found.astype("datetime64")
        except (TypeError, ValueError):
            raise ValueError(
                f"time must be numbers or dates, got {found[0]!r}; write dates as 2024-05-01, or number the rows"
            ) from None
    if np.any(np.isnat(found) if found.dtype.kind == "M" else np.isnan(found)):
        raise ValueError(f"time is missing for some of the {n} {rows}; drop these rows, or say when they were")
    return found


def density_ratios(weights: Any, n: int, rows: str) -> np.ndarray:
    """``weights`` as ``n`` finite numbers, not negative and not all zero."""
    found = np.asarray(weights, dtype=float).ravel() if not isinstance(weights, Callable) else np.empty(0)  # type: ignore[arg-type]
    good = found.shape == (n,) and np.all(np.isfinite(found)) and np.all(found >= 0) and (n == 0 or np.max(found) > 0)
    if not good:
        raise ValueError(
            f"weights must be one density ratio for each of the {n} {rows}, finite, not negative and not all zero, got "
            f"shape {found.shape}"
        )
    return found


def refuse_time(sampling: Sampling) -> None:
    """Raise ``ValueError`` where time is given to a fit that holds nothing out."""
    if sampling.time is not None:
        raise ValueError(
            "time decides what rows certify holds out, and certify is not given; add certify=0.2, or leave it out"
        )


def refuse_declarations(groups: Any, time: Any, weights: Any) -> None:
    """Raise ``ValueError`` if rows are described that are not given: those that ``fit`` held out are known to it."""
    if not (groups is None and time is None and weights is None):
        raise ValueError(
            "groups, time and weights describe X_test; of rows that fit holds out, give groups or time to fit"
        )


def division_by(X: Any, y: Any, counted: np.ndarray, wanted: int, random_state: Any, sampling: Sampling) -> Division:
    """Hold out about ``wanted`` of the ``counted`` rows: whole groups, the latest, or by a hash of each row."""
    rows = division(X, y, counted, wanted, random_state)
    if sampling.plain:
        return rows
    if sampling.weights is not None:
        raise ValueError(
            "weights describe rows that are new to a fitted model; fit first, and give them to calibrate or certificate"
        )
    seed, outside = division_seed(random_state), np.zeros(len(rows.prints), dtype=bool)
    if sampling.groups is not None:
        outside[counted] = whole_groups(sampling.groups[counted], wanted, seed)
    else:
        outside[counted] = latest(sampling.time[counted], wanted)  # type: ignore[index]
    held_out, training = counted[outside[counted]], counted[~outside[counted]]
    draw = Draw(seed, rows.draw.kinds, Shuffle.of(rows.coarse[held_out]))
    return Division(training, held_out, draw, rows.prints, rows.coarse)


def whole_groups(groups: np.ndarray, wanted: int, seed: int) -> np.ndarray:
    """A mask of about ``wanted`` rows, whole groups in the order of a hash of their names; neither side is empty.

    >>> whole_groups(np.array(["a", "a", "b", "b", "c", "c"]), 2, seed=0).sum()
    np.int64(2)
    """
    names, member, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise ValueError("all rows are of one group, so none can be held out whole; give rows of several groups")
    prints = [blake2b(f"{seed} {name!r}".encode(), digest_size=8).digest() for name in names.tolist()]
    order = np.array(sorted(range(len(names)), key=prints.__getitem__))
    reached = np.cumsum(sizes[order])[:-1]  # one group at least is left to train on
    taken = 1 + int(np.argmin(np.abs(reached - wanted)))
    return np.isin(member, order[:taken])


def latest(time: np.ndarray, wanted: int) -> np.ndarray:
    """A mask of the latest rows, ``wanted`` or a few more: rows of one time stay together; neither side is empty.

    >>> latest(np.array([3, 1, 2, 3]), 1)
    array([ True, False, False,  True])
    """
    if time.min() == time.max():
        raise ValueError("all rows are of one time, so none is later than the others; leave time out")
    cut = np.sort(time)[len(time) - wanted]
    late = time >= cut
    return late if not late.all() else time > cut
