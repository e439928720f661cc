"""Kernels to use and to combine: ``from surefit.kernels import Gaussian, Linear``."""

from surefit.features.kernel import Kernel
from surefit.features.kernels import Gaussian, Linear, Polynomial

__all__ = ["Gaussian", "Kernel", "Linear", "Polynomial"]
