"""Layer lab: powers of the error as a loss class.  Catalogue T-34."""

from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.complexity import FiniteClass, contracted, exact_rademacher, power_loss_lipschitz


def draw(rng, n, power, wrong=False):
    """Complexities of ``|h - f|**p`` and of ``h``, for errors that all lie near their largest size."""
    largest = rng.uniform(1.5, 3.0)
    errors = largest * rng.uniform(0.97, 1.0, size=(5, n))
    after = exact_rademacher(FiniteClass(errors**power))
    before = exact_rademacher(FiniteClass(errors + rng.normal(size=n)))  # a shift of each row changes nothing
    return after, contracted(before, largest ** (power - 1) if wrong else power_loss_lipschitz(power, largest))


CLAIM = Claim(
    id="T-34",
    title="Complexity of a power of the error",
    statement="Rad_S(|h - f|^p) <= p M^(p-1) Rad_S(H) if |h - f| <= M",
    assumptions=("errors are at most M",),
    kind=Kind.AT_MOST,
    draw=draw,
    mistake="the factor p dropped",
    settings={"n": 8, "power": 3.0},
    uses=("T-30", "T-32"),
)
