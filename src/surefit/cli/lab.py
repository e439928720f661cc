"""Layer cli: ``surefit lab``: list, run, replay, check, figures, report.

In: claims by their numbers and settings as ``--n 200``.  Out: tables 80 columns wide, or JSON; outcomes in a folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

lab = typer.Typer(help="Run the theorems of the catalogue as experiments.", no_args_is_help=True, rich_markup_mode=None)

KEPT = Path("lab-results")
"""Where outcomes are kept unless told otherwise."""
FREE = {"allow_extra_args": True, "ignore_unknown_options": True}


@lab.command("list")
def list_claims() -> None:
    """Every claim: its number, its title, its statement."""
    from surefit.lab import every_claim

    for claim in every_claim():
        print(f"{claim.id:7} {claim.title[:72]}")


@lab.command(context_settings=FREE)
def run(
    context: typer.Context,
    claims: Annotated[
        list[str] | None, typer.Argument(help="Numbers such as T-11; settings follow as --n 200.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every claim.")] = False,
    seed: Annotated[int, typer.Option(help="Another seed gives other experiments.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes.")] = 2,
    repeats: Annotated[int | None, typer.Option(help="Repeats of a claim at the most.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the outcomes.")] = KEPT,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each claim.")] = False,
) -> None:
    """Try claims; exits with 1 if one does not come out as its theorem says."""
    from surefit.lab import run as run_one
    from surefit.lab import run_all
    from surefit.lab.results import as_expected, save, summary

    names, settings = _named([*(claims or []), *context.args], all_)
    outcomes: Iterable[Any]
    if settings:
        outcomes = (run_one(name, seed=seed, repeats=repeats, seconds=600.0, **settings) for name in names)
    else:
        outcomes = run_all(None if all_ else names, seed=seed, workers=workers, repeats=repeats)
    found: dict[str, Any] = {}
    for outcome in outcomes:
        save(outcome, out)
        _say(outcome, as_json, first=not found)
        found[outcome.id] = outcome
    if len(found) > 1 and not as_json:
        print(fill(f"{summary(found)} Kept in {out}.", 80))
    raise typer.Exit(0 if all(map(as_expected, found.values())) else 1)


@lab.command(context_settings=FREE)
def replay(
    context: typer.Context,
    claim: Annotated[str, typer.Argument(help="A number such as T-11; settings follow as --n 200.")],
    repeat: Annotated[int, typer.Option(help="The number of the repeat.")],
    seed: Annotated[int, typer.Option(help="The seed of the run.")] = 0,
) -> None:
    """Run one repeat again, from its seed."""
    from surefit.lab import replay as again
    from surefit.lab.results import meaning

    found = again(claim, repeat, seed=seed, **_settings(context.args))
    print(f"{claim.upper()}, seed {seed}, repeat {repeat}: {meaning(claim)} {found:.10g}")


@lab.command()
def check() -> None:
    """Entries of the catalogue that have neither a claim nor a reason; exits with 1 if there are some."""
    from surefit.lab import every_claim
    from surefit.lab.catalogue import ENTRIES, UNTRIED
    from surefit.lab.results import missing

    lacking = missing()
    print(f"{len(ENTRIES)} entries, {len(every_claim())} claims, {len(UNTRIED)} reasons, {len(lacking)} without either")
    for name in lacking:
        print(name)
    raise typer.Exit(1 if lacking else 0)


@lab.command()
def figures(
    out: Annotated[Path, typer.Option(help="Folder for the pictures and their numbers.")] = Path("figures"),
    kind: Annotated[str, typer.Option(help="svg, png or pdf.")] = "svg",
) -> None:
    """Draw the figures of the catalogue, from kept numbers where there are some."""
    from surefit.lab.figures import FIGURES

    for name in sorted(FIGURES):
        print(FIGURES[name].save(out, kind))


@lab.command()
def report(
    kept: Annotated[Path, typer.Option(help="Folder with outcomes of `surefit lab run`.")] = KEPT,
    out: Annotated[Path, typer.Option(help="The page.")] = Path("lab.html"),
) -> None:
    """Write the outcomes as one HTML page that needs no network."""
    from surefit.lab.page import write_page
    from surefit.lab.results import load

    paths = sorted(path for path in kept.glob("*.json") if not path.name.endswith(".caption.json"))
    if not paths:
        raise ValueError(f"{kept} has no outcomes; `surefit lab run --all` makes them")
    print(write_page([load(path) for path in paths], out, kept))


def _named(words: list[str], all_: bool) -> tuple[list[str], dict[str, Any]]:
    """Numbers of claims, and settings among the further words."""
    first = next((k for k, word in enumerate(words) if word.startswith("-")), len(words))
    names, settings = words[:first], _settings(words[first:])
    if not names and not all_:
        raise ValueError("no claim was named; name some, such as T-11, or give --all")
    if all_ and (names or settings):
        also = f"the claim {names[0]}" if names else f"the setting --{next(iter(settings))}"
        raise ValueError(f"--all tries every claim as it stands, but {also} was given too; leave out one of the two")
    return names, settings


def _settings(words: list[str]) -> dict[str, Any]:
    """``--n 200 --sigma 2`` as a dictionary."""
    if len(words) % 2 or any(not name.startswith("--") for name in words[::2]):
        raise ValueError(f"settings are pairs such as --n 200, got {' '.join(words)!r}")
    return {name[2:].replace("-", "_"): _number(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def _number(word: str) -> float | int:
    try:
        return int(word) if word.lstrip("-").isdigit() else float(word)
    except ValueError:
        raise ValueError(f"a setting is a number, got {word!r}") from None


def _say(outcome: Any, as_json: bool, first: bool) -> None:
    from surefit.lab.results import as_expected, record, table

    if as_json:
        print(json.dumps(record(outcome), allow_nan=False), flush=True)
        return
    head, row = table([outcome])
    if first:
        print(head)
    print(row, flush=True)
    notes = [f"broken assumption: {text}" for text in outcome.broken]
    if outcome.judgement.reason and not as_expected(outcome):
        notes.append(outcome.judgement.reason)
    for text in notes:
        print(fill(text, 80, initial_indent=" " * 7, subsequent_indent=" " * 9))
