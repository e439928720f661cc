"""Layer objective: losses by name, also by the names that other libraries use.

In: a name, a `Loss`, or None.  Out: a `Loss` with its default parameters.  An unknown name is refused with a list of
the known ones.
"""

from __future__ import annotations

from typing import Any

from surefit.objective.loss import Loss
from surefit.objective.margin import Hinge, Logistic, PerceptronLoss
from surefit.objective.regression import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Pinball,
    QuadraticEpsilonInsensitive,
    Squared,
)
from surefit.objective.softmax import SoftmaxCrossEntropy

_WORDS: dict[str, type[Loss]] = {
    "squared": Squared,
    "squared_error": Squared,
    "absolute": Absolute,
    "absolute_error": Absolute,
    "huber": Huber,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": QuadraticEpsilonInsensitive,
    "quantile": Pinball,
    "pinball": Pinball,
    "logistic": Logistic,
    "log_loss": Logistic,
    "hinge": Hinge,
    "perceptron": PerceptronLoss,
    "softmax": SoftmaxCrossEntropy,
}


def loss_named(loss: Any, targets: str | None = None) -> Loss:
    """``loss`` if it is one, or the loss that a word stands for; ``targets`` limits the words that an error lists.

    >>> loss_named("huber"), loss_named("epsilon-insensitive")
    (Huber(threshold=1.0), EpsilonInsensitive(epsilon=0.1))
    >>> loss_named("mse", targets="real")
    Traceback (most recent call last):
        ...
    ValueError: no loss is called 'mse'; use one of 'squared', 'squared_error', 'absolute', 'absolute_error', 'huber',
    'epsilon_insensitive', 'squared_epsilon_insensitive', 'quantile', 'pinball', or a Loss of surefit.objective
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str):
        word = loss.lower().replace("-", "_").replace(" ", "_")
        if word in _WORDS:
            return _WORDS[word]()
        listed = ", ".join(repr(name) for name, kind in _WORDS.items() if targets in (None, kind.targets))
        raise ValueError(f"no loss is called {loss!r}; use one of {listed}, or a Loss of surefit.objective")
    if isinstance(loss, type) and issubclass(loss, Loss):
        raise ValueError(f"loss must be a surefit Loss, got the class {loss.__name__}; write {loss.__name__}()")
    raise ValueError(
        f"loss must be a surefit Loss such as Huber(1.0) or your own subclass, got {loss!r}; take one from "
        "surefit.objective, or see docs/user-loss.md"
    )
