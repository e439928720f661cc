"""``python -m benchmarks.uci``: training-set bounds beside a held-out fifth on UCI sets, into the page on guarantees.

The protocol of record: logistic regression with C = 10 on 80 % of the rows, the mean of five splits.  Its seeds, its
scaling and its six support vector machines are not on record, so the figures can agree to the noise of the splits only,
which stands beside every difference.  Here: columns in [-1, 1], split by ``default_rng(seed)``, ``C`` in {1, 10, 100}
with a linear and a Gaussian kernel ``exp(-||x - z||**2 / d)``, pick-to-learn with ``C = 100`` and at most 400 rows.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks.pages import PageTable
from benchmarks.report import markdown_table
from benchmarks.uci_data import FIGURES, SOURCES, Labelled, load
from surefit import SVC, LogisticRegression
from surefit.kernels import Gaussian, Linear
from surefit.theory.bounds import pac_bayes_linear, pac_bayes_with_prior, pick_to_learn
from surefit.theory.bounds.rademacher import rademacher_bound
from surefit.theory.bounds.record import Fitted
from surefit.theory.certificates.wording import at_most
from surefit.theory.means.concentration import clopper_pearson

TABLE = PageTable("uci")
HEADER = ("data", "rows", *FIGURES)
DELTA = 0.05
SPLITS, PICKING_SPLITS = 5, 2
MOST_PICKED = 400
DOUBLINGS = 12  # of one over the margin
MACHINES = [(C, linear) for C in (1.0, 10.0, 100.0) for linear in (True, False)]


def split(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Four fifths to train on and the others, in a random order.

    >>> [len(part) for part in split(306, seed=0)]
    [244, 62]
    """
    order = np.random.default_rng(seed).permutation(n)
    return order[: int(0.8 * n)], order[int(0.8 * n) :]


def fitted(X: np.ndarray, y: np.ndarray, C: float = 10.0) -> LogisticRegression:
    """Logistic regression in the units of scikit-learn's ``C``."""
    return LogisticRegression(1 / (2 * C * len(y))).fit(X, y)


def figures_of_split(data: Labelled, seed: int) -> dict[str, float]:
    """Every figure of one split, by its name; `pick to learn` for the first two seeds only."""
    train, test = split(len(data.y), seed)
    X, y = data.X[train], data.y[train]
    model = fitted(X, y)
    wrong = 1.0 * (model.predict(data.X[test]) != data.y[test])
    w = np.append(model.coef_[0], model.intercept_[0])
    cosine = cosines(np.column_stack([X, np.ones(len(y))]), 2 * y - 1, w)
    values = [
        float(wrong.mean()),
        float(clopper_pearson(wrong, DELTA)),
        pac_bayes_linear(cosine, delta=DELTA).value,
        prior_from_half(X, y, w),
        margin(cosine),
        compression(X, y),
        picked(X, y) if seed < PICKING_SPLITS else math.nan,
    ]
    return dict(zip(FIGURES, values, strict=True))


def cosines(rows: np.ndarray, signs: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Margins divided by both lengths."""
    return (signs * (rows @ w) / np.linalg.norm(w) / np.linalg.norm(rows, axis=1)).clip(-1, 1)


def prior_from_half(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """PAC-Bayes about the second half of the training rows; the first half has learnt the direction of the prior."""
    half = len(y) // 2
    prior = fitted(X[:half], y[:half])
    u = np.append(prior.coef_[0], prior.intercept_[0])
    cosine = float(np.clip(u @ w / np.linalg.norm(u) / np.linalg.norm(w), -1, 1))
    rows = np.column_stack([X[half:], np.ones(len(y) - half)])
    return pac_bayes_with_prior(cosines(rows, 2 * y[half:] - 1, w), cosine, delta=DELTA).value


def margin(cosine: np.ndarray) -> float:
    """The margin bound for rows of length one: the mean ramp ``min(1, (1 - m / rho)_+)`` and ``2 / (rho sqrt(n))``.

    The ramp is 1-Lipschitz after division by ``rho`` and lies above the error.  The margin ``rho = 2**-j`` is free: it
    is paid for as a radius read off the fit.
    """
    n = len(cosine)

    def at(radius: Fitted) -> float:
        ramp = float(np.mean(np.clip(1 - cosine * radius.radius, 0, 1)))
        return rademacher_bound(ramp, n, radius.radius / math.sqrt(n), delta=DELTA * radius.share).value

    return min(at(Fitted(2.0**step)) for step in range(DOUBLINGS))


def machine(C: float, linear: bool, n: int, d: int) -> SVC:
    """A support vector machine in the units of scikit-learn's ``C``, whose settings owe nothing to the rows."""
    return SVC(Linear() if linear else Gaussian(math.sqrt(d / 2)), 1 / (2 * n * C))


def compression(X: np.ndarray, y: np.ndarray) -> float:
    """The best of six support vector machines, each certified at a sixth of ``delta``."""
    found = (machine(C, linear, *X.shape).fit(X, y) for C, linear in MACHINES)
    return min(one.certificate(delta=DELTA, n_models_fixed=len(MACHINES)).inputs["value"] for one in found)


def picked(X: np.ndarray, y: np.ndarray) -> float:
    """Pick-to-learn from the first row of each class; ``inf`` if rows are still wrong after 400 picks."""
    fit = lambda rows: machine(100.0, False, len(rows), X.shape[1]).fit(X[rows], y[rows])
    wrongness = lambda model: -(2 * y - 1) * model.decision_function(X)
    first = [int(np.argmax(y == label)) for label in (0, 1)]
    found = pick_to_learn(fit, wrongness, len(y), first=first, max_rows=MOST_PICKED, delta=DELTA)
    return math.inf if found.n_wrong else found.bound.value


def all_figures(data: Labelled, splits: int = SPLITS) -> dict[str, np.ndarray]:
    """Figures by name, one number for every split that has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # separable rows say so, and a hundred refits would say it a hundred times
        found = [figures_of_split(data, seed) for seed in range(splits)]
    columns = {name: np.array([one[name] for one in found]) for name in FIGURES}
    return {name: values[~np.isnan(values)] for name, values in columns.items()}


def cell(name: str, values: np.ndarray, recorded: float) -> str:
    """The mean, and in brackets its difference from the figure of record with the standard error of that difference.

    >>> cell("test error", np.array([0.24, 0.26]), 0.245)
    '0.250 (+0.005 ± 0.014)'
    >>> cell("pick to learn", np.array([np.inf, np.inf]), np.nan)
    'not ended (nor there)'
    """
    mean = float(np.mean(values))
    if name == "pick to learn" and math.isinf(mean):
        return "not ended (nor there)" if math.isnan(recorded) else f"not ended ({recorded:g} there)"
    shown = f"{mean:.3f}" if name == "test error" else at_most(mean, 3) if mean < 1 else "> 1"
    if not math.isfinite(recorded):
        return f"{shown} ({'> 1' if math.isinf(recorded) else 'none'} there)"
    if mean >= 1:
        return f"{shown} ({recorded:g} there)"
    noise = float(np.std(values, ddof=1)) * math.sqrt(2 / len(values)) if len(values) > 1 else math.nan
    return f"{shown} ({mean - recorded:+.3f} ± {noise:.3f})"


def table_row(data: Labelled, splits: int = SPLITS) -> tuple[str, ...]:
    """One line of the table."""
    n = len(data.y)
    rows = str(n) if n == data.reference_rows else f"{n} ({data.reference_rows} there)"
    found = all_figures(data, splits)
    return data.name, rows, *(cell(name, found[name], data.reference[name]) for name in FIGURES)


def uci_table(names: tuple[str, ...] = tuple(SOURCES)) -> str:
    """The table as Markdown."""
    return markdown_table(HEADER, list(_rows(names)))


def _rows(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        yield table_row(load(name))


if __name__ == "__main__":
    TABLE.replace(uci_table())
    print(TABLE.shown())
