"""What a stream certifies while it runs, and of what."""

import numpy as np
import pytest

from surefit.theory.certificates.certificate import Certificate, Verdict
from surefit.theory.certificates.stream import About, stream_certificate
from surefit.theory.means.running import RunningMean


def running(errors=20, n=400, upper=1.0):
    found = RunningMean(upper)
    found.update(upper * np.repeat([1.0, 0.0], [errors, n - errors]))
    return found


def test_every_certificate_names_what_it_is_about():
    so_far = stream_certificate(running(), About.MODELS_SO_FAR)
    one = stream_certificate(running(), About.ONE_MODEL)
    mean = stream_certificate(running(upper=2.0), About.AVERAGE, zero_one=False)
    assert "the models used so far err on at most" in so_far.statement
    assert "this model errs on at most" in one.statement
    assert "mean loss of the mean of the weights used so far" in mean.statement
    assert mean.bound == pytest.approx(2 * so_far.bound)
    assert Certificate.from_json(so_far.to_json()) == so_far


def test_a_bound_at_the_largest_loss_is_vacuous():
    assert stream_certificate(running(3, 3), About.MODELS_SO_FAR).status is Verdict.VACUOUS
    assert stream_certificate(running(), About.MODELS_SO_FAR).status is Verdict.INFORMATIVE


def test_nothing_is_certified_without_labels():
    with pytest.raises(ValueError, match="no label has come yet"):
        stream_certificate(RunningMean(), About.ONE_MODEL)
