"""``python docs/make_api.py``: the API reference from the docstrings, into ``docs/api.md``; ``make api`` runs it.

In: the public names of `surefit`, in their groups.  Out: a page with the signature, the description and the methods of
each.  Examples stay in the docstrings, where they are tested.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import surefit

PAGE = Path(__file__).with_name("api.md")

GROUPS = (
    ("Models", list(surefit._MODELS), surefit),
    ("Guarantees", list(surefit._GUARANTEES), surefit),
    ("Paths and exact solutions", list(surefit._SOLUTIONS), surefit),
    ("Settings", list(surefit._SETTINGS), surefit),
    ("Tables", list(surefit._TABLES), surefit),
    ("Files", list(surefit._FILES), surefit),
    ("Machine", list(surefit._MACHINE), surefit),
    *(
        (f"surefit.{name}", sorted(import_module(f"surefit.{name}").__all__), import_module(f"surefit.{name}"))
        for name in ("kernels", "objective", "features", "theory", "lab", "display", "testing", "exhibits")
    ),
)


def page() -> str:
    """The whole reference as Markdown."""
    parts = [
        "# API reference",
        "Made from the docstrings by `make api`; `help(surefit.Ridge)` has the same with examples.",
        "\n".join(
            f"* [{title}](#{_anchor(title)}): {', '.join(f'`{name}`' for name in names)}" for title, names, _ in GROUPS
        ),
    ]
    for title, names, module in GROUPS:
        parts.append(f"## {title}")
        parts += [_entry(name, getattr(module, name)) for name in names]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, thing: Any) -> str:
    lines = [f"### {name}", f"```text\n{name}{_signature(thing)}\n```", _described(thing)]
    if inspect.isclass(thing):
        methods = [_method(word, member) for word, member in _methods(thing)]
        if methods:
            lines.append("\n".join(methods))
    return "\n\n".join(line for line in lines if line)


def _signature(thing: Any) -> str:
    """Parameters without annotations; one line each if the whole would be long."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return ""
    shown = [_parameter(p) for p in parameters if p.name != "self"]
    if any(p.kind is p.KEYWORD_ONLY for p in parameters) and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        first = next(i for i, p in enumerate(q for q in parameters if q.name != "self") if p.kind is p.KEYWORD_ONLY)
        shown.insert(first, "*")
    line = f"({', '.join(shown)})"
    return line if len(line) < 100 else "(\n    " + ",\n    ".join(shown) + ",\n)"


def _parameter(p: inspect.Parameter) -> str:
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    default = "" if p.default is p.empty else f"={re.sub(r' at 0x[0-9a-f]+', '', repr(p.default))}"
    return f"{star}{p.name}{default}"


def _described(thing: Any) -> str:
    """The docstring up to its examples, as preformatted text: indentation carries the parameters."""
    text = inspect.getdoc(thing) or ""
    kept = re.split(r"^\s*>>> ", text, maxsplit=1, flags=re.MULTILINE)[0].rstrip()
    return f"```text\n{kept}\n```" if kept else ""


def _methods(kind: type) -> list[tuple[str, Any]]:
    """Public methods and properties of our own classes, not those that scikit-learn adds."""
    found = {}
    for owner in reversed(kind.__mro__):
        if owner.__module__.split(".")[0] == "surefit":
            found.update({word: member for word, member in vars(owner).items() if not word.startswith("_")})
    callable_or_property = {w: m for w, m in found.items() if callable(m) or isinstance(m, (property, classmethod))}
    return sorted(callable_or_property.items())


def _method(word: str, member: Any) -> str:
    function = getattr(member, "__func__", member)
    first = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
    call = "" if isinstance(member, property) else _signature(function).replace("\n    ", " ").replace(",\n)", ")")
    return f"* `.{word}{call}` {first}".rstrip()


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"{PAGE.name}: {len(page().splitlines())} lines")
