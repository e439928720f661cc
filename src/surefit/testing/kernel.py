"""Testing layer: ``check_kernel``, which tries to refute that a function is a kernel and that its methods agree.

In: any ``Kernel``, ours or yours, and rows to try it on.  Out: nothing, or an ``AssertionError`` whose sentence says
what is wrong and where.  The rows that it makes itself are the same on every run.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from surefit.kernels.definite import plus_diagonal, scaled_eigenvalue
from surefit.kernels.kernel import Kernel
from surefit.testing.drive import check_copies

_CLOSE = 1e-9  # relative to sqrt(k(x, x) k(z, z)): far above rounding, far below a mistake
_CLOSE_IN_FLOAT32 = 1e-3
_ROWS = 16
_MANY = 270  # more rows than a tile has


def check_kernel(kernel: Kernel, X: Any = None) -> None:
    """Try to refute that ``kernel`` is one; silent if all claims hold, ``AssertionError`` with the first that does not.

    Checks symmetry, ``k(x, x) >= 0``, the Cauchy-Schwarz inequality, and that no Gram matrix has a negative eigenvalue
    beyond rounding (a counterexample is cut down to few rows); that blocks, rows, single calls, Gram matrices,
    diagonals, products and tiles agree, in float32 too; that sparse rows give what dense ones do, or are refused; that
    NaN and wrong shapes are refused; parameters, clones and copies.

    ``X``: rows to try, of which sixteen at a time are used.  Without it rows of 1, 2 and 6 columns are made; those
    outside the kernel's domain are left out.  Catalogue K-09, T-66.

    >>> from surefit.kernels.library import FromFunction, Gaussian
    >>> check_kernel(Gaussian(bandwidth=0.5))
    >>> check_kernel(FromFunction(lambda X, Z: np.tanh(X @ Z.T - 1)))
    Traceback (most recent call last):
        ...
    AssertionError: k(x, x) = -0.76... is negative at x = [0.028...]: ...
    """
    _check_parameters(kernel)
    samples = list(_usable(kernel, X))
    for rows in samples:
        settled = kernel.for_data(rows)
        for claim in _CLAIMS:
            claim(settled, rows)
    rows = samples[-1]
    settled = kernel.for_data(rows)
    _refuses_nonsense(settled, rows)
    _tiles_agree(settled, rows)


def _usable(kernel: Kernel, X: Any) -> Iterator[np.ndarray]:
    """Samples on which the kernel is defined and finite; at least one."""
    reasons, found = [], 0
    for rows in _made() if X is None else _taken(X):
        try:
            kernel.check(rows)
            kernel.for_data(rows).gram(rows)
        except ValueError as error:
            reasons.append(str(error))
        else:
            found += 1
            yield rows
    if not found:
        raise AssertionError(f"{kernel!r} refuses all rows that were tried; give X. It said: {reasons[-1]}")


def _made() -> Iterator[np.ndarray]:
    for d in (1, 2, 6):
        rng = np.random.default_rng(d)
        normal = rng.standard_normal((_ROWS, d))
        yield from (normal, 4 * normal, 0.2 * np.abs(normal), rng.integers(0, 2, (_ROWS, d)).astype(float))


def _taken(X: Any) -> Iterator[np.ndarray]:
    dense = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    rng = np.random.default_rng(0)
    for _ in range(4):
        yield dense[rng.permutation(len(dense))[:_ROWS]]


def _scale(kernel: Kernel, X: np.ndarray) -> np.ndarray:
    """``sqrt(k(x, x) k(z, z))``, with a floor: the size of the entries, against which errors are judged."""
    root = np.sqrt(np.maximum(kernel.diag(X), 0.0))
    return np.multiply.outer(root, root) + 0.1 * np.max(root, initial=0.0) ** 2


def _deny(wrong: np.ndarray, sentence: str, X: np.ndarray, **values: np.ndarray) -> None:
    """Raise if an entry of ``wrong`` holds, with the values and the rows at the first such entry."""
    if not wrong.any():
        return
    where = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    filled = sentence.format(**{name: f"{float(value[where]):.10g}" for name, value in values.items()})
    rows = ", ".join(f"{name} = {X[i].tolist()}" for name, i in zip("xz", where, strict=False))
    raise AssertionError(f"{filled} at {rows}")


def _is_symmetric(kernel: Kernel, X: np.ndarray) -> None:
    K = kernel.block(X, X)
    wrong = np.abs(K - K.T) > _CLOSE * _scale(kernel, X)
    _deny(wrong, "k(x, z) = {one} but k(z, x) = {other}: not symmetric", X, one=K, other=K.T)


def _has_an_honest_diagonal(kernel: Kernel, X: np.ndarray) -> None:
    diagonal, scale, called = kernel.diag(X), np.diagonal(_scale(kernel, X)), np.diagonal(kernel.block(X, X))
    _deny(
        np.abs(called - diagonal) > _CLOSE * scale, "diag says {one}, k(x, x) is {other}", X, one=diagonal, other=called
    )
    if (called < -_CLOSE * np.max(np.abs(called))).any():
        worst = int(np.argmin(called))
        raise AssertionError(
            f"k(x, x) = {called[worst]:.10g} is negative at x = {X[worst].tolist()}: "
            "no inner product is, so this is not a kernel"
        )


def _obeys_cauchy_schwarz(kernel: Kernel, X: np.ndarray) -> None:
    K, root = kernel.block(X, X), np.sqrt(np.maximum(kernel.diag(X), 0.0))
    bound = np.multiply.outer(root, root)
    wrong = np.abs(K) > bound + _CLOSE * _scale(kernel, X)
    _deny(wrong, "|k(x, z)| = {value} exceeds sqrt(k(x, x) k(z, z)) = {bound}", X, value=np.abs(K), bound=bound)


def _is_positive_semi_definite(kernel: Kernel, X: np.ndarray) -> None:
    if _eigenvalue(kernel, X) >= -_CLOSE:
        return
    for i in reversed(range(len(X))):  # leave out whatever the counterexample does not need
        fewer = np.delete(X, i, axis=0)
        if len(fewer) and _eigenvalue(kernel, fewer) < -_CLOSE:
            X = fewer
    smallest = np.linalg.eigvalsh(kernel.gram(X))[0]
    raise AssertionError(
        f"the Gram matrix of the rows {X.tolist()} has the eigenvalue {smallest:.6g}: this is not a kernel there; "
        "correct the formula, or let domain(X) refuse such rows"
    )


def _eigenvalue(kernel: Kernel, X: np.ndarray) -> float:
    K = kernel.gram(X)
    return scaled_eigenvalue(plus_diagonal(K, _CLOSE * np.max(np.diagonal(K), initial=0.0)))


def _has_an_exact_gram(kernel: Kernel, X: np.ndarray) -> None:
    for dtype in (np.float64, np.float32):
        K = _in_precision(kernel, X, dtype)
        if K is None:
            continue
        if K.dtype != dtype:
            raise AssertionError(f"gram(X, {np.dtype(dtype)}) is {K.dtype}; return the precision that was asked for")
        if not np.array_equal(K, K.T):
            raise AssertionError(f"gram(X, {np.dtype(dtype)}) is not symmetric to the last bit; copy one triangle")
        if not np.array_equal(np.diagonal(K), kernel.diag(X).astype(dtype)):
            raise AssertionError(f"the diagonal of gram(X, {np.dtype(dtype)}) is not diag(X); write it there")
    K, block = kernel.gram(X), kernel.block(X, X)
    wrong = np.abs(K - block) > _CLOSE * _scale(kernel, X)
    _deny(wrong, "gram says {one}, block says {other}", X, one=K, other=block)


def _rows_and_calls_agree(kernel: Kernel, X: np.ndarray) -> None:
    block, scale = kernel.block(X, X), _scale(kernel, X)
    rows = np.vstack([kernel.block(X[[i]], X) for i in range(len(X))])
    _deny(np.abs(rows - block) > _CLOSE * scale, "one row gives {one}, all give {other}", X, one=rows, other=block)
    calls = np.array([kernel(X[0], z) for z in X])[None]
    _deny(
        np.abs(calls - block[:1]) > _CLOSE * scale[:1],
        "k(x, z) is {one}, block says {other}",
        X,
        one=calls,
        other=block,
    )


def _times_is_a_product(kernel: Kernel, X: np.ndarray) -> None:
    V = np.random.default_rng(0).standard_normal((len(X), 2))
    block, room = kernel.block(X, X), _scale(kernel, X) @ np.abs(V)
    for weights, expected in ((V, block @ V), (V[:, 0], block @ V[:, 0])):
        got = kernel.times(X, X, weights)
        if got.shape != expected.shape or got.dtype != np.float64:
            raise AssertionError(f"times gave {got.dtype} of shape {got.shape}; it should be float64, {expected.shape}")
        if (
            np.abs(got - expected) > _CLOSE * room.reshape(len(X), -1)[:, : got.size // len(X)].reshape(got.shape)
        ).any():
            raise AssertionError("times(X, Z, V) is not block(X, Z) @ V")


def _float32_is_close(kernel: Kernel, X: np.ndarray) -> None:
    K, single = kernel.gram(X), _in_precision(kernel, X, np.float32)
    if single is not None:
        wrong = np.abs(single - K) > _CLOSE_IN_FLOAT32 * _scale(kernel, X)
        _deny(wrong, "float32 gives {one}, float64 {other}", X, one=single, other=K)


def _in_precision(kernel: Kernel, X: np.ndarray, dtype: Any) -> np.ndarray | None:
    """The Gram matrix, or None where a value within float64 may exceed float32."""
    try:
        return kernel.gram(X, dtype)
    except ValueError:
        if dtype == np.float64 or np.max(np.abs(kernel.gram(X))) < 1e18:
            raise
        return None


def _sparse_is_dense(kernel: Kernel, X: np.ndarray) -> None:
    rows = sparse.csr_array(X)
    if not kernel.takes_sparse:
        _must_refuse(lambda: kernel.block(rows, rows), "sparse rows, which it does not claim to take")
        return
    expected, scale = kernel.block(X, X), _scale(kernel, X)
    for left, right in ((rows, rows), (rows, X), (X, rows)):
        got = kernel.block(left, right)
        _deny(
            np.abs(got - expected) > _CLOSE * scale, "sparse rows give {one}, dense {other}", X, one=got, other=expected
        )


_CLAIMS = (
    _has_an_honest_diagonal,
    _is_symmetric,
    _obeys_cauchy_schwarz,
    _is_positive_semi_definite,
    _has_an_exact_gram,
    _rows_and_calls_agree,
    _times_is_a_product,
    _float32_is_close,
    _sparse_is_dense,
)


def _tiles_agree(kernel: Kernel, X: np.ndarray) -> None:
    """The rows many times over: what is computed in tiles must repeat what the rows alone give."""
    pick = np.random.default_rng(0).integers(0, len(X), _MANY)
    V = np.random.default_rng(1).standard_normal(_MANY)
    expected, scale = kernel.gram(X)[np.ix_(pick, pick)], _scale(kernel, X[pick])
    for name, got in (("gram", kernel.gram(X[pick])), ("block", kernel.block(X[pick], X[pick]))):
        sentence = f"{name} gives {{one}} among many rows, {{other}} among few"
        _deny(np.abs(got - expected) > _CLOSE * scale, sentence, X[pick], one=got, other=expected)
    if (np.abs(kernel.times(X[pick], X[pick], V) - expected @ V) > _CLOSE * (scale @ np.abs(V))).any():
        raise AssertionError("times(X, Z, V) is not block(X, Z) @ V for many rows")


def _refuses_nonsense(kernel: Kernel, X: np.ndarray) -> None:
    nan = X.copy()
    nan[0, 0] = np.nan
    _must_refuse(lambda: kernel.block(nan, X), "rows with NaN")
    _must_refuse(lambda: kernel.gram(nan), "rows with NaN")
    _must_refuse(lambda: kernel.block(X, np.hstack([X, X])), "X and Z with different columns")
    _must_refuse(lambda: kernel.block(X[:, 0], X), "X of shape (n,)")
    _must_refuse(lambda: kernel.times(X, X, np.ones(len(X) + 1)), "weights of the wrong length")


def _must_refuse(attempt: Any, what: str) -> None:
    try:
        attempt()
    except ValueError:
        return
    raise AssertionError(f"the kernel accepts {what}; raise ValueError with a remedy")


def _check_parameters(kernel: Kernel) -> None:
    """Parameters, clones and copies; a kernel made from a function that cannot be pickled need not be pickled."""
    try:
        twin = clone(kernel)
        twin.set_params(**kernel.get_params(deep=False))
    except (TypeError, RuntimeError, AttributeError) as error:
        raise AssertionError(f"{kernel!r} cannot be cloned; store each argument under its own name: {error}") from error
    if twin != kernel or hash(twin) != hash(kernel):
        raise AssertionError(f"a clone of {kernel!r} is not equal to it; keep all parameters as plain attributes")
    if all(_pickles(value) for value in kernel.get_params().values() if not isinstance(value, Kernel)):
        check_copies(kernel)
    elif copy.deepcopy(kernel) != kernel:
        raise AssertionError(f"a deep copy of {kernel!r} is not equal to it; keep all parameters as plain attributes")


def _pickles(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
