"""Layer cli: the entry point, ``surefit``.  In: words from a terminal.  Out: an exit code.

0: done.  1: the answer is bad news (a claim refuted, a promise broken, a bound above what was asked).  2: the call was
wrong.  3: the table cannot be used.  4: the model file is refused.  5: a file or the memory.  130: interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from surefit import __version__
from surefit.cli.fit import demo, fit, init
from surefit.cli.lab import lab
from surefit.cli.predict import certify, explain, predict
from surefit.cli.stream import stream
from surefit.cli.watch import watch

app = typer.Typer(
    help="Linear and kernel learning you can be sure of.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (fit, init, predict, certify, explain, demo, stream, watch):
    app.command()(command)
app.add_typer(lab, name="lab")


@app.callback(invoke_without_command=True)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    """Linear and kernel learning you can be sure of."""
    if show:
        print(f"surefit {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command that the words name; what a user did wrong is one sentence."""
    _mend_streams()
    try:
        app()
    except KeyboardInterrupt:
        print("interrupted; nothing was left half-written", file=sys.stderr)
        sys.exit(130)
    except (ValueError, TypeError, OSError, ArithmeticError) as error:
        print(f"surefit: {_said(error)}", file=sys.stderr)
        sys.exit(_code(error))
    except MemoryError:
        print("surefit: the memory of this machine is not enough; take fewer rows or columns", file=sys.stderr)
        sys.exit(5)


def _mend_streams() -> None:
    """Streams that the caller has closed lead nowhere, and letters that the others cannot hold are spelt out."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
        elif mode == "w" and isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="backslashreplace")


def _said(error: Exception) -> str:
    """What an error says, without the number that the operating system has for it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _code(error: Exception) -> int:
    """By the name of the error, since its module may not have been imported."""
    return {"TableError": 3, "ModelFileError": 4}.get(type(error).__name__, 5 if isinstance(error, OSError) else 2)
