"""Layer cli: options as the commands name them: which were given, and messages that name them instead of arguments."""

from __future__ import annotations

from typing import Any

OPTIONS = {
    "bad_rows='skip'": "--skip",
    "missing='zero'": "--missing zero",
    "farthest=inf": "--farthest inf",
    "format='csv'": "--csv",
    "as target='...'": "with --target",
    "see the class docstring": "see surefit stream --help",
    "give format='jsonl'": "leave out --csv",
    "schedule='adaptive'": "--schedule adaptive",
    "schedule='constant'": "--schedule constant",
    "make the model with both labels as classes=[...]": "give both labels: --classes 0,1",
    "make the model with classes=[...]": "give both labels: --classes 0,1",
    "declare it as upper=...": "declare it with --upper",
    "upper=": "--upper ",
}
"""Words of the library's messages about arguments, and the options that do the same; longer ones first."""


def as_options(text: str) -> str:
    """A message of the library with options in place of arguments.

    >>> as_options("clean it, or skip and count such rows with bad_rows='skip'")
    'clean it, or skip and count such rows with --skip'
    """
    for argument, option in sorted(OPTIONS.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(argument, option)
    return text


def with_switches(text: str) -> str:
    """The words of a certificate with the switch that the commands have for a keyword.

    >>> with_switches("only then say equal_rows_are_draws=True")
    'only then say --equal-rows-are-draws'
    """
    return text.replace("equal_rows_are_draws=True", "--equal-rows-are-draws")


def given(ctx: Any, name: str) -> bool:
    """Whether an option stands on the command line, rather than at its default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
