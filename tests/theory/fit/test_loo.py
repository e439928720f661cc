import numpy as np
import pytest

from surefit.data.design import Design
from surefit.data.fingerprints import without_copies
from surefit.solvers.linear.factor import spectral_factor
from surefit.solvers.linear.least_squares import ridge
from surefit.theory.fit.loo import exact_loo, loo_by_refitting, loo_curve

X1, Y1 = np.array([[0.0], [1], [2], [3]]), np.array([1.0, 3, 2, 5])
X2 = np.array([[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 3, 1], [3, 2, 2], [0, 2, 3]])
Y2 = np.array([3.0, 2, 1, 4, 7, 6])


def refits(X, y, sum_lam, weight=None, intercept=True):
    """n refits with the same penalty against the sum of losses; a row leaves with all its weight."""
    weight = np.ones(len(X)) if weight is None else weight
    residuals = []
    for i in range(len(X)):
        rest = np.where(np.arange(len(X)) == i, 0.0, weight)
        fit = ridge(Design.of(X, rest), y[:, None], sum_lam / rest.sum(), intercept).solution
        residuals.append(y[i] - X[i] @ fit.coef[:, 0] - fit.intercept[0])
    return np.array(residuals)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d", "lam"), [(20, 4, 0.0), (20, 4, 1e-3), (20, 4, 1.0), (8, 15, 0.05)])
def test_exact_loo_equals_n_refits(n, d, lam, weighted, intercept):
    """Catalogue T-76, S-03, S-04: to 1e-10, tall and wide."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(n, d)) + 1.0, rng.normal(size=n)
    weight = 5 * rng.random(n) + 0.1 if weighted else np.ones(n)
    shortcut = exact_loo(spectral_factor(Design.of(X, weight), intercept), y, [lam])[0]
    np.testing.assert_allclose(shortcut, refits(X, y, lam * weight.sum(), weight, intercept), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("X", "y", "lam", "total"),
    [(X1, Y1, 0.0, 8.866213152), (X2, Y2, 0.0, 5.381430495), (X2, Y2, 0.1, 9.095772579)],
)
def test_reference_sums(X, y, lam, total):
    """Catalogue FX1, FX2, T-76."""
    factor = spectral_factor(Design.of(X), True)
    np.testing.assert_allclose(np.sum(exact_loo(factor, y, [lam]) ** 2), total, atol=5e-10)
    np.testing.assert_allclose(len(y) * loo_curve(factor, y, [lam]), total, atol=5e-10)


def test_keeping_the_mean_penalty_instead_is_another_number():
    """Catalogue T-76: refits must keep n * lam."""
    same_mean = np.sum(
        loo_by_refitting(
            lambda X, y, x: x @ (s := ridge(Design.of(X), y[:, None], 0.1).solution).coef[:, 0] + s.intercept, X2, Y2
        )
        ** 2
    )
    assert abs(same_mean - 9.095772579) > 1e-2


def test_several_targets_and_zero_weights():
    """Rows that do not count neither help nor are judged."""
    rng = np.random.default_rng(4)
    X, Y, weight = rng.normal(size=(15, 3)), rng.normal(size=(15, 2)), np.ones(15)
    weight[[2, 7]] = 0.0
    kept = weight > 0
    factor, smaller = spectral_factor(Design.of(X, weight), True), spectral_factor(Design.of(X[kept]), True)
    np.testing.assert_allclose(loo_curve(factor, Y, [0.1]), loo_curve(smaller, Y[kept], [0.1]), rtol=1e-12)
    both = exact_loo(smaller, Y[kept], [0.1, 1.0])
    np.testing.assert_allclose(both[:, :, 1], exact_loo(smaller, Y[kept, 1], [0.1, 1.0]), rtol=1e-12)
    np.testing.assert_allclose(loo_curve(smaller, Y[kept], [0.1]), np.mean(both[0] ** 2), rtol=1e-12)


def test_equal_rows_leave_together_and_counted_rows_with_all_their_weight():
    """The curve that chooses lam must not know whether rows were counted or repeated, or how often all of them were."""
    rng = np.random.default_rng(6)
    X, y, weight = rng.normal(size=(12, 3)), rng.normal(size=12), rng.integers(1, 4, size=12)
    repeats, lams = np.repeat(np.arange(12), weight), [0.01, 0.3]

    def curve(rows, target, counts=None):
        design, target = without_copies(Design.of(rows, counts), target)
        return loo_curve(spectral_factor(design, True), target, lams)

    counted = curve(X, y, weight)
    brute = [np.average(refits(X, y, lam * weight.sum(), weight * 1.0) ** 2, weights=weight) for lam in lams]
    np.testing.assert_allclose(counted, brute, rtol=1e-10)
    np.testing.assert_allclose(curve(X[repeats], y[repeats]), counted, rtol=1e-11)
    np.testing.assert_allclose(curve(X, y, 7.0 * weight), counted, rtol=1e-11)
    np.testing.assert_allclose(curve(np.tile(X, (5, 1)), np.tile(y, 5)), curve(X, y), rtol=1e-11)


def test_a_row_that_alone_decides_its_fit_has_no_left_out_prediction():
    """Catalogue T-76: leverage one."""
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    residual = exact_loo(spectral_factor(Design.of(X), True), Y1, [0.0])[0]
    assert np.isinf(residual[3])
    assert np.all(np.isfinite(residual[:3]))


def test_timestamps_do_not_spoil_leave_one_out():
    """Columns of size 1e9 and 1 together, penalty felt by the small ones only."""
    rng = np.random.default_rng(5)
    X = np.column_stack([1.7e12 + np.round(1e9 * rng.random(12)), rng.normal(size=(12, 2))])
    y = X[:, 1] + 1e-9 * (X[:, 0] - 1.7e12) + 0.1 * rng.normal(size=12)
    shortcut = exact_loo(spectral_factor(Design.of(X), True, 0.1), y, [0.1 / 12])[0]
    np.testing.assert_allclose(shortcut, refits(X, y, 0.1), rtol=1e-9)
