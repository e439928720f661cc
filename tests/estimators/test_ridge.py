import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge as ScikitRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surefit import LeastSquares, RankDeficientWarning, Ridge

X1, Y1 = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])


def test_fixtures_one_and_two():
    """Catalogue FX1, FX2, A-09, A-10, D-03."""
    one = Ridge(lam=1.25).fit(X1, Y1)
    np.testing.assert_allclose((one.coef_[0], one.intercept_), (0.55, 1.925), rtol=1e-14)
    np.testing.assert_allclose(Ridge(lam=0.25, fit_intercept=False).fit(X1, Y1).coef_, 22 / 15, rtol=1e-15)
    two = Ridge(lam=0.1).fit(X2, Y2)
    np.testing.assert_allclose(two.coef_, [0.70202832, 0.87208583, 1.65852452], atol=5e-9)
    np.testing.assert_allclose(two.solution_.objective, 0.530950467, atol=5e-10)


@pytest.mark.parametrize(
    ("X", "y", "radius", "sum_lam", "coef"),
    [
        (X1, Y1, 0.55, 5.0, [0.55]),
        (X2, Y2, 1.0, 6.481741425, [0.310582484, 0.495685355, 0.811070003]),
        (X2, Y2, 3.0, 0.0, [0.80314961, 0.93963255, 1.86089239]),
    ],
)
def test_the_constrained_form_and_its_multiplier(X, y, radius, sum_lam, coef):
    """Catalogue A-11, T-22."""
    model = Ridge(radius=radius).fit(X, y)
    np.testing.assert_allclose(len(y) * model.lam_, sum_lam, atol=5e-10)
    np.testing.assert_allclose(model.coef_, coef, atol=5e-9)


@pytest.mark.parametrize(("n", "d"), [(60, 5), (5, 60)])
def test_the_same_as_scikit_learn_with_alpha_n_lam(n, d):
    """Catalogue A-09, conversion table."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(n, d)), rng.normal(size=n), rng.random(n) + 0.5
    ours = Ridge(lam=0.3).fit(X, y, sample_weight=weight)
    theirs = ScikitRidge(alpha=weight.sum() * 0.3).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)


def test_lam_none_is_chosen_by_exact_leave_one_out():
    """Catalogue T-76, S-04: same argmin and curve as RidgeCV, which keeps n * lam fixed too."""
    X, y = load_diabetes(return_X_y=True)
    lams = np.logspace(-6, 1, 30)
    ours = Ridge(lams=lams).fit(X, y)
    theirs = RidgeCV(alphas=len(y) * lams, store_cv_results=True).fit(X, y)
    assert len(y) * ours.lam_ == pytest.approx(theirs.alpha_)
    np.testing.assert_allclose(ours.criterion_path_, theirs.cv_results_.mean(axis=0), rtol=1e-9)
    assert ours.lam_path_.shape == ours.criterion_path_.shape == ours.dof_path_.shape == (30,)
    assert ours.path_.coefs.shape == (30, 10)
    k = int(np.argmin(ours.criterion_path_))
    np.testing.assert_allclose(ours.path_.coefs[k], ours.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.path_.intercepts[k], ours.intercept_, rtol=1e-10)


def test_the_default_grid_reaches_from_least_squares_to_nothing():
    X, y = load_diabetes(return_X_y=True)
    model = Ridge().fit(X, y)
    assert len(model.lam_path_) == 100
    np.testing.assert_allclose(model.path_.coefs[0], LeastSquares().fit(X, y).coef_, rtol=0.01)
    assert np.linalg.norm(model.path_.coefs[-1]) < 0.1 * np.linalg.norm(model.path_.coefs[0])
    assert model.lam_path_[0] < model.lam_ < model.lam_path_[-1]
    assert model.dof_path_[0] == pytest.approx(11, abs=0.05)
    assert model.dof_path_[-1] < 2


def test_several_targets_share_one_lam():
    """Catalogue A-06."""
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(40, 6)), rng.normal(size=(40, 3))
    model = Ridge(lams=[0.1, 1.0]).fit(X, Y)
    assert model.coef_.shape == (3, 6)
    assert model.path_.coefs.shape == (2, 3, 6)
    np.testing.assert_allclose(model.path_.coefs[model.lam_path_.tolist().index(model.lam_)], model.coef_, rtol=1e-9)


def test_wide_designs_never_form_a_square_of_the_columns(monkeypatch):
    """500 x 20,000 in small: half of the memory of d x d numbers is never reached."""
    from surefit.data.centred import Centred

    def forbidden(self):
        raise AssertionError("a d x d matrix was formed")

    monkeypatch.setattr(Centred, "gram", forbidden)
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 2000)), rng.normal(size=40)
    for model in (Ridge(lam=0.1), Ridge(), Ridge(radius=0.01), LeastSquares()):
        tracemalloc.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankDeficientWarning)
            coef = model.fit(X, y).coef_
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert np.all(np.isfinite(coef))
        assert peak < 2000 * 2000 * 8 / 2


def test_lives_in_a_pipeline_and_a_grid_search():
    X, y = load_diabetes(return_X_y=True)
    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__lam": [0.01, 0.1, None]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.4


def test_sparse_and_dense_agree_with_intercept():
    """Catalogue A-05: no densifying of the sense, only of small data."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8)) * (rng.random((60, 8)) < 0.3)
    y = X @ rng.normal(size=8) + 5.0 + rng.normal(size=60)
    np.testing.assert_allclose(Ridge().fit(sparse.csr_matrix(X), y).coef_, Ridge().fit(X, y).coef_, rtol=1e-9)


def test_the_summary_has_lam_the_score_and_standard_errors_of_the_shrunken_target():
    X, y = np.random.default_rng(7).normal(size=(2, 30, 3))
    model = Ridge(lam=0.1).fit(X, y[:, 0])
    summary = model.summary()
    text = " ".join(str(summary).split())
    assert "lam 0.1, given" in text
    assert f"R2 on training rows {model.score(X, y[:, 0]):.6f}" in text
    assert "not of the true coefficients" in text
    np.testing.assert_array_equal(summary.to_frame()["std_error"], model.inference().standard_error)
    chosen = " ".join(str(Ridge().fit(X, y[:, 0]).summary()).split())
    assert "Chosen by exact leave-one-out" in chosen
    assert "Leave-one-out MSE" in chosen
    several = Ridge(lam=0.1).fit(X, y[:, :2]).summary()
    assert "No standard errors: y had 2 columns" in " ".join(str(several).split())
    assert len(several.to_frame()) == 8
    with pytest.raises(NotFittedError):
        Ridge().summary()


def test_refitting_forgets_the_grid_of_the_fit_before():
    model = Ridge().fit(X2, Y2)
    model.set_params(lam=0.1).fit(X2, Y2)
    assert not hasattr(model, "criterion_path_")


def test_a_stored_model_is_small_and_predicts():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(3000, 2)), rng.normal(size=3000)
    model = Ridge().fit(X, y)
    stored = pickle.dumps(model)
    assert len(stored) < 20_000
    again = pickle.loads(stored)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for covariance in ("classical", "HC3"):
        asked = {"covariance": covariance, "level": 0.9}
        assert str(again.inference(**asked)) == str(model.inference(**asked))
    with pytest.raises(ValueError, match="covariance must be one of"):
        again.inference(covariance="HC9")
    two = pickle.loads(pickle.dumps(Ridge(0.1).fit(X, np.column_stack([y, y]))))
    with pytest.raises(ValueError, match="y had 2 columns"):
        two.inference()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"lam": -1.0}, "lam must be a finite number >= 0, got -1.0; use lam=0 for plain least squares"),
        ({"lam": np.nan}, "lam must be a finite number"),
        ({"lam": [1.0]}, "lam must be a finite number"),
        ({"lams": [0.1, -0.1]}, "lams must be a list of finite numbers >= 0"),
        ({"lams": []}, "lams must be"),
        ({"radius": 0.0}, "radius must be a number > 0"),
        ({"radius": "a"}, "radius must be a number > 0"),
        ({"lams": "abc"}, "leave it None for a default grid"),
        ({"lam": True}, "lam must be a finite number"),
        ({"lam": 1e308}, "overflows"),
        ({"lam": 1.0, "radius": 1.0}, "not both"),
    ],
)
def test_bad_settings_say_what_to_do(settings, reason):
    with pytest.raises(ValueError, match=reason):
        Ridge(**settings).fit(X2, Y2)


def test_leave_one_out_undefined_everywhere_is_said():
    with pytest.raises(ValueError, match="undefined for every lam"):
        Ridge(lams=[0.0]).fit(X2[:2], Y2[:2])


@pytest.mark.parametrize("constant", [1.0, 3.0, 0.1, 1e6, -1e-9])
@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize(
    "asked",
    [{}, {"criterion": "cv"}, {"lam": 0.1}, {"lam": 1e-30}, {"lams": [0.0, 1e-3, 1.0]}, {"radius": 1.0}],
    ids=str,
)
@pytest.mark.parametrize("rounded", [False, True])
def test_constant_columns_have_no_coefficient_beside_an_intercept(constant, standardise, asked, rounded):
    """Rounding that centring left of them passed for the spectrum: coefficients of 1e38 at a lam of 4e-59."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(60, 2)), 5 + rng.normal(size=60), rng.uniform(0.5, 3, 60)
    same = np.full((60, 70), constant)
    if rounded:
        same[::3] *= 1 + 2.3e-16
    for columns in (same[:, :1], same[:, :2], same, sparse.csr_array(same[:, :2]) if not rounded else same[:, :3]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", RankDeficientWarning)
            model = Ridge(standardise=standardise, **asked).fit(columns, y, weight)
        np.testing.assert_array_equal(model.coef_, 0.0)
        np.testing.assert_allclose(model.intercept_, np.average(y, weights=weight), rtol=1e-15)
        assert model.lam_ in (asked.get("lam", 1.0), 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        beside = Ridge(standardise=standardise, **asked).fit(np.column_stack([X, same[:, :2]]), y, weight)
        alone = Ridge(standardise=standardise, **asked).fit(X, y, weight)
    np.testing.assert_array_equal(beside.coef_[2:], 0.0)
    if "criterion" in asked:  # folds are dealt by hashes of whole rows
        return
    np.testing.assert_allclose(beside.coef_[:2], alone.coef_, rtol=1e-10)
    np.testing.assert_allclose(beside.lam_, alone.lam_, rtol=1e-10)


def test_a_constant_among_many_rows_has_no_coefficient_whatever_lam():
    """Large tables take the normal equations first."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(4000, 12)), rng.normal(size=4000)
    X[:, 3], X[:, 7] = 0.1, np.where(np.arange(4000) % 3, 1e6, np.nextafter(1e6, 0))
    for lam in (None, 1e-30, 0.1):
        coef = Ridge(lam).fit(X, y).coef_
        assert np.all((coef == 0) == np.isin(np.arange(12), [3, 7]))


@pytest.mark.parametrize("model", [Ridge(0.0), Ridge(0.1), Ridge(0.0, standardise=True)], ids=repr)
@pytest.mark.parametrize("small", [1e-200, 1e-160])
def test_coefficients_that_underflow_are_refused_in_a_sentence(model, small):
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match=r"reach 2e\+150 fall below the range of floating.*rescale the columns.*or y"):
        model.fit(1e150 * X, small * (X @ [2.0, -1.0]))
