"""Leave-one-out errors by one more pass."""

from dataclasses import replace

import numpy as np
import pytest

from surefit.data.blocks.block import Block
from surefit.data.blocks.columns import Columns
from surefit.data.blocks.layout import Layout
from surefit.solvers.blocks import factor, loo
from surefit.solvers.blocks.small import small


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_left_out_as_by_refitting(weighted):
    """Catalogue T-76."""
    rng = np.random.default_rng(0)
    n, lams = 60, np.array([1e-3, 0.1, 3.0])
    X, w = rng.normal(size=(n, 4)) + 50.0, rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    y = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=n)
    block = Block(X, target=y, weight=w if weighted else None)
    layout = Layout.of(block, Columns(("a", "b", "c", "d"), (), "y"))
    target = factor.Target.of(block, True)
    part = small(factor.Factorise(layout, target)(block), layout, target)
    at = loo.spectrum(part, layout, lams)
    work = loo.LeaveOut(layout, target, at, True)
    assert not at.single
    coefs = np.stack([refitted(X, y, w, lam * w.sum())[0] for lam in lams])
    curve, _ = loo.curve(part, work(block), coefs)
    for lam, found in zip(lams, curve, strict=True):
        errors = []
        for i in range(n):
            rest = np.arange(n) != i
            coef, intercept = refitted(X[rest], y[rest], w[rest], lam * w.sum())
            errors.append(y[i] - X[i] @ coef - intercept)
        assert found == pytest.approx(w @ np.square(errors) / w.sum(), rel=1e-10)
    in_single = replace(work, at=replace(at, single=True))(block)
    np.testing.assert_allclose(in_single, work(block), rtol=1e-4)


def refitted(X, y, w, penalty):
    mean, centre = w @ X / w.sum(), w @ y / w.sum()
    A = X - mean
    coef = np.linalg.solve((A.T * w) @ A + penalty * np.eye(X.shape[1]), (A.T * w) @ (y - centre))
    return coef, centre - mean @ coef
