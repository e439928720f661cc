"""The progress of a stream as text."""

from surefit.theory.certificates.progress import HEAD, StreamReport


def test_a_line_has_a_column_for_every_head():
    report = StreamReport(1024, 0.25, 0.125, 500, 0.2, None, 0.31, 0.05, (7, 99), ("Skipped rows: 3.",))
    assert len(report.line()) == len(HEAD)
    assert report.line().split() == ["1,024", "0.25", "0.125", "-", "0.31", "2"]
    text = str(report)
    assert "models used so far is at most 0.31" in text.replace("\n", " ")
    assert "Alarms at rows 7, 99." in text
    assert text.endswith("Skipped rows: 3.")
