"""The table of anchors: the figures that do not depend on the machine are met, and a missed one is seen."""

import numpy as np
import pytest

from benchmarks import anchors
from benchmarks.anchors import CONFSEQ, Anchor, anchor_table, sharp_bets, sharp_online, sharp_tube


def test_bets_meet_their_anchors_in_the_order_drawn_and_on_average():
    """Hoeffding's third, and every number of confseq up to n = 500; the mean of ten orders too."""
    found = list(sharp_bets(sizes=(50, 500)))
    assert len(found) == 1 + len(CONFSEQ[50]) + len(CONFSEQ[500])
    for one in found:
        assert one.met, one.claim
        assert "mean" not in one.note or float(one.note.split()[-1]) <= one.target


def test_the_tube_and_online_to_batch_meet_theirs():
    (tube,), (online,) = sharp_tube(fits=20), sharp_online()
    assert tube.met
    assert float(tube.note.split()[-1]) == pytest.approx(0.094, abs=0.012)
    assert round(online.figure, 4) == 0.1473
    assert online.met


def test_a_missed_anchor_fails_the_run_and_one_not_measured_does_not(monkeypatch, capsys):
    kept, missed = Anchor("kept", 1.0, 0.5), Anchor("missed", 2.0, 1.5, least=True)
    absent = Anchor("absent", 20, None, least=True, note="not installed")
    assert (kept.met, missed.met, absent.met) == (True, False, None)
    monkeypatch.setattr(anchors, "SECTIONS", {"a": lambda: iter([kept, absent])})
    assert anchors.main() == 0
    monkeypatch.setattr(anchors, "SECTIONS", {"a": lambda: iter([kept, missed])})
    assert anchors.main() == 1
    shown = capsys.readouterr().out
    assert "not measured" in shown
    assert "NO" in shown
    assert ">= 2" in anchor_table([missed])


def test_intervals_without_the_peer_are_not_measured_and_seconds_are_positive(monkeypatch):
    """Tiny sizes: the figures mean nothing, the rows must be there."""
    run = anchors.run_case
    monkeypatch.setattr(anchors, "run_case", lambda case: run(case, quick=True))
    found = list(anchors.fast_intervals())
    assert [one.target for one in found] == [20, 200]
    assert all(one.figure is None or one.figure >= 0 for one in found)
    assert 0 < anchors.best_seconds(lambda: np.sort(np.arange(1000.0)), repeats=2) < 60
