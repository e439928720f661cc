"""Kernels on landmarks over blocks: the fit in memory on the same landmarks, whoever works."""

import numpy as np
import pytest

from surefit import KernelERM, KernelLogistic, KernelRidge
from surefit.data.design import Design
from surefit.kernels import Gaussian
from surefit.kernels.low_rank import nystroem_map
from surefit.objective import Huber, Logistic, SoftmaxCrossEntropy
from surefit.solvers.kernel.gram import LowRankGram
from surefit.solvers.kernel.newton import kernel_newton
from surefit.solvers.kernel.problem import KernelRiskProblem
from surefit.solvers.linear.least_squares import ridge
from surefit.warnings import ChoiceWarning

N, ROWS = 2000, 256


def rows(seed=0):
    rng = np.random.default_rng(seed)
    X = 4.0 * rng.uniform(size=(N, 3))
    return X, np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=N) + 1000.0


def features(model):
    """The same landmarks as a map for rows in memory."""
    return nystroem_map(model.kernel_, model.points_, len(model.points_))


@pytest.mark.parametrize("lam", [1e-3, 1e-6])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_kernel_ridge_is_that_of_memory_on_the_same_landmarks(lam, fit_intercept):
    """Catalogue A-14."""
    X, y = rows()
    y = y if fit_intercept else y - 1000.0
    model = KernelRidge(Gaussian(1.0), lam=lam, n_landmarks=60, fit_intercept=fit_intercept)
    model.fit_blocks(X, y=y, rows=ROWS)
    design = Design.of(features(model).transform(X))
    memory = ridge(design, y[:, None], lam, fit_intercept).solution
    expected = design.X @ memory.coef[:, 0] + memory.intercept
    np.testing.assert_allclose(model.predict(X), expected, rtol=0, atol=1e-10 * np.ptp(y))
    assert abs(model.solution_.objective - memory.objective) <= 1e-10
    assert model.solution_.facts["gap_of_approximation"] <= 1e-9
    assert model.blocks_.passes == 3


def test_lam_by_leave_one_out_is_that_of_the_features_left_out_one_by_one():
    """Catalogue T-76."""
    X, y = rows()
    lams = np.geomspace(1e-7, 1e-2, 6)
    model = KernelRidge(Gaussian(1.0), lams=lams, n_landmarks=40).fit_blocks(X, y=y, rows=ROWS)
    phi = np.column_stack([np.ones(N), features(model).transform(X)])
    errors = []
    for lam in lams:
        pull = np.diag(np.append(0.0, np.full(phi.shape[1] - 1, N * lam)))
        hat = phi @ np.linalg.solve(phi.T @ phi + pull, phi.T)
        errors.append(np.mean(((y - hat @ y) / (1 - np.diag(hat))) ** 2))
    np.testing.assert_allclose(model.criterion_path_, errors, rtol=1e-6)
    assert model.lam_ == lams[np.argmin(errors)]
    assert model.blocks_.passes == 4


@pytest.mark.parametrize("classes", [2, 3])
def test_kernel_logistic_is_that_of_memory_on_the_same_landmarks(classes):
    """Catalogue A-32."""
    X, y = rows()
    codes = np.digitize(y, 1000.0 + np.array([[0.0], [-0.5, 0.5]][classes - 2]))
    model = KernelLogistic(Gaussian(1.0), lam=1e-3, n_landmarks=40).fit_blocks(X, y=codes, rows=ROWS)
    on, share = features(model), np.full(N, 1.0 / N)
    gram = LowRankGram(on.transform(X))
    target, loss = (2.0 * codes - 1, Logistic()) if classes == 2 else (codes, SoftmaxCrossEntropy())
    found = kernel_newton(KernelRiskProblem(gram, target, loss, 1e-3, share, True, None if classes == 2 else classes))
    scores = gram.Z @ (gram.Z.T @ found.coef) + found.intercept
    ours = model.decision_function(X)
    if classes == 3:  # scores of all classes may move together
        ours, scores = ours - ours.mean(axis=1)[:, None], scores - scores.mean(axis=1)[:, None]
    np.testing.assert_allclose(ours, scores, rtol=0, atol=1e-9)
    assert model.solution_.facts["gap_of_approximation"] <= 1e-7
    assert model.classes_.tolist() == list(range(classes))


def test_workers_and_cuts_of_the_files_change_no_bit(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X, y = rows()
    found = pa.table({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 2, "high", "low"), "y": y})
    for k in range(4):
        pq.write_table(found.slice(k * 500, 500), tmp_path / f"{k}.parquet", row_group_size=33)
    for model in (KernelRidge(n_landmarks=30), KernelERM(Huber(0.2), lam=1e-3, n_landmarks=30)):
        one = type(model)(**model.get_params()).fit_blocks(found, "y", rows=ROWS, executor="serial")
        for executor in (1, 3):
            again = model.fit_blocks(str(tmp_path), "y", rows=ROWS, executor=executor)
            assert again.dual_coef_.tobytes() == one.dual_coef_.tobytes()
            assert again.points_.tobytes() == one.points_.tobytes()


def test_landmarks_are_drawn_from_all_rows_but_those_held_out():
    X, y = rows()
    model = KernelRidge(Gaussian(1.0), lam=1e-4, n_landmarks=200).fit_blocks(X, y=y, rows=ROWS, certify=0.2)
    places = np.array([np.flatnonzero(np.all(point == X, axis=1))[0] for point in model.points_])
    assert np.all(np.bincount(places // 500, minlength=4) > 20)
    assert model.certificate().bound < 1.0
    with pytest.raises(ValueError, match="keeps none"):
        model.predict_interval(X[:3])


def test_weights_draw_landmarks_and_count_as_copies():
    X, y = rows()
    weight = np.where(np.arange(N) < N // 2, 0.0, 2.0)
    model = KernelRidge(Gaussian(1.0), lam=1e-4, n_landmarks=50).fit_blocks(X, y=y, weight=weight, rows=ROWS)
    half = {row.tobytes() for row in X[N // 2 :]}
    assert all(point.tobytes() in half for point in model.points_)


def test_too_many_landmarks_for_the_memory_and_no_penalty_are_refused():
    X, y = rows()
    with pytest.raises(ValueError, match="n_landmarks="):
        KernelRidge(lam=0.1, n_landmarks=5000, memory=1e6).fit_blocks(X, y=y)
    with pytest.raises(ValueError, match="lam"):
        KernelRidge(lam=0.0, n_landmarks=10).fit_blocks(X, y=y)


def test_a_column_that_decides_alone_is_named():
    pa = pytest.importorskip("pyarrow")
    X, y = rows()
    found = pa.table({"metres": X[:, 0], "grams": 1e6 * X[:, 1], "y": y})
    with pytest.warns(ChoiceWarning, match=r"'grams' makes up.*scale the columns in the source"):
        KernelRidge(lam=1e-3, n_landmarks=20).fit_blocks(found, "y", rows=ROWS)
