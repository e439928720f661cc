"""Layer lab: how many rows are enough.  Catalogue S-12, T-83."""

import numpy as np

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.sample_size import (
    finite_class_excess,
    finite_class_rows,
    gaussian_least_squares_rows,
    least_squares_rows,
)
from surefit.theory.risk.least_squares import gaussian_design_excess, least_squares_risk


def draw(rng, wrong=False):
    """The promised accuracy at the number of rows found, over the accuracy asked for; one row less misses it."""
    accuracy, d, size = rng.uniform(0.001, 0.003), int(rng.integers(2, 9)), int(rng.integers(10, 1000))
    rows = [
        finite_class_rows(accuracy, 0.05, size),
        least_squares_rows(accuracy, d),
        gaussian_least_squares_rows(accuracy, d),
    ]
    if wrong:
        rows = [int(0.9 * n) for n in rows]
    reached = [
        finite_class_excess(rows[0], 0.05, size),
        least_squares_risk(rows[1], d, 1.0).excess,
        gaussian_design_excess(rows[2], d, 1.0),
    ]
    return np.array(reached), accuracy


def named(entry, title, statement):
    return Claim(
        id=entry,
        title=title,
        statement=statement,
        assumptions=(),
        kind=Kind.AT_MOST,
        draw=draw,
        mistake="a tenth of the rows left out",
        uses=("T-11", "T-20", "T-25"),
    )


CLAIMS = (
    named("S-12", "How many rows are enough", "the smallest n whose bound is at most the accuracy"),
    named("T-83", "Sample complexity", "n >= 2 log(2|H|/delta) / eps^2; s^2 d / eps; d + 1 + s^2 d / eps"),
)
