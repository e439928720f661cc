"""``python -m benchmarks.nist``: correct digits on the NIST reference problems, a Markdown table.

Rows are the sets, columns the methods; a cell is the number of correct digits of the worst coefficient (0 to 15).
The last column is what exact arithmetic finds on the same float64 numbers: where a set's powers do not fit into 53
bits, no float64 method can do better than that except by luck.
"""

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.exact import exact_fit_of_floats
from benchmarks.nist_data import SET_NAMES, ReferenceSet, correct_digits, read_set
from benchmarks.peers import find_peer
from benchmarks.problems import Answer, Problem
from benchmarks.report import markdown_table

Method = Callable[[ReferenceSet], float]  # correct digits on one set


def as_problem(reference: ReferenceSet) -> Problem:
    """The reference set as the problem that peers solve."""
    return Problem(reference.name, reference.X, reference.y, fit_intercept=reference.fit_intercept)


def coefficients(contender: str) -> Method:
    """Digits of the coefficients that ``"file:task"`` finds."""

    def digits(reference: ReferenceSet) -> float:
        _, adapter = find_peer(contender)
        return correct_digits(_intercept_first(adapter(as_problem(reference)), reference), reference.coef)

    return digits


def our_standard_errors(reference: ReferenceSet) -> float:
    """Digits of the standard errors of our coefficients."""
    from benchmarks.peers.ours import standard_errors  # needs the installed package; the peers' columns do not

    return correct_digits(standard_errors(as_problem(reference)), reference.coef_sd)


def exact_on_floats(reference: ReferenceSet) -> float:
    """Digits of the exact answer for the float64 design."""
    fit = exact_fit_of_floats(reference.X, reference.y, reference.fit_intercept)
    return correct_digits([float(w) for w in fit.coef], reference.coef)


METHODS: Mapping[str, Method] = {
    "surefit": coefficients("ours:least_squares"),
    "surefit standard errors": our_standard_errors,
    "surefit one pass": coefficients("ours:least_squares_one_pass"),
    "surefit two passes": coefficients("ours:least_squares_two_passes"),
    "surefit partial_fit": coefficients("ours:least_squares_partial_fit"),
    "normal equations": coefficients("normal_equations:least_squares"),
    "scikit-learn": coefficients("scikit_learn:least_squares"),
    "numpy lstsq": coefficients("numpy_lstsq:least_squares"),
    "plain QR": coefficients("scipy_qr:least_squares"),
    "statsmodels OLS": coefficients("statsmodels_ols:least_squares"),
    "exact on float64": exact_on_floats,
}


def digit_table(methods: Mapping[str, Method] = METHODS) -> str:
    """Correct digits, sets by methods, as Markdown; a star where the method warned its user."""
    rows = [(name, *(_cell(method, read_set(name)) for method in methods.values())) for name in SET_NAMES]
    return markdown_table(("correct digits", *methods), rows)


def _cell(method: Method, reference: ReferenceSet) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        digits = method(reference)
    return f"{digits:.1f}" + ("*" if caught else "")


def _intercept_first(answer: Answer, reference: ReferenceSet) -> np.ndarray:
    coef = np.asarray(answer.coef, dtype=float).ravel()
    return np.concatenate([[answer.intercept], coef]) if reference.fit_intercept else coef


if __name__ == "__main__":
    print(digit_table())
    print("\n* the method warned its user")
