"""Layer estimators: kernels as features of finite rank, for any linear model at the end of a pipeline."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.fingerprints import distinct_rows
from surefit.data.tables import validate_data
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import Gaussian, kernel_named
from surefit.kernels.low_rank import LowRankMap, map_from_pivots, nystroem_map, pivoted_cholesky
from surefit.names import HintedModel
from surefit.progress import working

DEFAULT_RANK = 100


class _KernelFeatures(HintedModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What the two share: validation, the map and its names; subclasses choose the landmarks."""

    kernel: Kernel | str | None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose landmarks among the rows of ``X`` (n, d); those of weight zero do not count, ``y`` is ignored."""
        X = self._validated(X, reset=True)
        weight = Design.of(X, sample_weight).weight
        rows, _ = distinct_rows(X, weight)
        default = Gaussian("median" if len(rows) > 1 else 1.0)  # a single point has no distances to speak of
        kernel = default if self.kernel is None else kernel_named(self.kernel)
        with working(f"fitting {type(self).__name__}"):
            self.map_ = self._chosen(kernel.for_data(X[rows]), X, weight)
        if self.map_.rank == 0:
            raise ValueError(f"{kernel!r} vanishes on every row, so there is no feature; choose another kernel")
        self.kernel_, self.landmarks_ = self.map_.kernel, self.map_.landmarks
        return self

    def _chosen(self, kernel: Kernel, X: Any, weight: np.ndarray) -> LowRankMap:
        raise NotImplementedError

    def transform(self, X: Any) -> np.ndarray:
        """Features of the rows of ``X``, shape ``(n, rank)``, in the precision of ``X``."""
        check_is_fitted(self)
        X = self._validated(X, reset=False, dtype=[np.float64, np.float32])
        with working(f"transforming with {type(self).__name__}"):
            return self.map_.transform(X).astype(X.dtype, copy=False)

    def _validated(self, X: Any, reset: bool, dtype: Any = np.float64) -> Any:
        return validate_data(self, X, reset=reset, accept_sparse="csr" if self._takes_sparse else False, dtype=dtype)

    @property
    def _takes_sparse(self) -> bool:
        return self.kernel is None or kernel_named(self.kernel).takes_sparse

    @property
    def _n_features_out(self) -> int:
        return self.map_.rank

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Nystroem(_KernelFeatures):
    """Features of a kernel from randomly chosen rows: inner products approximate the kernel.  Catalogue A-14.

    Any linear model on them is a kernel method at the cost of a linear one.  ``||w||`` on the features is the norm of
    ``f`` in the kernel's own space, so a penalty means what it means there.

    Parameters
    ----------
    kernel : a kernel of `surefit.kernels` or a word as in `KernelRidge`; ``None``: Gaussian with the median distance as
        bandwidth.
    n_landmarks : rows to draw (all distinct ones if there are no more).  The error falls, the cost rises with it.
    rule : ``"uniform"``: in proportion to the sample weights; ``"pivots"``: those which the earlier ones explain badly,
        for data with rare regions.
    random_state : seed of the draw.  The draw depends on the set of rows, not on their order.

    Attributes
    ----------
    map_ : the `LowRankMap`.  kernel_ : the kernel with its data-dependent parameters settled.  landmarks_ : the rows
        kept (those that depend on others are dropped), as many as there are features.

    >>> from sklearn.pipeline import make_pipeline
    >>> from surefit import Ridge
    >>> from surefit.kernels import Gaussian
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = make_pipeline(Nystroem(Gaussian(1.0), n_landmarks=20, random_state=0), Ridge(lam=1e-6))
    >>> model.fit(X, np.sin(X[:, 0])).predict([[1.0]]).round(3)
    array([0.841])
    """

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        *,
        n_landmarks: int = DEFAULT_RANK,
        rule: str = "uniform",
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.rule = rule
        self.random_state = random_state

    def _chosen(self, kernel: Kernel, X: Any, weight: np.ndarray) -> LowRankMap:
        return nystroem_map(kernel, X, self.n_landmarks, self.random_state, weight, self.rule)


class PivotedCholesky(_KernelFeatures):
    """Features of a kernel by greedy elimination: no draw, and the error is known.  Catalogue A-15.

    Each step takes the row that the features so far explain worst; ``error_`` is the trace of what is left of the Gram
    matrix of the distinct rows, which is never negative and bounds its largest eigenvalue.  Costs ``n * rank**2``
    operations and ``n * rank`` numbers at ``fit``.

    Parameters
    ----------
    kernel : a kernel of `surefit.kernels` or a word as in `KernelRidge`; ``None``: Gaussian with the median distance as
        bandwidth.
    max_rank : features at most.
    tol : stop when the trace that is left is at most so much.

    Attributes
    ----------
    map_, kernel_, landmarks_ : as in `Nystroem`.  error_ : the trace that is left.

    >>> from surefit.kernels import Linear
    >>> model = PivotedCholesky(Linear()).fit([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]])
    >>> model.map_.rank, round(model.error_, 12), model.get_feature_names_out().tolist()
    (2, 0.0, ['pivotedcholesky0', 'pivotedcholesky1'])
    """

    def __init__(self, kernel: Kernel | str | None = None, *, max_rank: int = DEFAULT_RANK, tol: float = 0.0):
        self.kernel = kernel
        self.max_rank = max_rank
        self.tol = tol

    def _chosen(self, kernel: Kernel, X: Any, weight: np.ndarray) -> LowRankMap:
        rows, _ = distinct_rows(X, weight)
        found = pivoted_cholesky(kernel, X[rows], self.max_rank, self.tol)
        self.error_ = found.error
        return map_from_pivots(kernel, X[rows], found)
