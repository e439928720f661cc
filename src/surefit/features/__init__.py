"""What a point looks like: basis functions and, later, kernels."""

from surefit.features.basis import BasisFunctions, BooleanMonomials, Polynomial, monomial_exponents

__all__ = ["BasisFunctions", "BooleanMonomials", "Polynomial", "monomial_exponents"]
