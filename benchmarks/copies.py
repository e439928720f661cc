"""Are honest rows taken for copies, and are copies found?  On 81 real tables that the rules have never seen.

``make copies`` prints, in about five minutes:

1. False alarms: honest divisions of a random 70 % of each table (at most 1,000 rows), 30 % of it held out.  Alarms
   are a refusal, a row taken for a changed copy, and rows taken for mixtures of others.  At most one in 1,000 is
   allowed; with none, the rate is below 3 over the number of divisions with 95 % confidence (were they independent).
2. Power, on tables with five or more columns of many values: a quarter of the held-out rows are replaced by changed
   copies of training rows; the share of divisions in which this is seen, and of the copies that are found.
3. Oversampling before the division: the upper quarter of the target is the rarer label, which SMOTE (five neighbours
   in the table's own units, and in standard deviations) makes as frequent as the other; the share of divisions in which
   this is seen, and of the new rows that are found.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from benchmarks.fresh_tables import fresh_tables
from surefit.guarantee.inside import Memory
from surefit.guarantee.seen.alike import Alike
from surefit.guarantee.seen.columns import Columns
from surefit.guarantee.seen.equal import Equalities
from surefit.guarantee.seen.prints import row_prints

HONEST, COPIED, MIXED = 100, 10, 5
MOST_ROWS, SHARE, HELD_OUT = 1000, 0.7, 0.3
FEWEST = 20
"""Rows of the rarer label that oversampling needs."""
Table = tuple[np.ndarray, np.ndarray]
Change = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def written(digits: int) -> Change:
    """As from a file with so many significant digits."""
    return lambda rng, X: np.array([[float(f"{one:.{digits}g}") for one in row] for row in X])


def jittered(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """A millionth of a column's spread, in columns of more than a few values."""
    many = np.array([len(np.unique(column)) > 0.2 * len(column) for column in X.T])
    return X + 1e-6 * X.std(axis=0) * many * rng.normal(size=X.shape)


CHANGES: dict[str, Change] = {
    "7 digits": written(7),
    "8 digits": written(8),
    "single": lambda rng, X: X.astype(np.float32).astype(np.float64),
    "jitter": jittered,
}


def main() -> None:
    tables = {name: load() for name, load in fresh_tables().items()}
    print(f"{len(tables)} tables, {HONEST} honest divisions each")
    alarms = np.array([false_alarms(*table) for table in tables.values()])
    for name, found in zip(tables, alarms, strict=True):
        if found.any():
            print(f"  {name}: refused {found[0]}, changed copies {found[1]}, mixed {found[2]}")
    refused, changed, mixed = alarms.sum(axis=0)
    print(f"  of {HONEST * len(tables)}: refused {refused}, changed copies {changed}, mixed {mixed}")

    telling = {name: table for name, table in tables.items() if Columns.of(*table).tell_copies}
    print(f"\nA quarter of the held-out rows copied, {COPIED} divisions each: seen in, and of the copies found")
    print(f"{'table':32}" + "".join(f"{name:>16}" for name in CHANGES))
    for name, table in telling.items():
        cells = [power(*table, change) for change in CHANGES.values()]
        print(f"{name:32}" + "".join(f"{seen:>9.2f}{found:>7.2f}" for seen, found in cells), flush=True)

    print(f"\nOversampled before the division, {MIXED} divisions each: seen in, and of the new rows found")
    print(f"{'table':32}{'columns':>9}{'as they are':>16}{'standardised':>16}")
    for name, (X, y) in tables.items():
        label = y > np.quantile(y, 0.75)
        if FEWEST <= np.sum(label[:MOST_ROWS]) < len(y) / 2:
            cells = [smote_power(X, label, unit) for unit in (False, True)]
            row = f"{name:32}{X.shape[1]:>9}" + "".join(f"{seen:>9.2f}{found:>7.2f}" for seen, found in cells)
            print(row, flush=True)


def divided(rng: np.random.Generator, X: np.ndarray, y: np.ndarray) -> tuple[Table, Table]:
    """Held-out and training rows of a random part of a table."""
    rows = rng.permutation(len(y))[: min(MOST_ROWS, int(SHARE * len(y)))]
    m = int(HELD_OUT * len(rows))
    return (X[rows[:m]], y[rows[:m]]), (X[rows[m:]], y[rows[m:]])


def compared(held_out: Table, training: Table) -> Equalities:
    return Memory.of_rows(*training).compared(*held_out)[0]


def false_alarms(X: np.ndarray, y: np.ndarray) -> tuple[int, int, int]:
    """Of honest divisions: how many are refused, have changed copies, have rows mixed from others."""
    rng, refused, changed, mixed = np.random.default_rng(2), 0, 0, 0
    for _ in range(HONEST):
        try:
            found = compared(*divided(rng, X, y))
        except ValueError:
            refused += 1
        else:
            changed, mixed = changed + (found.nearly > 0), mixed + (found.mixed > 0)
    return refused, changed, mixed


def power(X: np.ndarray, y: np.ndarray, change: Change) -> tuple[float, float]:
    """In what share of divisions copies are seen, and what share of them is found; a refusal has found them all."""
    rng, seen, found = np.random.default_rng(3), 0, 0.0
    for _ in range(COPIED):
        (new, labels), training = divided(rng, X, y)
        copied = rng.choice(len(training[1]), len(labels) // 4, replace=False)
        new, labels = new.copy(), labels.copy()
        new[: len(copied)], labels[: len(copied)] = change(rng, training[0][copied]), training[1][copied]
        try:
            share = compared((new, labels), training).shared / len(copied)
        except ValueError:
            share = 1.0
        seen, found = seen + (share > 0.5), found + min(share, 1.0)
    return seen / COPIED, found / COPIED


def smote_power(X: np.ndarray, label: np.ndarray, standardised: bool) -> tuple[float, float]:
    """In what share of divisions oversampling is seen, and what share of the new rows is found in the whole table."""
    rng, seen, found = np.random.default_rng(4), 0, 0.0
    for _ in range(MIXED):
        rows = rng.permutation(len(label))[: min(MOST_ROWS, int(SHARE * len(label)))]
        more, labels, new = smote(rng, X[rows], label[rows], standardised)
        mixed = np.unique(Alike.of(more, labels, row_prints(more, labels)).mixed[:, 0])
        found += np.sum(new[mixed]) / max(np.sum(new), 1)
        m = int(HELD_OUT * len(labels))
        try:
            seen += compared((more[:m], labels[:m]), (more[m:], labels[m:])).mixed > 0
        except ValueError:
            seen += 1
    return seen / MIXED, found / MIXED


def smote(
    rng: np.random.Generator, X: np.ndarray, label: np.ndarray, standardised: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows and new ones of the rarer label, shuffled, their labels, and which of them are new."""
    few = X[label]
    unit = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0) if standardised else 1.0
    scaled = few / unit
    squares = np.sum(scaled**2, axis=1)
    near = np.argsort(squares[:, None] + squares[None] - 2 * scaled @ scaled.T, axis=1)[:, 1:6]
    wanted = int(np.sum(~label)) - len(few)
    one = rng.integers(0, len(few), wanted)
    other = few[near[one, rng.integers(0, near.shape[1], wanted)]]
    more = few[one] + rng.random((wanted, 1)) * (other - few[one])
    order = rng.permutation(len(X) + wanted)
    labels = np.concatenate([label, np.ones(wanted, dtype=bool)])[order].astype(float)
    return np.vstack([X, more])[order], labels, order >= len(X)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
