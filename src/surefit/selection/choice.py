"""Layer selection: a criterion along a grid of ``lam``: which value it picks, how far to walk, and what to warn of.

In: a criterion for any grid.  Out: a `LamChoice`.  Default grids begin where hardly anything is fitted and are walked
down until the criterion has risen again or the penalty no longer matters, whatever the units of the columns.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefit.data.scale import power_of_two
from surefit.selection.grids import decade_below
from surefit.warnings import ChoiceWarning, frames_inside

ROUNDING = 1e-9
"""Share of the smallest criterion within which others are ties, where it comes from a factorisation."""

SOLVED = 1e-5
"""The same where it comes from iterations, which end at a tolerance; far below any standard error."""

VANISHING = 1e-12
"""Share of the largest criterion below which one is rounding."""

NEGLIGIBLE = 1e-4
"""Share of the mean loss up to which a penalty no longer matters: removing it cannot lower the loss by more."""

MARGIN, CLEARLY, MOST = 0.3, 2.0, 15.0
"""Decades: between the choice and the end of a grid; of a clear rise; and of the longest grid."""

BLOCKS = 25
"""Blocks of one decade that are walked at the most."""

SURE = 12.0
"""Added to twice the logarithm of the number of columns: a squared correlation with the residuals times the number of
rows above this sum is no accident of any column (probability below 2e-3)."""

WORTH = 1e-6
"""Share of the null loss that a column must be able to explain for a walk to go on for its sake."""

WORSE = 0.05
"""Share by which a criterion must exceed that of the best constant, beyond its standard error, to be called worse."""

STANDARDISED = "penalise in units of each column's spread: standardise=True"
"""What to do where a penalty depends on the units of the columns."""

FROM_THESE_ROWS = "the columns' standard deviations were taken from the same rows"
"""What inference ignores of a standardised fit."""


@dataclass(frozen=True)
class LamChoice:
    """A criterion along ``lams``, smaller is better; ``se`` is nan where the criterion has no standard error.

    ``constant`` is the criterion of the best constant, ``noise`` the share of the smallest value that counts as a tie.
    """

    lams: np.ndarray
    curve: np.ndarray
    se: np.ndarray
    constant: float = np.nan
    noise: float = ROUNDING

    @property
    def best(self) -> int:
        """The position of the minimum; of several within the noise that of the largest ``lam``, the simplest model.

        So neither rounding nor another processor decides between values that are as good.  Catalogue S-11.

        >>> LamChoice(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0 + 1e-12, 2.0]), np.full(3, np.nan)).best
        1
        """
        known = np.isfinite(self.curve)
        least, size = float(self.curve.min()), float(np.max(np.abs(self.curve[known]), initial=0.0))
        room = self.noise * abs(least) + VANISHING * size if np.isfinite(least) else 0.0
        ties = np.flatnonzero(self.curve <= least + room)
        return int(ties[np.argmax(self.lams[ties])])

    @property
    def lam_min(self) -> float:
        """The minimiser, by the rule of `best`."""
        return float(self.lams[self.best])

    @property
    def lam_one_se(self) -> float:
        """The largest ``lam`` whose criterion is within one standard error of the smallest."""
        best = self.best
        reach = self.curve[best] + (0.0 if np.isnan(self.se[best]) else self.se[best])
        return float(self.lams[(self.curve <= reach) & (self.lams >= self.lam_min)].max(initial=self.lam_min))

    def joined(self, more: LamChoice) -> LamChoice:
        """This curve, continued by ``more``."""
        together = lambda name: np.concatenate([getattr(self, name), getattr(more, name)])
        return replace(self, lams=together("lams"), curve=together("curve"), se=together("se"))

    def at(self, order: np.ndarray) -> LamChoice:
        """The curve at these positions."""
        return replace(self, lams=self.lams[order], curve=self.curve[order], se=self.se[order])

    @staticmethod
    def over_folds(
        lams: np.ndarray, errors: Any, weights: Any, constants: Any = np.nan, noise: float = SOLVED
    ) -> LamChoice:
        """From the mean errors ``e_k`` of the folds, a row of ``errors`` each, and the weights ``W_k`` of their rows.

        The curve is ``sum W_k e_k / sum W_k``, its standard error ``sqrt(sum_k W_k (e_k - curve)**2 / sum W_k /
        (K - 1))``, which one fold does not have.  ``constants`` are the errors of constants, ``noise`` is the
        share of an error that the accuracy of the fits leaves open.  Catalogue S-05.

        >>> choice = LamChoice.over_folds(np.array([1.0, 0.1]), [[1.0, 2.0], [3.0, 2.0]], [5.0, 5.0])
        >>> choice.curve, choice.se
        (array([2., 2.]), array([1., 0.]))
        """
        errors, share = np.asarray(errors), np.asarray(weights) / np.sum(weights)
        curve = share @ errors
        unit = power_of_two(np.max(np.abs(errors), where=np.isfinite(errors), initial=0.0))
        spread = share @ ((errors - curve) / unit) ** 2  # squares in the units of huge targets would overflow
        se = unit * np.sqrt(spread / (len(errors) - 1)) if len(errors) > 1 else np.full(len(curve), np.nan)
        constant = float(np.sum(share * np.asarray(constants, dtype=float)))
        return LamChoice(lams, curve, se, constant, noise)


def walked_down(
    choice: LamChoice,
    judge: Callable[[np.ndarray], LamChoice],
    matters: Callable[[], bool],
    values: int,
    least: float = 0.0,
    held_back: Callable[[], float] = lambda: 0.0,
) -> LamChoice:
    """The curve continued by ``values`` a decade until its end tells nothing new.

    That is where the criterion has clearly risen, or where at least ``least`` decades have been walked and the choice
    lies away from the end or the penalty no longer ``matters`` at the smallest ``lam`` judged so far.  In any case the
    walk goes on while a column that surely has something to say is kept out by its unit: ``held_back()`` is the ``lam``
    below which the first of these is let in, and 0 if there is none.
    """
    for _ in range(BLOCKS):
        entry, end = held_back(), float(choice.lams.min())
        ended = _settled(choice, least) or not (_decades(choice.lams.max(), end) < least or matters())
        if entry == 0.0 and ended:
            break
        choice = choice.joined(judge(decade_below(min(end, 2.0 * entry) if entry > 0 else end, values)))
    return choice


def surely_held_back(gain: np.ndarray, noise: float, null: float, n_rows: int) -> np.ndarray:
    """Which columns could surely explain more: ``gain`` is what each could take of the loss by itself.

    ``noise`` is what a column without any effect would take of it times the number of rows, on average.

    >>> surely_held_back(np.array([1e-3, 0.5]), 1.0, 2.0, 100)
    array([False,  True])
    """
    return (n_rows * gain > (2.0 * np.log(2 * max(len(gain), 1)) + SURE) * noise) & (gain > WORTH * null)


def values_around(choice: LamChoice, values: int) -> np.ndarray:
    """``values`` more numbers on either side of the choice, up to its neighbours; none for ``values = 0``.

    >>> values_around(LamChoice(np.array([100.0, 1.0]), np.array([2.0, 1.0]), np.full(2, np.nan)), 1)
    array([10.])
    """
    best, known = np.log10(choice.lam_min), np.log10(choice.lams)
    sides = known[known > best].min(initial=np.inf), known[known < best].max(initial=-np.inf)
    shares = np.arange(1, values + 1) / (values + 1)
    return np.concatenate([10.0 ** (best + shares * (side - best)) for side in sides if np.isfinite(side)])


def _settled(choice: LamChoice, least: float) -> bool:
    span, left = _decades(choice.lams.max(), choice.lams.min()), _decades(choice.lam_min, choice.lams.min())
    best = choice.best
    room = choice.se[best] if np.isfinite(choice.se[best]) else NEGLIGIBLE * abs(choice.curve[best])
    risen = choice.curve[-1] > choice.curve[best] + room
    known_to_help = choice.curve[best] + room < choice.constant
    if left >= CLEARLY and risen and known_to_help:
        return True
    return span >= MOST or (span >= least and left >= MARGIN)


def _decades(above: float, below: float) -> float:
    return float(np.log10(above) - np.log10(below)) + 1e-9


def warn_of_choice(choice: LamChoice, given: bool, model: Any, ends: Sequence[str], scaled: str = STANDARDISED) -> None:
    """Say where a choice cannot be trusted: at an end of its grid, or worse than the best constant.

    ``ends`` names the ends of the grid, ``"low"`` or ``"high"``, beyond which another ``lam`` might be better.  A given
    grid of one or two values is taken as it is.  ``scaled`` is the remedy where the penalty depends on units.
    """
    if given and len(np.unique(choice.lams)) < 3:  # a contest between two values, and no search
        return
    name, best = type(model).__name__, choice.best
    at = {"low": choice.lams.min(), "high": choice.lams.max()}
    reached = [end for end in ends if choice.lams[best] == at[end] > 0]
    if reached and np.ptp(choice.curve[np.isfinite(choice.curve)]) > choice.noise * abs(choice.curve[best]):
        smaller = reached[0] == "low"
        which, others = ("smallest", "smaller") if smaller else ("largest", "larger")
        remedy = f"add {others} values to lams" if given else "give lams of your own"
        bends = smaller and hasattr(model, "kernel")
        kernel = ", or try a kernel that bends more, such as Gaussian with a smaller bandwidth" if bends else ""
        units = f", or {scaled}" if _has_units(model) else ""
        warnings.warn(
            f"{name} chose the {which} lam of its grid, {choice.lams[best]:.3g}, so {others} values may be better "
            f"still; {remedy}{kernel}{units}",
            ChoiceWarning,
            stacklevel=frames_inside(),
        )
    chance = choice.se[best] if np.isfinite(choice.se[best]) else 0.0
    if choice.curve[best] > choice.constant + WORSE * abs(choice.constant) + chance:
        remedy = "scale the columns, or try others" if model.fit_intercept else "use fit_intercept=True"
        warnings.warn(
            f"{name} is worse than a constant at its best lam (criterion {choice.curve[best]:.3g} against "
            f"{choice.constant:.3g}), so it has learned nothing from these columns; {remedy}",
            ChoiceWarning,
            stacklevel=frames_inside(),
        )


def _has_units(model: Any) -> bool:
    """Whether the penalty of a model is in the units of its columns and could be in others."""
    return getattr(model, "standardise", True) is False


def negligible(penalty: float, risk: float, null: float, resolved: float) -> bool:
    """Whether ``penalty`` no longer matters beside the mean loss ``risk``, or nothing is left of the ``null`` one.

    ``resolved`` is the share of the null objective below which the solver does not look.

    >>> negligible(1e-6, 1.0, 2.0, 1e-9), negligible(0.1, 1.0, 2.0, 1e-9)
    (True, False)
    """
    return penalty <= NEGLIGIBLE * risk or risk + penalty <= resolved * null


def loo_of_constant(targets: np.ndarray, weight: np.ndarray) -> float:
    """The leave-one-out error of the mean, averaged over targets; a row leaves with all its weight.

    >>> loo_of_constant(np.array([[0.0], [2.0]]), np.ones(2))
    4.0
    """
    share = weight / weight.sum()
    left = np.maximum(1.0 - share, np.finfo(float).tiny)
    return float(np.mean(share @ ((targets - share @ targets) / left[:, None]) ** 2))
