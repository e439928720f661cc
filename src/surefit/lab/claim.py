"""Layer lab: a theorem with everything that is needed to try it.

In: a function that draws one experiment and returns what was observed and what the theorem predicts.  Out: a `Claim`,
which `surefit.lab.run` repeats and `surefit.lab.verdict` judges.  Every claim can be told to be wrong in two ways, so
that its verdict can be tested: a constant off by ten per cent, and one structural mistake of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

Draw = Callable[..., tuple[Any, Any]]
"""``draw(rng, wrong=False, **settings)`` returns observed and predicted: numbers, or arrays of several
independent experiments."""

Broken = Callable[[Mapping[str, Any]], tuple[str, ...]]
"""The assumptions that some settings break, as sentences."""


class Kind(Enum):
    """What a theorem says of the observed and the predicted number of every experiment."""

    EXACT = "they are equal, up to rounding, in every experiment"
    AT_MOST = "the observed number is at most the predicted one, in every experiment"
    MEAN = "they are equal on average"
    RANKS = "the observed numbers are spread evenly between 0 and 1"


class Verdict(Enum):
    """How a claim fared."""

    HOLDS = "holds"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


class Sabotage(Enum):
    """A mistake that is put into a claim on purpose: its verdict must then be *refuted*.

    Misprints are tried as printed and must be refuted as they stand.  For them ``STRUCTURE`` exchanges the misprint for
    its correction, which must hold; ``CONSTANT`` shows nothing, since the printed version fails anyway.
    """

    CONSTANT = "a constant off by ten per cent"
    STRUCTURE = "a structural mistake"


OFF = 1.1
"""The factor of a sabotaged constant."""


def breaks(assumption: str, when: Callable[[Mapping[str, Any]], bool]) -> Broken:
    """The assumption that settings break ``when`` this is true of them.

    >>> breaks("lam > 0", lambda s: s["lam"] <= 0)({"lam": 0.0})
    ('lam > 0',)
    """
    return lambda settings: (assumption,) if when(settings) else ()


def _never(settings: Mapping[str, Any]) -> bool:
    return False


_NOTHING = breaks("", _never)


@dataclass(frozen=True)
class Claim:
    """A theorem of the catalogue, or the refutation of a misprint, as an experiment that can fail."""

    id: str
    """Its number in the catalogue: T-11, or E-018 for a misprint."""
    title: str
    statement: str
    """The formula, in plain text."""
    assumptions: tuple[str, ...]
    kind: Kind
    draw: Draw
    mistake: str
    """What ``draw(..., wrong=True)`` gets wrong: a flipped sign, a dropped factor.  Of a misprint: the correction."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Sizes and constants of the experiment, which a user may change."""
    tolerance: float = 0.05
    """The claim *holds* once the mean is known to within this share; of exact claims: the rounding allowed."""
    draws: int = 20_000
    """Calls of ``draw`` at the most, each of one repeat or several; identities and inequalities need all of them."""
    largest: float = float("inf")
    """Of means: no ratio exceeds this, whatever the draw: shares, losses between 0 and 1."""
    variance: float | Callable[[Mapping[str, Any]], float] = 2.0
    """Of means: the largest variance of a ratio under the assumptions.  Squared errors and other non-negative quadratic
    forms of Gaussian noise have at most 2."""
    uses: tuple[str, ...] = ()
    """Entries of the catalogue that this one rests on."""
    broken: Broken = _NOTHING
    """The assumptions that settings break."""
    infinite: Callable[[Mapping[str, Any]], bool] = _never
    """Of means: whether the prediction is infinite.  Observed numbers are then kept as they are."""
    expected: Verdict = Verdict.HOLDS
    """*refuted* for a misprint, whose printed version must fail."""

    def __post_init__(self) -> None:
        if self.kind is Kind.EXACT and self.tolerance > 1e-6:
            object.__setattr__(self, "tolerance", 1e-9)
        if self.kind in (Kind.EXACT, Kind.AT_MOST) and self.draws == 20_000:
            object.__setattr__(self, "draws", 200)

    def spread(self, settings: Mapping[str, Any]) -> float:
        """The largest variance of a ratio at these settings; none is known of ratios with a largest value."""
        if np.isfinite(self.largest):
            return float("inf")
        return float(self.variance(settings) if callable(self.variance) else self.variance)

    def experiment(
        self, rng: np.random.Generator, sabotage: Sabotage | None, settings: Mapping[str, Any]
    ) -> np.ndarray:
        """Observed divided by predicted of one call of ``draw``; ranks as they are; of arrays that are to be equal, one
        plus the relative distance between them.

        >>> claim = Claim("T-00", "One", "1 = 1", (), Kind.EXACT, lambda rng, wrong: (1.0, 1.0 + wrong), "2")
        >>> claim.experiment(np.random.default_rng(0), None, {}), claim.experiment(None, Sabotage.STRUCTURE, {})
        (array([1.]), array([1.5]))
        """
        observed, predicted = self.draw(rng, wrong=sabotage is Sabotage.STRUCTURE, **settings)
        observed, predicted = np.atleast_1d(np.asarray(observed, dtype=float)), np.asarray(predicted, dtype=float)
        if self.kind is Kind.EXACT:
            return self._compared(observed * (OFF if sabotage is Sabotage.CONSTANT else 1.0), predicted)
        if self.kind is Kind.MEAN and np.any(observed < 0):
            raise ValueError(f"{self.id} observed {observed.min():g}: a mean needs numbers that are not negative")
        if self.kind is Kind.RANKS:
            return observed ** (OFF if sabotage is Sabotage.CONSTANT else 1.0)
        if self.infinite(settings):
            return observed
        if np.any(predicted == 0) or not np.all(np.isfinite(predicted)):
            odd = predicted[(predicted == 0) | ~np.isfinite(predicted)].flat[0]
            at = ", ".join(f"{name} = {value}" for name, value in settings.items())
            raise ValueError(f"{self.id} predicts {odd:g} at {at}, and ratios to that say nothing; change a setting")
        return observed / predicted * (OFF if sabotage is Sabotage.CONSTANT else 1.0)

    def _compared(self, observed: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """One plus the distance between two arrays, as a share of the size of the predicted one."""
        if observed.size != predicted.size:
            raise ValueError(f"{self.id} observed {observed.shape} and predicted {predicted.shape}: shapes must agree")
        size = float(np.linalg.norm(predicted))
        distance = float(np.linalg.norm(observed.ravel() - predicted.ravel()))
        return np.array([1 + distance / (size if size > 0 else 1.0)])
