"""Layer lab: a positive semidefinite matrix is a matrix of inner products.  Catalogue T-61."""

from surefit.kernels import Gaussian, gram_features
from surefit.lab.claim import Claim, Kind


def draw(rng, n, wrong=False):
    """Inner products of the constructed features beside the Gram matrix of a Gaussian kernel."""
    K = Gaussian(1.0).gram(rng.normal(size=(n, 2)))
    features = gram_features(K)
    return (features**2 if wrong else features) @ features.T, K


CLAIM = Claim(
    id="T-61",
    title="Every kernel is an inner product",
    statement="k is positive semidefinite iff k(x, z) = <phi(x), phi(z)>",
    assumptions=("a finite domain, where the proof is a construction",),
    kind=Kind.EXACT,
    draw=draw,
    mistake="squared features on one side",
    settings={"n": 9},
)
