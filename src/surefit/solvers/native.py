"""Layer solvers: one door to the compiled loops; their plain-Python twins step in where none were built."""

import warnings

try:
    from surefit.solvers._native import column_descent, column_products, extended_gradient, gram_descent, sgd_squared
except ImportError:  # no compiler was found at install
    from surefit.solvers.reference import extended_gradient, sgd_squared
    from surefit.solvers.reference_coordinate import column_descent, column_products, gram_descent

    warnings.warn(
        "the compiled loops of surefit are not installed, so plain-Python twins run: same answers, slower; "
        "reinstall with a C++17 compiler on the PATH to have them",
        RuntimeWarning,
        stacklevel=2,
    )

__all__ = ["column_descent", "column_products", "extended_gradient", "gram_descent", "sgd_squared"]
