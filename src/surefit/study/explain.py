"""Layer study: what the winner is made of: its coefficients by name, the criterion that chose its penalty, its path.

In: the fitted winner and the encoder.  Out: records.  Standard errors are given where a theory does: for least squares,
whose columns nobody chose by looking; ridge and the lasso have none that mean what a reader would take them for.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from surefit.study.prepare import Prepared
from surefit.study.record import Coefficient, CoefficientPath, Coefficients, Curve

SHOWN_PATH = 12
"""Features whose paths are kept."""


def coefficients_of(model: Any, data: Prepared) -> Coefficients | None:
    """The coefficients of a linear winner, in the units of the columns; None for any other."""
    coef = getattr(model, "coef_", None)
    if coef is None:
        return None
    rows = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    names = [""] if len(rows) == 1 else [str(one) for one in model.classes_]
    errors, sentence = _errors(model, data, len(rows))
    spread, units = data.X.std(axis=0), data.encoder.units
    found = []
    for label, row in zip(names, rows, strict=True):
        for j in np.flatnonzero(row):
            e = errors[j] / units[j] if errors is not None else float("nan")
            value = float(row[j] / units[j])
            low, high = (value - 1.96 * e, value + 1.96 * e)
            found.append(Coefficient(data.encoder.features[j], data.encoder.sources[j], value,
                                     float(row[j] * spread[j]), label, float(e), float(low), float(high)))  # fmt: skip
    found.sort(key=lambda one: -abs(one.effect))
    return Coefficients(tuple(found), sentence, len(data.y))


def _errors(model: Any, data: Prepared, n_rows: int) -> tuple[np.ndarray | None, str]:
    kind = type(model).__name__
    if kind == "LeastSquares" and n_rows == 1:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = model.inference(covariance="HC3")
            errors = np.asarray(table.standard_error, dtype=np.float64)[-data.X.shape[1] :]
            return errors, "Standard errors are robust (HC3) and of the coefficients of the best linear prediction."
        except ValueError:
            pass
    if kind == "LeastSquares":
        return None, "No standard errors: some columns depend on each other."
    return None, (
        "No standard errors: the penalty shrinks these coefficients, or chose among them by looking at the same rows, "
        "so that classical standard errors and p values would not be about them."
    )


def curve_of(model: Any) -> Curve | None:
    """The criterion along the grid that chose the penalty; None where nothing was chosen."""
    chosen = getattr(model, "selection_", None)
    if chosen is None or chosen.parameter != "lam":
        return None
    order = np.argsort(-chosen.grid)
    take = lambda values: tuple(float(one) for one in np.asarray(values)[order])
    return Curve(chosen.label, take(chosen.grid), take(chosen.curve), take(chosen.se), float(chosen.chosen))


def path_of(model: Any, data: Prepared) -> CoefficientPath | None:
    """The largest coefficients along the grid, in standard deviations of their features; None without a path."""
    chosen = getattr(model, "selection_", None)
    path = getattr(chosen, "path", None)
    coefs = np.asarray(getattr(path, "coefs", ()), dtype=np.float64)
    d = data.X.shape[1]
    if chosen is None or coefs.ndim != 2 or d not in coefs.shape or len(chosen.grid) not in coefs.shape:
        return None
    if coefs.shape[1] != d:
        coefs = coefs.T
    lams = np.asarray(getattr(path, "lams", chosen.grid), dtype=np.float64)
    if len(lams) != len(coefs):
        return None
    scaled = coefs * data.X.std(axis=0)
    largest = np.argsort(-np.abs(scaled).max(axis=0), kind="stable")[:SHOWN_PATH]
    order = np.argsort(-lams)
    return CoefficientPath(
        tuple(map(float, lams[order])), tuple(data.encoder.features[j] for j in largest),
        tuple(tuple(map(float, scaled[order, j])) for j in largest), float(chosen.chosen),
    )  # fmt: skip
