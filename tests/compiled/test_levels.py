"""Levels of the compiled loops: the best is taken, another can be asked for, what is lacking is said."""

import os
import subprocess
import sys

import numpy as np
import pytest

from surefit.compiled import levels

pytestmark = pytest.mark.compiled

CHOSEN = "from surefit.compiled import door; print(door.native.__name__)"


def outcome(asked):
    return subprocess.run(
        [sys.executable, "-c", CHOSEN],
        env=os.environ | {"SUREFIT_LEVEL": asked, "SUREFIT_PLAIN": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("level", ["", *levels.available()])
def test_the_level_asked_for_runs_and_the_highest_without_a_wish(level):
    assert outcome(level).stdout.strip() == f"surefit._native_{level or levels.available()[-1]}"


def test_a_level_that_is_not_there_is_refused_with_those_that_are():
    said = outcome("v9")
    assert said.returncode == 1
    assert "SUREFIT_LEVEL is 'v9', which this processor or this installation lacks; set it to one of " in said.stderr
    assert ", ".join(levels.available()) in said.stderr


@pytest.mark.parametrize("level", levels.available())
def test_a_kernel_value_of_zero_distance_is_one_and_of_a_large_one_zero_at_every_level(level):
    """Exactly, so that a diagonal needs no care: Gaussian, Laplace and two Matern kernels in both precisions."""
    for dtype in (np.float64, np.float32):
        X, far, out = np.arange(5.0, dtype=dtype)[:, None], np.full((5, 1), 1e30, dtype), np.empty((5, 5), dtype)
        for profile in range(4):
            levels.loops(level).radial_block(profile, 1.0, X, X, 1, out)
            assert np.all(np.diag(out) == 1)
            levels.loops(level).radial_block(profile, 1.0, X, far, 1, out)
            assert np.all(out == 0)
