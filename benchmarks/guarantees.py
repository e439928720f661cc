"""``python -m benchmarks.guarantees``: all certificates side by side on three data sets, into the page on guarantees.

Settings are plain numbers set by hand, not searched for, and columns are changed by fixed formulas only, so that every
theorem may be used.  A certificate without a hold-out uses all rows; one with a hold-out fits to four fifths of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from benchmarks.pages import PageTable
from benchmarks.report import markdown_table
from surefit import (
    SVC,
    SVR,
    KernelLogistic,
    KernelRidge,
    Lasso,
    LeastSquares,
    LogisticRegression,
    NearestNeighbourClassifier,
    Perceptron,
    Ridge,
    ThresholdClassifier,
)
from surefit.kernels import Gaussian
from surefit.page import number
from surefit.theory.bounds import (
    pac_bayes_with_prior,
    pick_to_learn,
    stability_bound,
    uniform_stability,
)
from surefit.theory.bounds.record import Bound
from surefit.theory.certificates.certificate import Certificate, Verdict
from surefit.theory.certificates.wording import at_least, at_most, percent, percent_at_most
from surefit.theory.means.concentration import binomial_upper

TABLE = PageTable("guarantees")
INFORMATIVE = "**informative**"
TUBES_TRIED = 3  # widths of 20 and 100 were looked at before 120, and are paid for
HEADER = ("data", "certificate", "model", "rows", "observed", "certified", "status")


@dataclass(frozen=True)
class Labelled:
    """Rows with two classes, in random order, and the bandwidth to use on them."""

    name: str
    X: np.ndarray
    y: np.ndarray
    bandwidth: float


def breast_cancer() -> Labelled:
    """569 tumours, 30 measurements, as logarithms of one plus each."""
    X, y = load_breast_cancer(return_X_y=True)
    return Labelled("breast cancer", *_shuffled(np.log1p(X), y), 2.0)


def eights() -> Labelled:
    """1,797 written digits of 8 x 8 pixels in [0, 1]: 8 against the rest."""
    X, y = load_digits(return_X_y=True)
    return Labelled("digits, 8 or not", *_shuffled(X / 16, (y == 8).astype(int)), 2.0)


def diabetes() -> tuple[np.ndarray, np.ndarray]:
    """442 patients, 10 measurements in hundreds of their units; the target runs from 25 to 346."""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    return _shuffled(X / 100, y)


def classifier_rows(data: Labelled) -> Iterator[tuple[str, ...]]:
    """Every certificate of an error rate."""
    X, y, kernel = data.X, data.y, Gaussian(data.bandwidth)
    held_out: tuple[Any, ...] = (LogisticRegression(1e-3), SVC(kernel, 1e-3), NearestNeighbourClassifier())
    for model in held_out:
        yield _row(data.name, "a fifth held out", model, model.fit(X, y, certify=0.2).certificate())
    alone: dict[str, Any] = {
        "compression": SVC(kernel, 1e-3),
        "compression, one sweep": Perceptron(),
        "PAC-Bayes": LogisticRegression(1e-3),
        "Rademacher, margin": KernelLogistic(kernel, 1e-3),
        "Vapnik-Chervonenkis": ThresholdClassifier(),
        "none": NearestNeighbourClassifier(),
    }
    for name, model in alone.items():
        yield _row(data.name, name, model, model.fit(X, y).certificate())
    constant = 1.0 - float(binomial_upper(np.bincount(y).max(), len(y), 0.05 / 2))  # of two labels, from below
    half, few = prior_from_half(data), picked(data)
    twice = replace(half, value=2 * half.value)  # of the classifier that is not randomised
    yield _bound_row(data.name, "PAC-Bayes, prior from half", LogisticRegression(1e-3), twice, constant)
    yield _bound_row(data.name, "pick to learn, at most 100 rows", SVC(kernel, 1e-3), few, constant)


def regressor_rows() -> Iterator[tuple[str, ...]]:
    """Every certificate of errors in the units of the target."""
    X, y = diabetes()
    ridge = Ridge(1e-3).fit(X, y, certify=0.2).certificate()
    constant, capped = ridge.further
    yield _row("diabetes", "a fifth held out: 90 % of \\|error\\|", Ridge(1e-3), ridge)
    yield _row("diabetes", "the same rows: squared error below a constant's by", Ridge(1e-3), constant)
    name = f"the same rows: squared error, capped at {_number(capped.inputs['cap'])}"
    yield _row("diabetes", name, Ridge(1e-3), replace(capped, status=ridge.status))
    floor = float(Ridge(1e-3).fit(X, y).certificate().inputs["constant"])  # what the best constant loses at least
    tube = SVR(Gaussian(1.0), 1e-4, 120.0)
    found = tube.fit(X, y).certificate(n_models_fixed=TUBES_TRIED)
    yield _row("diabetes", "compression: outside a tube of 120", tube, found)
    alone: dict[str, Any] = {
        "Rademacher, L2 ball: squared error": Ridge(1e-3),
        "Rademacher, L1 ball: squared error": Lasso(1.0),
        "Rademacher, kernel ball: squared error": KernelRidge(Gaussian(1.0), 1e-2, fit_intercept=False),
        "pseudo-dimension: squared error": LeastSquares(),
    }
    for name, model in alone.items():
        yield _row("diabetes", name, model, model.fit(X, y).certificate())
    model = KernelRidge(Gaussian(1.0), 1.0, fit_intercept=False)
    bound, largest = stability(model.fit(X, y), X, y), float(np.ptp(y)) ** 2
    yield _bound_row("diabetes", "stability: squared error", model, bound, floor, largest)


def prior_from_half(data: Labelled) -> Bound:
    """PAC-Bayes with a direction learnt from the first half of the rows; the bound is about the second half."""
    half = len(data.y) // 2
    prior, model = (LogisticRegression(1e-3).fit(data.X[rows], data.y[rows]) for rows in (slice(half), slice(None)))
    u, w = (np.append(one.coef_[0], one.intercept_[0]) for one in (prior, model))
    rows, signs = np.column_stack([data.X[half:], np.ones(len(data.y) - half)]), 2 * data.y[half:] - 1
    margins = signs * (rows @ w) / np.linalg.norm(w) / np.linalg.norm(rows, axis=1)
    return pac_bayes_with_prior(margins, float(u @ w / np.linalg.norm(u) / np.linalg.norm(w)))


def picked(data: Labelled) -> Bound:
    """Pick-to-learn with a support vector machine, at most 100 rows."""
    X, signs = data.X, 2 * data.y - 1
    fit = lambda rows: SVC(Gaussian(data.bandwidth), 1e-3).fit(X[rows], data.y[rows])
    first = [int(np.argmax(data.y == label)) for label in (0, 1)]
    wrongness = lambda model: -signs * model.decision_function(X)
    return pick_to_learn(fit, wrongness, len(signs), first=first, max_rows=100).bound


def stability(model: KernelRidge, X: np.ndarray, y: np.ndarray) -> Bound:
    """Uniform stability of kernel ridge, ``|f - y| <= B (1 + 1 / sqrt(lam))`` for ``|y| <= B = 346``."""
    largest = np.max(np.abs(y)) * (1 + model.lam_**-0.5)
    beta = uniform_stability(len(y), model.lam_, lipschitz=2 * largest)
    return stability_bound(float(np.mean((y - model.predict(X)) ** 2)), len(y), beta, loss_bound=largest**2)


SECTIONS: dict[str, Callable[[], Iterator[tuple[str, ...]]]] = {
    "breast cancer": lambda: classifier_rows(breast_cancer()),
    "digits": lambda: classifier_rows(eights()),
    "diabetes": regressor_rows,
}


def guarantee_table(sections: tuple[str, ...] = tuple(SECTIONS)) -> str:
    """The table as Markdown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a perceptron on rows that are not separable says so
        return markdown_table(HEADER, [row for name in sections for row in SECTIONS[name]()])


def _row(data: str, name: str, model: Any, found: Certificate) -> tuple[str, ...]:
    shown = _percent if _is_rate(found) else _number
    gain = found.method == "betting, paired"
    certified = _floor if gain else _percent_at_most if _is_rate(found) else _at_most
    status = INFORMATIVE if found.status is Verdict.INFORMATIVE else found.status.value
    rows = str(int(found.inputs["n"])) if "n" in found.inputs else ""
    called = "" if model is None else f"`{type(model).__name__}`"
    value = found.inputs.get("value", found.bound)
    return data, name, called, rows, shown(found.empirical), certified(value), status


def _bound_row(
    data: str, name: str, model: Any, bound: Bound, constant: float, largest: float = np.inf
) -> tuple[str, ...]:
    """A bound that no model certifies by itself; ``constant`` is what the best constant loses at least.

    ``largest`` is what nobody loses who answers within the range of the targets.
    """
    shown, certified = (_percent, _percent_at_most) if constant <= 1 else (_number, _at_most)
    vacuous = bound.vacuous or bound.value >= largest
    status = "vacuous" if vacuous else "not certified to beat a constant" if bound.value >= constant else INFORMATIVE
    rows = str(int(bound.inputs["n"]))
    return data, name, f"`{type(model).__name__}`", rows, shown(bound.empirical), certified(bound.value), status


def _is_rate(found: Certificate) -> bool:
    return found.method.startswith(("clopper", "compression", "pac", "rademacher, margin", "Vapnik")) or (
        found.method == "none" and found.bound == 1.0
    )


def _percent(rate: float) -> str:
    return "none" if np.isinf(rate) else percent(rate)


def _percent_at_most(rate: float) -> str:
    return "none" if np.isinf(rate) else percent_at_most(rate)


def _number(value: float) -> str:
    return "none" if np.isinf(value) else number(value, 3)


def _at_most(value: float) -> str:
    return "none" if np.isinf(value) else at_most(value, 3)


def _floor(value: float) -> str:
    return "none" if np.isinf(value) else at_least(value, 3)


def _shuffled(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


if __name__ == "__main__":
    TABLE.replace(guarantee_table())
    print(TABLE.shown())
