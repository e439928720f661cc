"""Kernels to use and to combine: ``from surefit.kernels import Gaussian, Linear``."""

from surefit.features.bandwidth import median_distance
from surefit.features.gram import gram_features, is_psd, plus_diagonal, smallest_eigenvalue
from surefit.features.kernel import Kernel
from surefit.features.kernels import (
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
from surefit.features.rkhs import RKHSFunction, empirical_expansion, kernel_distances

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
