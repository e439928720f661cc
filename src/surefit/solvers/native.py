"""Layer solvers: one door to the compiled loops; their plain-Python twins step in where none were built."""

from surefit.compiled import native

if native is not None:
    adaline_pass = native.adaline_pass
    column_descent = native.column_descent
    column_products = native.column_products
    extended_gradient = native.extended_gradient
    gram_descent = native.gram_descent
    logistic_pass = native.logistic_pass
    logistic_sweeps = native.logistic_sweeps
    pair_steps = native.pair_steps
    perceptron_pass = native.perceptron_pass
    sgd_squared = native.sgd_squared
    store_rounded = native.store_rounded
else:
    from surefit.solvers.reference import extended_gradient, sgd_squared
    from surefit.solvers.reference_coordinate import column_descent, column_products, gram_descent
    from surefit.solvers.reference_dual import pair_steps, store_rounded
    from surefit.solvers.reference_logistic import logistic_pass
    from surefit.solvers.reference_signs import adaline_pass, perceptron_pass
    from surefit.solvers.reference_sweeps import logistic_sweeps

__all__ = [
    "adaline_pass",
    "column_descent",
    "column_products",
    "extended_gradient",
    "gram_descent",
    "logistic_pass",
    "logistic_sweeps",
    "pair_steps",
    "perceptron_pass",
    "sgd_squared",
    "store_rounded",
]
