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
    assert all(name in said and fact in said for name, fact in facts.items())
    assert max(map(len, said.splitlines())) <= 80
