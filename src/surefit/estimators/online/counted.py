"""Layer estimators: what an online model has counted, and what follows from it for the models used so far.

In: the state of a learner.  Out: numbers of rows and losses, and the certificate of a stream.
"""

from __future__ import annotations

import math
from typing import Any

from sklearn.utils.validation import check_is_fitted

from surefit.guarantee.certify import certify
from surefit.theory.certificates.certificate import Certificate
from surefit.theory.certificates.stream import About, stream_certificate
from surefit.theory.means.running import RunningMean


class CountsRows:
    """A model whose ``_state`` counts rows and losses; it stands before `Guaranteed` among the bases."""

    weights: str
    _state: Any

    @property
    def rows_(self) -> int:
        """Rows learnt from."""
        return self._counted().rows

    @property
    def mean_loss_(self) -> float:
        """The mean loss of predictions made before their labels were seen (progressive validation): an estimate."""
        state = self._counted()
        return state.number("total_loss") / state.rows if state.rows else math.nan

    @property
    def skipped_(self) -> int:
        """Rows that could not be learnt from."""
        return int(self._counted().number("skipped"))

    @property
    def filled_(self) -> int:
        """Rows in which a missing feature counted as zero."""
        return int(self._counted().number("filled"))

    @property
    def limited_(self) -> int:
        """Rows on which the step was shortened because it would have overshot."""
        return int(self._counted().number("limited"))

    @property
    def waiting_(self) -> int:
        """Tickets whose labels have not come."""
        return getattr(self, "_issued", 0) - getattr(self, "_redeemed", 0)

    def certificate(
        self, X_test: Any = None, y_test: Any = None, *, delta: float = 0.05, upper: float | None = None, **asked: Any
    ) -> Certificate:
        """Without rows: the mean risk of the models used so far, from the losses of their predictions on the stream.

        Of a classifier: its error rate.  Of a regressor: its mean loss, of which ``upper`` is the largest that can
        occur, declared by you; with ``weights="mean"`` and a convex loss it also bounds the averaged model.  Holds at
        every moment of the stream at once.  With rows that were never learnt from, or after ``fit(..., certify=0.2)``:
        what the model will do on future rows, as for every model; rows learnt by ``partial_fit`` are not remembered.
        """
        record, blocks = self.__dict__.get("_fit_record"), self.__dict__.get("blocks_")
        if X_test is None and y_test is None and not asked and blocks is not None and blocks.certificate is not None:
            found: Certificate = blocks.certificate
            return found
        if X_test is None and y_test is None and (record is None or record.held_out is None):
            if asked:
                raise TypeError(f"{min(asked)} is about held-out rows; give X_test and y_test, or leave it out")
            return self._stream_certificate(delta, upper)
        if record is None or blocks is not None:
            return certify(self, X_test, y_test, delta=delta, **asked)
        kept: Certificate = super().certificate(X_test, y_test, delta=delta, **asked)  # type: ignore[misc]
        return kept

    def _stream_certificate(self, delta: float, upper: float | None) -> Certificate:
        check_is_fitted(self)
        state = self._counted()
        if upper is None:
            raise ValueError("the losses of a regressor have no largest value; declare one as upper=...")
        largest, total = state.number("largest_loss"), state.number("total_loss")
        if largest > upper:
            raise ValueError(f"upper={upper!r} is not the largest loss: one was {largest:g}; declare the true range")
        averaged = self.weights == "mean" and state.settings.loss.convex
        about = About.AVERAGE if averaged else About.MODELS_SO_FAR
        return stream_certificate(RunningMean(upper, state.rows, total / upper), about, delta, zero_one=False)

    def _counted(self) -> Any:
        if "_state" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} has not seen a row yet; call partial_fit or learn_one")
        return self._state
