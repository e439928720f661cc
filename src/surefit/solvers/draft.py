"""Layer solvers: correlations along a path from a Gram matrix in single precision, and how wrong they can be.

In: the solutions of many ``lam``, found with the draft ``G`` of ``A'A``.  Out: ``A'(t - A w)`` for each, with a bound
on its error.  The solutions lie close to a space of a few dimensions: what ``A'A`` makes of a basis of it is computed
from the data, and ``G`` serves only for what is left, which is small.  What ``A'A - G`` makes of that is measured, on
random mixtures of it.
"""

import numpy as np

from surefit.solvers.working_set import Columns, Products

AXES, PASSES = 8, 5
"""Vectors by which the basis grows with each pass over the data until the errors are small, and how many passes."""
ROUNDING = 1e-10
"""Share of the largest square below which a direction is rounding, and not orthogonal to the others."""
SAMPLE = 100
"""Solutions, spread over the path, that the basis is made of."""
SLOW = 0.7
"""What must be left of the errors at most, after the basis has grown, for it to grow again."""
MIXTURES, SAFETY = 8, 30.0
"""Errors are taken to be ``SAFETY`` times what so many mixtures say.  With normal weights the sum of squares of all
solutions' errors in one column exceeds that with a probability of ``P(chi2(8) < 8 / SAFETY**2) < 2e-11``."""
FEWEST, LEAST_WORK = 500, 5e9
"""Columns, and products in a Gram matrix, below which a draft saves no more than its passes over the data cost."""
SAFE_SIZES = 1e-10, 1e14
"""Norms of columns between which single precision neither overflows nor underflows where it matters."""


def draft_of(columns: Columns) -> Columns | None:
    """The same columns with a draft of their products; None where exact ones are as fast, or single precision fails."""
    n, d = columns.A.n, columns.A.d
    found = columns.A.draft_and_moment(columns.target) if d >= FEWEST and n * d * d >= LEAST_WORK else None
    if found is None:
        return None
    sizes = np.sqrt(np.diag(found[0]))
    safe = bool(np.all((sizes == 0) | ((sizes > SAFE_SIZES[0]) & (sizes < SAFE_SIZES[1]))))
    return Columns(columns.A, columns.target, Products(*found, is_draft=True)) if safe else None


def correlations(columns: Columns, coefs: np.ndarray, urgency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``A'(t - A w)`` for rows of coefficients ``(m, d)``, and bounds ``(m,)`` on its errors in units of ``sizes``.

    Bounds times ``urgency > 0``, shape ``(m,)``, are the same for all rows, and at most one if so much can be had.
    """
    assert columns.products is not None
    gram, sizes = columns.products.gram, np.where(columns.sizes > 0, columns.sizes, 1.0)
    left = coefs * urgency[:, None]
    products = np.zeros_like(left)
    some = np.linspace(0, len(left) - 1, min(len(left), SAMPLE)).astype(np.intp)
    weights = np.random.default_rng(0).standard_normal((MIXTURES, len(left)))
    error = np.inf
    for _ in range(PASSES):
        axes = _main_axes(left[some] * sizes)
        places, basis = (left * sizes) @ axes.T, axes / sizes
        left -= places @ basis
        mixtures = weights @ left
        exact = columns.A.gram_products(np.concatenate([basis, mixtures]))
        products += places @ exact[: len(basis)]
        errors = (exact[len(basis) :] - mixtures @ gram) / sizes
        before, error = error, SAFETY * float(np.sqrt(np.max(np.mean(errors**2, axis=0), initial=0.0)))
        if error <= 1.0 or error > SLOW * before:
            break
    products += left @ gram
    return columns.moment - products / urgency[:, None], error / urgency


def _main_axes(rows: np.ndarray) -> np.ndarray:
    """Orthonormal vectors near which these rows lie, at most ``AXES``; none where only rounding is left."""
    values, vectors = np.linalg.eigh(rows @ rows.T)
    kept = values > ROUNDING * values[-1]
    kept[:-AXES] = False
    return vectors[:, kept].T @ rows / np.sqrt(values[kept])[:, None]
