"""The self-test passes here, and fails where a loop is wrong."""

import numpy as np
import pytest

from surefit import selftest
from surefit.compiled import levels


def test_every_check_passes_and_every_level_is_looked_at(capsys):
    assert selftest.main() == 0
    said = capsys.readouterr().out
    assert said.count("NIST") == 3
    assert said.endswith("all passed\n")
    assert "FAILED" not in said


@pytest.mark.compiled
@pytest.mark.parametrize("name", selftest.LOOPS)
def test_a_loop_that_errs_by_a_thousand_times_what_is_allowed_is_caught(name, monkeypatch):
    twin, run, tolerance = selftest.LOOPS[name]
    wrong = lambda loops: run(loops) * (1 + (loops is not twin) * max(1e3 * tolerance, 1e-9))
    monkeypatch.setattr(selftest, "LOOPS", {name: (twin, wrong, tolerance)})
    assert [fine for _, fine, _ in selftest.against_twins(levels.available()[-1])] == [False]
    assert np.all(np.isfinite(run(twin)))
