"""Layer guarantee: which rows are held out, decided row by row and alike on every machine.

In: prints of the rows in single and in full precision, and ``random_state``.  Out: a `Division`.

Every row has a rank, a hash of its features and its target; the rows with the smallest ranks are held out.  A hash
knows nothing of what a row means, so its smallest values are a draw as good as random, whatever the order of the file.
It is taken in single precision: another processor rounds the last bits of a logarithm otherwise, and should one of so
many values cross a rounding boundary, it takes its own row along and no other.  For the same reason a file with a row
less, or more, or re-sorted, is divided as before but for rows at the end of those held out, and rows that equal others
where one of these has come or gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from surefit.compiled.splitmix import scrambled
from surefit.data.fingerprints import n_distinct
from surefit.guarantee.seen.prints import row_prints
from surefit.guarantee.seen.rounded import single_prints
from surefit.parameters import generator
from surefit.theory.certificates.certificate import Assumption, Standing
from surefit.theory.certificates.shuffle import Shuffle, few_kinds

STEP = np.uint64(0x9E3779B97F4A7C15)  # odd, from the golden ratio: spreads small numbers over all bits


@dataclass(frozen=True)
class Draw:
    """How rows were held out: with what ``random_state``, and of how many kinds; and the `Shuffle` of their losses."""

    random_state: int
    kinds: int
    shuffle: Shuffle

    def doubt(self, draws: bool) -> tuple[Assumption, ...]:
        """What to say where rows of few kinds are declared to be draws: then few hashes decide.

        Were they copies, each kind would count once, and as an error where it equals a training row.
        """
        few = few_kinds(self.kinds)
        if few is None or not draws:
            return ()
        evidence = f"a hash of each row drew them, but {few} too few for that to be as good as a draw"
        return (Assumption("being held out says nothing of a row", Standing.UNVERIFIABLE, evidence),)


@dataclass(frozen=True)
class Division:
    """Rows to train on, in the order of the file, and rows held out, in the order of their ranks; all by number.

    ``prints`` and ``coarse`` are of all rows, in full and in single precision, so that nobody makes them again.
    """

    training: np.ndarray
    held_out: np.ndarray
    draw: Draw
    prints: np.ndarray
    coarse: np.ndarray


def division(X: Any, y: Any, counted: np.ndarray, wanted: int, random_state: Any = None) -> Division:
    """Hold out ``wanted`` of the ``counted`` rows (numbers) of ``(X, y)``.

    >>> X = np.random.default_rng(0).random((10, 2))
    >>> first = division(X, X[:, 0], np.arange(10), 3).held_out
    >>> again = division(np.log(np.exp(X))[::-1], X[::-1, 0], np.arange(10), 3).held_out
    >>> bool(np.all(9 - again == first))
    True
    """
    seed = division_seed(random_state)
    all_coarse, all_exact = single_prints(X, y), row_prints(X, y)
    coarse = all_coarse[counted]
    order = np.argsort(ranks(coarse, all_exact[counted], seed), kind="stable")
    outside = order[:wanted]
    draw = Draw(seed, n_distinct(coarse), Shuffle.of(coarse[outside]))
    return Division(counted[np.sort(order[wanted:])], counted[outside], draw, all_exact, all_coarse)


def row_shuffle(X: Any, y: Any) -> Shuffle:
    """The order in which to bet on the losses of these rows, decided by their prints in single precision.

    Decided by the rows and not by their losses, which take few values where they count errors.

    >>> x = np.linspace(0, 1, 20)[:, None]
    >>> row_shuffle(x, np.ones(20)) == row_shuffle(x * (1 + 1e-15), np.ones(20))
    True
    """
    return Shuffle.of(single_prints(X, y))


def division_seed(random_state: Any) -> int:
    """The number that ``random_state`` stands for; None stands for 0, so that every run divides alike.

    >>> division_seed(None), division_seed(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    drawn = generator(random_state)
    return int(random_state) if isinstance(random_state, int | np.integer) else int(drawn.integers(2**31))


def ranks(coarse: np.ndarray, exact: np.ndarray, seed: int) -> np.ndarray:
    """A 64-bit number per row, from its prints in single and in full precision, and ``seed``.

    Rows that another one equals in single precision only (times of one day in seconds since 1970) go by their prints
    in full precision.  Rows that are equal altogether are counted through, for whoever draws rows by themselves draws
    equal ones by themselves; a row of half the population would otherwise be held out whole or not at all.  Which rows
    repeat how often is hashed into the ranks of those that do: without it a table of few kinds of rows would have one
    luck, good or bad, in all its files.

    >>> found = ranks(np.array([5, 5, 6], np.uint64), np.array([1, 1, 2], np.uint64), 0)
    >>> len(set(found.tolist()))
    3
    """
    order = np.lexsort((exact, coarse))
    coarse, exact = coarse[order], exact[order]
    new_coarse, new = _changes(coarse), _changes(coarse) | _changes(exact)
    group, kind = np.cumsum(new_coarse) - 1, np.cumsum(new) - 1
    apart = np.bincount(group, new)[group] > 1
    first, times = np.flatnonzero(new), np.bincount(kind).astype(np.uint64)
    place = (np.arange(len(kind)) - first[kind]).astype(np.uint64)
    with np.errstate(over="ignore"):
        mixed = _stirred(np.where(apart, scrambled(coarse + STEP) ^ exact, coarse), np.uint64(seed % 2**64))
        repeats = np.where(times > 1, _stirred(mixed[first], times), np.uint64(0))
        mixed = _stirred(_stirred(mixed, place), np.where(times > 1, repeats.sum(), np.uint64(0))[kind])
    found = np.empty_like(mixed)
    found[order] = mixed
    return found


def _stirred(values: np.ndarray, more: np.ndarray | np.uint64) -> np.ndarray:
    """A hash of both, modulo ``2**64``."""
    return scrambled((values ^ (more * STEP)) + STEP)


def _changes(values: np.ndarray) -> np.ndarray:
    """Where a value is not the one before it."""
    return np.concatenate([[True], values[1:] != values[:-1]])[: len(values)]
