"""Layer solvers: one door to the compiled loops; their plain-Python twins step in where none were built."""

import warnings

from surefit.solvers import reference, reference_coordinate

try:
    from surefit.solvers import _native as compiled
except ImportError:  # no compiler was found at install
    compiled = None
    warnings.warn(
        "the compiled loops of surefit are not installed, so plain-Python twins run: same answers, slower; "
        "reinstall with a C++17 compiler on the PATH to have them",
        RuntimeWarning,
        stacklevel=2,
    )

sgd_squared = reference.sgd_squared if compiled is None else compiled.sgd_squared
extended_gradient = reference.extended_gradient if compiled is None else compiled.extended_gradient
gram_descent = reference_coordinate.gram_descent if compiled is None else compiled.gram_descent
column_products = reference_coordinate.column_products if compiled is None else compiled.column_products
column_descent = reference_coordinate.column_descent if compiled is None else compiled.column_descent
