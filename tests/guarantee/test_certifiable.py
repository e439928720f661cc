"""Every supervised model can be certified: on rows that are given, and on rows that its own fit held out."""

import gc
import inspect
import pickle
import warnings
import weakref

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

import surefit
from surefit import (
    ERM,
    SVC,
    Adaline,
    ElasticNet,
    KernelERM,
    KernelPerceptron,
    Lasso,
    LeastSquares,
    LogisticRegression,
    NearestNeighbourRegressor,
    Perceptron,
    Ridge,
    RobustRegression,
)
from surefit.guarantee.held_out import divided
from surefit.kernels import Gaussian
from surefit.objective import Hinge, Huber, Logistic, Squared
from surefit.testing import check_certificate
from surefit.theory.certificates.certificate import Standing, Verdict
from surefit.theory.certificates.holdout import error_quantile
from surefit.theory.means.concentration import clopper_pearson
from tests.properties.models import IN_MEMORY

XR, YR = load_diabetes(return_X_y=True)
XR = 20 * XR
XC, YC = load_breast_cancer(return_X_y=True)
XC = StandardScaler().fit_transform(XC)
EVERY = [*IN_MEMORY, Ridge(0.01), KernelERM(Logistic(), Gaussian(5.0), 0.001)]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
by_name = {"ids": lambda model: type(model).__name__}


def data_for(model):
    classes = is_classifier(model) or isinstance(getattr(model, "loss", None), Logistic)
    return (XC, YC, 400) if classes else (XR, YR, 300)


def test_no_supervised_estimator_is_missing():
    public = [getattr(one, name) for one in (surefit, surefit.exhibits) for name in one.__all__]
    models = {one for one in public if isinstance(one, type) and issubclass(one, BaseEstimator)}
    models = {one for one in models if ".online." not in one.__module__}  # streams are told what they were promised
    without = {surefit.Certified, surefit.Nystroem, surefit.PivotedCholesky}
    assert {type(one) for one in EVERY} == models - without


@pytest.mark.parametrize("model", EVERY, **by_name)
def test_every_model_is_certified_on_rows_it_has_not_seen_and_on_no_others(model):
    X, y, n = data_for(model)
    fitted = clone(model).fit(X[:n], y[:n])
    certificate = fitted.certificate(X[n:], y[n:])
    errors = y[n:] - fitted.predict(X[n:])
    if n == 300:
        assert certificate.bound == error_quantile(np.abs(errors), 0.9, 0.05 / 3)
        assert len(certificate.further) == 2
    else:
        assert certificate.bound == clopper_pearson(1.0 * (errors != 0), 0.05)
    assert certificate.assumptions[1].standing is Standing.UNVERIFIABLE
    check_certificate(certificate)
    with pytest.raises(ValueError, match="were used in fit"):
        fitted.certificate(X, y)


@pytest.mark.parametrize("model", EVERY, **by_name)
def test_every_fit_can_hold_rows_out(model):
    X, y, _ = data_for(model)
    fitted = clone(model).fit(X, y, certify=0.2)
    certificate = fitted.certificate(delta=0.1)
    assert certificate.inputs["n"] == round(0.2 * len(y))
    assert certificate.inputs["share_held_out"] == 0.2
    assert certificate.inputs["random_state"] == 0
    assert "fit held them out, each by a hash of itself and random_state=0" in certificate.assumptions[1].evidence
    assert clone(model).fit(X, y, certify=0.2).certificate(delta=0.1) == certificate
    assert fitted.certificate(delta=0.1, n_models_fixed=3).bound >= certificate.bound
    check_certificate(certificate)


@pytest.mark.parametrize("model", EVERY, **by_name)
def test_the_record_travels_with_a_stored_model_and_the_rows_do_not(model):
    X, y, n = data_for(model)
    fitted = clone(model).fit(X[:n], y[:n])
    stored = pickle.loads(pickle.dumps(fitted))
    again, first = (one.certificate(X[n:], y[n:]) for one in (stored, fitted))
    assert (again.bound, again.further) == (first.bound, first.further)
    assert stored._fit_record.rows is None
    with pytest.raises(ValueError, match="were used in fit"):
        stored.certificate(X[:n], y[:n])
    assert pickle.loads(pickle.dumps(stored)).certificate(X[n:], y[n:]) == again


def test_a_stored_model_stays_small_and_says_what_it_remembers():
    few, many = (Ridge(0.1).fit(XR[:n], YR[:n]) for n in (200, 300))
    assert (
        pickle.loads(pickle.dumps(few)).certificate(XR[300:], YR[300:]).assumptions[1].standing is Standing.UNVERIFIABLE
    )
    partly = pickle.loads(pickle.dumps(many)).certificate(XR[300:], YR[300:]).assumptions[1]
    assert partly.standing is Standing.DECLARED
    assert "remembers 256 of its 300 rows" in partly.evidence


@pytest.mark.parametrize("model", EVERY, **by_name)
def test_fit_shows_its_parameters(model):
    names = list(inspect.signature(model.fit).parameters)
    assert names[:2] == ["X", "y"]
    assert names[-1] == ("certify" if hasattr(model, "random_state") else "random_state")
    assert "certify" in names
    unweighted = isinstance(model, Perceptron | KernelPerceptron | Adaline)
    assert has_fit_parameter(model, "sample_weight") is not unweighted
    assert ("sample_weight" in names) is not unweighted


def test_the_fit_itself_does_not_change():
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(YR))[:300])
    assert np.array_equal(Ridge().fit(XR[chosen], YR[chosen]).coef_, Ridge.fit.__wrapped__(
        Ridge(), XR[chosen], YR[chosen]).coef_)  # fmt: skip


def test_held_out_rows_are_not_trained_on():
    model = Ridge(0.1).fit(XR, YR, certify=0.25)
    assert len(model._fit_record.seen.prints) == len(YR) - round(0.25 * len(YR))
    rows = divided(XR, YR, None, 0.25)
    X, y = XR[rows.training], YR[rows.training]
    assert np.array_equal(model.coef_, Ridge(0.1).fit(X, y).coef_)
    assert np.array_equal(model._fit_record.seen.prints, Ridge(0.1).fit(X, y)._fit_record.seen.prints)
    kept = model._fit_record.held_out
    assert sorted(np.append(y, kept.targets)) == sorted(YR)


@pytest.mark.parametrize(
    ("loss", "message"),
    [(Squared(), "no upper limit"), ("squared", "must be a function"), (lambda y, f: np.zeros(3), "one number per row"),
     (lambda y, f: 2 + 0 * f, "must lie in")],
)  # fmt: skip
def test_losses_that_cannot_be_certified_are_refused(loss, message):
    model = Ridge(0.1).fit(XR[:300], YR[:300])
    with pytest.raises(ValueError, match=message):
        model.certificate(XR[300:], YR[300:], loss=loss)


def test_labels_that_the_model_does_not_know_and_weights_that_are_no_weights_are_refused():
    X, y = XC[:100], YC[:100]
    with pytest.raises(ValueError, match="write them alike"):
        LogisticRegression(0.1).fit(X[:60], y[:60]).certificate(X[60:], y[60:].astype(str))
    for bad in (np.nan, -1.0):
        with pytest.raises(ValueError, match="sample_weight must be finite and >= 0"):
            LogisticRegression(0.1).fit(X, y, sample_weight=np.append(np.ones(99), bad), certify=0.2)


@pytest.mark.parametrize("wrong", ["0.05", None, [0.05]])
def test_a_delta_that_is_no_number_is_refused(wrong):
    with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1"):
        Ridge(0.1).fit(XR[:300], YR[:300]).certificate(XR[300:], YR[300:], delta=wrong)


def test_the_division_does_not_follow_the_order_of_the_file():
    """A file sorted by its target: the held-out targets are spread all over it (rank sum test at 1e-6)."""
    order = np.argsort(YR)
    held = Ridge(0.1).fit(XR[order], YR[order], certify=0.2)._fit_record.held_out.targets
    ranks = np.searchsorted(YR[order], held)
    n, m = len(YR), len(held)
    assert abs(ranks.mean() - (n - 1) / 2) < 4.9 * np.sqrt((n - m) * (n + 1) / (12 * m))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.2, 20, "a fifth", True, np.nan])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(ValueError, match="certify must lie strictly between 0 and 1"):
        Ridge(0.1).fit(XR, YR, certify=share)


@pytest.mark.parametrize(("n", "share"), [(2, 0.2), (1, 0.5), (3, 0.99)])
def test_too_few_rows_to_divide_are_refused(n, share):
    with pytest.raises(ValueError, match=rf"of {n} rows holds out .* add rows"):
        Ridge(0.1).fit(XR[:n], YR[:n], certify=share)


def test_too_small_a_hold_out_says_how_many_rows_are_needed():
    certificate = Ridge(0.1).fit(XR[:50], YR[:50], certify=0.2).certificate()
    assert certificate.vacuous
    assert (
        "No promise about 90 % of future errors: 10 held-out rows are too few for 95 % confidence"
        in certificate.statement
    )


@pytest.mark.parametrize("delta", [0.0, 1.0, 95])
def test_an_impossible_delta_is_refused(delta):
    model = Ridge(0.1).fit(XR, YR, certify=0.2)
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        model.certificate(delta=delta)
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        Ridge(0.1).fit(XR[:300], YR[:300]).certificate(XR[300:], YR[300:], delta=delta)


def test_a_loss_outside_its_range_is_refused_and_one_inside_certified():
    model = Ridge(0.1).fit(XR, YR, certify=0.3)
    with pytest.raises(ValueError, match=r"losses must lie in \[0, 1\]"):
        model.certificate(loss=lambda y, f: (y - f) ** 2)
    within = model.certificate(loss=lambda y, f: np.minimum(np.abs(y - f) / 300, 1.0))
    assert within.empirical < within.bound < 0.25
    assert f"shuffled with seed {within.inputs['seed']}" in " ".join(str(within).split())


@pytest.mark.parametrize("seed", [None, 22], ids=["of the rows", "one for all"])
def test_rows_held_out_of_sorted_files_are_as_good_as_drawn(seed):
    """1000 files of 200 rows sorted by error, error rate 1/2, CP at 0.05: the rate of misses cannot exceed .06.

    Standard error .006 at .04.  With one seed for all files, the same places are held out of each, and an unlucky seed
    misses 629 times.
    """
    rng, missed = np.random.default_rng(0), 0
    for _ in range(1000):
        errors, X = np.sort(rng.integers(0, 2, 200)), rng.random((200, 1))
        fixed = np.random.default_rng(seed).permutation(200)[:40]
        held_out = divided(X, errors, None, 0.2).held_out if seed is None else fixed
        missed += clopper_pearson(errors[held_out]) < 0.5
    assert (missed <= 60) == (seed is None)


def test_sorted_rows_change_nothing():
    model = LogisticRegression(0.01).fit(XC[:400], YC[:400])
    order = 400 + np.argsort(YC[400:])
    assert model.certificate(XC[order], YC[order]) == model.certificate(XC[400:], YC[400:])


def test_rows_without_targets_are_refused():
    model = Ridge(0.1).fit(XR, YR)
    with pytest.raises(ValueError, match="give both X_test and y_test"):
        model.certificate(XR)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.certificate(XR, YR[:5])
    with pytest.raises(NotFittedError):
        Ridge(0.1).certificate(XR, YR)


@pytest.mark.parametrize("model", [LogisticRegression(lam=0.1), Ridge(0.1), SVC(lam=0.1)])
def test_a_fit_that_fails_leaves_the_model_and_its_certificate_as_they_were(model):
    rng = np.random.default_rng(0)
    X, y, rest = rng.standard_normal((60, 3)), rng.integers(0, 2, 60), rng.standard_normal((50, 3))
    fresh = clone(model)
    with pytest.raises(ValueError, match="NaN"):
        fresh.fit(X * np.nan, y)
    assert vars(fresh).keys() == vars(clone(model)).keys()
    with pytest.raises(NotFittedError):
        fresh.certificate(rest, y[:50])
    fitted = clone(model).fit(X, y)
    before, bound = dict(vars(fitted)), fitted.certificate(rest, y[:50]).bound
    for wrong in ((np.full((5, 10), np.nan), y[:5]), (X[:, :2], y[:10])):
        with pytest.raises(ValueError, match=r"NaN|inconsistent"):
            fitted.fit(*wrong)
        assert vars(fitted).keys() == before.keys()
        assert all(vars(fitted)[name] is before[name] for name in before)
    assert fitted.certificate(rest, y[:50]).bound == bound


def test_several_targets_are_certified_one_at_a_time_or_by_a_loss():
    Y = np.column_stack([YR, -YR])
    model = Ridge(0.1).fit(XR[:300], Y[:300])
    with pytest.raises(ValueError, match="y has 2 columns, and a certificate is about one"):
        model.certificate(XR[300:], Y[300:])
    far = model.certificate(XR[300:], Y[300:], loss=lambda y, f: 1.0 * (np.abs(y - f).max(axis=1) > 100))
    assert far.bound < 0.3
    with pytest.raises(ValueError, match="were used in fit"):
        model.certificate(XR, Y, loss=lambda y, f: np.zeros(len(y)))


def test_several_targets_can_be_held_out_for_a_loss_of_all_of_them():
    model = Ridge(0.1).fit(XR, np.column_stack([YR, -YR]), certify=0.3)
    assert model.certificate(loss=lambda y, f: 1.0 * (np.abs(y - f).max(axis=1) > 100)).bound < 0.3
    with pytest.raises(ValueError, match="y has 2 columns, and a certificate is about one"):
        model.certificate()


def test_splits_by_row_number_are_refused_because_rows_are_missing():
    halves = [(np.arange(200), np.arange(200, 442)), (np.arange(200, 442), np.arange(200))]
    with pytest.raises(ValueError, match="cv holds row numbers of all rows"):
        Lasso(cv=halves).fit(XR, YR, certify=0.2)
    assert Lasso(cv=KFold(3)).fit(XR, YR, certify=0.2).certificate().inputs["n"] == 88


def test_help_mentions_the_share_to_hold_out():
    assert "certify=0.2" in Ridge.fit.__doc__


@pytest.mark.parametrize("loss", [Logistic(), Hinge()])
def test_a_linear_model_of_signs_is_judged_by_the_sign(loss):
    signs = np.where(YC == 1, 1.0, -1.0)
    model = ERM(loss, lam=0.01).fit(XC[:400], signs[:400])
    wrong = np.sign(model.scores(XC[400:])) != signs[400:]
    assert model.certificate(XC[400:], signs[400:]).bound == clopper_pearson(1.0 * wrong, 0.05)


def test_an_interpolator_gets_the_cap_of_the_constant():
    model = NearestNeighbourRegressor(1).fit(XR[:300], YR[:300])
    capped = model.certificate(XR[300:], YR[300:]).further[1]
    assert capped.inputs["cap"] == pytest.approx(np.median((YR[:300] - YR[:300].mean()) ** 2))


def test_a_useless_model_is_called_no_better_than_a_constant():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), rng.normal(size=600)
    assert NearestNeighbourRegressor(1).fit(X, y, certify=0.5).certificate().status is Verdict.NO_BETTER


def test_the_model_of_a_search_can_be_certified():
    search = GridSearchCV(Ridge(), {"lam": [0.01, 0.1]}, cv=3).fit(XR[:300], YR[:300])
    tried = search.best_estimator_.certificate(XR[300:], YR[300:], n_models_fixed=1)
    assert tried.inputs["n"] == 142


def test_routing_knows_the_parameter():
    with surefit_routing():
        request = LeastSquares().set_fit_request(certify=True, sample_weight=False).get_metadata_routing()
        assert request.fit.requests == {"certify": True, "random_state": None, "sample_weight": False}


def surefit_routing():
    from sklearn import config_context

    return config_context(enable_metadata_routing=True)


def test_warnings_of_fit_point_at_the_caller():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        LeastSquares().fit(np.ones((5, 2)), np.arange(5.0))
        Perceptron(max_epochs=1).fit(np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1])
        KernelERM(Huber(1.0), Gaussian(1.0), 1e-13).fit(XR[:50], YR[:50])
        LogisticRegression(0).fit(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
        Lasso(0.1, tol=1e-16).fit(XR, YR)
    assert {one.filename for one in seen} == {__file__}


@pytest.mark.parametrize("model", EVERY, **by_name)
def test_training_rows_with_other_last_digits_are_refused(model):
    """A file with twelve digits: no row equals what was trained on, and none is new."""
    X, y, n = data_for(model)
    fitted = clone(model).fit(X[:n], y[:n])
    from_file = np.array([[float(f"{one:.12g}") for one in row] for row in X[:n]])
    assert not np.any(np.all(from_file == X[:n], axis=1))
    with pytest.raises(ValueError, match=r"held-out rows were used in fit, .* with other last digits"):
        fitted.certificate(from_file, y[:n])
    with pytest.raises(ValueError, match="held-out rows equal training rows to seven digits"):
        pickle.loads(pickle.dumps(fitted)).certificate(from_file, y[:n])
    with pytest.raises(ValueError, match="held-out rows equal training rows to seven digits"):
        clone(model).fit(X, y, certify=0.2).certificate(X * (1 + 1e-13), y)


@pytest.mark.parametrize("certify", [None, 0.2])
@pytest.mark.parametrize("kind", [Lasso, ElasticNet, ERM, RobustRegression], **{"ids": lambda kind: kind.__name__})
def test_a_model_keeps_its_training_rows_only_where_its_theorem_needs_them(kind, certify):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = X.sum(axis=1) + rng.normal(size=400)
    rows = weakref.ref(X)
    model = kind(lam=0.1).fit(X, y, certify=certify)
    expected = model.certificate()
    del X
    gc.collect()
    assert (rows() is None) is (certify is not None)
    assert (model._fit_record.rows is None) is (certify is not None)
    assert model.certificate() == expected


def test_a_pickle_does_not_grow_with_the_rows():
    rng = np.random.default_rng(0)
    sizes = []
    for n in (2_000, 40_000):
        X = rng.normal(size=(n, 5))
        model = LogisticRegression(0.01).fit(X, (X[:, 0] > 0).astype(int))
        sizes.append(len(pickle.dumps(model)))
    assert sizes[1] - sizes[0] < 2_000
