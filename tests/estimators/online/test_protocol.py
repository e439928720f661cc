"""Predict, see the label, learn: blocks, named rows, late labels, bad rows, and what is counted."""

import pickle
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from surefit.estimators.online.classifiers import OnlineAdaline, OnlineClassifier, OnlinePerceptron
from surefit.estimators.online.protocol import Ticket
from surefit.estimators.online.regressors import OnlineRegressor, WidrowHoff
from surefit.estimators.online.svr import OnlineSVR

MODELS = [WidrowHoff(0.02), OnlineRegressor("huber", schedule="adaptive"), OnlineClassifier(), OnlinePerceptron(),
          OnlineAdaline()]  # fmt: skip
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


def table(model, n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X @ [1.0, -2.0, 0.5][:d] + 0.3 * rng.normal(size=n)
    return X, (np.where(score > 0, "yes", "no") if hasattr(model, "classes") else score)


def named(X):
    return [{f"x{j}": float(value) for j, value in enumerate(row)} for row in X]


@every_model
def test_all_ways_to_give_rows_give_the_same_bits(model):
    """A-26: one block, blocks of seven, one row at a time, frames, sparse rows, dictionaries."""
    X, y = table(model)
    names = ["x0", "x1", "x2"]
    classes = {"classes": np.unique(y)} if hasattr(model, "classes") else {}
    expected = clone(model).partial_fit(X, y)
    ways = [clone(model).set_params(**classes) for _ in range(6)]
    for start in range(0, len(y), 7):
        ways[0].partial_fit(X[start : start + 7], y[start : start + 7])
        ways[1].partial_fit(sparse.csr_matrix(X[start : start + 7]), y[start : start + 7])
        ways[2].partial_fit(pd.DataFrame(X[start : start + 7], columns=names), pd.Series(y[start : start + 7]))
        ways[3].partial_fit(pl.DataFrame(X[start : start + 7], schema=names), y[start : start + 7])
        ways[4].partial_fit(named(X[start : start + 7]), y[start : start + 7].tolist())
    for x, target in zip(X, y, strict=True):
        ways[5].learn_one(x, target)
    for way in ways:
        np.testing.assert_array_equal(way.coef_, expected.coef_)
        np.testing.assert_array_equal(way.intercept_, expected.intercept_)
        assert (way.rows_, way.mean_loss_) == (80, expected.mean_loss_)


@every_model
def test_predictions_use_only_the_past(model):
    """A-26: what comes later changes no prediction; each is that of the model so far."""
    X, y = table(model)
    said = clone(model).predict_then_learn(X, y)
    other = y.copy()
    other[40:] = np.roll(other, 13)[40:]
    np.testing.assert_array_equal(clone(model).predict_then_learn(X, other)[:41], said[:41])
    running = clone(model).partial_fit(X[:50], y[:50])
    assert running.predict(X[50:51])[0] == pytest.approx(said[50]) if y.dtype.kind == "f" else True
    assert (running.predict_one(X[50]).prediction == said[50]) or y.dtype.kind == "f"


@every_model
def test_labels_may_come_late_and_in_any_order(model):
    """The loss that counts is that of the prediction made; what never comes is counted."""
    X, y = table(model)
    model = clone(model).partial_fit(X[:60], y[:60])
    tickets = [model.predict_one(x) for x in X[60:]]
    assert model.waiting_ == 20
    before, losses = model.mean_loss_ * 60, []
    loss = model._online_settings().loss
    for k in (7, 2, 19):
        model.learn_one(tickets[k], y[60 + k])
        losses.append(float(loss.value(model._number_of(y[60 + k]), float(tickets[k]))))
    assert (model.waiting_, model.rows_) == (17, 63)
    assert model.mean_loss_ * 63 == pytest.approx(before + sum(losses))
    with pytest.raises(ValueError, match="learnt already"):
        model.learn_one(tickets[7], y[67])


def test_a_ticket_waits_for_a_label_that_can_be_learnt_and_for_its_own_model():
    model = WidrowHoff(step=0.1)
    ticket = model.predict_one([1.0, 2.0])
    with pytest.raises(ValueError, match="target"):
        model.learn_one(ticket, np.nan)
    assert model.waiting_ == 1
    with pytest.raises(ValueError, match="waits for no label: the ticket is of another model"):
        WidrowHoff(step=0.1).partial_fit([[1.0, 2.0]], [3.0]).learn_one(ticket, 3.0)
    assert model.learn_one(ticket, 3.0).waiting_ == 0
    assert model.coef_.tolist() == WidrowHoff(step=0.1).partial_fit([[1.0, 2.0]], [3.0]).coef_.tolist()


def test_a_ticket_is_a_number_that_remembers_its_row():
    model = WidrowHoff().learn_one({"a": 1.0}, 2.0)
    row = {"a": 3.0}
    ticket = model.predict_one(row)
    row["a"] = 100.0
    assert isinstance(ticket, float)
    assert ticket == ticket.prediction == pytest.approx(model.coef_[0] * 3 + model.intercept_)
    assert ticket.row == {"a": 3.0}
    assert float(pickle.loads(pickle.dumps(ticket))) == ticket
    assert isinstance(ticket, Ticket)


def test_a_missing_feature_is_an_error_or_a_zero_as_chosen():
    rows = [{"a": 1.0, "b": 2.0}, {"a": 2.0}]
    with pytest.raises(
        ValueError, match=r"row 1 of the stream has no feature 'b'; give it, or .*missing='zero'.* stay"
    ):
        WidrowHoff().partial_fit(rows, [1.0, 2.0])
    zero = WidrowHoff(missing="zero").partial_fit(rows, [1.0, 2.0])
    full = WidrowHoff().partial_fit([[1.0, 2.0], [2.0, 0.0]], [1.0, 2.0])
    np.testing.assert_array_equal(zero.coef_, full.coef_)
    skipped = WidrowHoff(bad_rows="skip").partial_fit(rows, [1.0, 2.0])
    assert (skipped.rows_, skipped.skipped_) == (1, 1)


def test_a_new_feature_starts_at_zero_and_has_a_name():
    model = WidrowHoff(missing="zero")
    model.learn_one({"a": 1.0}, 2.0)
    assert model.predict_one({"a": 1.0, "new": 5.0}) == model.predict_one({"a": 1.0})
    model.learn_one({"a": 1.0, "new": 1.0}, 2.0)
    assert model.n_features_in_ == 2
    assert model.predict(pd.DataFrame({"a": [1.0], "new": [1.0]}))[0] == model.predict([{"a": 1.0, "new": 1.0}])[0]
    assert model.feature_names_in_.tolist() == ["a", "new"]


BAD = [
    ("NaN", {"x1": np.nan}, "NaN in column 'x1'"),
    ("none", {"x1": None}, "NaN in column 'x1'"),
    ("infinity", {"x1": np.inf}, "infinity in column 'x1'"),
    ("huge", {"x1": 1e20}, "100,000,000,000,000,000,000 in column 'x1', .*longest row before|1e\\+20 in column 'x1'"),
    ("word", {"x1": "red"}, "'red' as feature 'x1', which is not a number"),
    ("digits", {"x1": "1.5"}, "'1.5' as feature 'x1', which is not a number"),
    ("target", {"y": np.nan}, "target nan, which is missing"),
    ("far target", {"y": 1e20}, "the target 1e\\+20, more than 10,000 times"),
]


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
@pytest.mark.parametrize("policy", ["raise", "skip"])
def test_no_bad_row_is_learnt_silently(change, message, policy):
    """NaN, a missing value, 1e20, a word for a number: raised or skipped and counted; the weights do not move."""
    X, y = table(WidrowHoff())
    model = WidrowHoff(bad_rows=policy).partial_fit(named(X), y)
    before = model.coef_, model.intercept_, model.mean_loss_
    row, target = named(X)[0], y[0]
    target = change.pop("y") if "y" in (change := dict(change)) else target
    row.update(change)
    if policy == "raise":
        with pytest.raises(ValueError, match=message):
            model.learn_one(row, target)
        assert model.skipped_ == 0
    else:
        model.learn_one(row, target)
        assert model.skipped_ == 1
    np.testing.assert_array_equal(model.coef_, before[0])
    assert (model.intercept_, model.mean_loss_, model.rows_) == (*before[1:], 80)
    assert model.learn_one(named(X)[1], y[1]).rows_ == 81


@every_model
@pytest.mark.parametrize("policy", ["raise", "skip"])
def test_the_first_row_of_all_is_judged_too(model, policy):
    """Nothing is known of the scale yet: 1e20 is refused as what swallows all others, and may be let in."""
    X, y = table(model)
    X[0, 1] = 1e20
    fresh = clone(model).set_params(bad_rows=policy)
    if policy == "raise":
        with pytest.raises(
            ValueError, match=r"row 0 of the stream has 1e\+20 in column 1, beyond 2\*\*53 .*farthest=inf"
        ):
            fresh.partial_fit(X, y)
        assert fresh.rows_ == 0
    else:
        assert (fresh.partial_fit(X, y).rows_, fresh.skipped_) == (len(y) - 1, 1)
    assert clone(model).set_params(farthest=np.inf).partial_fit(X, y).rows_ == len(y)


@pytest.mark.parametrize("frame", [False, True])
def test_text_is_never_a_number_in_rows_blocks_or_targets(frame):
    """Not even digits: the rows before it are learnt, and the error names it; or the row is skipped."""
    X, y = table(WidrowHoff())
    cells = X.astype(object)
    cells[40, 1] = "1.5"
    cells = pd.DataFrame(cells, columns=list("abc")) if frame else cells.tolist()
    model = WidrowHoff()
    name = "feature 'b'" if frame else "column 1"
    with pytest.raises(ValueError, match=f"row 40 of the stream has '1.5' as {name}, which is not a number.*40 rows"):
        model.partial_fit(cells, y)
    np.testing.assert_array_equal(model.coef_, WidrowHoff().partial_fit(X[:40], y[:40]).coef_)
    assert WidrowHoff(bad_rows="skip").partial_fit(cells, y).skipped_ == 1
    targets = y.tolist()
    targets[3] = "2"
    with pytest.raises(ValueError, match=r"row 3 of the stream has the target '2', which is not a number.*3 rows"):
        WidrowHoff().partial_fit(X, targets)
    with pytest.raises(ValueError, match="row 0 of the stream has the target '2', which is not a number"):
        WidrowHoff().learn_one(X[0], "2")
    assert WidrowHoff(bad_rows="skip").partial_fit(X, targets).learn_one(X[0], "2").skipped_ == 2


@pytest.mark.parametrize("model", [WidrowHoff(), OnlineSVR()], ids=repr)
def test_a_refused_row_brings_no_feature_with_it(model):
    """Else every later row would lack it."""
    X, y = table(model)
    model = clone(model).set_params(bad_rows="skip").partial_fit(named(X), y)
    for value in (np.nan, "red", 1e20):
        model.learn_one({**named(X)[0], "new": value}, y[0])
    model.learn_one({"new": 1.0}, y[0])
    assert (model.skipped_, model.n_features_in_) == (4, 3)
    assert model.learn_one(named(X)[1], y[1]).rows_ == 81


@pytest.mark.parametrize("model", [WidrowHoff(), OnlineSVR()], ids=repr)
def test_rows_that_lack_a_feature_are_counted_where_it_is_zero(model):
    model = clone(model).set_params(missing="zero")
    model.partial_fit([{"a": 1.0}, {"a": 1.0, "b": 2.0}, {"a": 1.0}, {"b": 2.0}], [1.0, 2.0, 1.0, 2.0])
    assert (model.filled_, model.skipped_) == (2, 0)


def test_rules_for_bad_rows_may_change_on_the_way():
    X, y = table(WidrowHoff())
    model = WidrowHoff().partial_fit(X, y).learn_one(X[0], y[0])
    model.set_params(bad_rows="skip")
    assert model.learn_one(np.full(3, np.nan), 1.0).skipped_ == 1


@pytest.mark.parametrize("value", [np.nan, 1e20])
def test_a_bad_row_of_a_block_stops_there_and_what_was_learnt_stays(value):
    """The same as one row after the other: the first forty rows are learnt, and the message says so."""
    X, y = table(WidrowHoff())
    broken = X.copy()
    broken[40, 1] = value
    model = WidrowHoff()
    with pytest.raises(
        ValueError, match=r"^row 40 of the stream has .* in column 1.*; the 40 rows learnt before it stay"
    ):
        model.partial_fit(broken, y)
    np.testing.assert_array_equal(model.coef_, WidrowHoff().partial_fit(X[:40], y[:40]).coef_)
    skipped = WidrowHoff(bad_rows="skip").partial_fit(broken, y)
    kept = np.arange(80) != 40
    np.testing.assert_array_equal(skipped.coef_, WidrowHoff().partial_fit(X[kept], y[kept]).coef_)
    assert np.isnan(WidrowHoff(bad_rows="skip").predict_then_learn(broken, y)[40])


def test_far_values_may_be_let_in():
    X, y = table(WidrowHoff())
    X[50] *= 1e9
    assert WidrowHoff(farthest=np.inf).partial_fit(X, y).limited_ == 1


def test_a_timestamp_among_unit_columns_is_counted_and_learnt_by_adaptive_steps():
    """The limit bites on every row of constant steps, and says so; adaptive steps are in the units of the columns."""
    X, y = table(WidrowHoff(), n=2000)
    X = np.column_stack([X, 1.7e9 + np.arange(2000.0)])
    plain = WidrowHoff().partial_fit(X, y)
    assert plain.limited_ == 2000
    assert plain._state.number("limited_column") == 3
    adaptive = OnlineRegressor(schedule="adaptive", step=0.1).partial_fit(X, y)
    np.testing.assert_allclose(adaptive.coef_[:3], [1.0, -2.0, 0.5], atol=0.2)


@every_model
def test_fit_starts_anew_and_partial_fit_goes_on(model):
    X, y = table(model)
    once = clone(model).fit(X, y)
    again = clone(model).partial_fit(X[:10], y[:10]).fit(X, y)
    np.testing.assert_array_equal(once.coef_, again.coef_)
    assert again.partial_fit(X, y).rows_ == 160


@every_model
def test_a_stored_model_goes_on_as_if_nothing_had_happened(model):
    X, y = table(model)
    model = clone(model).partial_fit(X[:40], y[:40])
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.partial_fit(X[40:], y[40:]).coef_, model.partial_fit(X[40:], y[40:]).coef_)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WidrowHoff(step=0.0), "step must be finite and > 0"),
        (lambda: WidrowHoff(schedule="slow"), "schedule must be 'constant' or 'sqrt' or 'adaptive', got 'slow'"),
        (lambda: WidrowHoff(bad_rows="drop"), "bad_rows must be 'raise' or 'skip'"),
        (lambda: WidrowHoff(missing="mean"), "missing must be 'raise' or 'zero'"),
        (lambda: WidrowHoff(farthest=0.5), "farthest must be > 1"),
        (lambda: WidrowHoff(factor=3), "factor must be 1 or 2"),
        (lambda: WidrowHoff(rule="wild"), "rule must be"),
        (lambda: WidrowHoff(rule="implicit", schedule="adaptive"), "one step for all columns"),
        (lambda: OnlineRegressor("logistic"), "not for real targets"),
    ],
)
def test_impossible_settings_are_refused_with_a_remedy(make, message):
    with pytest.raises(ValueError, match=message):
        make().partial_fit([[1.0]], [1.0])


def test_rows_of_another_kind_are_refused():
    model = WidrowHoff().partial_fit([[1.0, 2.0]], [1.0])
    with pytest.raises(ValueError, match="began with rows without names"):
        model.learn_one({"a": 1.0}, 1.0)
    with pytest.raises(ValueError, match="3 numbers, and WidrowHoff learns from 2"):
        model.learn_one([1.0, 2.0, 3.0], 1.0)
    with pytest.raises(ValueError, match="numbers or a dictionary"):
        model.learn_one([{}, 1.0], 1.0)
    with pytest.raises(ValueError, match=r"row 1 of the stream has '2.0' as column 1, which is not a number"):
        model.learn_one([1.0, "2.0"], 1.0)
    assert model.set_params(bad_rows="skip").learn_one([1.0, "2.0"], 1.0).skipped_ == 1
    model.set_params(bad_rows="raise")
    with pytest.raises(ValueError, match="has the target 'much', which is not a number"):
        model.learn_one([1.0, 2.0], "much")
    with pytest.raises(ValueError, match="X has 2 rows and y 1"):
        model.partial_fit([[1.0, 2.0]] * 2, [1.0])
    with pytest.raises(AttributeError, match="has not seen a row yet"):
        _ = WidrowHoff().coef_


def test_a_value_that_asks_the_model_while_it_is_read_changes_no_answer():
    """As another thread may where the values of a row run Python: it took the place of what had been read."""
    model, twin = (OnlineRegressor().learn_one({"a": 1.0, "b": 2.0, "c": 4.0}, 3.0) for _ in range(2))

    class Slow:
        def __init__(self, value):
            self.value = value

        def __float__(self):
            model.predict_one({"c": 7.0, "a": -3.0, "b": 0.0})
            return self.value

    row = {"a": 0.5, "b": -1.0, "c": 2.0}
    slow = {name: Slow(value) for name, value in row.items()}
    assert float(model.predict_one(slow)) == float(twin.predict_one(row)) != 0.0
    np.testing.assert_array_equal(model.learn_one(slow, 1.0).coef_, twin.learn_one(row, 1.0).coef_)


def test_two_threads_may_learn_at_once_by_adaptive_steps():
    """In any order; each has room of its own, which the other could take away."""
    few = sparse.random_array((20_000, 2000), density=0.005, format="csr", rng=np.random.default_rng(0))
    model = OnlineRegressor(schedule="adaptive").partial_fit(few[:1], [0.0])
    other = threading.Thread(target=model.partial_fit, args=(few, np.zeros(20_000)))
    other.start()
    for size in range(100, 2000, 100):
        model.partial_fit(sparse.csr_array((np.ones(size), np.arange(size), [0, size]), (1, 2000)), [1.0])
    other.join()
    assert np.all(np.isfinite(model.coef_))
