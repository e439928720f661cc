"""The NIST reference problems of linear regression as arrays: files in, :class:`ReferenceSet` out.

In go the eleven original files of ``tests/reference/nist``; out come the design, the response and the certified
values.  The header of each file says on which lines the certified values and the data stand; a file whose contents
disagree with its own header (number of observations, predictors or parameters) is refused.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "reference" / "nist"

SET_NAMES = (
    "Norris",
    "Pontius",
    "NoInt1",
    "NoInt2",
    "Filip",
    "Longley",
    "Wampler1",
    "Wampler2",
    "Wampler3",
    "Wampler4",
    "Wampler5",
)

MOST_DIGITS = 15.0  # what NIST certifies, and about what a float64 can hold

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[Ee][-+]?\d+)?"
_COEFFICIENT = re.compile(rf"^\s*B(\d+)\s+({_NUMBER})\s+({_NUMBER})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class ReferenceSet:
    """One reference problem: ``y = X @ coef`` plus an intercept if ``fit_intercept``, with its certified answer.

    ``coef`` and ``coef_sd`` have shape ``(d + fit_intercept,)``, the intercept first.  ``rows`` holds the data as
    printed by NIST, ``(y, x1, x2, ...)`` in text, for those who want the exact decimals.
    """

    name: str
    difficulty: str  # "Lower", "Average" or "Higher"
    X: np.ndarray  # (n, d): the predictors, or the powers x, x**2, ..., x**d of the only one
    y: np.ndarray  # (n,)
    coef: np.ndarray
    coef_sd: np.ndarray
    residual_sd: float
    r_squared: float  # about zero instead of the mean when there is no intercept
    fit_intercept: bool
    rows: tuple[tuple[str, ...], ...]


def read_set(name: str, folder: Path = FOLDER) -> ReferenceSet:
    """Read the reference problem called ``name``, one of ``SET_NAMES``.

    >>> longley = read_set("Longley")
    >>> longley.X.shape, longley.fit_intercept, float(longley.coef[0])
    ((16, 6), True, -3482258.63459582)
    """
    path = folder / f"{name}.dat"
    if not path.is_file():
        raise FileNotFoundError(f"no NIST reference file {path}; known sets are {', '.join(SET_NAMES)}")
    lines = path.read_text(encoding="ascii").splitlines()
    header = "\n".join(lines[:30])
    certified = "\n".join(_line_range(header, "Certified Values", lines))
    rows = _data_rows(name, header, lines)
    powers, coef, coef_sd = _certified_coefficients(name, header, certified)
    columns = np.array(rows, dtype=float)
    y, predictors = columns[:, 0], columns[:, 1:]
    fit_intercept = powers[0] == 0
    n_slopes = len(powers) - fit_intercept
    # One predictor and several slopes: a polynomial; its powers are rounded to float64 one by one.
    X = predictors ** np.arange(1, n_slopes + 1) if predictors.shape[1] == 1 else predictors
    if X.shape[1] != n_slopes:
        raise ValueError(f"{name}: {X.shape[1]} columns but {n_slopes} certified slopes; the file is damaged")
    return ReferenceSet(
        name=name,
        difficulty=_search(r"(\w+) Level of Difficulty", header, name),
        X=X,
        y=y,
        coef=coef,
        coef_sd=coef_sd,
        residual_sd=float(_search(rf"Standard Deviation\s+({_NUMBER})", certified, name)),
        r_squared=float(_search(rf"R-Squared\s+({_NUMBER})", certified, name)),
        fit_intercept=fit_intercept,
        rows=rows,
    )


def correct_digits(estimate: ArrayLike, certified: ArrayLike) -> float:
    """Digits that agree in the worst entry: ``min_j -log10(|e_j - c_j| / |c_j|)``, held between 0 and 15.

    Where the certified value is zero the absolute error takes the place of the relative one.  An estimate that is
    not finite has no correct digit.

    >>> correct_digits([1.001, 2.0], [1.0, 2.0]) > 2.9
    True
    >>> correct_digits([1e-4], [0.0])
    4.0
    """
    estimate, certified = np.asarray(estimate, dtype=float), np.asarray(certified, dtype=float)
    if estimate.shape != certified.shape:
        raise ValueError(f"estimate has shape {estimate.shape}, certified {certified.shape}; pass one entry for each")
    if not np.all(np.isfinite(estimate)):
        return 0.0
    error = np.abs(estimate - certified)
    worst = np.max(np.divide(error, np.abs(certified), out=error.copy(), where=certified != 0))
    return float(np.clip(-np.log10(max(worst, 10.0**-MOST_DIGITS)), 0.0, MOST_DIGITS))


def _search(pattern: str, text: str, name: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"{name}: nothing matches {pattern!r}; restore the original NIST file")
    return found.group(1)


def _line_range(header: str, what: str, lines: list[str]) -> list[str]:
    """The lines, counted from 1 and both ends included, where the header says that ``what`` stands."""
    found = re.search(rf"{what}\s+\(lines\s+(\d+)\s+to\s+(\d+)\)", header)
    if found is None:
        raise ValueError(f"the header gives no lines for {what!r}; restore the original NIST file")
    return lines[int(found.group(1)) - 1 : int(found.group(2))]


def _data_rows(name: str, header: str, lines: list[str]) -> tuple[tuple[str, ...], ...]:
    rows = tuple(tuple(line.split()) for line in _line_range(header, "Data", lines))
    n = int(_search(r"(\d+) Observations", header, name))
    width = 1 + int(_search(r"(\d+) Predictor Variable", header, name))
    if len(rows) != n or any(len(row) != width for row in rows):
        raise ValueError(f"{name}: expected {n} rows of {width} numbers; restore the original NIST file")
    return rows


def _certified_coefficients(name: str, header: str, certified: str) -> tuple[list[int], np.ndarray, np.ndarray]:
    found = _COEFFICIENT.findall(certified)
    indices = [int(index) for index, _, _ in found]
    # Longley's header says "(B0,B1,...,B7)" for seven parameters B0 to B6: only the count can be trusted.
    n_parameters = int(_search(r"(\d+) Parameters? ", header, name))
    if len(indices) != n_parameters or indices != list(range(indices[0], indices[0] + n_parameters)):
        raise ValueError(f"{name}: expected {n_parameters} coefficients, found B{indices}; restore the NIST file")
    estimates, deviations = np.array([[float(value), float(sd)] for _, value, sd in found]).T
    return indices, estimates, deviations
