"""Without the compiled loops everything still works, with one clear warning."""

import subprocess
import sys

WITHOUT_COMPILER = """
import sys, warnings
sys.modules["surefit._native"] = None          # what an install without a compiler looks like
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import surefit
    import numpy as np
    x = np.arange(21.0)
    X = np.stack([x**k for k in range(1, 6)], axis=1)
    y = 1 + X.sum(axis=1)
    model = surefit.LeastSquares().fit(X, y)
    again = surefit.LeastSquares(solver="stochastic").fit(X[:, :1] / 20, y / y.max())
said = [str(w.message) for w in caught if "compiled loops" in str(w.message)]
assert len(said) == 1 and "C++17 compiler" in said[0], said
np.testing.assert_allclose(model.coef_, 1, rtol=1e-14)
np.testing.assert_allclose(model.intercept_, 1, rtol=1e-12)
assert again.solution_.gap < 1e-2
"""


def test_the_twins_take_over_with_exactly_one_warning():
    subprocess.run([sys.executable, "-c", WITHOUT_COMPILER], check=True)
