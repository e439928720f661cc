"""The same fits in worker processes, worker threads and spawned processes as in this one."""

import multiprocessing

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline

from surefit import SVR, KernelRidge, Lasso, LogisticRegression, Ridge

MODELS = [Ridge(), Lasso(lam=0.05), LogisticRegression(lam=0.1), KernelRidge(lam=0.1), SVR(lam=0.1)]


def data():
    X = np.random.default_rng(0).normal(size=(60, 3))
    return X, (X[:, 0] + 0.5 * np.random.default_rng(1).normal(size=60) > 0).astype(int)


def search(n_jobs):
    """The errors of all the models in one search, which starts its workers once."""
    scoring = "neg_mean_squared_error"
    grid = GridSearchCV(Pipeline([("model", Ridge())]), {"model": MODELS}, cv=3, n_jobs=n_jobs, scoring=scoring)
    return grid.fit(*data()).cv_results_["mean_test_score"]


def test_worker_processes_find_the_errors_that_one_process_finds():
    np.testing.assert_allclose(search(n_jobs=2), search(n_jobs=None), rtol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_worker_threads_find_the_errors_that_one_thread_finds(model):
    alone = cross_val_score(model, *data(), cv=4)
    with parallel_config("threading", n_jobs=2):
        np.testing.assert_allclose(cross_val_score(model, *data(), cv=4), alone, rtol=1e-6)


def test_a_spawned_process_fits_and_predicts():
    """The child imports the library only; this file may not be importable there."""
    X, y = data()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        fits = [pool.apply_async(model.fit, (X, y)) for model in MODELS]
        for model, fit in zip(MODELS, fits, strict=True):
            np.testing.assert_allclose(fit.get(timeout=300).predict(X), model.fit(X, y).predict(X), atol=1e-5)
