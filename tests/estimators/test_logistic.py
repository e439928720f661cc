"""`LogisticRegression`: labels of any kind, weights, costs, lam, separation, refusals.  A-29, A-30, A-31, T-79."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from surefit import ERM, LogisticRegression, SeparationWarning
from surefit.features import Polynomial
from surefit.objective import Logistic, SquaredL2
from surefit.solvers.logistic.problem import LogisticProblem
from surefit.solvers.logistic.solve import solve_logistic
from surefit.solvers.solution import Status
from surefit.theory.risk.prior import gaussian_prior_lam, laplace_prior_lam

X4, Y4 = np.array([[0.0]] * 4 + [[1.0]] * 4), np.array([1, 0, 0, 0, 1, 1, 1, 0])
IRIS = load_iris()
CANCER = load_breast_cancer()


def overlapping(k=3, n=120, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.argmax(X @ rng.standard_normal((d, k)) + rng.gumbel(size=(n, k)), axis=1)


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1], [-1, 1], [False, True], [2.0, 7.0]])
def test_two_labels_of_any_kind(labels):
    y = np.array(labels)[Y4]
    model = LogisticRegression(lam=0.05).fit(X4, y)
    assert model.classes_.tolist() == labels
    np.testing.assert_allclose([model.intercept_[0], model.coef_[0, 0]], [-0.38643779, 0.77287560], atol=5.1e-9)
    assert model.predict([[0.0], [1.0]]).tolist() == labels
    assert model.gap_ <= 1e-14


def test_three_labels_as_strings_and_the_shapes_of_scikit_learn():
    y = IRIS.target_names[IRIS.target]
    model = LogisticRegression(lam=0.01).fit(IRIS.data, y)
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == (3,)
    assert model.decision_function(IRIS.data).shape == (150, 3)
    assert set(model.predict(IRIS.data)) == set(IRIS.target_names)
    assert model.score(IRIS.data, y) > 0.95


def mean_gradient(model, X, y):
    """Gradient of ``mean(log-loss) + lam * ||W||**2`` at the published answer, all classes at once."""
    residual = model.predict_proba(X) - (np.asarray(y)[:, None] == model.classes_)
    return np.append(residual.T @ X / len(X) + 2 * model.lam_ * model.coef_, residual.mean(axis=0))


@pytest.mark.parametrize("lam", [0, 1e-6, 1e-3])
def test_the_multinomial_gradient_vanishes_with_default_settings(lam):
    """Catalogue A-30: the classes are fitted together, so all of the softmax gradient is zero, and to 1e-8."""
    X, y = overlapping(4, 5000, 20)
    model = LogisticRegression(lam).fit(X, y)
    assert np.linalg.norm(mean_gradient(model, X, y)) < 1e-8


@pytest.mark.parametrize("settings", [{}, {"solver": "newton"}, {"solver": "lbfgs", "tol": 2e-18}])
def test_the_multinomial_gradient_vanishes_on_digits(settings):
    """Catalogue A-30: 650 parameters of ten classes, by the exact Hessian or with a tolerance that asks for it."""
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(1e-3, **settings).fit(X, y)
    assert np.linalg.norm(mean_gradient(model, X, y)) < 1e-8
    assert model.solution_.status is Status.CONVERGED


@pytest.mark.parametrize("data", [CANCER, IRIS])
@pytest.mark.parametrize("lam", [1e-3, 0.1])
def test_the_fit_is_scikit_learns_at_the_same_penalty(data, lam):
    X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    ours = LogisticRegression(lam).fit(X, data.target)
    theirs = Theirs(C=1 / (2 * len(X) * lam), tol=1e-10, max_iter=10_000, solver="newton-cholesky").fit(X, data.target)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_the_same_fit_through_erm():
    model = LogisticRegression(0.05).fit(X4, Y4)
    erm = ERM(Logistic(), SquaredL2(), lam=0.05).fit(X4, 2 * Y4 - 1)
    np.testing.assert_allclose(model.coef_[0], erm.coef_, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X4)[:, 1], erm.predict(X4), atol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_sum_to_one_and_their_logarithms_agree(k):
    X, y = overlapping(k)
    model = LogisticRegression(0.01).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(p), rtol=1e-12)
    far = model.predict_log_proba(1e4 * X)
    assert np.all(np.isfinite(far))


@pytest.mark.parametrize("k", [2, 3])
def test_with_an_intercept_mean_probabilities_are_the_class_frequencies(k):
    X, y = overlapping(k)
    for lam in (0.0, 0.05):
        p = LogisticRegression(lam).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(p.mean(axis=0), np.bincount(y) / len(y), atol=1e-10)


def test_the_boundary_is_where_the_score_is_zero():
    X, y = overlapping(2)
    model = LogisticRegression(0.01).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    points = X - np.outer((X @ w + b) / (w @ w), w)
    np.testing.assert_allclose(model.predict_proba(points)[:, 1], 0.5, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))


def test_a_score_of_exactly_zero_goes_to_the_first_class():
    model = LogisticRegression(0.05).fit([[-1.0], [1.0]], [0, 1])
    model.intercept_[:] = 0.0
    assert model.predict([[0.0]]).tolist() == [0]
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[0.5, 0.5]])


def test_costs_move_the_threshold():
    X, y = overlapping(2)
    plain = LogisticRegression(0.01).fit(X, y)
    p = plain.predict_proba(X)[:, 1]
    careful = LogisticRegression(0.01, costs=[[0, 0.2], [0.8, 0]]).fit(X, y)
    np.testing.assert_array_equal(careful.predict(X), (p > 0.2).astype(int))
    with pytest.raises(ValueError, match=r"costs must be a finite \(2, 2\) table"):
        LogisticRegression(0.01, costs=[1, 2]).fit(X, y)


def test_quadratic_features_separate_a_circle():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    y = (X**2).sum(axis=1) < 0.5
    flat = LogisticRegression(1e-4).fit(X, y)
    round_ = make_pipeline(Polynomial(2), LogisticRegression(1e-4)).fit(X, y)
    assert flat.score(X, y) < 0.8
    assert round_.score(X, y) > 0.97


def test_map_with_a_prior_is_the_penalised_fit():
    X, y = overlapping(2)
    n, lam = len(y), gaussian_prior_lam(0.5, len(y))
    model = LogisticRegression(lam).fit(X, y)
    w = model.coef_[0]
    score = X.T @ (y - model.predict_proba(X)[:, 1])  # gradient of the log-likelihood
    np.testing.assert_allclose(score, w / 0.5, atol=1e-9)  # that of ||w||**2 / (2 * variance)
    sparse_fit = LogisticRegression(laplace_prior_lam(2e-3, n), l1_ratio=1.0).fit(X, y)
    active = sparse_fit.coef_[0] != 0
    score = X.T @ (y - sparse_fit.predict_proba(X)[:, 1])
    np.testing.assert_allclose(np.abs(score[active]), np.sqrt(2 / 2e-3), rtol=1e-6)


def test_weights_are_copies_and_class_weights_multiply_them():
    X, y = overlapping(3)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = LogisticRegression(0.02).fit(X, y, sample_weight=weight)
    repeated = LogisticRegression(0.02).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-10)
    factors = {0: 2.0, 1: 0.5, 2: 1.0}
    by_class = LogisticRegression(0.02, class_weight=factors).fit(X, y)
    by_row = LogisticRegression(0.02).fit(X, y, sample_weight=[factors[c] for c in y])
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, atol=1e-12)
    balanced = LogisticRegression(0.02, class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.predict_proba(X)[:, 0] @ (1 / np.bincount(y))[y] / 3, 1 / 3, atol=1e-9)


def test_a_class_whose_rows_weigh_nothing_is_not_learned():
    X, y = overlapping(3)
    model = LogisticRegression(0.02).fit(X, y, sample_weight=(y != 2).astype(float))
    two = LogisticRegression(0.02).fit(X[y != 2], y[y != 2])
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_allclose(model.coef_, two.coef_, atol=1e-12)
    assert set(model.predict(X)) <= {0, 1}
    assert 0 < model.score(X, y) < 1  # rows of an unseen class are simply wrong


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        LogisticRegression().fit([[0.0], [1.0]], ["a", "a"])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_columns_of_zeros_give_the_class_frequencies(k, l1_ratio):
    y = np.arange(12) % k
    y[0] = 1
    for lam in (None, 0.0, 0.1):
        model = LogisticRegression(lam, l1_ratio=l1_ratio).fit(np.zeros((12, 2)), y)
        assert not np.any(model.coef_)
        np.testing.assert_allclose(model.predict_proba(np.zeros((1, 2)))[0], np.bincount(y) / 12, atol=1e-12)


def test_separated_classes_without_a_penalty_are_named_once_and_have_no_summary():
    X = np.column_stack([np.arange(6.0), np.ones(6)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LogisticRegression(lam=0).fit(pd.DataFrame(X, columns=["dose", "one"]), [0, 0, 0, 1, 1, 1])
    assert [w.category for w in caught] == [SeparationWarning]
    assert "separated by a combination of 'dose'" in str(caught[0].message)
    assert model.separation_.kind == "separable"
    assert np.all(np.isfinite(model.coef_))
    assert model.predict(pd.DataFrame(X, columns=["dose", "one"])).tolist() == [0, 0, 0, 1, 1, 1]
    with pytest.raises(ValueError, match="no maximum"):
        model.inference()
    assert "so it has no maximum" in " ".join(str(model.summary()).split())


def test_the_column_that_separates_is_named_whatever_its_unit():
    frame = pd.DataFrame(
        {"rate": [0.004, 0.002, 0.003, 0.004, 0.002, 0.003], "revenue": [1e6, 2e6, 3e6, 7e6, 8e6, 9e6]}
    )
    with pytest.warns(SeparationWarning, match="separated by a combination of 'revenue'"):
        LogisticRegression(lam=0).fit(frame, [0, 0, 0, 1, 1, 1])


def test_breast_cancer_is_separated_by_its_thirty_columns():
    with pytest.warns(SeparationWarning, match="use lam > 0"):
        model = LogisticRegression(lam=0).fit(CANCER.data, CANCER.target)
    direction = CANCER.data @ model.separation_.coef[0] + model.separation_.intercept[0]
    assert np.all((2 * CANCER.target - 1) * direction > 0)


@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]])
def test_the_direction_of_a_separation_has_the_shapes_of_the_coefficients(labels):
    X = np.column_stack([np.arange(6.0) ** 2, np.arange(6.0), np.ones(6)])
    with pytest.warns(SeparationWarning):
        model = LogisticRegression(lam=0).fit(X, labels)
    separation = model.separation_
    assert separation.coef.shape == model.coef_.shape
    assert separation.intercept.shape == model.intercept_.shape
    scores = X @ separation.coef.T + separation.intercept
    answers = (scores[:, 0] > 0).astype(int) if len(model.classes_) == 2 else scores.argmax(axis=1)
    assert answers.tolist() == labels


@pytest.mark.parametrize("settings", [{"lam": 0}, {"lam": 0.1}, {"lam": 0.1, "class_weight": "balanced"}])
def test_a_stored_model_has_its_summary_but_not_its_rows(settings):
    fitted = LogisticRegression(**settings).fit(X4, Y4)
    model = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(fitted))))
    assert model.predict([[1.0]]).tolist() == [1]
    assert str(model.summary(level=0.9)) == str(fitted.summary(level=0.9))
    asked = {"covariance": "robust", "level": 0.8}
    np.testing.assert_allclose(model.inference(**asked).lower, fitted.inference(**asked).lower, rtol=1e-12)
    with pytest.raises(ValueError, match="training data do not travel"):
        model.logistic_fit()
    with pytest.raises(ValueError, match="covariance must be one of"):
        model.summary(covariance="HC3")


def test_a_stored_model_refuses_what_it_refused_before():
    model = pickle.loads(pickle.dumps(LogisticRegression(0.1, l1_ratio=1.0).fit(X4, Y4)))
    with pytest.raises(ValueError, match="chose its coefficients by looking at these data"):
        model.inference()
    assert "by looking at these data" in re.sub(r"\s+", " ", str(model.summary()))


def test_an_unfinished_fit_warns_and_has_no_summary():
    with pytest.warns(UserWarning, match="iteration limit"):
        model = LogisticRegression(0, max_iter=2).fit(X4, Y4)
    with pytest.raises(ValueError, match="maximum of the likelihood"):
        model.inference()


def test_sparse_and_dense_agree_and_float32_stays():
    X, y = overlapping(3)
    dense = LogisticRegression(0.01).fit(X, y)
    thin = LogisticRegression(0.01).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, thin.coef_, atol=1e-9)
    single = LogisticRegression(0.01).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == single.predict_proba(X.astype(np.float32)).dtype == np.float32


def test_what_the_lecture_calls_gradient_ascent_and_sgd_can_be_watched():
    for solver in ("gradient", "stochastic"):
        model = LogisticRegression(0.05, solver=solver).fit(X4, Y4)
        assert len(model.solution_.history["objective"]) > 1
        assert model.solution_.objective <= 0.693148


def test_explain_names_the_solver_the_reason_and_the_end():
    text = LogisticRegression(0.05).fit(X4, Y4).explain()
    assert text.startswith("newton: few parameters")
    assert "converged" in text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lam": -1.0}, "lam must be >= 0, got -1.0"),
        ({"lam": np.nan}, "lam must be >= 0, got nan"),
        ({"l1_ratio": 2.0}, r"l1_ratio must be in \[0, 1\], got 2.0; use 0 for squares"),
        ({"criterion": "aic"}, "criterion must be one of 'cv', 'approximate_loo'"),
        ({"select": "max"}, "select must be one of"),
        ({"select": "one_se", "criterion": "approximate_loo"}, "needs a criterion with a standard error"),
        ({"tol": 0.0}, "tol must be finite and > 0, got 0.0; 1e-10 is a good value"),
        ({"solver": "simplex"}, "solver must be one of"),
        ({"class_weight": "even"}, "class_weight must be None, 'balanced' or a dict"),
        ({"class_weight": {0: 0.0}}, "class weights must be finite and > 0"),
        ({"lams": [-1.0]}, "lams must be a list of finite numbers >= 0"),
        ({"cv": 1}, "cv must be at least 2 folds"),
        ({"lam": 0.1, "l1_ratio": 0.5, "solver": "newton"}, "needs a smooth penalty"),
    ],
)
def test_bad_settings_are_refused_with_a_remedy(settings, message):
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**settings).fit(X4, Y4)


def test_large_dense_designs_are_solved_where_they_lie_and_wild_ones_are_not():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 120))
    codes = (X[:, 0] + rng.logistic(size=30_000) > 0).astype(int)
    tame = solve_logistic(LogisticProblem.of(X, codes, 1e-5))
    assert tame.facts["method"] == "lbfgs"
    X[:, 3] = 1e9 + 1e-2 * X[:, 3]
    wild = solve_logistic(LogisticProblem.of(X, codes, 1e-5), "newton")
    assert wild.facts["gradient_norm"] < 1e-8
    assert wild.objective == pytest.approx(tame.objective, abs=1e-3)


def test_a_class_with_one_row_is_never_held_out():
    X, y = overlapping(2)
    y = y.copy()
    y[0] = 5
    model = LogisticRegression(lams=[0.1, 0.01]).fit(X, y)
    assert np.all(np.isfinite(model.criterion_path_))
    with pytest.raises(ValueError, match="no row of some class"):
        LogisticRegression(lams=[0.1, 0.01], cv=KFold(5)).fit(X, y)


def test_the_limit_of_iterations_is_kept_by_solvers_known_by_name():
    rng = np.random.default_rng(2)
    X = np.cumsum(rng.standard_normal((60, 4)), 1)
    y = (X[:, 0] + rng.standard_normal(60) > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for solver in ("gradient", "stochastic"):
            model = LogisticRegression(lam=1e-5, solver=solver, max_iter=20).fit(X, y)
            assert model.solution_.n_iter <= 21


def test_columns_whose_squares_vanish_are_refused():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((80, 3))
    y = (Z[:, 0] + rng.standard_normal(80) > 0).astype(int)
    reasons = {0.01: "its squares vanish", None: "squares of them leave the range of floating point numbers"}
    for lam, reason in reasons.items():  # without a warning of NumPy's
        with pytest.raises(ValueError, match=f"{reason}; rescale the columns"):
            LogisticRegression(lam=lam).fit(Z * 1e-200, y)


def test_class_weights_for_no_class_are_refused():
    with pytest.raises(ValueError, match="none of them a class of y"):
        LogisticRegression(lam=0.01, class_weight={"1": 50}).fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize("k", [2, 4])
def test_many_rows_leave_no_gradient_by_default(k):
    """Mean-scale gradient norm below 1e-8, through the iteration for large problems.  Catalogue A-29, A-30."""
    rng = np.random.default_rng(k)
    X = rng.standard_normal((2000, 20))
    y = np.argmax(X @ rng.standard_normal((20, k)) + rng.gumbel(size=(2000, k)), axis=1)
    model = LogisticRegression(lam=1e-3, solver="lbfgs").fit(X, y)
    assert model.solution_.facts["gradient_norm"] <= 1e-8
    exact = LogisticRegression(lam=1e-3, solver="newton").fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-6)


def test_columns_whose_means_hide_the_way_down_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = X[:, 0] + rng.normal(size=30) > 0
    with pytest.warns(ConvergenceWarning, match="rounding hides the way down; use fit_intercept=True"):
        model = LogisticRegression(lam=0.01, fit_intercept=False).fit(X + 1e8, y)
    assert model.solution_.status is Status.ROUNDING
    assert LogisticRegression(lam=0.01).fit(X + 1e8, y).gap_ < 1e-8
