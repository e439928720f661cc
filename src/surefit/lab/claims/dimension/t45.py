"""Layer lab: vector spaces of functions, hyperplanes and polynomials.  Catalogue T-45, T-46, T-47."""

import itertools

import numpy as np

from surefit.features.basis import Polynomial
from surefit.lab.claim import Claim, Kind
from surefit.theory.bounds.shattering import (
    boolean_polynomial_dimension,
    hyperplane_dimension,
    linear_shatters,
    polynomial_dimension,
    vector_space_dimension,
)


def spaces(rng, d, wrong=False):
    """As many points as dimensions are given all labels, one more is not."""
    features = rng.normal(size=(d + 1, d))
    shattered = [linear_shatters(features[:d]), linear_shatters(features)]
    size = d + 1 if all(shattered) else d if shattered[0] else d - 1
    return size, d + 1 if wrong else vector_space_dimension(features)


def planes(rng, d, wrong=False):
    """Points in general position in ``R^d`` with a constant."""
    points = np.column_stack([rng.normal(size=(d + 2, d)), np.ones(d + 2)])
    size = max(m for m in range(1, d + 3) if linear_shatters(points[:m]))
    return size, d if wrong else hyperplane_dimension(d)


def polynomials(rng, d, degree, wrong=False):
    """Ranks of the monomials on random points and on the cube beside the formulas."""
    cube = np.array(list(itertools.product((0.0, 1.0), repeat=d)))
    basis = Polynomial(degree)
    with_constant = lambda Z: np.column_stack([np.ones(len(Z)), basis.fit_transform(Z)])
    on_space = np.linalg.matrix_rank(with_constant(rng.normal(size=(60, d))))
    on_cube = np.linalg.matrix_rank(with_constant(cube))
    formula = polynomial_dimension(d, degree)
    return [on_space, on_cube], [formula, formula if wrong else boolean_polynomial_dimension(d, degree)]


CLAIMS = (
    Claim(
        id="T-45",
        title="Vector spaces of functions",
        statement="the pseudo-dimension of a vector space of functions is its dimension",
        assumptions=("points are in general position",),
        kind=Kind.EXACT,
        draw=spaces,
        mistake="one more",
        settings={"d": 4},
        draws=40,
        uses=("T-43",),
    ),
    Claim(
        id="T-46",
        title="Hyperplanes",
        statement="<w, x> + b on R^d has pseudo-dimension d + 1",
        assumptions=("points are in general position",),
        kind=Kind.EXACT,
        draw=planes,
        mistake="the constant forgotten",
        settings={"d": 3},
        draws=30,
        uses=("T-45",),
    ),
    Claim(
        id="T-47",
        title="Polynomials on space and on the cube",
        statement="C(d + r, r) on R^d, sum_{i <= r} C(d, i) on {0, 1}^d",
        assumptions=("points are in general position",),
        kind=Kind.EXACT,
        draw=polynomials,
        mistake="the formula of space used on the cube",
        settings={"d": 4, "degree": 2},
        draws=40,
        uses=("T-45",),
    ),
)
