"""Layer lab: symmetrisation, nearly attained by functions that are rarely not zero.  Catalogue T-31."""

from surefit.lab.claim import Claim, Kind


def draw(rng, wrong=False):
    """Both sides for one row, in closed form: zero and ``m`` functions that are one with probability ``q`` each."""
    m, q = int(rng.integers(1, 20)), rng.uniform(0.01, 0.05)
    some = 1 - (1 - q) ** m  # the probability that at least one function is one on the row
    deviation = (1 - q) * some  # E sup (P_n g - P g); it is zero where all functions are
    complexity = some / 2  # the sign is positive half of the time
    return deviation, complexity if wrong else 2 * complexity


CLAIM = Claim(
    id="T-31",
    title="Symmetrisation",
    statement="E sup (P_n g - P g) <= 2 Rad_n(G)",
    assumptions=("rows are independent",),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="the factor 2 dropped",
    uses=("T-29",),
)
