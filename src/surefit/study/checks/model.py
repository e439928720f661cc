"""Layer study: checks of the fit: outliers, the scale of the target, the end of a grid, the certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.stats import norm

from surefit.page import number
from surefit.study.checks.finding import LEVEL, issue, tip
from surefit.study.contest.compete import Run
from surefit.study.declared import drift_in
from surefit.study.prepare import Prepared
from surefit.study.records.noticed import Check
from surefit.theory.certificates.certificate import Certificate, Verdict
from surefit.theory.means.exchangeability import ENOUGH

FAR = 8.0
"""Robust standard deviations beyond which a residual is an outlier: a normal one is there with probability 1e-15."""


def outliers(data: Prepared, residuals: np.ndarray) -> Iterator[Check]:
    """SF107: residuals that no normal noise explains."""
    known = residuals[np.isfinite(residuals)]
    if data.n_classes or len(known) < 20:
        return
    scale = 1.4826 * float(np.median(np.abs(known - np.median(known))))
    if scale == 0.0:
        return
    far = int(np.count_nonzero(np.abs(known - np.median(known)) > FAR * scale))
    if far:
        lie = "row lies" if far == 1 else "rows lie"
        yield tip("SF107", f"{far:,} {lie} more than {FAR:.0f} robust standard deviations from the prediction.",
                  f"{far} rows", far, "Look at these rows; mae and Huber regression mind them less.")  # fmt: skip


def log_scale(data: Prepared, runs: Mapping[str, Run]) -> Iterator[Check]:
    """SF111: the size of errors grows with the prediction, and the target is positive."""
    run = runs.get("ridge")
    if data.n_classes or run is None or run.answers is None or np.any(data.y <= 0):
        return
    known = np.isfinite(run.answers)
    fitted, size = run.answers[known], np.abs(data.y[known] - run.answers[known])
    if len(size) < 50 or np.std(fitted) == 0 or np.std(size) == 0:
        return
    ranks = [np.argsort(np.argsort(one)) for one in (fitted, size)]
    z = float(np.corrcoef(ranks[0], ranks[1])[0, 1] * np.sqrt(len(size) - 1))
    skewed = np.mean(data.y) > 1.2 * np.median(data.y)
    if norm.sf(z) < LEVEL and skewed:
        yield tip("SF111", f"Errors grow with {data.target.name!r}, which is positive and skewed.",
                  f"p = {number(float(norm.sf(z)), 2)} for errors that do not grow", float(norm.sf(z)),
                  "Try its logarithm as the target.")  # fmt: skip


def end_of_grid(model: Any) -> Iterator[Check]:
    """SF108: the criterion chose an end of its grid."""
    chosen = getattr(model, "selection_", None)
    if chosen is not None and chosen.end == "smallest" and chosen.curve[-1] < 0.999 * np.median(chosen.curve):
        yield tip("SF108", f"lam = {number(chosen.chosen, 2)} is the smallest of its grid.", f"lam {chosen.chosen:.3g}",
                  float(chosen.chosen), "A smaller penalty may do better; give more features, or a grid in "
                  "Python.")  # fmt: skip


def no_better(certificate: Certificate) -> Iterator[Check]:
    """SF112: what the certificate promises, a constant may keep, too."""
    if certificate.status is Verdict.INFORMATIVE or drift_in(certificate):
        return
    more = "More groups" if "draws" in certificate.inputs else "More rows"
    yield tip("SF112", "The hold-out does not show that the model is better than a constant.",
              f"bound {number(certificate.bound)}", float(certificate.bound),
              f"{more}, or a larger share with holdout, make the bound tighter.")  # fmt: skip


def changing(certificate: Certificate) -> Iterator[Check]:
    """SF115: errors on the hold-out change with time, so that nothing is promised for a later one."""
    found = drift_in(certificate)
    if found:
        yield issue("SF115", "Errors on the hold-out change with time, so that nothing is promised for later rows.",
                    found, certificate.bound, "Fit to later rows, or add columns that explain the change.",
                    level=1 / ENOUGH)  # fmt: skip
