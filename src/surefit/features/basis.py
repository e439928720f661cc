"""Layer features: basis functions as scikit-learn transformers.

In: a table ``X`` of shape ``(n, d)``.  Out: the design matrix ``Phi`` of shape ``(n, D)``, with column names.  The
constant is left out unless asked for: the intercept belongs to the estimator, which does not penalise it.  Refused:
negative degrees, bases without a column, values that overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, combinations, combinations_with_replacement
from numbers import Integral
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from surefit.data.tables import validate_data
from surefit.names import HintedModel


def monomial_exponents(n_features: int, degree: int, *, boolean: bool = False) -> np.ndarray:
    """Exponents of all monomials of total degree ``<= degree``, shape ``(D, n_features)``, constant first.

    ``D = C(n_features + degree, degree)``; with ``boolean=True`` exponents are 0 or 1 and
    ``D = sum_{i <= degree} C(n_features, i)``.  Ordered by degree, then lexicographically.  Catalogue D-02, T-47.

    >>> monomial_exponents(2, 2).tolist()
    [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    >>> len(monomial_exponents(4, 2, boolean=True))
    11
    """
    choose = combinations if boolean else combinations_with_replacement
    products = chain.from_iterable(choose(range(n_features), k) for k in range(degree + 1))
    return np.array([np.bincount(product, minlength=n_features) for product in map(_as_index, products)])


class _Monomials(HintedModel, TransformerMixin, BaseEstimator):
    """What the two monomial transformers share: validation, scaling, evaluation, names."""

    _boolean: bool
    centre_: np.ndarray
    half_range_: np.ndarray
    exponents_: np.ndarray

    def __init__(self, degree: int = 2, *, include_constant: bool = False, scaling: str = "none"):
        self.degree = degree
        self.include_constant = include_constant
        self.scaling = scaling

    def fit(self, X: np.ndarray, y: object = None) -> Self:
        """Learn the number of features and, with ``scaling="range"``, the range of each."""
        if not isinstance(self.degree, Integral) or isinstance(self.degree, bool) or self.degree < 0:
            raise ValueError(f"degree must be a whole number >= 0, got {self.degree!r}; use degree=1 for the features")
        if self.scaling not in ("none", "range"):
            raise ValueError(f"scaling {self.scaling!r} is unknown; use 'none' or 'range'")
        if self.degree == 0 and not self.include_constant:
            raise ValueError("degree=0 without the constant leaves no column; set include_constant=True")
        X = validate_data(self, X, dtype=(np.float64, np.float32))
        low, high = X.min(axis=0), X.max(axis=0)
        ranged = self.scaling == "range"
        half_range = high / 2 - low / 2  # halves first: high - low may overflow
        self.centre_ = low / 2 + high / 2 if ranged else np.zeros_like(low)
        self.half_range_ = np.where(half_range > 0, half_range, 1) if ranged else np.ones_like(low)
        first = 0 if self.include_constant else 1
        self.exponents_ = monomial_exponents(X.shape[1], self.degree, boolean=self._boolean)[first:]
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Evaluate the monomials: ``Phi[i, j] = prod_k X[i, k] ** exponents_[j, k]`` (after scaling)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=(np.float64, np.float32))
        X = (X - self.centre_.astype(X.dtype)) / self.half_range_.astype(X.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            Phi = _evaluate(X, self.degree, self._boolean)[:, 0 if self.include_constant else 1 :]
        if not np.isfinite(Phi).all():
            raise ValueError(
                f"monomials of degree {self.degree} overflow {X.dtype} (largest entry {np.abs(X).max():.3g}); "
                "use scaling='range' or rescale X"
            )
        return Phi

    def get_feature_names_out(self, input_features: np.ndarray | None = None) -> np.ndarray:
        """Names such as ``x0``, ``x0^2``, ``x0 x1``; the constant is ``1``."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.array([_monomial_name(names, row) for row in self.exponents_], dtype=object)

    @property
    def _n_features_out(self) -> int:
        return len(self.exponents_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Polynomial(_Monomials):
    """All monomials ``prod_j x_j**r_j`` with ``1 <= sum r_j <= degree``: ``D = C(d + degree, degree) - 1`` columns.

    ``include_constant=True`` adds the column of ones in front.  ``scaling="range"`` first maps each feature to
    ``[-1, 1]`` by its range in the training data, against the ill-conditioning of Vandermonde matrices; the span of
    the columns together with the constant stays the same.  Needs finite dense input.  Catalogue D-02, X-11, T-47.

    >>> Polynomial(3, include_constant=True).fit_transform([[2.0], [3.0]]).tolist()
    [[1.0, 2.0, 4.0, 8.0], [1.0, 3.0, 9.0, 27.0]]
    >>> Polynomial(2).fit([[1.0, 2.0]]).get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    """

    _boolean = False


class BooleanMonomials(_Monomials):
    """Products of at most ``degree`` distinct features: exponents 0 or 1, ``D = sum_{1<=i<=degree} C(d, i)`` columns.

    On ``{0, 1}^d`` these span the same functions as all polynomials of that degree, without repeated columns, because
    ``x**2 = x`` there.  Any finite dense input is allowed (multilinear monomials); parameters as in `Polynomial`.
    Catalogue D-02, T-47.

    >>> BooleanMonomials(2).fit_transform([[1, 0, 1], [1, 1, 1]]).tolist()
    [[1.0, 0.0, 1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
    """

    _boolean = True


class BasisFunctions(HintedModel, TransformerMixin, BaseEstimator):
    """The design matrix of functions you give: column ``j`` is ``functions[j](X)``.

    Each function maps the whole ``X`` of shape ``(n, d)`` to ``(n,)`` or to several columns ``(n, k)``.
    ``include_constant=True`` adds the column of ones in front.  Needs finite dense input.  Catalogue D-02.

    >>> def radius(X):
    ...     return np.linalg.norm(X, axis=1)
    >>> basis = BasisFunctions([radius, np.cos], include_constant=True)
    >>> basis.fit_transform([[3.0, 4.0], [0.0, 0.0]]).round(3).tolist()
    [[1.0, 5.0, -0.99, -0.654], [1.0, 0.0, 1.0, 1.0]]
    >>> basis.get_feature_names_out().tolist()
    ['1', 'radius', 'cos_0', 'cos_1']
    """

    def __init__(self, functions: Sequence[Callable[[np.ndarray], np.ndarray]], *, include_constant: bool = False):
        self.functions = functions
        self.include_constant = include_constant

    def fit(self, X: np.ndarray, y: object = None) -> Self:
        """Evaluate once, to learn how many columns each function gives."""
        bad = [function for function in self.functions if not callable(function)]
        if bad:
            raise TypeError(f"functions must be callable, got {bad[0]!r}; pass for example [np.sin, np.cos]")
        if len(self.functions) == 0 and not self.include_constant:
            raise ValueError("no functions and no constant leave no column; give at least one function")
        X = validate_data(self, X, dtype=(np.float64, np.float32))
        self.widths_ = tuple(block.shape[1] for block in self._blocks(X))
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Evaluate the functions side by side, shape ``(n, D)``."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=(np.float64, np.float32))
        blocks = self._blocks(X)
        widths = tuple(block.shape[1] for block in blocks)
        if widths != self.widths_:
            raise ValueError(f"functions gave {widths} columns, {self.widths_} in fit; make them act row by row")
        ones = [np.ones((len(X), 1), X.dtype)] if self.include_constant else []
        return np.hstack([*ones, *blocks]).astype(X.dtype, copy=False)

    def _blocks(self, X: np.ndarray) -> list[np.ndarray]:
        blocks = []
        for function in self.functions:
            block = np.asarray(function(X))
            block = block[:, None] if block.ndim == 1 else block
            if block.ndim != 2 or len(block) != len(X):
                raise ValueError(
                    f"{_function_name(function)} gave shape {block.shape} for {len(X)} rows; return (n,) or (n, k)"
                )
            if not np.isfinite(block).all():
                raise ValueError(f"{_function_name(function)} gave NaN or inf; restrict X to where it is finite")
            blocks.append(block)
        return blocks

    def get_feature_names_out(self, input_features: np.ndarray | None = None) -> np.ndarray:
        """The functions' own names (``f`` for a lambda), numbered where one name covers several columns."""
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        owners = [_function_name(f) for f, k in zip(self.functions, self.widths_, strict=True) for _ in range(k)]
        seen: dict[str, int] = {}
        names = ["1"] if self.include_constant else []
        for owner in owners:
            seen[owner] = seen.get(owner, -1) + 1
            names.append(f"{owner}_{seen[owner]}" if owners.count(owner) > 1 else owner)
        return np.array(names, dtype=object)

    @property
    def _n_features_out(self) -> int:
        return sum(self.widths_) + bool(self.include_constant)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _evaluate(X: np.ndarray, degree: int, boolean: bool) -> np.ndarray:
    """All monomials, constant first, in the order of `monomial_exponents`.

    In that order the monomials of degree ``k`` whose first feature is ``j`` are ``x_j`` times a contiguous tail of
    those of degree ``k - 1``: the ones whose first feature is ``>= j`` (``> j`` for the boolean version).
    """
    n, d = X.shape
    blocks = [np.ones((n, 1), X.dtype)]
    starts = np.zeros(d + 1, dtype=int)  # where the monomials with first feature j begin in the last block
    for k in range(1, degree + 1):
        last = blocks[-1]
        tails = [0 if k == 1 else int(starts[j + 1 if boolean else j]) for j in range(d)]
        pieces = [X[:, [j]] * last[:, tails[j] :] for j in range(d)]
        starts = np.concatenate([[0], np.cumsum([piece.shape[1] for piece in pieces])])
        blocks.append(np.hstack(pieces))
    return np.hstack(blocks)


def _as_index(product: tuple[int, ...]) -> np.ndarray:
    return np.array(product, dtype=int)  # an empty product would otherwise be an array of floats


def _monomial_name(names: Sequence[str], exponents: np.ndarray) -> str:
    factors = [name if power == 1 else f"{name}^{power}" for name, power in zip(names, exponents, strict=True) if power]
    return " ".join(factors) or "1"


def _function_name(function: Callable) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "f" if name == "<lambda>" else name
