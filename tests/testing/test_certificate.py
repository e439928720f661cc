"""The checks that the package ships for bounds and certificates: what they refuse.  Catalogue T-24.

What they pass, every bound on every law, is in ``tests/verification``.
"""

from dataclasses import replace

import numpy as np
import pytest

from surefit.testing import check_bound, check_certificate
from surefit.theory.certificates.certificate import Assumption, Standing, Verdict
from surefit.theory.certificates.holdout import classifier_certificate


def test_bounds_of_the_wrong_shape_are_refused():
    with pytest.raises(AssertionError, match="one finite bound per row"):
        check_bound(lambda losses, delta: losses)
    with pytest.raises(AssertionError, match="one finite bound per row"):
        check_bound(lambda losses, delta: np.full(len(losses), np.inf))


GOOD = classifier_certificate(np.repeat([1, 0], [10, 490]))
VIOLATED = Assumption("rows are independent", Standing.VIOLATED)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 0.0}, "delta must lie between"),
        ({"bound": np.nan}, "must be numbers"),
        ({"bound": np.inf}, "must be vacuous"),
        ({"statement": "no sentence"}, "must be a sentence"),
        ({"assumptions": ()}, "without assumptions"),
        ({"assumptions": (VIOLATED,)}, "is violated"),
        ({"inputs": {"n": "500 rows"}}, "could not convert|JSON"),
        ({"further": (replace(GOOD, delta=2.0),)}, "delta must lie between"),
    ],
)
def test_dishonest_certificates_are_caught(change, message):
    check_certificate(GOOD)
    with pytest.raises((AssertionError, ValueError), match=message):
        check_certificate(replace(GOOD, **change))


def test_a_violated_assumption_may_be_admitted():
    check_certificate(replace(GOOD, assumptions=(VIOLATED,), status=Verdict.VACUOUS))
