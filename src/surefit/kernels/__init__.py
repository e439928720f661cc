"""Kernels to use and to combine: ``from surefit.kernels import Gaussian, Linear``."""

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
