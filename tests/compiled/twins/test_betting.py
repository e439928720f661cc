"""The compiled betting loop equals its plain twin."""

import numpy as np
import pytest

from surefit.compiled.twins import betting as twins_betting
from surefit.theory.means.betting import star_rejections


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_compiled_loop_equals_its_twin(n):
    gains = np.random.default_rng(n).beta(2, 2, size=(5, n))
    candidates = np.arange(1, 200) / 200
    compiled, plain = np.empty(5, dtype=np.int64), np.empty(5, dtype=np.int64)
    star_rejections(gains, np.log(20), candidates, compiled)
    twins_betting.star_rejections(gains, np.log(20), candidates, plain)
    np.testing.assert_array_equal(compiled, plain)


@pytest.mark.compiled
def test_the_loop_refuses_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="one entry per row"):
        star_rejections(np.zeros((3, 4)), 3.0, np.array([0.5]), np.empty(2, dtype=np.int64))
