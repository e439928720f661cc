"""Layer estimators: the factor that each class puts on the weights of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np


def class_factors(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Factor of each class: 1, the given one, or for ``"balanced"`` the total weight over ``k`` times its own.

    Classes that are not named keep the factor 1, and names of no class are let pass if every class has its own; both
    at once is a name written in another way, and refused.

    >>> class_factors("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]), np.ones(4))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return weight.sum() / (len(classes) * np.bincount(codes, weight, minlength=len(classes)))
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict from label to factor; got {class_weight!r}")
    _refuse_strangers(class_weight, classes.tolist())
    try:
        factors = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=float)
    except (TypeError, ValueError):
        factors = np.full(len(classes), np.nan)
    if not (np.all(np.isfinite(factors)) and np.all(factors > 0)):
        raise ValueError(
            f"class weights must be finite and > 0, got {class_weight!r}; leave out rows that do not count"
        )
    return factors


def _refuse_strangers(class_weight: dict[Any, Any], classes: list[Any]) -> None:
    """Refuse names of no class while a class is without one."""
    strangers = [label for label in class_weight if label not in classes]
    unnamed = [label for label in classes if label not in class_weight]
    if strangers and unnamed:
        known = (
            "none of them a class" if len(strangers) == len(class_weight) else f"of which {strangers} are no classes"
        )
        raise ValueError(
            f"class_weight names {list(class_weight)}, {known} of y, and leaves out {unnamed}; write them as y does: "
            f"{classes}"
        )
