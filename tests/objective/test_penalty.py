"""Penalties and their proximal maps (catalogue P-01, P-02, P-03, P-07, P-08)."""

import numpy as np
import pytest
from scipy.optimize import minimize

from surefit.objective import L1, L2, ElasticNet, Penalty, PNorm, Problem, Squared, SquaredL2, convert_lambda

NORMS = [L1(), L2(), PNorm(1), PNorm(1.5), PNorm(3.0), PNorm(np.inf)]
ALL = [SquaredL2(), ElasticNet(0.0), ElasticNet(0.4), ElasticNet(1.0), *NORMS]

FX2_X = np.array([[1, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]], dtype=float)
FX2_Y = np.array([3, 2, 1, 4, 7, 6], dtype=float)
XC, YC = FX2_X - FX2_X.mean(axis=0), FX2_Y - FX2_Y.mean()


def minimiser(penalty, lam):
    """Accelerated proximal gradient on the centred mean squared loss of FX2."""
    step = 1 / np.linalg.eigvalsh(2 * XC.T @ XC / 6).max()
    w = look = np.zeros(3)
    for k in range(3000):
        new = penalty.prox(look - step * 2 * XC.T @ (XC @ look - YC) / 6, step * lam)
        look, w = new + k / (k + 3) * (new - w), new
    return w


def mean_squared_loss(w):
    return np.mean((YC - XC @ w) ** 2)


def test_reference_proximal_maps():
    np.testing.assert_allclose(SquaredL2().prox([3.0, 4.0], 0.5), [1.5, 2.0])  # P-01: v / (1 + 2 a)
    np.testing.assert_allclose(L1().prox([3.0, -0.5], 1.0), [2.0, 0.0])  # P-02: S(3, 1), S(-0.5, 1)
    np.testing.assert_allclose(L2().prox([3.0, 4.0], 2.0), [1.8, 2.4])  # P-03
    np.testing.assert_array_equal(L2().prox([3.0, 4.0], 5.0), [0.0, 0.0])


@pytest.mark.parametrize("penalty", ALL, ids=repr)
def test_prox_agrees_with_a_general_minimiser(penalty):
    """Nelder-Mead in two dimensions; its own error is about 1e-5."""
    v, step = np.array([1.7, -0.6]), 0.4
    cost = lambda w: 0.5 * np.sum((w - v) ** 2) + step * penalty.value(w)
    rough = minimize(cost, v, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 2000}).x
    np.testing.assert_allclose(penalty.prox(v, step), rough, atol=1e-4)
    assert cost(penalty.prox(v, step)) <= cost(rough) + 1e-12


@pytest.mark.parametrize("penalty", NORMS, ids=repr)
def test_prox_of_a_norm_obeys_moreau(penalty):
    """v = prox(v) + step * p with p in the dual ball, on its surface if the prox is not zero, and <p, w> = ||w||."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        v, step = 3 * rng.normal(size=5), rng.uniform(0.1, 2)
        w = penalty.prox(v, step)
        dual = (v - w) / step
        assert penalty.dual_norm(dual) <= 1 + 1e-9
        assert dual @ w == pytest.approx(penalty.value(w), abs=1e-9)


def test_p_norms_contain_the_two_famous_ones_and_the_elastic_net_both_ends():
    rng = np.random.default_rng(2)
    pairs = [(PNorm(1), L1()), (PNorm(2), L2()), (ElasticNet(1.0), L1()), (ElasticNet(0.0), SquaredL2())]
    for general, special in pairs:
        v = rng.normal(size=6)
        assert general.value(v) == pytest.approx(special.value(v))
        np.testing.assert_allclose(general.gradient(v), special.gradient(v))
        np.testing.assert_allclose(general.prox(v, 0.3), special.prox(v, 0.3))
        assert general.conjugate(0.2 * v, 0.7) == pytest.approx(special.conjugate(0.2 * v, 0.7))
        assert (general.smooth, general.norm, general.separable) == (special.smooth, special.norm, special.separable)
        assert general.strong_convexity == special.strong_convexity


@pytest.mark.parametrize("order", [1.02, 60.0])
def test_prox_of_a_nearly_extreme_order_is_near_that_of_the_extreme_one(order):
    v = np.array([2.0, -1.0, 0.3])
    extreme = PNorm(1 if order < 2 else np.inf)
    np.testing.assert_allclose(PNorm(order).prox(v, 0.5), extreme.prox(v, 0.5), atol=0.05)


def test_subgradients_at_kinks_are_the_shortest():
    np.testing.assert_array_equal(L1().gradient([0.0, -2.0]), [0, -1])
    np.testing.assert_array_equal(L2().gradient([0.0, 0.0]), [0, 0])
    np.testing.assert_allclose(PNorm(np.inf).gradient([2.0, -2.0, 1.0]), [0.5, -0.5, 0])
    np.testing.assert_allclose(ElasticNet(0.5).gradient([0.0, 3.0]), [0, 3.5])


@pytest.mark.parametrize("penalty", ALL, ids=repr)
def test_matrices_count_as_long_vectors(penalty):
    """Coefficients of several outputs, shape (d, k)."""
    W = np.random.default_rng(3).normal(size=(3, 2))
    assert penalty.value(W) == pytest.approx(penalty.value(W.ravel()))
    np.testing.assert_allclose(penalty.prox(W, 0.4), penalty.prox(W.ravel(), 0.4).reshape(3, 2))
    np.testing.assert_allclose(penalty.gradient(W), penalty.gradient(W.ravel()).reshape(3, 2))


def test_conjugates_at_a_scale():
    """(lam Omega)*: ||u||**2 / (4 lam) for the square, an indicator for norms, only the origin for lam = 0."""
    u = np.array([3.0, 4.0])
    assert SquaredL2().conjugate(u, 2.0) == pytest.approx(25 / 8)
    assert (L1().conjugate(u, 4.0), L1().conjugate(u, 3.9)) == (0, np.inf)
    assert (L2().conjugate(u, 5.0), L2().conjugate(u, 4.9)) == (0, np.inf)
    assert ElasticNet(0.5).conjugate(u, 2.0) == pytest.approx((2**2 + 3**2) / 4)
    for penalty in ALL:
        assert penalty.conjugate(np.zeros(2), 0.0) == 0
        assert penalty.conjugate(u, 0.0) == np.inf


@pytest.mark.parametrize("penalty", ALL, ids=repr)
def test_dual_scaling_reaches_the_domain_and_no_less(penalty):
    u = np.array([3.0, -4.0, 1.0])
    for lam in (0.0, 0.5, 100.0):
        scale = penalty.dual_scaling(u, lam)
        assert np.isfinite(penalty.conjugate(scale * u, lam))
        assert scale == 1 or penalty.conjugate(1.001 * scale * u + 1e-9 * u, lam) == np.inf


@pytest.mark.parametrize("penalty", [SquaredL2(), L1(), ElasticNet(0.5), L2(), PNorm(np.inf)], ids=repr)
def test_a_larger_lam_never_raises_the_penalty_and_never_lowers_the_risk(penalty):
    """P-08, for exact minimisers on FX2 (solved to 1e-9)."""
    fits = [minimiser(penalty, lam) for lam in (0.01, 0.1, 0.5, 1.0, 2.0, 4.0)]
    penalties, risks = [penalty.value(w) for w in fits], [mean_squared_loss(w) for w in fits]
    assert np.all(np.diff(penalties) <= 1e-8)
    assert np.all(np.diff(risks) >= -1e-8)
    assert penalties[0] > penalties[-1]


def test_the_penalty_is_added_not_subtracted():
    """E-105: x = y = (1, 2), half-sum lambda 1 on |w|: adding gives 0.8, the printed minus sign 1.2."""
    x, lam = np.array([1.0, 2.0]), convert_lambda(1.0, "half-sum", n=2)
    w = np.linspace(0, 2, 200_001)
    risk = np.mean((x[:, None] - x[:, None] * w) ** 2, axis=0)
    assert w[np.argmin(risk + lam * np.abs(w))] == pytest.approx(0.8, abs=1e-5)
    assert w[np.argmin(risk - lam * np.abs(w))] == pytest.approx(1.2, abs=1e-5)
    problem = Problem(x[:, None], x, Squared(), L1(), lam, fit_intercept=False)
    assert problem.gap([0.8]) <= 1e-15
    assert problem.gap([1.2]) >= 0.4


def test_unsquared_norm_is_zero_exactly_from_the_gradient_norm_on():
    """P-03: w = 0 iff ||gradient of the loss at 0|| <= lam."""
    edge = np.linalg.norm(2 * XC.T @ YC / 6)
    assert np.all(minimiser(L2(), edge * 1.0001) == 0)
    assert np.any(minimiser(L2(), edge * 0.999) != 0)


def test_unsquared_norm_solution_is_a_ridge_solution():
    """P-03, E-106: lam_squared = lam / (2 ||w||)."""
    w = minimiser(L2(), 0.7)
    ridge = np.linalg.solve(XC.T @ XC / 6 + 0.7 / (2 * np.linalg.norm(w)) * np.eye(3), XC.T @ YC / 6)
    np.testing.assert_allclose(w, ridge, atol=1e-9)


def test_lasso_and_ridge_of_the_fixture():
    """FX2: lasso at lam = 0.5, ridge at lam = 0.1."""
    np.testing.assert_allclose(minimiser(L1(), 0.5), [0.52755906, 0.72178478, 1.5328084], atol=1e-7)
    np.testing.assert_allclose(minimiser(SquaredL2(), 0.1), [0.70202832, 0.87208583, 1.65852452], atol=1e-7)


class NonNegative(Penalty):
    """A stranger's penalty that is neither a norm nor finite everywhere."""

    separable = True

    def value(self, w):
        return 0.0 if np.min(w) >= 0 else np.inf

    def gradient(self, w):
        return np.zeros_like(w)

    def prox(self, v, step):
        return np.maximum(v, 0.0)


def test_what_a_strangers_penalty_lacks_is_said():
    with pytest.raises(NotImplementedError, match=r"NonNegative\(\) has no conjugate.*write conjugate"):
        NonNegative().conjugate(np.ones(2))
    with pytest.raises(NotImplementedError, match="not declared a norm"):
        NonNegative().dual_norm(np.ones(2))
    with pytest.raises(NotImplementedError, match="use L1"):
        ElasticNet(0.5).dual_norm(np.ones(2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ElasticNet(1.5), "l1_ratio must be from 0 to 1, got 1.5; use 0 for ridge and 1 for lasso"),
        (lambda: PNorm(0.9), "order must be >= 1, got 0.9"),
        (lambda: L1().prox([1.0], -0.1), "step must be >= 0, got -0.1; use step=0 for the identity"),
    ],
)
def test_parameters_outside_their_domain_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_huge_coefficients_give_no_warning():
    for penalty in ALL:
        assert penalty.value([1e300, -1e300]) >= 1e300
        assert np.all(np.isfinite(penalty.prox([1e300, -1.0], 1.0)))
