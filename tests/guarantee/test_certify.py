"""`certify` and `Certified`: right use and wrong use."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from surefit import Certified, Ridge, certify
from surefit import LogisticRegression as OurLogisticRegression
from surefit.guarantee.held_out import divided
from surefit.guarantee.seen.division import row_shuffle
from surefit.objective.margin import ZeroOne
from surefit.testing import check_certificate
from surefit.theory.certificates.certificate import Certificate, Standing, Verdict
from surefit.theory.certificates.holdout import error_quantile
from surefit.theory.intervals.conformal import conformal_rank
from surefit.theory.means.betting import betting
from surefit.theory.means.concentration import clopper_pearson

X, Y = load_diabetes(return_X_y=True)
TRAIN, TEST = (X[:300], Y[:300]), (X[300:], Y[300:])
FITTED = Ridge(lam=1e-3).fit(*TRAIN)
XC, YC = load_breast_cancer(return_X_y=True)
CLASSIFIER = DecisionTreeClassifier(random_state=0).fit(XC[:400], YC[:400])


def test_a_regressor_gets_the_quantile_of_its_errors():
    model = LinearRegression().fit(*TRAIN)
    certificate = certify(model, *TEST)
    assert certificate.bound == error_quantile(np.abs(TEST[1] - model.predict(TEST[0])))
    assert certificate.assumptions[1].standing is Standing.DECLARED
    check_certificate(certificate)


@pytest.mark.parametrize("loss", [None, lambda y, f: np.minimum(np.abs(y - f) / 400, 1.0)])
def test_our_models_remember_what_they_were_fitted_to(loss):
    """The constant and the capped mean too: certify says what the model's own method says."""
    ours = certify(FITTED, *TEST, loss=loss)
    assert ours == FITTED.certificate(*TEST, loss=loss)
    assert ours.assumptions[1].standing is Standing.UNVERIFIABLE
    assert len(ours.further) == (2 if loss is None else 1)


def test_with_the_training_rows_a_regressor_is_compared_with_the_constant():
    certificate = certify(FITTED, *TEST, training=TRAIN)
    constant, capped = certificate.further
    assert certificate.status is Verdict.INFORMATIVE
    assert constant.bound > 0
    assert f"smaller than those of always answering {Y[:300].mean():.4g}, the mean of the tr" in constant.statement
    assert capped.empirical < capped.bound < capped.inputs["cap"]
    assert certificate.assumptions[1].standing is Standing.UNVERIFIABLE
    check_certificate(certificate)


def test_the_cap_does_not_look_at_the_held_out_rows():
    wild = TEST[1].copy()
    wild[0] = 1e6
    caps = [certify(FITTED, TEST[0], y, training=TRAIN).further[1].inputs["cap"] for y in (TEST[1], wild)]
    assert caps[0] == caps[1]


def test_a_useless_model_is_called_no_better_than_a_constant():
    noise = np.random.default_rng(0).normal(size=(600, 2))
    y = np.random.default_rng(1).normal(size=600)
    tree = DecisionTreeRegressor(random_state=0).fit(noise[:300], y[:300])
    certificate = certify(tree, noise[300:], y[300:], training=(noise[:300], y[:300]))
    assert certificate.status is Verdict.NO_BETTER


def test_an_interpolator_still_gets_a_cap():
    model = KNeighborsRegressor(1).fit(*TRAIN)
    capped = certify(model, *TEST, training=TRAIN).further[1]
    assert capped.inputs["cap"] == pytest.approx(np.median((TRAIN[1] - TRAIN[1].mean()) ** 2))


def test_a_classifier_gets_the_exact_bound_on_its_error_rate():
    errors = CLASSIFIER.predict(XC[400:]) != YC[400:]
    certificate = certify(CLASSIFIER, XC[400:], YC[400:], training=(XC[:400], YC[:400]), n_models_fixed=4)
    assert certificate.bound == clopper_pearson(errors, 0.05 / 4)
    assert "Always answering" in certificate.further[0].statement
    check_certificate(certificate)


def test_any_loss_in_the_unit_interval_gets_the_betting_bound():
    zero_one = certify(CLASSIFIER, XC[400:], YC[400:], loss=lambda y, f: (y != f).astype(float))
    errors, seed = 1.0 * (CLASSIFIER.predict(XC[400:]) != YC[400:]), row_shuffle(XC[400:], YC[400:]).seed
    assert zero_one.inputs["seed"] == seed
    assert zero_one.bound == betting(errors, seed=seed)
    signs = DecisionTreeClassifier(random_state=0).fit(XC[:400], 2 * YC[:400] - 1)
    ours = certify(signs, XC[400:], 2 * YC[400:] - 1, loss=ZeroOne())
    assert ours.bound == betting(errors, seed=ours.inputs["seed"])
    with pytest.raises(ValueError, match=r"losses must lie in \[0, 1\]"):
        certify(FITTED, *TEST, loss=lambda y, f: (y - f) ** 2)


@pytest.mark.parametrize("delta", [0.0, 1.0, 95])
def test_an_impossible_delta_is_refused(delta):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        certify(FITTED, *TEST, delta=delta)


def test_a_hold_out_that_was_trained_on_is_refused():
    with pytest.raises(ValueError, match="142 of the 142 held-out rows were used in fit"):
        certify(Ridge(lam=1.0).fit(X, Y), *TEST, training=(X, Y))


def test_too_few_rows_give_a_vacuous_certificate_with_the_remedy():
    certificate = certify(LinearRegression().fit(*TRAIN), X[300:328], Y[300:328])
    assert certificate.vacuous
    assert "hold out at least 29 rows" in certificate.statement


@pytest.mark.parametrize("random_state", [None, 7])
def test_files_sorted_by_class_are_divided_as_fairly_as_any(random_state):
    """200 files of 150 rows, 15 % errors, delta = 0.05: P(more than 24 misses) < 1e-4; one seed for all misses 60 %."""
    rng, missed = np.random.default_rng(1), 0
    for _ in range(200):
        y, rows = np.sort(rng.random(150) < 0.15).astype(int), rng.normal(size=(150, 1))
        found = Certified(DummyClassifier(), random_state=random_state).fit(rows, y).certificate_
        missed += found.bound < 0.15
    assert missed <= 24
    assert f"random_state={random_state or 0}" in " ".join(str(found).split())


def test_few_kinds_of_rows_cannot_decide_a_division_as_good_as_drawn():
    """A file of two kinds is a count: the same division for all files of that count."""
    rows, y = np.ones((150, 1)), np.repeat([0, 1], [120, 30])
    kept = OurLogisticRegression(0.1).fit(rows, y, certify=0.2).certificate(equal_rows_are_draws=True)
    wrapped = Certified(DummyClassifier(), equal_rows_are_draws=True).fit(rows, y).certificate_
    for found in (kept, wrapped):
        order = [one for one in found.assumptions if one.text == "being held out says nothing of a row"]
        assert [one.standing for one in order] == [Standing.UNVERIFIABLE]
        assert "2 kinds of rows are too few" in order[0].evidence


def test_training_rows_are_recognised_whatever_type_their_words_have():
    rng = np.random.default_rng(0)
    words, x, y = rng.choice(["a", "b", "c"], 200), rng.normal(size=200), rng.integers(0, 2, 200)
    train, same = pd.DataFrame({"w": words.tolist(), "x": x}), pd.DataFrame({"w": list(words[:100]), "x": x[:100]})
    model = DummyClassifier().fit(train, y)
    with pytest.raises(ValueError, match="100 of the 100 held-out rows were used in fit"):
        certify(model, same, y[:100], training=(train, y))
    with pytest.raises(ValueError, match="column 'w' is in the training rows only"):
        certify(model, train[["x"]][:100], y[:100], training=(train, y))


@pytest.mark.parametrize("lay", [np.asfortranarray, lambda A: np.repeat(A, 2, axis=1)[:, ::2]])
def test_the_capped_mean_does_not_depend_on_how_the_rows_lie_in_memory(lay):
    """Predictions differ in their last bits, and those may not decide an order."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 20))
    y = rows @ rng.normal(size=20) + rng.normal(size=500)
    model = Ridge(lam=1e-3).fit(rows[:300], y[:300])
    one, other = (model.certificate(A, y[300:]).further[1].bound for A in (rows[300:], lay(rows[300:])))
    assert one == pytest.approx(other, rel=1e-9)


def test_sorted_rows_change_nothing():
    order = np.argsort(YC[400:])
    sorted_rows = certify(CLASSIFIER, XC[400:][order], YC[400:][order])
    assert sorted_rows.bound == certify(CLASSIFIER, XC[400:], YC[400:]).bound
    wrong = lambda y, f: 1.0 * (y != f)
    bets = [certify(CLASSIFIER, XC[400:][rows], YC[400:][rows], loss=wrong) for rows in (order, order[::-1])]
    assert bets[0].inputs["seed"] == bets[1].inputs["seed"]
    assert f"shuffled with seed {bets[0].inputs['seed']}" in " ".join(str(bets[0]).split())


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(142, np.nan), "NaN"),
        (np.ones(7), "inconsistent numbers of samples"),
        (np.ones((142, 2)), "y has 2 columns"),
    ],
)
def test_bad_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        certify(FITTED, TEST[0], y)


def test_frames_of_words_and_pipelines_are_certified():
    frame = pd.DataFrame({"colour": np.random.default_rng(0).choice(list("abc"), 300)})
    y = np.where(frame["colour"] == "a", "warm", "cold")
    model = Certified(make_pipeline(OneHotEncoder(), LogisticRegression()), equal_rows_are_draws=True).fit(frame, y)
    assert model.certificate_.status is Verdict.INFORMATIVE
    assert model.certificate_.assumptions[3].standing is Standing.DECLARED
    assert set(model.predict(frame)) == {"warm", "cold"}


def test_certified_holds_rows_out_and_never_trains_on_them():
    model = Certified(make_pipeline(StandardScaler(), Ridge(lam=1e-3))).fit(X, Y)
    assert model.certificate_.inputs["n"] == 88
    assert Certified(clone(model.estimator)).fit(X, Y).certificate_ == model.certificate_
    with pytest.raises(ValueError, match="were used in fit"):
        model.certificate(X, Y)
    assert Certificate.from_json(model.certificate_.to_json()) == model.certificate_


def test_certified_certifies_on_new_rows_too():
    model = Certified(LinearRegression(), holdout=0.3).fit(*TRAIN)
    again = model.certificate(*TEST, delta=0.1, n_models_fixed=2)
    assert again.delta == 0.1
    assert again.inputs["n"] == 142


def test_certified_repeats_what_its_hold_out_said_and_answers_for_other_quantiles():
    model = Certified(LinearRegression(), holdout=0.3).fit(X, Y)
    assert model.certificate() == model.certificate_
    most, fewer = model.certificate(), model.certificate(coverage=0.7)
    assert fewer.bound < most.bound
    assert "at least 70 % of future rows" in fewer.statement
    assert Certified(LinearRegression(), holdout=0.3, coverage=0.7).fit(X, Y).certificate_ == fewer
    with pytest.raises(ValueError, match="give both X_test and y_test"):
        model.certificate(X)
    stored = pickle.loads(pickle.dumps(model))
    assert stored.certificate() == model.certificate_
    assert stored.certificate(coverage=0.7) == fewer


def test_another_quantile_is_refused_where_there_is_none():
    with pytest.raises(ValueError, match="labels are right or wrong"):
        certify(CLASSIFIER, XC[400:], YC[400:], coverage=0.8)
    model = Ridge(lam=1e-3).fit(*TRAIN)
    with pytest.raises(ValueError, match="none are held out"):
        model.certificate(coverage=0.8)
    with pytest.raises(ValueError, match="coverage"):
        model.certificate(*TEST, coverage=1.5)
    seven, nine = (model.certificate(*TEST, coverage=share).bound for share in (0.7, 0.9))
    assert seven < nine


def test_the_headline_of_a_regressor_has_one_confidence():
    """The share of delta that each of three sentences gets is in their records, not in their words."""
    text = str(Ridge(lam=1e-3).fit(*TRAIN).certificate(*TEST))
    assert "95 % confidence" in text
    assert "98.33" not in text
    assert " ".join(text.split()).count("With 95 % confidence for these sentences together") == 2


def test_certified_certifies_a_search_and_sparse_rows():
    Z, z = make_classification(300, random_state=0)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    model = Certified(search).fit(sparse.csr_array(Z), z)
    assert model.certificate_.inputs["n"] == 60
    assert model.predict_proba(sparse.csr_array(Z)).shape == (300, 2)
    assert model.decision_function(Z).shape == (300,)
    assert model.score(Z, z) > 0.8
    assert model.classes_.tolist() == [0, 1]


def test_a_constant_target_is_certified():
    certificate = Certified(Ridge(lam=1.0)).fit(X, np.full(len(X), 3.0)).certificate_
    assert certificate.bound <= 1e-8
    assert certificate.status is Verdict.NO_BETTER


@pytest.mark.parametrize("holdout", [0.0, 1.0, -0.2, "a fifth"])
def test_an_impossible_share_is_refused(holdout):
    with pytest.raises(ValueError, match="holdout must lie strictly between 0 and 1"):
        Certified(Ridge(lam=1.0), holdout=holdout).fit(X, Y)


def test_sample_weights_reach_the_fit_and_go_with_their_rows():
    weight = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    model = Certified(Ridge(lam=0.1), random_state=0).fit(X, Y, sample_weight=list(weight))
    plain = Certified(Ridge(lam=0.1), random_state=0).fit(X, Y)
    rows = divided(X, Y, None, 0.2).training
    np.testing.assert_allclose(model.estimator_.coef_, Ridge(0.1).fit(X[rows], Y[rows], weight[rows]).coef_)
    np.testing.assert_allclose(plain.estimator_.coef_, Ridge(0.1).fit(X[rows], Y[rows]).coef_)
    held_out = np.setdiff1d(np.arange(len(Y)), rows)
    errors = np.abs(Y[held_out] - model.predict(X[held_out]))
    assert model.certificate_.bound == error_quantile(errors, 0.9, 0.05 / 3)


def test_rows_of_weight_zero_are_neither_trained_on_nor_held_out():
    weight = np.where(np.arange(len(Y)) < 300, 2.0, 0.0)
    model = Certified(Ridge(lam=0.1)).fit(X, Y, sample_weight=weight)
    assert model.certificate_.inputs["n"] == 60
    assert model.certificate_.bound == pytest.approx(Certified(Ridge(lam=0.1)).fit(*TRAIN).certificate_.bound)
    assert model.certificate(*TEST).assumptions[1].standing is Standing.UNVERIFIABLE
    with pytest.raises(ValueError, match="were used in fit"):
        model.certificate(*TRAIN)


def test_weights_pass_through_pipelines_and_searches():
    weight = 1.0 + np.arange(len(Y)) % 3
    alone = Certified(Ridge(lam=0.1)).fit(X, Y, sample_weight=weight).estimator_
    piped = Certified(make_pipeline(StandardScaler(with_std=False), Ridge(lam=0.1)))
    piped.fit(X, Y, ridge__sample_weight=weight)
    np.testing.assert_allclose(piped.estimator_[-1].coef_, alone.coef_, rtol=1e-8)
    searched = Certified(GridSearchCV(Ridge(), {"lam": [0.1]})).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(searched.estimator_.best_estimator_.coef_, alone.coef_)


def test_weights_that_cannot_be_used_are_refused():
    with pytest.raises(ValueError, match=r"KNeighborsRegressor\.fit takes no sample_weight; leave the weights out"):
        Certified(KNeighborsRegressor()).fit(X, Y, sample_weight=np.ones(len(Y)))
    assert Certified(KNeighborsRegressor()).fit(X, Y, sample_weight=None).certificate_.inputs["n"] == 88
    for bad in (np.full(len(Y), -1.0), np.full(len(Y), np.nan)):
        with pytest.raises(ValueError, match="sample_weight must be finite and >= 0"):
            Certified(Ridge(0.1)).fit(X, Y, sample_weight=bad)
    with pytest.raises(ValueError, match="sample_weight leaves rows of one class only"):
        Certified(LogisticRegression()).fit(XC, YC, sample_weight=1.0 * YC)


def test_a_stored_wrapper_stays_small_and_remembers():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 3))
    targets = rows.sum(axis=1) + rng.normal(size=20_000)
    model = Certified(Ridge(lam=0.1)).fit(rows, targets)
    data = pickle.dumps(model)
    assert len(data) < 20_000 + 18 * len(targets) // 5  # targets, answers and two marks of each row held out
    stored = pickle.loads(data)
    assert stored.certificate_ == model.certificate_
    with pytest.raises(ValueError, match="at least 256 of the 20,000 held-out rows were used in fit"):
        stored.certificate(rows, targets)
    said = "at least 128 of the 20,000 held-out rows equal training rows to seven digits"
    with pytest.raises(ValueError, match=said):
        stored.certificate(rows * (1 + 1e-13), targets)


def test_the_wrapper_gives_intervals_and_sets_with_a_promise_whatever_was_chosen_inside():
    """Ridge chooses lam on its rows: alone "no theorem covers these", in `Certified` the promise of a hold-out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + rng.normal(size=400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Certified(Ridge(), holdout=0.4).fit(X, y)
    found = model.predict_interval(X[:5], 0.8)
    assert found.guaranteed == 0.8
    outside = model._fit_record.held_out
    held_out = np.abs(outside.targets - outside.answers)
    assert found.width[0] / 2 == pytest.approx(np.sort(held_out)[conformal_rank(160, 0.8) - 1])
    assert model.predict_interval(X[:5], 0.8, "pac").width[0] > found.width[0]
    assert not hasattr(model, "predict_set")
    classifier = Certified(OurLogisticRegression(lam=0.1), holdout=0.4).fit(X, y > 0)
    assert classifier.predict_set(X[:5], 0.8, score="aps").guaranteed == 0.8
    assert not hasattr(classifier, "predict_interval")


def test_intervals_of_the_wrapper_travel_and_speak_of_groups_and_time():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y, groups = X[:, 0] + rng.normal(size=400), np.arange(400) // 4
    model = Certified(Ridge(0.1), holdout=0.4).fit(X, y, groups=groups)
    found = model.predict_interval(X[:5], 0.8)
    assert found.statement.startswith("In a new group, a new target lies in its interval")
    stored = pickle.loads(pickle.dumps(model)).predict_interval(X[:5], 0.8)
    np.testing.assert_array_equal(stored.width, found.width)
    late = Certified(Ridge(0.1), holdout=0.4).fit(X, y, time=np.arange(400)).predict_interval(X[:5], 0.8)
    assert any("no change was detected" in text for text in late.assumptions)
