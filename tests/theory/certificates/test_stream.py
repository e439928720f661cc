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
    assert stream_certificate(running(), About.MODELS_SO_FAR).status is not Verdict.VACUOUS


def test_nothing_is_certified_without_labels():
    with pytest.raises(ValueError, match="no label has come yet"):
        stream_certificate(RunningMean(), About.ONE_MODEL)


def labels_of(errors, positive, n=400):
    return stream_certificate(running(errors, n), About.MODELS_SO_FAR, labels={"no": n - positive, "yes": positive})


def test_a_stream_is_informative_only_beside_a_constant_that_errs_more_often():
    better = labels_of(20, 150)
    assert better.status is Verdict.INFORMATIVE
    assert (
        "Always answering 'no', the most frequent label, errs on 37.5 % of the same rows."
        in better.further[0].statement
    )
    assert "every constant answer errs more often" in better.further[0].statement
    rare = labels_of(20, 20)  # as good as always answering no
    assert rare.status is Verdict.NO_BETTER
    assert "do not show that the models used so far err less often" in rare.further[0].statement
    assert stream_certificate(running(), About.MODELS_SO_FAR).status is Verdict.NO_BETTER


@pytest.mark.verify
@pytest.mark.parametrize("share", [0.5, 0.3])
def test_guesses_on_a_stream_are_seldom_called_informative_at_any_time(protocol, share):
    """Errors as frequent as those of the best constant.  A bound below the largest loss, the rule before, is always."""
    rng, R, informative, before = np.random.default_rng(0), protocol.of(30, 1000), 0, 0
    for _ in range(R):
        wrong, yes = np.cumsum(rng.random((2, 3000)) < share, axis=1)
        ends = np.arange(499, 3000, 500)
        told = [labels_of(int(wrong[t]), int(yes[t]), int(t) + 1) for t in ends]
        informative += any(one.status is Verdict.INFORMATIVE for one in told)
        before += any(one.bound < 1.0 for one in told)
    assert informative <= protocol.allowed(R)
    assert before > protocol.allowed(R)
