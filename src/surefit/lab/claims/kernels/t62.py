"""Layer lab: the reproducing property and the bound by the norm.  Catalogue T-62, T-67."""

from surefit.kernels import Gaussian, RKHSFunction, kernel_distances
from surefit.lab.claim import Claim, Kind


def reproducing(rng, n, wrong=False):
    """Values of a random function beside inner products with ``k(., x)``."""
    kernel, points = Gaussian(0.8), rng.normal(size=(n, 2))
    f, x = RKHSFunction(kernel, points, rng.normal(size=n)), rng.normal(size=(4, 2))
    sections = [f.inner(RKHSFunction(kernel, x[i : i + 1], [1.0])) for i in range(4)]
    return f(x) / (kernel.gram(points).max() + wrong), sections


def smooth(rng, n, wrong=False):
    """Differences of a function whose values differ most: ``f = k(., x) - k(., z)`` attains the bound."""
    kernel, pair = Gaussian(0.8), rng.normal(size=(2, 2))
    f = RKHSFunction(kernel, pair, [1.0, -1.0])
    distance = float(kernel_distances(kernel, pair[:1], pair[1:])[0, 0])
    return abs(f(pair)[0] - f(pair)[1]), f.norm() * (distance**2 if wrong and distance < 1 else distance / (1 + wrong))


CLAIMS = (
    Claim(
        id="T-62",
        title="Reproducing property",
        statement="f(x) = <f, k(., x)>, hence |f(x)| <= ||f|| sqrt(k(x, x))",
        assumptions=(),
        kind=Kind.EXACT,
        draw=reproducing,
        mistake="values halved",
        settings={"n": 6},
    ),
    Claim(
        id="T-67",
        title="The norm bounds the variation",
        statement="|f(x) - f(z)| <= ||f|| d(x, z) with d the distance of the features",
        assumptions=(),
        kind=Kind.AT_MOST,
        draw=smooth,
        mistake="the distance halved or squared",
        settings={"n": 6},
        uses=("T-62",),
    ),
)
