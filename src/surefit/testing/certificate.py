"""Testing layer: ``check_bound``, which simulates whether a bound fails too often, and ``check_certificate``.

In: a function ``bound(losses, delta)``, or a `Certificate`.  Out: nothing, or an ``AssertionError`` that says what is
wrong.  A right bound is accused with probability at most 1e-4 per law and size; one that misses 8 % of the time
instead of 5 % is caught with probability 0.96 by 2000 repeats, one that misses 7 % with 0.99 by 5000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from surefit.progress import Task, worked
from surefit.theory.certificates.certificate import Certificate, Standing, Verdict

FALSE_ALARM = 1e-4
CHUNK = 2**21  # losses drawn at once


@dataclass(frozen=True)
class Law:
    """A law of losses in ``[0, 1]`` with its true mean; ``draw(rng, shape)`` fills the last axis with one sample."""

    name: str
    mean: float
    draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def bernoulli(p: float) -> Law:
    """Errors of a classifier with error rate ``p``.

    >>> bernoulli(0.3).draw(np.random.default_rng(0), (1, 4))
    array([[0., 1., 1., 1.]])
    """
    return Law(f"Bernoulli({p:g})", p, lambda rng, shape: (rng.random(shape) < p).astype(float))


def beta_law(a: float, b: float) -> Law:
    """Beta(a, b)."""
    return Law(f"Beta({a:g}, {b:g})", a / (a + b), lambda rng, shape: rng.beta(a, b, size=shape))


def two_points(low: float, high: float, p: float) -> Law:
    """``high`` with probability ``p``, else ``low``."""
    name = f"{low:g} or {high:g}"
    return Law(name, low + p * (high - low), lambda rng, shape: np.where(rng.random(shape) < p, high, low))


def sorted_law(law: Law) -> Law:
    """Samples of ``law`` in increasing order, like a file sorted by class."""
    return Law(f"{law.name}, sorted", law.mean, lambda rng, shape: np.sort(law.draw(rng, shape), axis=-1))


BINARY_LAWS = (bernoulli(0.01), bernoulli(0.05), bernoulli(0.3))
LAWS = (*BINARY_LAWS, beta_law(2, 8), beta_law(0.2, 1.8), two_points(0.01, 0.99, 0.1))


@worked("checking a bound")
def check_bound(
    bound: Callable[..., Any],
    *,
    laws: Sequence[Law] = LAWS,
    sizes: Sequence[int] = (50, 200),
    delta: float = 0.05,
    repeats: int = 2000,
    seed: int = 0,
) -> None:
    """Try to refute that ``bound(losses, delta)`` is below the true mean with probability at most ``delta``.

    Draws ``repeats`` samples of each law and size, as rows of one array, and counts the misses; more than the 1 - 1e-4
    quantile of Binomial(repeats, delta) are not chance.  Bounds that are not finite or not one per row are refused.

    >>> from surefit.theory.means.concentration import hoeffding
    >>> check_bound(hoeffding)
    >>> check_bound(lambda losses, delta: losses.mean(axis=-1), sizes=[50])
    Traceback (most recent call last):
        ...
    AssertionError: the bound misses 1217 of 2000 samples of Bernoulli(0.01), n = 50, but at most 138 are chance at
    delta = 0.05
    """
    allowed = int(binom.ppf(1 - FALSE_ALARM, repeats, delta))
    tell, step = Task("coverage of a bound", total=len(laws) * len(sizes)), 0
    for law in laws:
        for n in sizes:
            bounds = simulated(bound, law, n, delta=delta, repeats=repeats, seed=seed)
            missed = int(np.sum(bounds < law.mean - 1e-12))
            step += 1
            tell(step, missed / repeats)
            if missed > allowed:
                raise AssertionError(
                    f"the bound misses {missed} of {repeats} samples of {law.name}, n = {n}, but at most {allowed} are "
                    f"chance at delta = {delta:g}"
                )


def simulated(bound: Callable[..., Any], law: Law, n: int, *, delta: float, repeats: int, seed: int) -> np.ndarray:
    """The bounds ``(repeats,)`` of as many samples of size ``n``.

    >>> from surefit.theory.means.concentration import hoeffding
    >>> simulated(hoeffding, beta_law(2, 8), 100, delta=0.05, repeats=3, seed=0).round(2)
    array([0.31, 0.33, 0.33])
    """
    rng, parts, rows = np.random.default_rng(seed), [], max(CHUNK // n, 1)
    for start in range(0, repeats, rows):
        losses = law.draw(rng, (min(rows, repeats - start), n))
        answer = np.asarray(bound(losses, delta), dtype=float)
        if answer.shape != losses.shape[:1] or not np.all(np.isfinite(answer)):
            raise AssertionError(
                f"losses of shape {losses.shape} must give one finite bound per row, got shape {answer.shape}"
            )
        parts.append(answer)
    return np.concatenate(parts)


def check_certificate(certificate: Certificate) -> None:
    """Try to refute what a certificate says about itself: its numbers, its words, its copies.

    >>> from surefit.theory.certificates.holdout import classifier_certificate
    >>> check_certificate(classifier_certificate(np.repeat([1, 0], [10, 490])))
    """
    if not 0.0 < certificate.delta < 1.0:
        raise AssertionError(f"delta must lie between 0 and 1, got {certificate.delta}")
    if np.isnan(certificate.bound) or np.isnan(certificate.empirical):
        raise AssertionError("bound and empirical must be numbers; an unknown bound is inf and vacuous")
    if np.isinf(certificate.bound) and certificate.status is not Verdict.VACUOUS:
        raise AssertionError(f"an infinite bound says nothing: the status must be vacuous, got {certificate.status}")
    if not certificate.statement.strip().endswith("."):
        raise AssertionError(f"the statement must be a sentence, got {certificate.statement!r}")
    if not certificate.assumptions:
        raise AssertionError("a certificate without assumptions does not exist; name them")
    if any(one.standing is Standing.VIOLATED for one in certificate.assumptions) and not certificate.vacuous:
        raise AssertionError("an assumption is violated, so the certificate must be vacuous")
    if Certificate.from_json(certificate.to_json()) != certificate:
        raise AssertionError("the certificate does not survive its own JSON; use plain numbers in inputs")
    for other in certificate.further:
        check_certificate(other)
