"""Layer lab: log-loss, cross-entropy and divergence.  Catalogue T-80."""

import numpy as np

from surefit.lab.claim import Claim, Kind


def draw(rng, k, wrong=False):
    """Cross-entropy beside entropy plus the Kullback-Leibler divergence."""
    p, q = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k))
    entropy, divergence = -(p * np.log(p)).sum(), (p * np.log(p / q)).sum()
    backwards = (q * np.log(q / p)).sum()
    return -(p * np.log(q)).sum(), entropy + (backwards if wrong else divergence)


CLAIM = Claim(
    id="T-80",
    title="Log-loss is cross-entropy is divergence plus entropy",
    statement="-E_p log q = H(p) + KL(p, q)",
    assumptions=(),
    kind=Kind.EXACT,
    draw=draw,
    mistake="the divergence the other way round",
    settings={"k": 4},
)
