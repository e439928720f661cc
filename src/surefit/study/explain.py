"""Layer study: what the winner is made of: its coefficients by name, the criterion that chose its penalty, its path.

In: the fitted winner, the encoder, and the standard errors that a theory gives (``inference.py``).  Out: records.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefit.study.inference import Errors
from surefit.study.prepare import Prepared
from surefit.study.records.board import CoefficientPath, Curve
from surefit.study.records.winner import Coefficient, Coefficients

SHOWN_PATH = 12
"""Features whose paths are kept."""


def coefficients_of(model: Any, data: Prepared, errors: Errors) -> Coefficients | None:
    """The coefficients of a linear winner, in the units of the columns; None for any other."""
    coef = getattr(model, "coef_", None)
    if coef is None:
        return None
    rows = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    names = [""] if len(rows) == 1 else [str(one) for one in model.classes_]
    spread, units = data.X.std(axis=0), data.encoder.units
    features, sources = data.encoder.features, data.encoder.sources
    found = []
    for label, row in zip(names, rows, strict=True):
        for j in sorted({*np.flatnonzero(row).tolist(), *errors.estimate}):
            of = lambda values, j=j: float(values.get(j, np.nan) / units[j])
            other = of(errors.estimate)
            found.append(Coefficient(
                features[j], sources[j], float(row[j] / units[j]), float(row[j] * spread[j]), label,
                of(errors.standard_error), of(errors.low), of(errors.high), errors.p_value.get(j, np.nan),
                np.nan if other == float(row[j] / units[j]) else other,
            ))  # fmt: skip
    found.sort(key=lambda one: -abs(one.effect))
    return Coefficients(tuple(found), errors.sentence, errors.n_rows)


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
