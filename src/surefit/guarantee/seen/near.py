"""Layer guarantee: rows that nearly equal others, as copies do that went through a file, a cast or a little noise.

In: rows and targets as `Columns`, and which of them are equal.  Out: which rows nearly equal which, of those that
chance would not bring so close.

Two rows are nearly equal if they are within the tolerance in every column.  Whether chance does that, the distances
from a row to its other neighbours tell.  If its ``K``-th neighbour among ``m`` rows is at distance ``R``, and rows fill
``k`` dimensions around it, then of ``n`` rows

    lambda = (n / m) K (r / R)**k

are expected within ``r``.  The dimension ``k`` is half of what Levina and Bickel's estimate makes of the distances to
the ``K`` neighbours, and at most the number of columns in which few others have the row's value: too small a ``k``
makes nearness look likely.  So rows of a curve, of few continuous columns or of a coarse table are not taken for
copies.  In a table of independent rows about ``n lambda`` pairs are that improbable or more, so ``c`` pairs count if a
Poisson number of that mean reaches ``c`` with a probability of at most 1e-3, and if it is at most ``c / 10``.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.stats import poisson

from surefit.guarantee.seen.columns import Columns

FALSE_ALARM = 1e-3
"""Probability with which a table of independent rows has pairs that are taken for copies."""
STRAY = 0.1
"""Share of the pairs taken for copies that may be expected by chance."""
NEIGHBOURS = 20
"""Neighbours that say how dense rows are around one of them."""
FEWEST_NEIGHBOURS = 6
COMPANY = 2000
"""Rows that neighbours are looked for among; drawn with a fixed seed."""
JUDGED = 256
"""Rows of near pairs that are judged one by one; beyond, so many of them stand for all."""
REACH = 64
"""Rows further on in the order of a projection that a row is compared with."""
WEAK = 1e-2
"""Mean tolerances, in standard deviations, from which on a column does not help to find near pairs."""
FREQUENT = 0.05
"""Share of other rows with nearly the same value from which on a value in common says nothing."""
ENTRIES = 1 << 22  # differences held in memory at a time


def near_kinds(columns: Columns, kinds: np.ndarray) -> np.ndarray:
    """``kinds`` (equal numbers for equal rows) with near copies joined: a whole number for each row.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> both = np.vstack([X, X[:10] * (1 + 1e-9)])
    >>> joined = near_kinds(Columns.of(both, np.zeros(110)), np.arange(110))
    >>> bool(np.all(joined[100:] == joined[:10])), len(np.unique(joined))
    (True, 100)
    """
    first, member = np.unique(kinds, return_index=True, return_inverse=True)[1:]
    pairs = improbable_pairs(columns.at(first), columns.n)
    if len(pairs) == 0:
        return np.asarray(member)
    n = len(first)
    links = sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return np.asarray(sparse.csgraph.connected_components(links, directed=False)[1][member])


def improbable_pairs(columns: Columns, n: int) -> np.ndarray:
    """Pairs ``(p, 2)`` of different rows that are nearly equal, and would hardly be by chance in a table of ``n``."""
    pairs = near_pairs(columns)
    if len(pairs) == 0:
        return pairs
    some = np.arange(len(pairs))
    if len(pairs) > JUDGED:
        some = np.sort(np.random.default_rng(1).choice(len(pairs), JUDGED, replace=False))
    improbable = _beyond_chance(n * expected_within(columns, pairs[some], n), len(pairs) / len(some))
    if len(some) == len(pairs):
        return pairs[improbable]
    return pairs if np.mean(improbable) > 0.5 else pairs[some][improbable]


def _beyond_chance(expected: np.ndarray, each: float) -> np.ndarray:
    """Which pairs are too many for chance, given how many as improbable as each are expected; one stands for ``each``.

    >>> _beyond_chance(np.array([1e-5, 3.0, np.inf]), 1.0)
    array([ True, False, False])
    """
    order = np.argsort(expected, kind="stable")
    number = each * np.arange(1, len(order) + 1)
    surprising = (poisson.sf(np.ceil(number) - 1, expected[order]) <= FALSE_ALARM) & (expected[order] <= STRAY * number)
    last = np.max(np.flatnonzero(surprising), initial=-1)
    found = np.zeros(len(order), dtype=bool)
    found[order[: last + 1]] = True
    return found


def near_pairs(columns: Columns) -> np.ndarray:
    """Pairs of rows within the tolerance in every column; a row is compared with the `REACH` next in a projection."""
    Z, tolerance = columns.values, columns.tolerance
    strong = np.mean(tolerance, axis=0) <= WEAK
    if not strong.any() or len(Z) < 2:
        return np.zeros((0, 2), np.intp)
    weights = np.random.default_rng(0).normal(size=(int(strong.sum()), 2))
    seen, width = Z[:, strong] @ weights, tolerance[:, strong] @ np.abs(weights)
    order = np.argsort(seen[:, 0], kind="stable")
    seen, width, found = seen[order], width[order], []
    for step in range(1, min(REACH, len(Z) - 1) + 1):
        i = np.flatnonzero(seen[step:, 0] - seen[:-step, 0] <= np.maximum(width[step:, 0], width[:-step, 0]))
        if len(i) == 0:
            break
        i = i[np.abs(seen[i + step, 1] - seen[i, 1]) <= np.maximum(width[i, 1], width[i + step, 1])]
        found.append(np.column_stack([order[i], order[i + step]]))
    pairs = np.concatenate(found) if found else np.zeros((0, 2), np.intp)
    chunk = max(1, ENTRIES // Z.shape[1])
    kept = [_all_near(columns, pairs[k : k + chunk]) for k in range(0, len(pairs), chunk)]
    return np.concatenate([pairs[:0], *kept])


def _all_near(columns: Columns, pairs: np.ndarray) -> np.ndarray:
    one, other = columns.at(pairs[:, 0]), columns.at(pairs[:, 1])
    within = np.abs(one.values - other.values) <= np.maximum(one.tolerance, other.tolerance)
    return pairs[np.all(within, axis=1)]


def expected_within(columns: Columns, pairs: np.ndarray, n: int) -> np.ndarray:
    """For each pair, how many of ``n`` rows like these are expected as near to the first as the second is."""
    Z, rng = columns.values, np.random.default_rng(2)
    m = min(len(Z), COMPANY)
    company = Z if m == len(Z) else Z[np.sort(rng.choice(len(Z), m, replace=False))]
    expected = np.full(len(pairs), np.inf)
    if m <= NEIGHBOURS:
        return expected
    reach = np.abs(Z[pairs[:, 0]] - Z[pairs[:, 1]]).max(axis=1)
    for one, (i, r) in enumerate(zip(pairs[:, 0], reach, strict=True)):
        away = np.abs(company - Z[i])
        near = away <= columns.tolerance[i]
        distances = away.max(axis=1)[~np.all(near, axis=1)]
        if len(distances) < FEWEST_NEIGHBOURS:
            continue
        K = min(NEIGHBOURS, len(distances))
        nearest = np.sort(np.partition(distances, K - 1)[:K])
        spread = float(np.sum(np.log(nearest[-1] / nearest[:-1])))
        telling = float(np.sum(near.mean(axis=0) < FREQUENT))
        dimension = min(0.5 * (K - 1) / max(spread, 1e-9), telling)
        expected[one] = n / m * K * (r / nearest[-1]) ** dimension
    return expected
