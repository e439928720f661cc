"""The public names: in groups, without warnings and exhibits, which can still be imported from the old place."""

import subprocess
import sys

import pytest

import surefit
from surefit import exhibits, warnings

GROUPS = (
    surefit._MODELS, surefit._GUARANTEES, surefit._SOLUTIONS, surefit._SETTINGS, surefit._TABLES, surefit._FILES,
    surefit._MACHINE,
)  # fmt: skip


def test_each_name_is_in_one_group():
    assert sorted(surefit.__all__) == sorted(name for group in GROUPS for name in group)
    assert len(set(surefit.__all__)) == len(surefit.__all__)


@pytest.mark.parametrize("module", [exhibits, warnings])
def test_what_moved_off_the_front_door_can_be_imported_from_both_places(module):
    moved = [name for name in surefit._MOVED if hasattr(module, name)]
    assert moved
    for name in moved:
        assert getattr(surefit, name) is getattr(module, name)
        assert name not in surefit.__all__
        assert name not in dir(surefit)


def test_nothing_else_moved():
    assert all(hasattr(exhibits, name) or hasattr(warnings, name) for name in surefit._MOVED)


def test_the_modules_that_the_guide_names_need_no_other_import():
    code = "import surefit; surefit.lab.run, surefit.study, surefit.report.write, surefit.export"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"lab", "study", "report", "export"} <= set(dir(surefit))
