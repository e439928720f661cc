"""Layer lab: a finite class of predictors, all at once.  Catalogue T-25."""

import numpy as np
from scipy.stats import binom

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.finite import finite_class_bound


def draw(rng, n, wrong=False):
    """The exact quantile of the largest deviation of ``m`` fair coins over the bound, for tiny probabilities."""
    m, delta = int(rng.integers(2, 1000)), 10.0 ** -rng.uniform(60, 120)
    each = -np.expm1(np.log1p(-delta) / m) if delta > 1e-15 else delta / m  # P(one coin deviates) if P(any) = delta
    k = binom.ppf(each, n, 0.5)  # the empirical risk falls to k / n with that probability
    slack = finite_class_bound(0.5, n, 1 if wrong else m, delta=delta**0.8 if wrong else delta).value - 0.5
    return 0.5 - k / n, slack


CLAIM = Claim(
    id="T-25",
    title="Finite class of predictors",
    statement="for all h: Risk <= Rhat + M sqrt((log |H| + log(1/delta)) / (2 n)) with probability 1 - delta",
    assumptions=("losses lie in [0, M]", "rows are independent", "the class was fixed before"),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="the number of predictors dropped, and delta too large",
    settings={"n": 100_000},
    uses=("T-24",),
)
