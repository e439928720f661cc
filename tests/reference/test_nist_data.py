"""The NIST reference problems are read as NIST certified them: checked in exact rational arithmetic."""

import doctest
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import exact, nist_data
from benchmarks.exact import exact_fit_of_floats, exact_least_squares
from benchmarks.nist_data import FOLDER, SET_NAMES, correct_digits, read_set

SHAPES = {
    "Norris": (36, 1, True),
    "Pontius": (40, 2, True),
    "NoInt1": (11, 1, False),
    "NoInt2": (3, 1, False),
    "Filip": (82, 10, True),
    "Longley": (16, 6, True),
    **{f"Wampler{k}": (21, 5, True) for k in range(1, 6)},
}


def exact_fit_of_decimals(reference):
    """Least squares on the decimals as printed, the powers formed without rounding."""
    n_slopes = reference.X.shape[1]
    rows, y = [], []
    for target, *predictors in reference.rows:
        x = [Fraction(text) for text in predictors]
        slopes = [x[0] ** j for j in range(1, n_slopes + 1)] if len(x) == 1 else x
        rows.append([Fraction(1), *slopes] if reference.fit_intercept else slopes)
        y.append(Fraction(target))
    return exact_least_squares(rows, y), y


def test_every_file_in_the_folder_is_a_known_set():
    assert {path.stem for path in FOLDER.glob("*.dat")} == set(SET_NAMES)


@pytest.mark.parametrize("name", SET_NAMES)
def test_shapes_are_those_of_the_published_problems(name):
    reference = read_set(name)
    n, d, fit_intercept = SHAPES[name]
    assert reference.X.shape == (n, d)
    assert reference.y.shape == (n,)
    assert reference.fit_intercept is fit_intercept
    assert reference.coef.shape == reference.coef_sd.shape == (d + fit_intercept,)


@pytest.mark.parametrize("name", SET_NAMES)
def test_exact_arithmetic_on_the_printed_decimals_reproduces_every_certified_value(name):
    """Coefficients, their deviations, residual deviation and R-squared; one unit in the fifteenth digit allowed."""
    reference = read_set(name)
    fit, y = exact_fit_of_decimals(reference)
    centre = sum(y) / len(y) if reference.fit_intercept else Fraction(0)
    total = sum((value - centre) ** 2 for value in y)
    found = [
        *map(float, fit.coef),
        *(math.sqrt(v) for v in fit.coef_variance),
        math.sqrt(fit.residual_variance),
        float(1 - fit.residual_sum / total),
    ]
    certified = [*reference.coef, *reference.coef_sd, reference.residual_sd, reference.r_squared]
    np.testing.assert_allclose(found, certified, rtol=1e-14, atol=0)


@pytest.mark.parametrize("name", [name for name in SET_NAMES if name not in ("Filip", "Norris", "Longley")])
def test_designs_of_whole_numbers_are_exact_in_float64(name):
    """All powers of the Wampler, Pontius and NoInt predictors fit into 53 bits, so rounding cannot be blamed."""
    reference = read_set(name)
    for row, printed in zip(reference.X, reference.rows, strict=True):
        assert [int(value) for value in row] == [int(printed[1]) ** j for j in range(1, len(row) + 1)]


def test_filip_in_float64_still_allows_seven_digits():
    """Rounding x**j moves the exact Filip answer in its eighth digit: no float64 method can be asked for more."""
    reference = read_set("Filip")
    fit = exact_fit_of_floats(reference.X, reference.y)
    assert 7 < correct_digits([float(w) for w in fit.coef], reference.coef) < 10


@given(digits=st.integers(1, 14), scale=st.floats(1e-8, 1e8), sign=st.sampled_from([-1, 1]))
def test_an_error_in_digit_k_leaves_k_correct_digits(digits, scale, sign):
    certified = np.array([scale, sign * 3 * scale])
    estimate = certified * np.array([1.0, 1.0 + sign * 10.0**-digits])
    # 1 + 10**-14 is itself rounded by up to 1.1e-16, one per cent of the error: 0.01 digits.
    assert correct_digits(estimate, certified) == pytest.approx(digits, abs=0.02)


def test_digits_are_held_between_zero_and_fifteen():
    assert correct_digits([2.0], [2.0]) == 15
    assert correct_digits([-50.0], [2.0]) == 0
    assert correct_digits([np.nan, 1.0], [1.0, 1.0]) == 0


def test_a_certified_zero_counts_the_absolute_error():
    assert correct_digits([0.0, 1e-9], [0.0, 0.0]) == pytest.approx(9)


def test_estimates_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match="pass one entry for each"):
        correct_digits([1.0], [1.0, 2.0])


def test_a_damaged_file_is_refused(tmp_path):
    lines = (FOLDER / "Norris.dat").read_text(encoding="ascii").splitlines()
    (tmp_path / "Norris.dat").write_text("\n".join(lines[:70]), encoding="ascii")
    with pytest.raises(ValueError, match="expected 36 rows of 2 numbers"):
        read_set("Norris", tmp_path)


def test_an_unknown_set_is_named_with_the_known_ones(tmp_path):
    with pytest.raises(FileNotFoundError, match="known sets are Norris"):
        read_set("Nobody", tmp_path)


def test_a_dependent_column_is_refused_by_exact_elimination():
    with pytest.raises(ValueError, match="column 1 depends"):
        exact_least_squares([[Fraction(k), Fraction(2 * k)] for k in range(1, 4)], [Fraction(1)] * 3)


@pytest.mark.parametrize("module", [nist_data, exact])
def test_the_examples_in_the_docstrings_run(module):
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0
