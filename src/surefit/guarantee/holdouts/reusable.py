"""Layer guarantee: `ReusableHoldOut`, rows that judge one model after the other, though answers lead to later models.

In: held-out rows, then fitted models, one at a time.  Out: for each a `Certificate` if it is better than all before it,
and otherwise only the word that it is not.

A certificate is about a model that was fixed before its rows were looked at.  Who certifies a hundred models, keeps the
good ones and builds another from them has let the rows choose, and no division of ``delta`` by the number of models
pays for that.  What pays is to count what could have been *answered*:

- An answer is one of countably many: "not better", or "better", a bound on a fixed grid (steps of 7 %) and whether a
  constant is beaten.  So the models form a tree: the ``k``-th is decided by the ``k - 1`` answers before it and by what
  has nothing to do with the rows.
- Each list of answers ``a`` has a weight ``w(a)``; those of one length sum to at most one: ``1 / (k C(k - 1, m))`` for
  which ``m`` of the ``k - 1`` answers were "better", times ``1 / (2 s (s + 1))`` for each of these, ``s`` the number of
  steps by which the bound fell.
- The model at the node ``a`` of length ``k - 1`` is judged at ``delta_k = delta w(a) / (k (k + 1))``.  It is fixed, and
  so its statement fails with probability at most ``delta_k``.  The sum over all nodes of the tree is at most
  ``delta sum_k 1 / (k (k + 1)) = delta``: with confidence ``1 - delta`` all statements of the tree hold, whichever of
  them are met.

Blum and Hardt (2015), the ladder, for answers; Dwork et al. (2015) for the union over descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, lgamma, log, log2
from typing import Any

import numpy as np

from surefit.guarantee.answers import Answering, one_target
from surefit.guarantee.certify import certify
from surefit.names import Hinted, hinted
from surefit.theory.certificates.certificate import Assumption, Certificate, Standing, Verdict
from surefit.theory.certificates.compared import INDEPENDENT
from surefit.theory.certificates.holdout import COVERAGE
from surefit.theory.certificates.wording import at_most, confidence, percent_at_most
from surefit.theory.means.arguments import checked_coverage, kept_promise

STEPS = 10
"""Bounds are told in steps of ``2**(1 / STEPS)``, 7 %: fewer would be coarse, more would tell more and cost more."""
LEAST = 1e-200
"""Below this share of confidence exact tail probabilities are not computed any more, and the rows are used up."""
ONLY_HERE = Assumption("nobody has looked at these rows but through this hold-out", Standing.DECLARED)
PAID = "models may depend on the answers before them"


@dataclass(frozen=True)
class Told:
    """One answer: the grid point of the bound if the model was better than all before it, and the steps it fell by."""

    point: int | None
    steps: int = 0


class ReusableHoldOut(Hinted):
    """Held-out rows that may be asked again and again: each answer is paid for.

    Parameters
    ----------
    X, y : rows that nobody has looked at, and that are looked at in no other way from now on.
    delta : probability that any of the statements is wrong, all models together.
    coverage : which quantile of a regressor's errors is certified.
    equal_rows_are_draws : your word that rows repeat by nature; see `certify`.

    A model that is not better than all before it costs little, one that is about as much as a fixed number of models
    more; a single certificate (`certify`) is always sharper.  Labels or numbers, but not both.

    >>> from sklearn.compose import ColumnTransformer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1400, 5)); y = (X[:, 0] > 0).astype(int)
    >>> rows = ReusableHoldOut(X[1000:], y[1000:])
    >>> for columns in ([1], [0, 1], [2]):
    ...     model = make_pipeline(ColumnTransformer([("kept", "passthrough", columns)]), DecisionTreeClassifier())
    ...     print(rows.certify(model.fit(X[:1000], y[:1000])).status.value)
    not certified to beat a constant
    informative
    vacuous
    >>> rows
    ReusableHoldOut of 400 rows: 3 models judged, 2 of them better than all before; the next is judged at delta = ...
    """

    def __init__(
        self, X: Any, y: Any, delta: float = 0.05, *, coverage: float = COVERAGE, equal_rows_are_draws: bool = False
    ):
        self.delta, self.coverage, self._draws = kept_promise(delta), checked_coverage(coverage), equal_rows_are_draws
        self._rows = X, one_target(y)
        self._told: list[Told] = []
        self._labels: bool | None = None

    @property
    def next_delta(self) -> float:
        """What the next model is judged at.

        >>> ReusableHoldOut(np.ones((50, 1)), np.zeros(50)).next_delta
        0.025
        """
        k, better = len(self._told) + 1, [one.steps for one in self._told if one.point is not None]
        choices = lgamma(k) - lgamma(len(better) + 1) - lgamma(k - len(better))
        paid = log(k) + choices + sum(log(2 * s * (s + 1)) for s in better) + log(k * (k + 1))
        return self.delta * exp(-paid)

    @hinted
    def certify(self, model: Any, *, training: tuple[Any, Any] | None = None) -> Certificate:
        """What this model will do, if it is better than all before it; otherwise that it is not, and no more.

        ``training`` as in `certify`.  The observed share of errors is not told: it would say more than is paid for.
        """
        each, labels = self.next_delta, Answering.of(model).labels
        if self._labels not in (None, labels):
            raise ValueError("these rows have judged labels or numbers before, and this model answers the other kind")
        if each < LEAST:
            raise ValueError("these rows have told all they can; hold out new ones")
        half = each / 2  # for the bound, and for the comparison with a constant
        found = certify(
            model, *self._rows, training=training, delta=half, coverage=self.coverage, equal_rows_are_draws=self._draws
        )
        told, self._labels = self._answer(found.bound, labels), labels
        self._told.append(told)
        return self._certificate(told, found.status is Verdict.INFORMATIVE, each)

    @property
    def _best(self) -> int | None:
        """The grid point of the best bound so far."""
        return min((one.point for one in self._told if one.point is not None), default=None)

    def _answer(self, bound: float, labels: bool) -> Told:
        """Whether a bound is better than the best so far, told on the grid."""
        if not 0.0 <= bound < np.inf:
            return Told(None)
        point = ceil(STEPS * log2(max(bound, 1e-300)))
        point += 2.0 ** (point / STEPS) < bound
        best = 0 if labels and self._best is None else self._best
        if best is None:  # the first bound on numbers: any scale, nearest to one first
            return Told(point, 1 + (2 * point - 1 if point > 0 else -2 * point))
        return Told(point, best - point) if point < best else Told(None)

    def _certificate(self, told: Told, beats: bool, each: float) -> Certificate:
        k, labels = len(self._told), bool(self._labels)
        assumptions = (
            INDEPENDENT,
            ONLY_HERE,
            Assumption(PAID, Standing.CHECKED, f"all that could be answered before is counted: delta = {each:.2g}"),
        )
        counts = {"n": float(len(self._rows[1])), "models_judged": float(k), "delta_each": each}
        if not labels:
            counts["coverage"] = self.coverage
        if told.point is None:
            best = "" if self._best is None else f" than the best so far ({self._promise(self._bound(self._best))})"
            text = (
                f"This model is not certified to be better{best}.  No more is told of it, so that the rows can be "
                "asked again."
            )
            largest = 1.0 if labels else np.inf
            return Certificate(
                text, largest, largest, self.delta, "reusable hold-out", assumptions, Verdict.VACUOUS, counts
            )
        bound = self._bound(told.point)
        text = (
            f"With {confidence(self.delta)} confidence that all these {int(counts['n']):,} held-out rows have told "
            f"about {k} {'model' if k == 1 else 'models'} is right: {self._promise(bound)}."
        )
        return Certificate(
            text, bound, bound, self.delta, "reusable hold-out", assumptions,
            Verdict.INFORMATIVE if beats else Verdict.NO_BETTER, counts, "Blum and Hardt (2015); Dwork et al. (2015)",
        )  # fmt: skip

    def _promise(self, bound: float) -> str:
        if self._labels:
            return f"errors on at most {percent_at_most(bound)} of future rows like these"
        return f"errors within {at_most(bound)} on at least {100 * self.coverage:g} % of future rows like these"

    @staticmethod
    def _bound(point: int) -> float:
        return float(2.0 ** (point / STEPS))

    def __repr__(self) -> str:
        better = sum(one.point is not None for one in self._told)
        return (
            f"ReusableHoldOut of {len(self._rows[1]):,} rows: {len(self._told)} models judged, {better} of them better "
            f"than all before; the next is judged at delta = {self.next_delta:.2g}"
        )
