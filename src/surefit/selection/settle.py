"""Layer selection: what a kernel model takes from its rows before it chooses: bandwidths, and equal rows as one.

In: kernels and rows.  Out: kernels whose parameters are numbers, with a warning where one column decides a bandwidth;
distinct rows with their mean targets and total weights.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from surefit.data.fingerprints import copies, distinct_rows
from surefit.kernels.bandwidth import dominant_column
from surefit.kernels.kernel import Kernel, OnColumns
from surefit.kernels.radial import Radial
from surefit.parameters import own_copy
from surefit.warnings import ChoiceWarning, frames_inside

NEARLY_ALL = 0.999
"""Share of all squared distances above which one column leaves nothing for the others."""


def settled(kernels: Sequence[Kernel], X: Any, weight: np.ndarray, model: Any) -> list[Kernel]:
    """The kernels with everything data-dependent settled from the distinct rows, so that weights equal repeated rows.

    Copies: a parameter of a kernel that is set later must not reach a ``model`` that is fitted already.  Warns where
    a bandwidth is chosen from the data and one column alone decides it.
    """
    rows = X[distinct_rows(X, weight)[0]]
    ready = [_settled(kernel, rows) for kernel in kernels]
    _warn_of_units([columns for kernel in kernels for columns in _measured(kernel, np.arange(X.shape[1]))], rows, model)
    return ready


def _measured(kernel: Kernel, columns: np.ndarray) -> Iterator[np.ndarray]:
    """The columns that each part of a kernel takes its bandwidth from."""
    if isinstance(kernel, Radial) and isinstance(kernel.bandwidth, str):
        yield columns
    inside = columns[np.asarray(kernel.columns)] if isinstance(kernel, OnColumns) else columns
    for part in kernel._parts().values():
        yield from _measured(part, inside)


def _warn_of_units(measured: Sequence[np.ndarray], rows: Any, model: Any) -> None:
    """Say, once, that one column makes up nearly all distances, so that the function hardly sees the others."""
    for columns in measured:
        whole = np.array_equal(columns, np.arange(rows.shape[1]))
        found = dominant_column(rows if whole else rows[:, columns])
        if found is not None and found[1] > NEARLY_ALL:
            j, share = int(columns[found[0]]), min(found[1], 0.9999)
            names, name = getattr(model, "feature_names_in_", None), type(model).__name__
            scaler = "StandardScaler(with_mean=False)" if sparse.issparse(rows) else "StandardScaler()"
            warnings.warn(
                f"column {j if names is None else str(names[j])!r} makes up {np.floor(1e4 * share) / 100:.2f} % of all "
                f"squared distances, so the others do not count; scale the columns: make_pipeline({scaler}, {name}())",
                ChoiceWarning,
                stacklevel=frames_inside(),
            )
            return


def _settled(kernel: Kernel, rows: Any) -> Kernel:
    try:
        ready = kernel.for_data(rows)
    except ValueError as error:
        if rows.shape[0] > 1:
            raise
        raise ValueError(
            f"{kernel!r} cannot be settled: there is one sample, or all rows are equal; give the bandwidth as a number"
        ) from error
    if np.any(ready.diag(rows) < 0):
        raise ValueError(f"{kernel!r} is no kernel: k(x, x) < 0 for some row; surefit.testing.check_kernel says more")
    return own_copy(ready)


@dataclass(frozen=True)
class Merged:
    """Distinct rows with the mean target and the total weight of each; ``member`` says which a row became.

    ``within`` is the mean squared deviation of the targets from those means: what no function can fit.
    """

    X: Any
    targets: np.ndarray
    weight: np.ndarray
    member: np.ndarray
    share: np.ndarray
    within: float

    def spread(self, coef: np.ndarray) -> np.ndarray:
        """Weights of the distinct rows shared out to their copies."""
        return coef[self.member] * self.share[:, None]


def merged(X: Any, targets: np.ndarray, weight: np.ndarray) -> Merged:
    """Equal rows as one of their total weight, weights scaled to at most one: the same minimiser over functions.

    Leave-one-out then leaves a point out with all its copies: a copy that stayed would be remembered.  It does not
    depend on the scale of the weights either, as the objective, a weighted mean, does not.

    >>> merged(np.array([[1.0], [2.0], [1.0]]), np.array([[0.0], [5.0], [2.0]]), np.ones(3)).weight
    array([1. , 0.5])
    """
    weight = weight / weight.max()
    first, member = copies(X)
    total = np.bincount(member, weight)
    share = weight / total[member]
    means = np.stack([np.bincount(member, share * column) for column in targets.T], axis=1)
    deviation = np.einsum("i,ik->", weight, (targets - means[member]) ** 2) / total.sum()
    return Merged(X[first], means, total / total.max(), member, share, float(deviation))
