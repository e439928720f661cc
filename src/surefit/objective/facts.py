"""Layer objective: the table of what is known about each loss, read off the loss objects themselves.

In: losses and a radius.  Out: one record per loss, for generalisation bounds and for documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefit.objective.loss import Loss
from surefit.objective.margin import Hinge, Logistic, LogLoss, MarginZeroOne, PerceptronLoss, SquaredMargin, ZeroOne
from surefit.objective.regression import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Pinball,
    Power,
    QuadraticEpsilonInsensitive,
    Squared,
)
from surefit.objective.softmax import SoftmaxCrossEntropy

LOSSES: tuple[Loss, ...] = (
    Squared(),
    Absolute(),
    Power(3.0),
    EpsilonInsensitive(),
    QuadraticEpsilonInsensitive(),
    Huber(),
    Pinball(0.1),
    ZeroOne(),
    MarginZeroOne(),
    Logistic(),
    LogLoss(),
    PerceptronLoss(),
    Hinge(),
    SquaredMargin(),
    SoftmaxCrossEntropy(),
)


@dataclass(frozen=True)
class LossFacts:
    """What theorems may use about one loss: its flags, and its constants at the radius that was asked for."""

    loss: Loss
    targets: str
    convex: bool
    smooth: bool
    symmetric: bool
    smoothness: float
    lipschitz: float
    bound: float


def loss_facts(radius: float, losses: Sequence[Loss] = LOSSES) -> tuple[LossFacts, ...]:
    """Facts of each loss, with Lipschitz constant and largest value at ``radius``.  Catalogue L-14, E-064.

    The radius limits ``|f - y|`` for real targets and ``|f|`` for labels.

    >>> for fact in loss_facts(3.0, [Squared(), Huber(1.0), Logistic()]):
    ...     print(fact.loss, fact.lipschitz, round(fact.bound, 3), fact.symmetric)
    Squared() 6.0 9.0 True
    Huber(threshold=1.0) 2.0 5.0 True
    Logistic() 1.0 3.049 False
    """
    return tuple(
        LossFacts(
            loss=loss,
            targets=loss.targets,
            convex=loss.convex,
            smooth=loss.smooth,
            symmetric=loss.symmetric,
            smoothness=loss.smoothness,
            lipschitz=loss.lipschitz(radius),
            bound=loss.bound(radius),
        )
        for loss in losses
    )
