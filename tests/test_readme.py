"""The README's table of digits is what the code computes today."""

import re
from pathlib import Path

import pytest

from benchmarks.nist_data import SET_NAMES, correct_digits, read_set
from surefit import LeastSquares

README = (Path(__file__).parent.parent / "README.md").read_text()


@pytest.mark.parametrize("name", SET_NAMES)
def test_the_readme_shows_the_digits_of_today(name):
    """First column of numbers: coefficients in memory; rounding may move the last one shown."""
    row = re.search(rf"^\| {name} +\|(.*)\|$", README, flags=re.MULTILINE)
    assert row is not None
    shown = float(row.group(1).split("|")[0])
    problem = read_set(name)
    table = LeastSquares(fit_intercept=problem.fit_intercept).fit(problem.X, problem.y).inference()
    assert correct_digits(table.estimate, problem.coef) == pytest.approx(shown, abs=0.15)
