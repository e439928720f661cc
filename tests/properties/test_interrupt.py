"""Ctrl-C ends work of many seconds soon, wherever it is, and leaves the model as it was."""

import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
from scipy import sparse

from surefit import (
    SVR,
    KernelRidge,
    Lasso,
    LogisticRegression,
    Perceptron,
    Ridge,
    SubsetRegression,
    min_disagreement,
)
from surefit.compiled.door import native
from surefit.threads import interruptible

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer that interrupts")

RNG = np.random.default_rng(0)
SOON = 20.0
"""Seconds: a second would do on an idle machine, and the work would take minutes."""


class Interrupt(BaseException):
    """What the handler raises here in the place of KeyboardInterrupt, which would end the whole run if it got away."""


@contextmanager
def interrupted_after(seconds):
    """Work inside the block is interrupted, and ends soon."""

    def ring(*_):
        raise Interrupt

    handler = signal.signal(signal.SIGALRM, ring)
    start = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with pytest.raises(Interrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert time.perf_counter() - start < seconds + SOON


def noisy(n, d):
    X = RNG.standard_normal((n, d))
    return X, X @ RNG.standard_normal(d) + 3 * np.sqrt(d) * RNG.standard_normal(n)


def labelled(n, d):
    X, y = noisy(n, d)
    return X, np.where(y > 0, 1, -1)


def sparse_and_labelled(n, d):
    X = sparse.random_array((n, d), density=0.05, rng=RNG, format="csr", data_sampler=RNG.standard_normal)
    return X, X @ RNG.standard_normal(d) + RNG.standard_normal(n) > 0


LONG = {
    "sparse lasso": (Lasso(lam=1e-7, tol=1e-13), lambda: (sparse.csr_array(noisy(3000, 3000)[0]), noisy(3000, 1)[1])),
    "lasso": (Lasso(lam=1e-7, tol=1e-13), lambda: noisy(5000, 4000)),
    "support vectors": (SVR(lam=1e-9, epsilon=0.0), lambda: noisy(6000, 20)),
    "l1 logistic": (LogisticRegression(lam=1e-8, l1_ratio=1.0, tol=1e-13), lambda: sparse_and_labelled(30_000, 3000)),
    "kernel ridge": (KernelRidge(lam=1e-7), lambda: noisy(25_000, 5)),
    "ridge": (Ridge(), lambda: noisy(3500, 3600)),
    "perceptron": (Perceptron(max_epochs=10**6), lambda: labelled(50_000, 20)),
    "subsets": (SubsetRegression(search="backward"), lambda: noisy(2500, 1200)),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_fit_is_interrupted_and_leaves_the_model_as_it_was(name):
    model, data = LONG[name]
    X, y = data()
    before = dict(vars(model))
    with interrupted_after(0.3):
        model.fit(X, y)
    assert vars(model) == before


def test_a_long_search_for_the_fewest_mistakes_is_interrupted():
    with interrupted_after(0.3):
        min_disagreement(*labelled(300, 8), time_limit=300.0)


def test_what_a_foreign_call_raises_arrives_here():
    with pytest.raises(np.linalg.LinAlgError):
        interruptible(np.inf, np.linalg.cholesky, -np.eye(2))


@pytest.mark.compiled
def test_one_call_of_a_compiled_loop_is_interrupted():
    """A thousand million sweeps: without a look at signals on the way this would take minutes."""
    X, y = noisy(20, 10)
    columns = sparse.csc_array(X)
    stop, ones, zeros = (-1.0, 10**9), np.ones(10), np.zeros(10)
    with interrupted_after(0.3):
        native.column_descent(
            columns.indptr, columns.indices, columns.data, columns.data, zeros, (X**2).sum(axis=0), ones, zeros, 20.0,
            False, stop, np.zeros(10), y.copy(), 0.0,
        )  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_one_call_on_several_threads_is_interrupted(threads):
    """Kernel values of 1e11 pairs; the threads that help end with the one that heard of it."""
    X, out = np.linspace(0.0, 1.0, 300_000)[:, None], np.zeros((300_000, 1))
    with interrupted_after(0.3):
        native.radial_times(0, 1.0, X, X, np.ones((300_000, 1)), threads, out)
    with interrupted_after(0.3):
        native.radial_symmetric_times(0, 1.0, X, np.ones((300_000, 1)), threads, out)
