"""Online classifiers: mistakes and their bounds, published numbers, labels of any kind."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from surefit.estimators.online.classifiers import OnlineAdaline, OnlineClassifier, OnlinePerceptron
from surefit.objective import LogLoss
from surefit.solvers.halfspaces.perceptron import perceptron
from surefit.solvers.halfspaces.separability import max_margin


def test_passes_of_the_online_perceptron_are_those_of_the_batch_one():
    """A-34, T-55, FX6: 18 updates on the table of AND, weights (3, 2, -4), bound 51."""
    X, t = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, -1, -1, 1])
    model = OnlinePerceptron()
    for _ in range(9):
        model.partial_fit(X, t)
    np.testing.assert_array_equal(np.append(model.coef_, model.intercept_), [3.0, 2.0, -4.0])
    assert model.mistakes_ == perceptron(X, t.astype(float), fit_intercept=True).n_updates == 18
    np.testing.assert_allclose(model.mistake_bound(1 / np.sqrt(17)).value, 51, rtol=1e-12)


def test_mistakes_never_exceed_the_bound_on_separable_streams():
    """T-56 on 60 random streams; T-57: orthonormal rows attain it."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        d = int(rng.integers(2, 5))
        X = rng.normal(size=(int(rng.integers(5, 30)), d))
        labels = np.sign(X @ rng.normal(size=d))
        if len(np.unique(labels)) < 2:
            continue
        best = max_margin(X, labels).coef
        margin = np.min(labels * (X @ best)) / np.linalg.norm(best)
        order = rng.integers(len(X), size=300)
        model = OnlinePerceptron(fit_intercept=False, classes=[-1, 1]).partial_fit(X[order], labels[order])
        assert model.mistakes_ <= model.mistake_bound(margin).value * (1 + 1e-9)
    model = OnlinePerceptron(fit_intercept=False).partial_fit(np.eye(8), np.tile([1, -1], 4))
    assert model.mistakes_ == 8 == round(model.mistake_bound(1 / np.sqrt(8)).value, 9)


def test_adaline_has_the_lectures_numbers():
    """A-35, FX1 features (1, x): (0.0391, 0.3203) after one pass with a = 0.1."""
    model = OnlineAdaline(step=0.1).partial_fit([[0], [1], [2], [3]], [-1, 1, -1, 1])
    np.testing.assert_allclose([*model.intercept_, *model.coef_[0]], [0.0391, 0.3203], atol=1e-12)


def test_logistic_steps_come_close_to_the_batch_fit():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 3))
    y = rng.random(20_000) < 1 / (1 + np.exp(-(X @ [1.0, -2.0, 0.5] + 0.3)))
    model = OnlineClassifier(step=0.5, schedule="sqrt", weights="mean").partial_fit(X, y)
    batch = LogisticRegression(C=np.inf).fit(X, y)
    assert model.score(X, y) > batch.score(X, y) - 0.005
    np.testing.assert_allclose(model.coef_ / batch.coef_, 1.0, atol=0.15)


def test_labels_may_be_words_and_one_row_may_not_show_both():
    model = OnlineClassifier(classes=["no", "yes"])
    model.learn_one({"x": 1.0}, "yes").learn_one({"x": -1.0}, "no")
    assert model.predict([{"x": 3.0}, {"x": -3.0}]).tolist() == ["yes", "no"]
    assert model.predict_one({"x": 3.0}).prediction == "yes"
    with pytest.raises(
        ValueError, match=r"row 2 of the stream has the label 'maybe', and the classes are \['no', 'yes'\]"
    ):
        model.learn_one({"x": 1.0}, "maybe")
    with pytest.raises(ValueError, match=r"does not show both classes; make the model with classes"):
        OnlineClassifier().learn_one({"x": 1.0}, "yes")
    with pytest.raises(ValueError, match="one class only"):
        OnlineClassifier().partial_fit([[1.0], [2.0]], [1, 1])
    assert OnlineClassifier().partial_fit([[1.0], [2.0]], [1, 1], classes=[0, 1]).rows_ == 2
    with pytest.raises(ValueError, match="Only binary"):
        OnlineClassifier(classes=[1, 2, 3]).partial_fit([[1.0]], [1])
    with pytest.raises(ValueError, match="not for labels"):
        OnlineClassifier(LogLoss()).partial_fit([[1.0], [2.0]], [0, 1])


def test_a_missing_label_is_an_error_or_skipped():
    X, y = [[1.0], [2.0], [-1.0]], ["a", None, "b"]
    with pytest.raises(ValueError, match=r"row 1 of the stream has the target nan, which is missing.*; clean it"):
        OnlineClassifier().partial_fit(X, np.array(y, dtype=object))
    model = OnlineClassifier(bad_rows="skip").partial_fit(X, np.array(y, dtype=object))
    assert (model.rows_, model.skipped_, model.classes_.tolist()) == (2, 1, ["a", "b"])


def test_a_label_that_is_none_of_the_two_stops_the_block_there_or_is_skipped():
    X, y = [[1.0], [2.0], [-1.0], [1.0]], [1, 0, "one", 1]
    model = OnlineClassifier(classes=[0, 1])
    with pytest.raises(
        ValueError, match=r"row 2 of the stream has the label 'one', and the classes are \[0, 1\].*2 rows"
    ):
        model.partial_fit(X, y)
    assert model.rows_ == 2
    skipping = OnlineClassifier(classes=[0, 1], bad_rows="skip").partial_fit(X, y).learn_one([1.0], "one")
    assert (skipping.rows_, skipping.skipped_) == (3, 2)


def test_the_stream_certifies_the_models_used_so_far():
    """The bound is above the mean true risk of the iterates: 40 streams at delta 0.05, fewer than 9 may miss
    (probability 1e-4 of more)."""
    missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 2))
        y = np.where(rng.random(400) < 0.1, -1, 1) * np.where(X @ [1.0, 1.0] > 0, 1, -1)
        model, risks = OnlinePerceptron(fit_intercept=False, classes=[-1, 1]), []
        fresh = rng.normal(size=(2000, 2))
        side = fresh @ [1.0, 1.0] > 0
        for x, label in zip(X, y, strict=True):
            wrong = 1.0 if not model.__sklearn_is_fitted__() else np.mean((fresh @ model.coef_[0] > 0) != side)
            risks.append(0.1 + 0.8 * min(wrong, 0.5 if wrong == 1.0 else wrong))
            model.learn_one(x, int(label))
        found = model.certificate()
        missed += found.bound < np.mean(risks)
    assert missed < 9
    assert "the models used so far err on at most" in found.statement
    assert found.method == "martingale-kl"


def test_held_out_rows_certify_the_last_model():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 2))
    y = X[:, 0] > 0
    model = OnlineClassifier().fit(X[:400], y[:400])
    assert "held-out rows" in model.certificate(X[400:], y[400:]).statement
    with pytest.raises(ValueError, match="fit"):
        model.certificate(X[:200], y[:200])
    running = OnlineClassifier().partial_fit(X[:400], y[:400])
    assert "held-out rows" in running.certificate(X[400:], y[400:]).statement
    held = OnlineClassifier().fit(X, y, certify=0.3)
    assert "held-out rows" in held.certificate().statement
    with pytest.raises(TypeError, match="coverage is about held-out rows"):
        running.certificate(coverage=0.8)
