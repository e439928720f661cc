"""The API reference has every public name, and is what the docstrings say."""

import importlib.util
from pathlib import Path

import pytest

import surefit

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made():
    spec = importlib.util.spec_from_file_location("make_api", ROOT / "docs" / "make_api.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page()


def test_the_page_is_what_the_docstrings_say(made):
    assert (ROOT / "docs" / "api.md").read_text() == made, "run `make api`"


def test_every_public_name_has_an_entry(made):
    assert all(f"\n### {name}\n" in made for name in surefit.__all__)


def test_no_entry_shows_an_address_or_runs_examples(made):
    assert " at 0x" not in made
    assert ">>>" not in made
