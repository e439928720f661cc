"""Layer estimators: `NearestNeighbourClassifier` and `NearestNeighbourRegressor`, averages over the closest rows."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.neighbors import BallTree, KDTree
from sklearn.utils.validation import check_is_fitted

from surefit.data.design import Design
from surefit.data.fingerprints import copies
from surefit.data.scale import power_of_two
from surefit.data.tables import validate_data
from surefit.estimators.kinds.labels import encode_labels
from surefit.guarantee.certifiable import Guaranteed, certifiable
from surefit.parameters import whole
from surefit.progress import Task

BOXES_UP_TO = 15
"""Columns up to which trees of boxes are faster than trees of balls."""

TIE = 1e-12
"""Relative difference below which two distances are equal."""

FAR = 1e150
"""Where new rows are held, in units of the largest training number: further away all are equally far."""

ROWS_AT_ONCE = 1024


class NearestNeighbours(Guaranteed, BaseEstimator):
    """The search that both models share: which training rows count for a new one, and how much.

    ``k`` units of weight are taken from the closest rows outwards; rows at the same distance as the last one share what
    is left of ``k`` in proportion to their weight.  So the order of the rows does not matter, and a row of weight 2 is
    two rows.
    """

    def __init__(self, n_neighbours: int = 5):
        self.n_neighbours = n_neighbours

    def neighbour_weights(self, X: Any) -> sparse.csr_array:
        """``W`` (m, n) with rows that sum to 1: predictions are ``W @ y``.  Columns are training rows that count."""
        check_is_fitted(self)
        n = len(self._weight)
        spread = sparse.csr_array((self._weight / self._total[self._member], (self._member, np.arange(n))))
        return sparse.vstack([block @ spread for block in self._shares(X)], format="csr")

    def _average(self, X: Any, values: np.ndarray) -> np.ndarray:
        """The mean of ``values`` (n, k) of the neighbours of each row, a block of rows at a time."""
        points = np.zeros((len(self._total), values.shape[1]))
        np.add.at(points, self._member, values * (self._weight / self._total[self._member])[:, None])
        return np.concatenate([np.asarray(block @ points) for block in self._shares(X)])

    def _shares(self, X: Any) -> Iterator[sparse.csr_array]:
        """Blocks of rows of the averaging matrix over distinct points."""
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        k, tell = self._checked_count(self._weight), Task("neighbours", len(X), "row")
        for start in range(0, len(X), ROWS_AT_ONCE):
            tell(start, 1.0 - start / len(X))
            yield _shares(self._tree, self._total, self._scaled(X[start : start + ROWS_AT_ONCE]), k)

    def _checked_count(self, weight: np.ndarray) -> int:
        """``n_neighbours``, if it is a number of rows that there are."""
        k = whole("n_neighbours", self.n_neighbours, "1 repeats the training labels")
        if weight.sum() < k * (1 - TIE):
            raise ValueError(
                f"n_neighbours = {k} exceeds the total weight of the rows, n_samples = {weight.sum():g}; lower it"
            )
        return k

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """In units of the largest training number, so that squares neither overflow nor vanish."""
        with np.errstate(over="ignore"):
            return np.clip(X.astype(np.float64) / self._unit, -FAR, FAR)

    def _plant(self, X: np.ndarray, weight: np.ndarray) -> None:
        """Build the tree on the distinct rows that count."""
        self._checked_count(weight)
        first, self._member = copies(X)
        self._weight, self._total = weight, np.bincount(self._member, weight)
        self._unit = float(power_of_two(np.max(np.abs(X), initial=0.0, keepdims=True).astype(np.float64)).ravel()[0])
        self._tree = _tree(self._scaled(X[first]))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {**state, "_tree": np.array(state["_tree"].data)} if "_tree" in state else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_tree": _tree(state["_tree"])} if "_tree" in state else state)


class NearestNeighbourClassifier(ClassifierMixin, NearestNeighbours):
    """The majority among the nearest rows: an estimate of ``P(Y = y | X = x)``, and its largest.  Catalogue A-42.

    ``n_neighbours=1`` repeats the training labels; ``n_neighbours=n`` always answers the most frequent class.  Rows at
    equal distance share their vote (see `neighbour_weights`); of classes with equal votes the first is answered.
    Distances are Euclidean, so columns should have comparable units.

    >>> NearestNeighbourClassifier(n_neighbours=2).fit([[0.0], [1], [2], [3]], [0, 1, 1, 1]).predict_proba([[0.4]])
    array([[0.5, 0.5]])
    """

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> Self:
        """Keep ``X`` (n, d) and classes ``y`` (n,)."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        weight = Design.of(X, sample_weight).weight
        self.classes_, codes = encode_labels(y, weight)
        counted = weight > 0
        self._codes = codes[counted]
        self._plant(X[counted], weight[counted])
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The shares of the classes among the neighbours, shape (n, k)."""
        check_is_fitted(self)
        return np.minimum(self._average(X, np.eye(len(self.classes_))[self._codes]), 1.0)  # shares may sum to 1 + 2e-16

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, shape (n,)."""
        votes = self.predict_proba(X)
        return self.classes_[np.argmax(votes > votes.max(axis=1, keepdims=True) - TIE, axis=1)]


class NearestNeighbourRegressor(RegressorMixin, NearestNeighbours):
    """The mean target of the nearest rows: an estimate of ``E[Y | X = x]``.  Catalogue A-42.

    ``n_neighbours=1`` interpolates, ``n_neighbours=n`` is the mean of all.  Rows at equal distance share (see
    `neighbour_weights`).

    >>> float(NearestNeighbourRegressor(n_neighbours=2).fit([[0.0], [1], [2], [3]], [1.0, 3, 2, 5]).predict([[1.4]])[0])
    2.5
    """

    @certifiable
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, certify: float | None = None, random_state: Any = None
    ) -> Self:
        """Keep ``X`` (n, d) and numbers ``y`` (n,)."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        weight = Design.of(X, sample_weight).weight
        counted = weight > 0
        self._targets = np.asarray(y, dtype=np.float64)[counted]
        self._plant(X[counted], weight[counted])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the neighbours of each row, shape (n,)."""
        check_is_fitted(self)
        return self._average(X, self._targets[:, None])[:, 0]


def _tree(points: np.ndarray) -> Any:
    return (KDTree if points.shape[1] <= BOXES_UP_TO else BallTree)(points)


def _shares(tree: Any, weight: np.ndarray, X: np.ndarray, k: int) -> sparse.csr_array:
    """Rows of the averaging matrix; asks for more neighbours until those at the last distance are all there."""
    n, count, todo = len(weight), min(len(weight), k + 1), np.arange(len(X))
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    while len(todo):
        distance, index = tree.query(X[todo], k=count)
        total = np.cumsum(weight[index], axis=1)
        last = np.minimum(np.sum(total < k * (1 - TIE), axis=1), count - 1)
        radius = distance[np.arange(len(todo)), last][:, None]
        closer, tied = distance < radius * (1 - TIE), np.abs(distance - radius) <= TIE * radius
        done = np.flatnonzero((distance[:, -1] > radius[:, 0] * (1 + TIE)) | (count == n))
        inside, edge = np.where(closer, weight[index], 0.0)[done], np.where(tied, weight[index], 0.0)[done]
        left = k - inside.sum(axis=1, keepdims=True)
        share = (inside + edge * left / edge.sum(axis=1, keepdims=True)) / k
        rows, columns = np.nonzero(share)
        parts.append((todo[done][rows], index[done][rows, columns], share[rows, columns]))
        todo, count = np.delete(todo, done), min(n, 2 * count)
    where, which, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sparse.csr_array((values, (where, which)), shape=(len(X), n))
