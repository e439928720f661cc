"""What a point looks like: basis functions that turn rows into columns.

In: rows.  Out: columns of monomials, Boolean monomials, or functions of your own.  All in ``basis.py``.
"""

from surefit.features.basis import BasisFunctions, BooleanMonomials, Polynomial, monomial_exponents

__all__ = ["BasisFunctions", "BooleanMonomials", "Polynomial", "monomial_exponents"]
