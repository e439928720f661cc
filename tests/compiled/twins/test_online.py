"""The compiled core of online learners does what its plain-Python twin says, to the last bit where no exp is taken."""

import numpy as np
import pytest
from scipy import sparse

from surefit.compiled.twins import online as twin

_native = pytest.importorskip("surefit._native", reason="compares with the compiled loops, which are not here")

N, D, ROOM = 60, 13, 16


def rows(signs, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.6)
    y = rng.choice([-1.0, 1.0], N) if signs else rng.normal(size=N)
    return X, y


def arrays():
    numbers = np.zeros(len(twin.NUMBERS))
    numbers[twin.NUMBERS.index("least_step")] = np.inf
    return {name: np.zeros(ROOM) for name in ("coef", "lag", "scale", "squares")} | {"numbers": numbers}


def core(kind, settings, held, names=None, missing_is_zero=True):
    return kind(settings, *held.values(), names or {}, missing_is_zero)


def ran(kind, settings, X, y, how="dense"):
    held = arrays()
    names = {f"x{j}": j for j in range(D)} if how == "named" else {}
    learner, predictions, losses = core(kind, settings, held, names), np.empty(len(y)), np.empty(len(y))
    if how == "dense":
        learner.dense(X, y, predictions, losses)
    elif how == "sparse":
        S = sparse.csr_matrix(X)
        learner.sparse(S.indptr, S.indices, S.data, y, predictions, losses)
    elif how == "rows":
        for i in range(len(y)):
            predictions[i] = learner.score_row(X[i])
            learner.learn_row(X[i], y[i], np.nan)
    else:
        for i in range(len(y)):
            row = {f"x{j}": float(X[i, j]) for j in np.random.default_rng(i).permutation(D) if X[i, j] != 0}
            predictions[i] = learner.score(row)
            learner.learn(row, y[i], np.nan)
    return held, predictions


def settings(loss, parameter=0.3, rule=0, schedule=0, step=0.05, skip=0, farthest=1e4):
    return [twin.LOSSES.index(loss), parameter, rule, schedule, step, 1.0, skip, farthest, 30]


CASES = [settings(loss, schedule=schedule) for loss in twin.LOSSES for schedule in (0, 1, 2)]
CASES += [settings("squared", rule=rule, schedule=schedule) for rule in (1, 2) for schedule in (0, 1)]
CASES += [settings("squared", step=5.0), settings("squared", schedule=2, step=50.0)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_compiled_core_equals_its_twin(case):
    """A-26, A-27, A-28: weights, lags, rates, counts and predictions."""
    X, y = rows(case[0] in twin.SIGNS)
    (ours, said), (theirs, said_too) = (ran(kind, case, X, y) for kind in (_native.OnlineCore, twin.OnlineCore))
    compare = np.testing.assert_array_equal
    if twin.LOSSES[case[0]] == "logistic":
        compare = lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    compare(said, said_too)
    for name, array in ours.items():
        compare(array, theirs[name])


@pytest.mark.parametrize("case", CASES[::2], ids=str)
@pytest.mark.parametrize("kind", [_native.OnlineCore, twin.OnlineCore], ids=["compiled", "plain"])
def test_a_row_gives_the_same_bits_dense_sparse_alone_or_by_name(case, kind):
    """Whatever the order of the names, zeros written or not."""
    X, y = rows(case[0] in twin.SIGNS)
    dense, said = ran(kind, case, X, y)
    for how in ("sparse", "rows", "named"):
        other, said_too = ran(kind, case, X, y, how)
        np.testing.assert_array_equal(said, said_too)
        if how == "named":
            filled = twin.NUMBERS.index("filled")
            assert other["numbers"][filled] == np.count_nonzero(np.any(X == 0, axis=1))  # zeros are left out there
            other["numbers"][filled] = 0
        for name, array in dense.items():
            np.testing.assert_array_equal(array, other[name], err_msg=f"{how} {name}")


@pytest.mark.parametrize("kind", [_native.OnlineCore, twin.OnlineCore], ids=["compiled", "plain"])
@pytest.mark.parametrize("zeros", [0, 40])
def test_a_number_that_swallows_all_others_is_refused_before_there_is_a_scale(kind, zeros):
    """In the first row of all, and after rows of zeros; 2**53 itself is let in, and so is all with farthest=inf."""
    X, _ = rows(False)
    for far, value, target, reason in (
        (1e4, 1e20, 1.0, twin.TOO_LONG),
        (1e4, 1.0, -1e20, twin.TARGET_FAR),
        (1e4, 2.0**53, 2.0**53, twin.FINE),
        (np.inf, 1e20, 1.0, twin.FINE),
    ):
        broken = np.vstack([np.zeros((zeros, X.shape[1])), np.zeros((1, X.shape[1]))])
        broken[-1, 5] = value
        learner = core(kind, settings("squared", farthest=far), arrays())
        assert learner.dense(broken, np.append(np.zeros(zeros), target), np.empty(0), np.empty(0))[1] == reason


@pytest.mark.parametrize("kind", [_native.OnlineCore, twin.OnlineCore], ids=["compiled", "plain"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200, -1e7])
@pytest.mark.parametrize("skip", [0, 1])
def test_a_bad_row_changes_nothing(kind, value, skip):
    """It stops the pass, or is counted; the weights are those without it."""
    X, y = rows(False)
    broken, targets = np.insert(X, 40, 0.0, axis=0), np.insert(y, 40, 1.0)
    broken[40, 5] = value
    held, predictions, losses = arrays(), np.empty(N + 1), np.empty(N + 1)
    learner = core(kind, settings("squared", skip=skip), held)
    done, reason = learner.dense(broken, targets, predictions, losses)
    assert reason == (twin.FINE if skip else twin.TOO_LONG if value == -1e7 else twin.NOT_FINITE)
    assert done == (N + 1 if skip else 40)
    expected, _ = ran(kind, settings("squared"), X if skip else X[:40], y if skip else y[:40])
    np.testing.assert_array_equal(held["coef"], expected["coef"])
    assert held["numbers"][twin.NUMBERS.index("skipped")] == skip
    assert np.isnan(predictions[40]) if skip else True


@pytest.mark.parametrize("kind", [_native.OnlineCore, twin.OnlineCore], ids=["compiled", "plain"])
def test_named_rows_say_what_is_wrong_with_them(kind):
    held = arrays()
    learner = core(kind, settings("squared"), held, {"a": 0, "b": 1}, missing_is_zero=False)
    assert learner.learn({"a": 1.0, "b": 2, "c": 1.0}, 1.0, np.nan) == twin.UNKNOWN_FEATURE
    assert learner.culprit == "c"
    assert learner.learn({"a": 1.0}, 1.0, np.nan) == twin.MISSING_FEATURE
    assert learner.learn({"a": 1.0, "b": "2"}, 1.0, np.nan) == twin.NOT_A_NUMBER
    assert learner.culprit == "b"
    assert learner.learn({"a": 1.0, "b": None}, 1.0, np.nan) == twin.NOT_FINITE
    assert learner.learn({"a": 1.0, "b": 1.0}, np.inf, np.nan) == twin.TARGET_NOT_FINITE
    assert held["numbers"][0] == 0
    assert not held["coef"].any()
    assert learner.learn({"b": np.float32(1.0), "a": True}, 1.0, np.nan) == twin.FINE
    assert learner.score({"a": 1.0, "b": 1.0, "new": 5.0}) > 0
    assert np.isnan(learner.score({"a": 1.0}))


def test_names_that_move_between_rows_are_told_apart():
    """Keys that are equal and not the same object, and rows that shrink and grow."""
    for kind in (_native.OnlineCore, twin.OnlineCore):
        held = arrays()
        learner = core(kind, settings("squared", step=0.5), held, {"a": 0, "b": 1, "c": 2})
        for row in ({"a": 1.0}, {"b": 1.0}, {"".join(["", "c"]): 1.0, "a": 0.0}, {"a": 1.0, "c": 1.0}, {"b": 1.0}):
            learner.learn(row, 2.0, np.nan)
        reference = arrays()
        X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 0]])
        core(kind, settings("squared", step=0.5), reference).dense(X, np.full(5, 2.0), np.empty(0), np.empty(0))
        np.testing.assert_array_equal(held["coef"], reference["coef"])


def test_shapes_are_checked_before_the_loop():
    X, y = rows(False)
    learner, empty = core(_native.OnlineCore, settings("squared"), arrays()), np.empty(0)
    with pytest.raises(ValueError, match="target per row"):
        learner.dense(X, y[:5], empty, empty)
    with pytest.raises(ValueError, match="room for every"):
        learner.dense(X, y, np.empty(3), np.empty(3))
    with pytest.raises(ValueError, match="column per coef"):
        learner.dense(np.zeros((2, 17)), y[:2], empty, empty)
    with pytest.raises(ValueError, match="not there"):
        learner.sparse(np.array([0, 1]), np.array([16]), np.ones(1), y[:1], empty, empty)
    with pytest.raises(ValueError, match="in eights"):
        core(_native.OnlineCore, settings("squared"), {**arrays(), "coef": np.zeros(13)})
    with pytest.raises(TypeError):
        core(_native.OnlineCore, settings("squared"), {**arrays(), "coef": np.zeros(16, dtype=np.float32)})
