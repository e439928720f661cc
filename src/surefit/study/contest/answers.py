"""Layer study: the probabilities of an estimator, in the order of the classes of the table.

In: a fitted classifier and encoded rows.  Out: ``(n, k)`` probabilities.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def spread(model: Any, X: np.ndarray, classes: tuple[str, ...]) -> np.ndarray:
    """Probabilities in the order of ``classes``, which the model knows by name or by number; 0 for those it lacks."""
    known = np.asarray(model.classes_)
    places = [classes.index(str(one)) for one in known] if known.dtype.kind in "OUS" else known.astype(int)
    found = np.zeros((len(X), len(classes)))
    found[:, places] = model.predict_proba(X)
    return found
