"""Layer study: all checks in turn: the door of this folder.

In: what was prepared, the runs, the winner and its certificate.  Out: `Checks`, issues first; ignored codes are silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefit.study.checks.finding import TITLES
from surefit.study.checks.model import changing, end_of_grid, log_scale, no_better, outliers
from surefit.study.checks.table import as_found
from surefit.study.contest.compete import Run
from surefit.study.prepare import Prepared
from surefit.study.records.noticed import Checks
from surefit.theory.certificates.certificate import Certificate


def checks_of(data: Prepared, runs: Sequence[Run], winner: str, model: Any, certificate: Certificate) -> Checks:
    """Everything that was noticed about a study."""
    by_name = {run.entry.name: run for run in runs}
    residuals = _residuals(data, by_name[winner])
    found = [
        *as_found(data, residuals), *outliers(data, residuals), *log_scale(data, by_name), *end_of_grid(model),
        *no_better(certificate), *changing(certificate),
    ]  # fmt: skip
    ignored = data.settings.ignore
    kept = sorted((one for one in found if one.code not in ignored), key=lambda one: (one.kind, one.code))
    loud = {one.code for one in found}
    passed = tuple((code, title) for code, title in TITLES.items() if code not in loud and code not in ignored)
    return Checks(tuple(kept), passed, tuple(ignored))


def _residuals(data: Prepared, run: Run) -> np.ndarray:
    """Of the winner on training rows, from the folds that did not see them; of classes those of the last one."""
    if run.answers is None:
        return np.full(len(data.y), np.nan)
    if data.n_classes:
        return 1.0 * (data.y == data.n_classes - 1) - run.answers[:, -1]
    return data.y - run.answers
