"""Below all layers: what losses, penalties and kernels have in common: a formula with a few plain parameters.

In: the parameters as attributes.  Out: ``repr``, equality and hash by value, and the domain checks that constructors
and fits use.  Nothing here knows what a loss or a penalty computes.
"""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np

from surefit.names import Hinted


class Parametrised(Hinted):
    """An object that is its class and its parameters: prints as a call, equal and hashable by value.

    Parameters are plain attributes, so ``copy.deepcopy``, ``pickle`` and ``sklearn.base.clone`` need no help.

    >>> class Knee(Parametrised):
    ...     def __init__(self, threshold):
    ...         self.threshold = threshold
    >>> Knee(2.0), Knee(2.0) == Knee(2.0), Knee(2.0) == Knee(3.0)
    (Knee(threshold=2.0), True, False)
    """

    def __init__(self) -> None:
        """Without parameters, unless a subclass has some."""

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))


def own_copy(value: Any) -> Any:
    """A copy that no later edit of ``value`` reaches; ``value`` itself where a copy would not equal it.

    >>> parts = [1.0, [2.0]]
    >>> mine = own_copy(parts)
    >>> parts[1].append(3.0)
    >>> mine
    [1.0, [2.0]]
    """
    copied = deepcopy(value)
    return copied if copied == value else value


def cost_table(costs: Any, k: int) -> np.ndarray:
    """``costs`` as a finite ``(k, k)`` array, a row for every true class and a column for every answer.

    >>> cost_table([[0, 1], [9, 0]], 2)
    array([[0., 1.],
           [9., 0.]])
    """
    try:
        table = np.asarray(costs, dtype=float)
        got = f"shape {table.shape}" if table.shape != (k, k) else "entries that are not finite"
    except (TypeError, ValueError):
        table, got = np.empty(0), repr(costs)
    if table.shape != (k, k) or not np.all(np.isfinite(table)):
        raise ValueError(
            f"costs must be a finite ({k}, {k}) table, got {got}; give a row per true class and a column per answer"
        )
    return table


def positive(name: str, value: float, remedy: str) -> float:
    """``value`` as a float, if it is finite and ``> 0``; otherwise an error that ends with ``remedy``.

    >>> positive("threshold", 2, "")
    2.0
    """
    found = number(name, value, remedy)
    if not (found > 0 and math.isfinite(found)):
        raise ValueError(f"{name} must be finite and > 0, got {value!r}; {remedy}")
    return found


def non_negative(name: str, value: float, remedy: str) -> float:
    """``value`` as a float, if it is finite and ``>= 0``; otherwise an error that ends with ``remedy``.

    >>> non_negative("lam", -1.0, "use lam=0 for plain least squares")
    Traceback (most recent call last):
        ...
    ValueError: lam must be >= 0, got -1.0; use lam=0 for plain least squares
    """
    found = number(name, value, remedy)
    if not found >= 0:
        raise ValueError(f"{name} must be >= 0, got {value!r}; {remedy}")
    if math.isinf(found):
        raise ValueError(f"{name} must be finite, got {value!r}; {remedy}")
    return found


def whole(name: str, value: Any, remedy: str, *, least: int = 1) -> int:
    """``value`` as an integer, if it is a whole number and at least ``least``; otherwise an error with ``remedy``.

    >>> whole("n", 20.0, "it counts the rows")
    20
    >>> whole("n", 2.7, "it counts the rows")
    Traceback (most recent call last):
        ...
    ValueError: n must be a whole number >= 1, got 2.7; it counts the rows
    """
    found = math.nan if isinstance(value, bool | np.bool_) else as_number(value)
    if not (found >= least and found.is_integer()):
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}; {remedy}")
    return int(value)


def within(name: str, value: float, ends: tuple[float, float], remedy: str) -> float:
    """``value`` as a float, if it is a number between the two ``ends`` or one of them.

    >>> within("order", float("inf"), (1, math.inf), "use 1, 2 or inf")
    inf
    """
    found, (low, high) = number(name, value, remedy), ends
    if not low <= found <= high:
        limits = f">= {low:g}" if math.isinf(high) else f"in [{low:g}, {high:g}]"
        raise ValueError(f"{name} must be {limits}, got {value!r}; {remedy}")
    return found


def all_numbers(name: str, values: Any, remedy: str) -> np.ndarray:
    """``values`` as an array of floats of any shape, if all of them are finite; otherwise an error with ``remedy``.

    >>> all_numbers("losses", ["few", "many"], "give one per row")
    Traceback (most recent call last):
        ...
    ValueError: losses must be finite numbers, got ['few', 'many']; give one per row
    """
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.array(np.nan)
    if values is None or isinstance(values, (str, bytes)) or not np.isfinite(found).all():
        shown = repr(values)
        raise ValueError(f"{name} must be finite numbers, got {shown[:60]}{'...' * (len(shown) > 60)}; {remedy}")
    return found


def finite_vector(name: str, values: Any, remedy: str) -> np.ndarray:
    """``values`` as a vector of at least one finite number; otherwise an error with ``remedy``.

    >>> finite_vector("margins", [1, 2], "one per row")
    array([1., 2.])
    """
    found = all_numbers(name, values, remedy)
    if found.ndim != 1 or len(found) == 0:
        raise ValueError(f"{name} must be a vector of at least one number, got shape {found.shape}; {remedy}")
    return found


def finite_matrix(name: str, values: Any, remedy: str) -> np.ndarray:
    """``values`` as a matrix with at least one finite entry; otherwise an error with ``remedy``.

    >>> finite_matrix("X", [[1, 2]], "one row per point").shape
    (1, 2)
    """
    found = all_numbers(name, values, remedy)
    if found.ndim != 2 or found.size == 0:
        raise ValueError(f"{name} must be a matrix that is not empty, got shape {found.shape}; {remedy}")
    return found


def checked_grid(lams: Any, *, zero: bool = True) -> np.ndarray:
    """``lams`` as an array of finite numbers in the order given, ``>= 0``, or ``> 0`` unless ``zero`` is allowed.

    >>> checked_grid((1, 0.1, 0))
    array([1. , 0.1, 0. ])
    >>> checked_grid([1, 0], zero=False)
    Traceback (most recent call last):
        ...
    ValueError: lams must be a list of finite numbers > 0, got [1, 0]; leave it None for a default grid
    """
    try:
        grid = np.empty(0) if isinstance(lams, str) else np.asarray(list(lams), dtype=float)
    except (TypeError, ValueError):
        grid = np.empty(0)
    if grid.ndim != 1 or len(grid) == 0 or not np.all(np.isfinite(grid) & ((grid >= 0) if zero else (grid > 0))):
        raise ValueError(
            f"lams must be a list of finite numbers {'>=' if zero else '>'} 0, got {lams!r}; "
            "leave it None for a default grid"
        )
    return grid


def modest_targets(y: np.ndarray) -> np.ndarray:
    """``y``, unless squares of its numbers would leave the range of floating point numbers; then an error.

    >>> modest_targets(np.array([1e200]))
    Traceback (most recent call last):
        ...
    ValueError: y reaches 1e+200, so its squares leave the range of floating point numbers; rescale y
    """
    largest = float(np.max(np.abs(y), initial=0.0))
    if largest > 1e150 or 0.0 < largest < 1e-150:
        raise ValueError(
            f"y reaches {largest:.0e}, so its squares leave the range of floating point numbers; rescale y"
        )
    return y


def as_number(value: Any) -> float:
    """``value`` as a float; nan for words, tables, complex numbers and whatever else is not one real number.

    >>> as_number(np.array(0.1)), as_number("0.1"), as_number(None)
    (0.1, nan, nan)
    """
    try:
        return math.nan if np.ndim(value) or np.asarray(value).dtype.kind in "SUc" else float(value)
    except OverflowError:  # an integer beyond all floats
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def number(name: str, value: Any, remedy: str) -> float:
    """``value`` as a float, NaN and infinities included; otherwise an error that ends with ``remedy``.

    >>> number("tol", "1e-3", "1e-10 is a good value")
    Traceback (most recent call last):
        ...
    ValueError: tol must be a number, got '1e-3'; 1e-10 is a good value
    """
    found = as_number(value)
    if math.isnan(found) and not isinstance(value, float):
        raise ValueError(f"{name} must be a number, got {value!r}; {remedy}")
    return found


def switch(name: str, value: Any) -> bool:
    """``value`` if it is True or False (or 1 or 0); otherwise an error: a word such as ``"no"`` would count as true.

    >>> switch("fit_intercept", np.True_)
    True
    """
    if not (isinstance(value, bool | np.bool_ | int | np.integer) and value in (0, 1)):
        raise ValueError(f"{name} must be True or False, got {value!r}; words and None are not taken for either")
    return bool(value)


def generator(random_state: Any) -> np.random.Generator:
    """The generator of random numbers that ``random_state`` stands for; an error that says what may stand for one.

    >>> int(generator(0).integers(10))
    8
    """
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state must be a whole number >= 0, a numpy Generator or None, got {random_state!r}; "
            "use random_state=0 for the same folds in every run"
        ) from error
