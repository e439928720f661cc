"""Below all layers: the one door to the compiled loops, each with its plain-Python twin as the replacement.

Every file that calls a loop imports it from here.  The twins run where no compiler was found at install, or where the
environment variable ``SUREFIT_PLAIN`` is set (to anything but 0): same answers, slower, and one warning says so.
`levels` says which of the compiled loops are taken.
"""

import os
import sys
import warnings
from importlib import import_module
from typing import Any


def _found() -> Any:
    if os.environ.get("SUREFIT_PLAIN", "0") not in ("", "0"):
        _warn("are left out because SUREFIT_PLAIN is set", "unset it to have them")
        return None
    try:
        return import_module("surefit._native")
    except ImportError:
        _warn("are not installed", "reinstall with a C++17 compiler on the PATH to have them")
        return None


def _warn(why: str, remedy: str) -> None:
    text = f"the compiled loops of surefit {why}, so plain-Python twins run: same answers, slower; {remedy}"
    try:
        warnings.warn(text, RuntimeWarning, stacklevel=4)
    except RuntimeWarning:  # where warnings are errors: the import goes on, with the sentence said
        print(text, file=sys.stderr)


native: Any = _found()
"""The extension module, or None."""
COMPILED = native is not None
"""Whether the compiled loops run."""

if COMPILED:
    OnlineCore = native.OnlineCore
    adaline_pass = native.adaline_pass
    bet_until = native.bet_until
    block_fold = native.block_fold
    column_descent = native.column_descent
    column_products = native.column_products
    dense_prints = native.dense_prints
    extended_gradient = native.extended_gradient
    gram_descent = native.gram_descent
    logistic_pass = native.logistic_pass
    logistic_sweeps = native.logistic_sweeps
    pair_steps = native.pair_steps
    perceptron_pass = native.perceptron_pass
    radial_block = native.radial_block
    radial_fold = native.radial_fold
    radial_gram = native.radial_gram
    radial_symmetric_times = native.radial_symmetric_times
    radial_times = native.radial_times
    sgd_squared = native.sgd_squared
    sparse_prints = native.sparse_prints
    star_rejections = native.star_rejections
    store_rounded = native.store_rounded
    table_left_out = native.table_left_out
    table_products = native.table_products
    table_times = native.table_times
    triangle_store = native.triangle_store
    triangle_times = native.triangle_times
else:
    from surefit.compiled.twins.betting import bet_until, star_rejections
    from surefit.compiled.twins.coordinate import column_descent, column_products, gram_descent
    from surefit.compiled.twins.fingerprints import dense_prints, sparse_prints
    from surefit.compiled.twins.least_squares import extended_gradient, sgd_squared
    from surefit.compiled.twins.logistic import logistic_pass
    from surefit.compiled.twins.online import OnlineCore
    from surefit.compiled.twins.pairs import pair_steps, store_rounded
    from surefit.compiled.twins.signs import adaline_pass, perceptron_pass
    from surefit.compiled.twins.sweeps import logistic_sweeps
    from surefit.compiled.twins.table import table_left_out, table_products, table_times
    from surefit.compiled.twins.tiles import (
        block_fold,
        radial_block,
        radial_fold,
        radial_gram,
        radial_symmetric_times,
        radial_times,
        triangle_store,
        triangle_times,
    )

__all__ = [
    "COMPILED",
    "OnlineCore",
    "adaline_pass",
    "bet_until",
    "block_fold",
    "column_descent",
    "column_products",
    "dense_prints",
    "extended_gradient",
    "gram_descent",
    "logistic_pass",
    "logistic_sweeps",
    "native",
    "pair_steps",
    "perceptron_pass",
    "radial_block",
    "radial_fold",
    "radial_gram",
    "radial_symmetric_times",
    "radial_times",
    "sgd_squared",
    "sparse_prints",
    "star_rejections",
    "store_rounded",
    "table_left_out",
    "table_products",
    "table_times",
    "triangle_store",
    "triangle_times",
]
