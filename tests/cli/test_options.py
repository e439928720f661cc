"""Messages of the library, said on a terminal, name options."""

import pytest

from surefit.cli.options import OPTIONS, as_options


@pytest.mark.parametrize(("argument", "option"), OPTIONS.items())
def test_every_argument_of_the_table_becomes_its_option(argument, option):
    assert as_options(f"first; {argument}, then") == f"first; {option}, then"


def test_a_longer_phrase_is_not_cut_by_a_shorter_one_inside_it():
    assert as_options("declare it as upper=...") == "declare it with --upper"
    assert as_options("make the model with both labels as classes=[...]") == "give both labels: --classes 0,1"


def test_a_message_without_arguments_stays():
    assert as_options("row 3: a word stands where a number belongs") == "row 3: a word stands where a number belongs"
