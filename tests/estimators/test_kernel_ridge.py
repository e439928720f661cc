"""KernelRidge: the scikit-learn face, choices by leave-one-out, low rank on demand, hard inputs."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge as PeerKernelRidge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from surefit import ChoiceWarning, KernelRidge, Ridge
from surefit.kernels import FromFunction, Gaussian, Laplace, Linear, Min, Polynomial
from surefit.solvers.solution import Status


def smooth(n=120, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, d))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, -1] ** 2 + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0])
def test_predictions_equal_scikit_learns_at_the_same_penalty(lam):
    X, y = smooth()
    ours = KernelRidge(Gaussian(1.0), lam, fit_intercept=False).fit(X, y)
    theirs = PeerKernelRidge(kernel="rbf", gamma=0.5, alpha=120 * lam).fit(X, y)
    np.testing.assert_allclose(ours.predict(X[:7] + 0.1), theirs.predict(X[:7] + 0.1), atol=1e-10)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*chose the largest lam")
def test_a_linear_kernel_with_offset_chooses_and_predicts_as_ridge():
    """Catalogue T-70."""
    X, y = smooth(d=3)
    lams = np.geomspace(1e-4, 10, 20)
    kernel, primal = KernelRidge(Linear(), lams=lams, fit_intercept=True).fit(X, y), Ridge(lams=lams).fit(X, y)
    assert kernel.lam_ == primal.lam_
    np.testing.assert_allclose(kernel.criterion_path_, primal.criterion_path_, rtol=1e-9)
    np.testing.assert_allclose(kernel.predict(X), primal.predict(X), atol=1e-10)


def test_several_targets_are_several_fits():
    """Catalogue A-06."""
    X, y = smooth()
    both = np.column_stack([y, np.cos(y)])
    together = KernelRidge(Gaussian(1.0), 0.01, fit_intercept=True).fit(X, both)
    for k in range(2):
        alone = KernelRidge(Gaussian(1.0), 0.01, fit_intercept=True).fit(X, both[:, k])
        np.testing.assert_allclose(together.predict(X)[:, k], alone.predict(X), atol=1e-11)


def test_the_kernel_is_chosen_from_a_list_by_leave_one_out():
    """Catalogue S-05, T-76."""
    X, y = smooth()
    kernels = [Gaussian(b) for b in (0.01, 0.7, 50.0)]
    model = KernelRidge(kernels).fit(X, y)
    curves = [KernelRidge(k).fit(X, y).criterion_path_.min() for k in kernels]
    assert model.kernel_ == kernels[int(np.argmin(curves))] == Gaussian(0.7)
    assert model.criterion_path_.min() == pytest.approx(min(curves), rel=1e-12)


def test_lam_by_leave_one_out_is_the_best_of_n_refits():
    """Catalogue T-76, S-03: n * lam stays fixed when a row leaves."""
    X, y = smooth(n=20)
    lams = np.geomspace(1e-6, 1, 15)
    model = KernelRidge(Gaussian(1.0), lams=lams).fit(X, y)
    errors = []
    for lam in lams:
        left_out = [
            y[i] - KernelRidge(Gaussian(1.0), lam * 20 / 19).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0]
            for i in range(20)
        ]
        errors.append(np.mean(np.square(left_out)))
    np.testing.assert_allclose(model.criterion_path_, errors, rtol=1e-7)
    assert model.lam_ == lams[np.argmin(errors)]


@pytest.mark.filterwarnings("ignore:KernelRidge chose the smallest lam")
def test_selection_on_diabetes_is_at_least_as_good_as_grid_search():
    """Nested five-fold: exact leave-one-out over lam and bandwidth against GridSearchCV over the same grid."""
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    bandwidths, lams = np.geomspace(1, 32, 4), np.geomspace(1e-5, 1, 6)
    squares = {"ours": 0.0, "grid": 0.0}
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        ours = KernelRidge([Gaussian(b) for b in bandwidths], lams=lams).fit(X[train], y[train])
        grid = {"gamma": 0.5 / bandwidths**2, "alpha": len(train) * lams}
        theirs = GridSearchCV(PeerKernelRidge(kernel="rbf"), grid, scoring="neg_mean_squared_error")
        with threadpool_limits(1):  # 600 small systems, on each of which the BLAS would wait for a second core
            theirs.fit(X[train], y[train])
        squares["ours"] += np.sum((y[test] - ours.predict(X[test])) ** 2)
        squares["grid"] += np.sum((y[test] - theirs.predict(X[test])) ** 2)
    assert squares["ours"] <= 1.005 * squares["grid"]


@pytest.mark.parametrize("method", ["nystroem", "partial cholesky"])
def test_all_rows_as_landmarks_are_the_exact_fit(method):
    """Catalogue A-14, A-15."""
    X, y = smooth(n=60)
    exact = KernelRidge(Laplace(1.0), 0.01, fit_intercept=True).fit(X, y)
    low = KernelRidge(Laplace(1.0), 0.01, fit_intercept=True, solver=method, n_landmarks=60).fit(X, y)
    np.testing.assert_allclose(low.predict(X), exact.predict(X), atol=1e-8)
    assert low.solution_.facts["rank"] == 60


def test_beyond_the_memory_the_fit_goes_low_rank_and_says_so():
    X, y = smooth(n=2500)
    model = KernelRidge(Gaussian(1.0), 1e-4, memory=6e6, n_landmarks=100).fit(X, y)
    assert model.plan_.solver == model.solution_.facts["method"] == "nystroem"
    assert "an exact fit of 2,500 points would take" in model.solution_.facts["reason"]
    assert len(model.points_) == model.plan_.n_landmarks < 100
    assert model.plan_.memory_bytes <= 6e6
    assert np.mean((model.predict(X) - y) ** 2) < 0.02
    with pytest.raises(MemoryError, match="raise memory, or let solver='auto'"):
        KernelRidge(Gaussian(1.0), 1e-4, memory=6e6, solver="exact").fit(X, y)


def test_above_the_eigenvector_limit_lam_comes_from_an_approximation_that_is_named():
    X, y = smooth(n=3200)
    model = KernelRidge(Gaussian(1.0), n_landmarks=150).fit(X, y)
    assert model.solution_.facts["method"] == "conjugate gradients"
    assert model.selection_.chosen_by.startswith("exact leave-one-out of a rank-")
    assert np.mean((model.predict(X) - np.sin(2 * X[:, 0]) - 0.5 * X[:, 1] ** 2) ** 2) < 1e-3


def test_a_million_points_are_planned_or_refused_before_any_kernel_value_is_computed(monkeypatch):
    monkeypatch.setattr(Gaussian, "pairs", lambda *_: pytest.fail("a kernel value was asked for"))
    plan = KernelRidge(memory=8e9).plan(1_000_000, 10)
    assert plan.solver == "nystroem"
    assert plan.memory_bytes < 8e9
    with pytest.raises(MemoryError):
        KernelRidge(solver="exact", memory=8e9).plan(1_000_000, 10)
    X = np.arange(1_000_000.0)[:, None]
    with pytest.raises(MemoryError):
        KernelRidge(Gaussian(1.0), 1.0, solver="exact", memory=8e9).fit(X, X[:, 0])


def test_sparse_rows_are_taken_where_the_kernel_takes_them():
    X, y = smooth(d=6)
    X[np.abs(X) < 1.2] = 0.0
    for kernel in (Linear(), Polynomial(degree=2, constant=1.0)):
        dense = KernelRidge(kernel, 0.1).fit(X, y)
        thin = KernelRidge(kernel, 0.1).fit(sparse.csr_array(X), y)
        np.testing.assert_allclose(thin.predict(sparse.csr_array(X)), dense.predict(X), atol=1e-9)


def test_integer_weights_are_repeated_rows():
    X, y = smooth(n=40)
    weight = np.random.default_rng(1).integers(0, 4, 40)
    for fit_intercept in (False, True):
        weighted = KernelRidge(Gaussian(1.0), fit_intercept=fit_intercept).fit(X, y, sample_weight=weight)
        repeated = KernelRidge(Gaussian(1.0), fit_intercept=fit_intercept).fit(X.repeat(weight, 0), y.repeat(weight))
        np.testing.assert_allclose(weighted.criterion_path_, repeated.criterion_path_, rtol=1e-5)
        assert weighted.lam_ == pytest.approx(repeated.lam_, rel=1e-9)
        np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)


@pytest.mark.parametrize("bandwidth", [1e-8, 1e8])
def test_extreme_bandwidths_give_their_limits(bandwidth):
    """Tiny: every point by itself.  Huge: a constant, which the penalty shrinks.  Catalogue E-054."""
    X, y = smooth(n=30)
    model = KernelRidge(Gaussian(bandwidth), 0.1, fit_intercept=False).fit(X, y)
    expected = y / (1 + 3.0) if bandwidth < 1 else np.full(30, y.sum() / (30 + 3.0))
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-6)


def test_hard_inputs_get_a_right_answer_or_a_reason():
    one = KernelRidge(Gaussian(1.0), 0.5, fit_intercept=False).fit([[1.0]], [3.0])
    assert one.predict([[1.0]])[0] == pytest.approx(3.0 / 1.5)
    with pytest.raises(ValueError, match="one sample"):
        KernelRidge(Gaussian(1.0)).fit([[1.0]], [3.0])
    with pytest.raises(ValueError, match="all rows are equal"):
        KernelRidge().fit(np.ones((5, 2)), np.arange(5.0))
    same = KernelRidge(Gaussian(1.0), 0.1, fit_intercept=False).fit(np.ones((5, 2)), np.arange(5.0))
    assert same.predict([[1.0, 1.0]])[0] == pytest.approx(10.0 / 5.5)
    with pytest.raises(ValueError, match="bandwidth must be finite and > 0"):
        Gaussian(0.0)
    with pytest.raises(ValueError, match=r"numbers >= 0"):
        KernelRidge(Min(), 0.1).fit([[-1.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="lam must be >= 0"):
        KernelRidge(lam=-1.0).fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="kernel must be a Kernel such as"):
        KernelRidge(3).fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="solver must be"):
        KernelRidge(solver="magic").fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="memory must be"):
        KernelRidge(memory=-1).fit([[0.0], [1.0]], [0.0, 1.0])


def test_targets_of_any_size_keep_their_digits():
    X, y = smooth(n=50)
    base = KernelRidge(Gaussian(1.0)).fit(X, y)
    for size in (1e-300, 1e-150, 1e150, 1e300):
        model = KernelRidge(Gaussian(1.0)).fit(X, size * y)
        assert model.lam_ == pytest.approx(base.lam_, rel=1e-12)
        np.testing.assert_allclose(model.predict(X) / size, base.predict(X), rtol=1e-9)


def test_bandwidths_can_be_searched_pickled_and_cloned():
    X, y = smooth(n=60)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KernelRidge(Gaussian(1.0))), {"kernelridge__kernel__bandwidth": [0.05, 1.0]}
    ).fit(X, y)
    assert search.best_params_ == {"kernelridge__kernel__bandwidth": 1.0}
    model = KernelRidge(Gaussian("median") + 0.1 * Linear()).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(model).kernel == model.kernel


def test_the_plan_is_the_route_that_runs():
    X, y = smooth(n=50)
    model = KernelRidge(Gaussian(1.0), 0.1)
    assert model.plan(50, 2).solver == "cholesky" == model.fit(X, y).solution_.facts["method"]
    assert model.plan_.memory_bytes == model.plan(50, 2).memory_bytes == 32 * 50**2


def test_the_plan_foresees_the_memory_of_a_fit():
    """With an intercept: the matrix, its centred copy, the factor and the fold of a choice."""
    X, y = smooth(n=900)
    model = KernelRidge(Gaussian(1.0), 0.1, fit_intercept=True).fit(X[:50], y[:50])
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.9 * peak <= model.plan(900, 2).memory_bytes == 32 * 900**2 <= 1.1 * peak


@pytest.mark.parametrize("scale", [1e-250, 0.5, 1.0, 1.5, 100.0, 1e250])
def test_the_scale_of_the_weights_changes_nothing(scale):
    """The objective is a weighted mean; a flexible kernel must not remember the copies of a left-out row."""
    X, y = smooth(n=60)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, 60)
    base = KernelRidge(Gaussian(1.0), fit_intercept=True).fit(X, y, sample_weight=weight)
    model = KernelRidge(Gaussian(1.0), fit_intercept=True).fit(X, y, sample_weight=scale * weight)
    assert model.lam_ == pytest.approx(base.lam_, rel=1e-9)
    np.testing.assert_allclose(model.predict(X), base.predict(X), atol=1e-9)
    assert base.lam_ > 10 * base.lam_path_[0]


def test_leave_one_out_leaves_a_point_out_with_all_its_copies():
    """Catalogue T-76: the curve of repeated rows is that of refits without the whole point."""
    X, y = smooth(n=15)
    rows = np.r_[np.arange(15), 3, 3, 7]
    noisy = y[rows] + 0.1 * np.random.default_rng(0).standard_normal(18)
    model = KernelRidge(Gaussian(1.0), lams=[0.01, 0.1]).fit(X[rows], noisy)
    for lam, found in zip([0.01, 0.1], model.criterion_path_, strict=True):
        squares = []
        for point in range(15):
            rest = rows != point
            refit = KernelRidge(Gaussian(1.0), lam * 18 / rest.sum()).fit(X[rows][rest], noisy[rest])
            squares.extend((noisy[~rest] - refit.predict(X[[point]])[0]) ** 2)
        assert found == pytest.approx(np.mean(squares), rel=1e-9)


def test_the_objective_of_repeated_rows_counts_what_no_function_can_fit():
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([1.0, 3.0, 0.0])
    model = KernelRidge(Gaussian(1.0), 0.1, fit_intercept=False).fit(X, y)
    assert len(model.dual_coef_) == 3
    K, a = Gaussian(1.0).gram(X), model.dual_coef_
    assert model.solution_.objective == pytest.approx(np.mean((y - K @ a) ** 2) + 0.1 * a @ K @ a, rel=1e-12)


@pytest.mark.parametrize("method", ["nystroem", "partial cholesky"])
def test_a_low_rank_fit_claims_no_gap_of_the_whole_problem(method):
    X, y = smooth(n=200)
    model = KernelRidge(Gaussian(0.3), 1e-4, solver=method, n_landmarks=20).fit(X, y)
    assert model.solution_.status is Status.LOW_RANK
    assert model.solution_.gap == np.inf
    assert model.solution_.facts["gap_of_approximation"] < 1e-10


@pytest.mark.compiled  # the twins of tiles hold some of them in double precision on their way
def test_the_memory_is_kept():
    """Peaks beside the data, as the plan says they would be."""
    X, y = smooth(n=6000)
    for memory, method in ((60e6, "auto"), (30e6, "auto"), (150e6, "exact")):
        model = KernelRidge(Gaussian(1.0), 1e-4, memory=memory, solver=method)
        tracemalloc.start()
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert model.plan_.memory_bytes <= memory
        assert peak <= memory
    with pytest.raises(MemoryError, match="leave room for"):
        KernelRidge(memory=1e5).fit(X, y)


def test_an_exact_fit_that_rounding_defeats_goes_low_rank_when_it_may():
    X, y = smooth(n=3000, d=4)
    model = KernelRidge(Gaussian(1.0), 1e-10, memory=60e6, n_landmarks=200).fit(X, y)
    assert model.solution_.status is Status.LOW_RANK
    assert "lam is very small" in model.plan_.reason
    assert np.mean((model.predict(X) - y) ** 2) < np.var(y)
    with pytest.warns(ConvergenceWarning, match="lam is very small"):
        stuck = KernelRidge(Gaussian(1.0), 1e-10, memory=60e6, solver="exact").fit(X, y)
    assert stuck.solution_.facts["relative_residual"] <= 1.0


class Sealed(KernelRidge):
    """A `KernelRidge` whose parameters cannot be written once it is made."""

    def __setattr__(self, name, value):
        assert not hasattr(self, name) or name not in self.get_params(), f"fit writes the parameter {name}"
        super().__setattr__(name, value)


@pytest.mark.parametrize("given", [{"lam": 1e-10}, {"lams": [1e-10]}])
def test_going_low_rank_writes_no_parameter_and_keeps_how_lam_was_chosen(given):
    X, y = smooth(n=3001, d=4)
    model = Sealed(Gaussian(1.0), **given, memory=60e6, n_landmarks=200).fit(X, y)
    assert "stopped at a relative residual" in model.plan_.reason
    assert model.lam_ == 1e-10
    assert len(model.points_) == len(model.dual_coef_) == model.solution_.facts["rank"] <= 200
    assert model.selection_ is None if "lam" in given else "rank-200 approximation" in model.selection_.chosen_by


def test_a_function_with_a_negative_diagonal_is_refused():
    with pytest.raises(ValueError, match="is no kernel"):
        KernelRidge(FromFunction(negative), 0.1).fit([[0.0], [1.0]], [0.0, 1.0])


def negative(X, Z):
    return -Gaussian(1.0).block(X, Z)


@pytest.mark.parametrize(("n", "d"), [(0, 1), (-1, 2), (1.5, 2), (10, 0)])
def test_plans_are_for_shapes_that_exist(n, d):
    with pytest.raises(ValueError, match="whole numbers >= 1"):
        KernelRidge().plan(n, d)


def test_a_kernel_that_bends_too_little_is_named_where_the_least_lam_was_chosen():
    x = np.sort(np.random.default_rng(0).uniform(0, 24, size=(60, 1)), axis=0)
    wave = np.sin(x[:, 0]) + np.random.default_rng(1).normal(scale=0.1, size=60)
    with pytest.warns(ChoiceWarning, match="smallest lam .* Gaussian with a smaller bandwidth"):
        KernelRidge(Gaussian(5.0), lams=[1e-4, 0.1, 10.0]).fit(x, wave)
