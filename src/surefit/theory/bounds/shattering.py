"""Layer *theory*: shattering, Vapnik-Chervonenkis dimension and pseudo-dimension.

In: a finite table of values (functions in rows, points in columns), or the features of points for a linear class.
Out: which points can be given every pattern of labels, the size of the largest such set, and the dimensions that are
known in closed form.  Brute force is exponential and meant for small tables; linear classes are decided by linear
programmes or by rank.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import linprog

from surefit.parameters import finite_matrix, finite_vector, whole
from surefit.progress import Task, worked


def is_shattered(labels: np.ndarray) -> bool:
    """Whether all ``2**m`` patterns occur among the rows of a binary table (functions, m).  Catalogue T-43.

    >>> is_shattered([[0, 0], [0, 1], [1, 0], [1, 1]]), is_shattered([[0, 0], [0, 1], [1, 1]])
    (True, False)
    """
    table = _binary(labels)
    m = table.shape[1]
    return len(table) >= 2**m and len({row.tobytes() for row in np.ascontiguousarray(table, dtype=np.uint8)}) == 2**m


@worked("VC dimension")
def vc_dimension(labels: np.ndarray) -> int:
    """Size of the largest shattered set of columns of a binary table (functions, points).  Catalogue T-43.

    >>> thresholds = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> vc_dimension(thresholds)
    1
    """
    table = _binary(labels)
    return _largest(table.shape[1], len(table), lambda columns: is_shattered(table[:, columns]))


def shattering_witness(values: np.ndarray) -> np.ndarray | None:
    """Levels ``t`` (m,) for which the patterns ``1[g(z_i) > t_i]`` of a table (functions, m) are all ``2**m``, or None.

    Only midpoints between neighbouring values of a column need be tried: every other level gives the same pattern or a
    constant column.  At midpoints no value equals a level, so ``>`` and ``>=`` agree.  Catalogue T-43, E-007.

    >>> shattering_witness([[0.0, 0.0], [0.0, 5.0], [2.0, 1.0], [2.0, 4.0]])
    array([1. , 2.5])
    """
    table = finite_matrix("values", values, "one function per row")
    if len(table) < 2 ** table.shape[1]:
        return None
    columns = [np.unique(column) for column in table.T]
    for levels in itertools.product(*((column[:-1] + column[1:]) / 2 for column in columns)):
        if is_shattered(table > np.array(levels)):
            return np.array(levels)
    return None


@worked("pseudo-dimension")
def pseudo_dimension(values: np.ndarray) -> int:
    """Size of the largest set of columns of a table (functions, points) that has a `shattering_witness`.

    It is the VC dimension of the thresholded class ``(z, t) -> 1[g(z) > t]``.  ``2**d`` functions with all patterns at
    ``d`` points only show that it is at least ``d``.  Catalogue T-43, T-44, E-110.

    >>> pseudo_dimension([[0.0, 0.0], [0.0, 5.0], [2.0, 1.0], [2.0, 4.0]])
    2
    """
    table = finite_matrix("values", values, "one function per row")
    return _largest(table.shape[1], len(table), lambda columns: shattering_witness(table[:, columns]) is not None)


def _largest(points: int, functions: int, shattered) -> int:
    """Size of the largest set that ``shattered`` accepts; subsets of shattered sets are shattered, so it may stop."""
    most = min(points, int(math.log2(functions))) if functions else 0
    tell = Task("shattering", most)
    for size in range(1, most + 1):
        if not any(shattered(list(columns)) for columns in itertools.combinations(range(points), size)):
            return size - 1
        tell(size, most - size)
    return most


@worked("shattering")
def linear_shatters(features: np.ndarray, offset: np.ndarray | None = None) -> bool:
    """Whether ``{x -> sign(<w, phi(x)> + g0(x))}`` gives the points all labels, by ``2**(m - 1)`` linear programmes.

    ``features`` (m, D) are ``phi`` at the points, ``offset`` (m,) is ``g0`` there (minus the levels, for
    pseudo-shattering with given levels; then all ``2**m`` patterns are tried).  A pattern ``s`` is attainable iff some
    ``w`` and ``c >= 0`` have ``s_i (<w, phi_i> + c g0_i) >= 1``; no tolerance is involved beyond the solver's.
    Catalogue T-43, T-45, T-46.

    >>> corner = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])        # (1, x) in the plane
    >>> linear_shatters(corner), linear_shatters(np.vstack([corner, [1.0, 1.0, 1.0]]))
    (True, False)
    """
    Phi = finite_matrix("features", features, "one point per row")
    m, D = Phi.shape
    shift = np.zeros(m) if offset is None else finite_vector("offset", offset, "one number per point")
    if len(shift) != m:
        raise ValueError(f"offset must have one number for each of the {m} points, got {len(shift)}; evaluate g0 there")
    rows, tell = np.column_stack([Phi, shift]), Task("shattering by linear programmes", 2**m)
    limits = [(None, None)] * D + [(0, None)]
    for step, pattern in enumerate(itertools.product((1.0, -1.0), repeat=m)):
        if offset is None and pattern[0] < 0:  # -w turns a pattern into its opposite
            return True
        answer = linprog(np.zeros(D + 1), A_ub=-np.array(pattern)[:, None] * rows, b_ub=-np.ones(m), bounds=limits)
        if answer.status == 2:
            return False
        if answer.status != 0:
            raise RuntimeError(
                f"the linear programme of pattern {pattern} failed: {answer.message}; rescale the features"
            )
        tell(step, 2**m - step)
    return True


def vector_space_dimension(features: np.ndarray) -> int:
    """Pseudo-dimension of ``{<w, phi(.)>}`` on these points: the rank of ``features`` (m, D).  Catalogue T-45.

    Independent rows can be given any values, hence any pattern around any levels.  If a row is a combination of others,
    the pattern with the signs of its coefficients fails for every choice of levels.  So exactly the independent sets
    are shattered, and a subset of a ``D``-dimensional space of functions has pseudo-dimension at most ``D``.

    >>> vector_space_dimension([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    2
    """
    return int(np.linalg.matrix_rank(finite_matrix("features", features, "one point per row")))


def hyperplane_dimension(d: int, *, fit_intercept: bool = True) -> int:
    """Pseudo-dimension of ``x -> <w, x> + b`` on ``R^d``: ``d + 1``, or ``d`` without intercept.  Catalogue T-46.

    >>> hyperplane_dimension(2), hyperplane_dimension(2, fit_intercept=False)
    (3, 2)
    """
    return _columns(d) + bool(fit_intercept)


def polynomial_dimension(d: int, degree: int) -> int:
    """Pseudo-dimension of polynomials of degree at most ``degree`` on ``R^d``: ``C(d + degree, degree)``.

    Catalogue T-47.

    >>> polynomial_dimension(3, 2), polynomial_dimension(2, 3), polynomial_dimension(4, 2)
    (10, 10, 15)
    """
    d, degree = _columns(d), _degree(degree)
    return math.comb(d + degree, degree)


def boolean_polynomial_dimension(d: int, degree: int) -> int:
    """Pseudo-dimension of the same polynomials on the cube ``{0, 1}^d``: ``sum_{i <= degree} C(d, i)``.

    There ``x_j**2 = x_j``, so only products of distinct variables are left.  Catalogue T-47.

    >>> boolean_polynomial_dimension(3, 2), boolean_polynomial_dimension(2, 3), boolean_polynomial_dimension(4, 2)
    (7, 4, 11)
    """
    d, degree = _columns(d), _degree(degree)
    return sum(math.comb(d, i) for i in range(degree + 1))


def squared_loss_dimension(d: int) -> int:
    """``(d + 1)(d + 4) / 2``, at least the pseudo-dimension of ``{(y - <w, x> - b)**2}`` on ``R^d x R``.

    These are ``y**2`` plus members of the space spanned by the other monomials of degree at most 2 in ``(x, y)``; a
    fixed shift changes no pseudo-dimension.  The dimension for `pseudo_dimension_bound`.  Catalogue T-48.

    >>> squared_loss_dimension(1), squared_loss_dimension(2)
    (5, 9)
    """
    d = _columns(d)
    return (d + 1) * (d + 4) // 2


def threshold_dimension(d: int) -> int:
    """At least the VC dimension of ``1[x_j >= t]`` and ``1[x_j < t]`` over all of ``d`` columns ``j`` and all ``t``.

    One column cuts ``m`` points in ``2 m`` ways, two of which (all, none) every column has, so ``m`` points can be
    shattered only if ``2**m <= 2 d (m - 1) + 2``.
    The errors of these rules have the same dimension.

    >>> threshold_dimension(1), threshold_dimension(30)
    (2, 8)
    """
    d, m = _columns(d), 1
    while 2 ** (m + 1) <= 2 * d * m + 2:
        m += 1
    return m


def _binary(labels: np.ndarray) -> np.ndarray:
    table = np.asarray(labels)
    if table.ndim != 2 or not np.isin(table, (0, 1)).all():
        raise ValueError("labels must be a table of 0 and 1, one function per row; threshold the values first")
    return table


def _columns(d: int) -> int:
    return whole("d", d, "it counts the columns", least=0)


def _degree(degree: int) -> int:
    return whole("degree", degree, "it is the largest exponent", least=0)
