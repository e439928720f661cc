"""What runs here is said completely enough to report an error of rounding or speed."""

from surefit.compiled import door, levels
from surefit.versions import running, show_versions


def test_level_blas_kernel_threads_and_versions_are_named(capsys):
    show_versions()
    said = capsys.readouterr().out
    facts = running()
    assert facts["level"].startswith(levels.chosen() if door.COMPILED else "none")
    blas = next(fact for name, fact in facts.items() if name.startswith("blas"))
    assert "threads" in blas
    words = " ".join(said.split())
    assert all(name in words and fact in words for name, fact in facts.items())
    assert max(map(len, said.splitlines())) <= 80


def test_a_long_name_goes_on_in_the_next_line(capsys, monkeypatch):
    monkeypatch.setattr("surefit.versions.running", lambda: {"blas 1": "openblas, kernel Sandybridge, of " + "x" * 40})
    show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith(" " * 15 + "x")
