"""Layer solvers: correlations along a path from a Gram matrix in single precision, and how wrong they can be.

In: the solutions of many ``lam``, found with the draft ``G`` of ``A'A``.  Out: ``A'(t - A w)`` for each, with a bound
on its error.  The solutions lie close to a space of a few dimensions: what ``A'A`` makes of a basis of it is computed
from the data, and ``G`` serves only for what is left, which is small.  What ``A'A - G`` makes of that is measured, on
random mixtures of it.
"""

import numpy as np

from surefit.solvers.working_set import Columns, Products

STEP, MOST = 8, 40
"""Vectors by which the basis grows until the errors are small, and how many there may be."""
SAMPLE = 100
"""Solutions, spread over the path, that the basis is made of."""
SLOW = 0.7
"""What must be left of the errors at most, after the basis has grown, for it to grow again."""
MIXTURES, SAFETY = 8, 30.0
"""Errors are taken to be ``SAFETY`` times what so many mixtures say.  With normal weights the sum of squares of all
solutions' errors in one column exceeds that with a probability of ``P(chi2(8) < 8 / SAFETY**2) < 2e-11``."""
FEWEST = 500
"""Columns below which the passes over the data that a draft costs take longer than an exact Gram matrix."""
SAFE_SIZES = 1e-10, 1e14
"""Norms of columns between which single precision neither overflows nor underflows where it matters."""


def draft_of(columns: Columns) -> Columns | None:
    """The same columns with a draft of their products; None where exact ones are as fast, or single precision fails."""
    found = columns.A.draft_and_moment(columns.target) if columns.A.d >= FEWEST else None
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
    some = left[np.linspace(0, len(left) - 1, min(len(left), SAMPLE)).astype(np.intp)] * sizes
    directions = np.linalg.eigh(some @ some.T)[1][:, ::-1]
    weights = np.random.default_rng(0).standard_normal((MIXTURES, len(left)))
    error = np.inf
    for size in range(STEP, MOST + 1, STEP):
        axes = directions[:, size - STEP : size].T @ some
        lengths = np.linalg.norm(axes, axis=1)[:, None]
        axes /= np.where(lengths > 0, lengths, 1.0)
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
