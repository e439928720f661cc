"""The gap of kernel ridge against the true excess, in decimal arithmetic of 60 digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from surefit import KernelRidge
from surefit.kernels import Gaussian, Laplace, Linear, Polynomial


def exactly(numbers):
    return [Decimal(float(number)) for number in numbers]


def gaussian(x, z):
    return (-sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) / 18).exp()


def laplace(x, z):
    return (-sum((a - b) ** 2 for a, b in zip(x, z, strict=True)).sqrt()).exp()


def inner(x, z):
    return sum(a * b for a, b in zip(x, z, strict=True))


KERNELS = [
    (Gaussian(3.0), gaussian),
    (Laplace(1.0), laplace),
    (Polynomial(5, 1.0), lambda x, z: (inner(x, z) + 1) ** 5),
    (Linear(), inner),
]


def solved(A, b):
    """Gaussian elimination."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for i in range(len(b)):
        pivot = max(range(i, len(b)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, len(b)):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [x - factor * z for x, z in zip(rows[r], rows[i], strict=True)]
    x = [Decimal(0)] * len(b)
    for i in reversed(range(len(b))):
        x[i] = (rows[i][-1] - sum(rows[i][j] * x[j] for j in range(i + 1, len(b)))) / rows[i][i]
    return x


def excess(K, y, weight, lam, model):
    """By how much the fitted function's objective exceeds the smallest one."""
    n, y, w, lam = len(y), exactly(y), exactly(weight), Decimal(lam)
    total = sum(w)

    def objective(alpha, offset):
        f = [sum(k * a for k, a in zip(row, alpha, strict=True)) for row in K]
        errors = sum(w[i] * (y[i] - f[i] - offset) ** 2 for i in range(n))
        return errors / total + lam * sum(a * v for a, v in zip(alpha, f, strict=True))

    M = [[K[i][j] + (total * lam / w[i] if i == j else 0) for j in range(n)] for i in range(n)]
    if model.fit_intercept:
        M = [[*row, Decimal(1)] for row in M] + [[Decimal(1)] * n + [Decimal(0)]]
        *alpha, offset = solved(M, [*y, Decimal(0)])
    else:
        alpha, offset = solved(M, y), Decimal(0)
    return float(objective(exactly(model.dual_coef_), Decimal(model.intercept_)) - objective(alpha, offset))


@pytest.mark.parametrize(("kernel", "formula"), KERNELS, ids=["gaussian", "laplace", "polynomial", "linear"])
@pytest.mark.parametrize("n", [5, 12])
@pytest.mark.filterwarnings("ignore:.*rounding decides")  # which it does at the smallest lam
def test_no_gap_is_below_the_true_excess(n, kernel, formula):
    """Cholesky and eigenvectors, with and without offset and weights, from everyday ``lam`` down to nothing."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    y, weights = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n), rng.integers(1, 4, n) * 0.7
    with localcontext(prec=60):
        rows = [exactly(row) for row in X]
        K = [[formula(x, z) for z in rows] for x in rows]
        for lam in (1e-1, 1e-6, 1e-10, 1e-13):
            for settings in ({"lam": lam}, {"lams": [lam]}):
                for offset, weight in ((False, np.ones(n)), (True, weights)):
                    model = KernelRidge(kernel, fit_intercept=offset, **settings).fit(X, y, weight)
                    assert excess(K, y, weight, lam, model) <= model.solution_.gap


def test_the_allowance_for_rounding_does_not_drown_the_gap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    solution = KernelRidge(Gaussian(1.0), 1e-4).fit(X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=300)).solution_
    assert solution.gap <= 1e-16 * solution.objective


def test_the_gap_at_a_tiny_lam_does_not_hang_on_how_eigenvectors_were_rounded():
    """Weights that are centred up to rounding only moved it by a factor of three from one processor to another."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (120, 2))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2 + 0.1 * rng.standard_normal(120)
    direct = KernelRidge(Gaussian(50.0), 4e-13).fit(X, y)
    spectral = KernelRidge(Gaussian(50.0), lams=[4e-13]).fit(X, y)
    assert abs(spectral.dual_coef_.sum()) <= 1e-14 * np.abs(spectral.dual_coef_).sum()
    assert spectral.solution_.gap == pytest.approx(direct.solution_.gap, rel=0.02)
