"""What is alike: kernels to use and to combine, ``from surefit.kernels import Gaussian, Linear``.

In: rows, dense or sparse.  Out: blocks, Gram matrices and products with them, tile by tile; features of low rank;
functions of a kernel's space.  Door: `Kernel`, whose subclasses need one method, ``pairs``.

Read ``kernel.py`` (the face and the algebra), ``library.py`` and ``radial.py`` (the kernels), ``parameters.py`` (as
scikit-learn expects them) and ``inputs.py`` (which rows are refused).  Computing: ``walk.py`` (tiles of any kernel),
``tiles.py`` (compiled tiles of radial kernels), ``distance.py``, ``fold.py`` (one pass for a block and its transpose),
``stored.py`` (a Gram matrix in few bits), ``low_rank.py`` (landmarks).  ``bandwidth.py`` chooses widths from data,
``definite.py`` tests for positive eigenvalues, ``functions.py`` has functions of the space.
"""

from surefit.kernels.bandwidth import median_distance
from surefit.kernels.definite import gram_features, is_psd, plus_diagonal, smallest_eigenvalue
from surefit.kernels.functions import RKHSFunction, empirical_expansion, kernel_distances
from surefit.kernels.kernel import Kernel
from surefit.kernels.library import (
    FeatureMap,
    FiniteDomain,
    FromFunction,
    Gaussian,
    Laplace,
    Linear,
    Matern,
    Mercer,
    Min,
    Polynomial,
)

__all__ = [
    "FeatureMap",
    "FiniteDomain",
    "FromFunction",
    "Gaussian",
    "Kernel",
    "Laplace",
    "Linear",
    "Matern",
    "Mercer",
    "Min",
    "Polynomial",
    "RKHSFunction",
    "empirical_expansion",
    "gram_features",
    "is_psd",
    "kernel_distances",
    "median_distance",
    "plus_diagonal",
    "smallest_eigenvalue",
]
