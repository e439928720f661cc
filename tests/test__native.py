"""One name for the compiled loops: the module of the level that runs here."""

import pytest

from surefit.compiled import levels


@pytest.mark.compiled
def test_the_name_is_the_module_of_the_chosen_level():
    import surefit._native

    assert surefit._native is levels.loops(levels.chosen())
    assert surefit._native.__name__ == f"surefit._native_{levels.chosen()}"
