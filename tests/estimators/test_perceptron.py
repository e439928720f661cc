"""`Perceptron` and `KernelPerceptron` publish the runs of their solver."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from surefit import KernelPerceptron, Perceptron
from surefit.kernels import Linear, Polynomial

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


def test_and_with_an_intercept():
    """FX6, T-56: (3, 2, -4), 18 updates of at most 51, 9 epochs."""
    model = Perceptron().fit(CORNERS, AND)
    assert model.coef_.tolist() == [[3, 2]]
    assert model.intercept_.tolist() == [-4]
    assert (model.n_updates_, model.n_iter_, model.converged_) == (18, 9, True)
    assert model.convergence_bound(CORNERS, AND) == pytest.approx(51, rel=1e-12)
    assert model.mistakes_.sum() == 18


def test_the_tie_rule_holds_in_learning_and_in_prediction():
    """FX6, A-34, E-028: with sign(0) = +1 the run ends with (1, 1) on the plane, which is read as the second class."""
    model = Perceptron(sign_zero=1).fit(CORNERS, AND)
    assert (*model.coef_[0], *model.intercept_) == (2, 1, -3)
    assert (model.n_updates_, model.n_iter_) == (11, 6)
    assert model.decision_function(CORNERS)[3] == 0
    assert model.predict(CORNERS).tolist() == AND.tolist()
    mirrored = Perceptron(sign_zero=-1).fit(CORNERS, 1 - AND)
    assert mirrored.predict(CORNERS).tolist() == (1 - AND).tolist()


def test_there_is_no_bound_without_separation():
    """T-56: separable data only."""
    model = Perceptron(weights="mean", max_epochs=5).fit(CORNERS, XOR)
    assert model.convergence_bound(CORNERS, XOR) == np.inf


def test_the_bound_takes_sparse_rows_and_no_intercept():
    """T-57."""
    y = [1, 0, 1, 0, 1]
    model = Perceptron(fit_intercept=False).fit(np.eye(5), y)
    assert model.n_updates_ == 5
    assert model.convergence_bound(sparse.csr_matrix(np.eye(5)), y) == pytest.approx(5)


def test_random_draws_depend_on_the_seed_only():
    """A-34."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), rng.integers(0, 2, 40)
    fits = [
        Perceptron("random", "mean", random_state=seed, max_epochs=3).fit(X, y).coef_.tolist()
        for seed in (1, 1, 2, np.random.RandomState(1))
    ]
    assert fits[0] == fits[1] == fits[3] != fits[2]


def test_mean_weights_generalise_better_on_noisy_data():
    """T-56 does not apply here.  20 samples; the mean beats the last weights in the average by several errors."""
    gains = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((400, 5))
        y = (X.sum(axis=1) + 2 * rng.standard_normal(400) > 0).astype(int)
        last, mean = (Perceptron(weights=weights, max_epochs=20) for weights in ("last", "mean"))
        with pytest.warns(match="mistakes"):
            last.fit(X[:100], y[:100])
        gains.append(mean.fit(X[:100], y[:100]).score(X[100:], y[100:]) - last.score(X[100:], y[100:]))
    assert np.mean(gains) > 0.02


def test_a_quadratic_kernel_learns_xor():
    model = KernelPerceptron(Polynomial(2)).fit(CORNERS, XOR)
    assert model.predict(CORNERS).tolist() == XOR.tolist()
    assert model.converged_
    assert model.dual_coef_.shape == (1, len(model.support_))
    np.testing.assert_array_equal(model.support_vectors_, CORNERS[model.support_])
    with pytest.warns(match="not separable"):
        Perceptron().fit(CORNERS, XOR)


def test_the_linear_kernel_is_the_plain_perceptron():
    """A-33: f = sum_i c_i (x_i . x + 1)."""
    plain, dual = Perceptron().fit(CORNERS, AND), KernelPerceptron(Linear()).fit(CORNERS, AND)
    np.testing.assert_allclose(dual.decision_function(CORNERS), plain.decision_function(CORNERS), rtol=1e-14)
    assert dual.n_updates_ == 18
    mean = KernelPerceptron(Linear(), weights="mean").fit(CORNERS, AND)
    expected = Perceptron(weights="mean").fit(CORNERS, AND).decision_function(CORNERS)
    np.testing.assert_allclose(mean.decision_function(CORNERS), expected, atol=1e-13)


def test_data_frames_give_their_names():
    frame = pd.DataFrame(CORNERS, columns=["a", "b"])
    assert Perceptron().fit(frame, AND).feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order": "shuffled"}, "order must be one of"),
        ({"weights": "best"}, "weights must be one of"),
        ({"sign_zero": 0}, "sign_zero must be None"),
        ({"max_epochs": 0}, "max_epochs must be a whole number >= 1"),
    ],
)
def test_unknown_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**parameters).fit(CORNERS, AND)


def test_zero_rows_without_an_intercept_are_refused():
    """A-33."""
    with pytest.raises(ValueError, match="row 0 is zero"):
        Perceptron(fit_intercept=False).fit(CORNERS, AND)
    with pytest.raises(ValueError, match="for row 0"):
        KernelPerceptron(Linear(), fit_intercept=False).fit(CORNERS, AND)


def test_the_default_kernel_is_gaussian_with_the_median_bandwidth():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = (np.linalg.norm(X, axis=1) > 1).astype(int)
    model = KernelPerceptron().fit(X, y)
    assert model.converged_
    assert "Gaussian" in repr(model.kernel_)
    assert model.score(X, y) == 1


def test_sparse_rows_where_the_kernel_takes_them():
    dense, thin = (KernelPerceptron(Linear()).fit(X, AND) for X in (CORNERS, sparse.csr_matrix(CORNERS)))
    assert thin.dual_coef_.tolist() == dense.dual_coef_.tolist()
    np.testing.assert_array_equal(thin.predict(sparse.csr_matrix(CORNERS)), AND)


def test_what_is_no_kernel_is_refused():
    with pytest.raises(ValueError, match="kernel must be a Kernel such as"):
        KernelPerceptron(3).fit(CORNERS, AND)


def test_a_bound_for_labels_that_the_model_does_not_know_is_refused():
    """T-56: a label of no class has no side."""
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    model = Perceptron().fit(X, ["no", "no", "no", "yes"])
    for y in ([0, 0, 0, 1], ["no", "no", "no", "Yes"]):
        with pytest.raises(ValueError, match=r"y holds .* the classes of the model are \['no', 'yes'\]"):
            model.convergence_bound(X, y)
