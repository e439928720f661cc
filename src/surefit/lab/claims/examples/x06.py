"""Layer lab: thresholds on four rows, a separable and a mixed case.  Catalogue X-06, X-07, E-030."""

import numpy as np

from surefit.lab.claim import Claim, Kind

SEPARABLE = (np.array([-4.0, -1, 3, 4]), np.array([0, 0, 1, 1]))
MIXED = (np.array([-4.0, -1, 3, 4]), np.array([0, 1, 0, 1]))
STEPS = {"separable": [0.5, 0.25, 0.0, 0.25, 0.5], "mixed": [0.5, 0.25, 0.5, 0.25, 0.5]}


def case(data, expected):
    def draw(rng, wrong=False):
        """The empirical risk of ``1[x >= a]`` for a threshold drawn in each piece, beside the table of steps."""
        x, y = data
        ends = np.r_[-6.0, x, 6.0]
        cuts = ends[:-1] + (0.05 + 0.9 * rng.uniform(size=5)) * np.diff(ends)
        seen = np.array([((x >= a).astype(int) != y).mean() for a in cuts])
        table = np.array(expected)
        return 1 + seen, 1 + (table[::-1] + np.r_[0.25, 0, 0, 0, 0] if wrong else table)

    return draw


CLAIMS = (
    Claim(
        id="X-06",
        title="Thresholds on separable rows",
        statement="empirical risks 1/2, 1/4, 0, 1/4, 1/2; zero exactly on (-1, 3]",
        assumptions=(),
        kind=Kind.EXACT,
        draw=case(SEPARABLE, STEPS["separable"]),
        mistake="the first step higher by a quarter",
    ),
    Claim(
        id="X-07",
        title="Thresholds on mixed rows",
        statement="the smallest empirical risk is 1/4, on two pieces",
        assumptions=(),
        kind=Kind.EXACT,
        draw=case(MIXED, STEPS["mixed"]),
        mistake="the first step higher by a quarter",
    ),
)
