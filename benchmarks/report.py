"""Outcomes as Markdown: one table of contenders, one of targets, the machine below."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.case import Outcome


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with padded columns: the first to the left, the others to the right.

    >>> print(markdown_table(("set", "digits"), [("Norris", "12.9")]))
    | set    | digits |
    |:-------|-------:|
    | Norris |   12.9 |
    """
    widths = [max(len(line[j]) for line in [header, *rows]) for j in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]
        return "| " + " | ".join(padded) + " |"

    rule = "|:" + "-" * (widths[0] + 1) + "|" + "".join("-" * (width + 1) + ":|" for width in widths[1:])
    return "\n".join([line(header), rule, *map(line, rows)])


def contender_table(outcome: Outcome) -> str:
    """Best and median seconds, ratio, error and memory of everybody in one case; own duality gaps where measured."""
    gaps = any("own_gap" in record.quality for record in outcome.records.values())
    rows = []
    for who, record in outcome.records.items():
        error = record.quality.get("error")
        shown = "" if error is None else f"{error:.1e}" + ("" if outcome.solved(who) else " NOT SOLVED")
        shown = "STOPPED" if record.timing.stopped else shown
        memory = "" if record.peak_bytes is None else f"{record.peak_bytes / 1e6:.0f}"
        rows.append(
            (
                f"{record.name} ({who.partition(':')[2]})",
                f"{record.timing.best:.4g}",
                f"{record.timing.median:.4g}",
                f"{outcome.ratio(who):.2f}",
                shown,
                *([f"{record.quality['own_gap']:.1e}" if "own_gap" in record.quality else ""] if gaps else []),
                memory,
            )
        )
    header = ("contender", "best s", "median s", "theirs / ours", "error", *(["own gap"] if gaps else []), "peak MB")
    absent = ((f"{who}: {package} is not installed",) for who, package in outcome.absent.items())
    rows.extend(line + ("",) * (len(header) - 1) for line in absent)
    return markdown_table(header, rows)


def target_table(outcomes: Sequence[Outcome]) -> str:
    """Every target of every case: measured, asked for, met or not."""
    rows = []
    for outcome in outcomes:
        for target in outcome.case.targets:
            value, met = target.value(outcome), target.met(outcome)
            shown = "" if value is None else f"{value:.4g}"
            verdict = "not measured" if met is None else ("yes" if met else "NO")
            sign = ">=" if target.at_least else "<="
            rows.append((outcome.case.name, target.text, shown, f"{sign} {target.bound:g}", verdict))
    return markdown_table(("case", "what", "measured", "target", "met"), rows)


def case_report(outcome: Outcome, machine: Mapping[str, Any]) -> str:
    """The Markdown file of one case."""
    conventions = sorted({f"- {record.name}: {record.convention}" for record in outcome.records.values()})
    versions = {k: v for record in outcome.records.values() for k, v in record.versions.items()} | machine["versions"]
    blas = ", ".join(
        f"{pool.get('internal_api')} {pool.get('version')} ({pool.get('architecture', 'no kernel')},"
        f" {pool.get('num_threads')} threads)"
        for pool in machine["thread_pools"]
    )
    return "\n".join(
        [
            f"# {outcome.case.title}",
            "",
            f"Problem `{outcome.problem}`, {outcome.case.repeats} interleaved repeats; *error* is measured after the"
            f" clock stopped and must stay below {outcome.case.tolerance:g}.",
            "",
            contender_table(outcome),
            "",
            target_table([outcome]),
            "",
            "Conventions:",
            "",
            *conventions,
            "",
            f"Machine: {machine['processor']}, {machine['cores']} cores, {machine['system']}, level {machine['level']};"
            f" load average {machine['load_average']} at the start. Commit {machine['commit']}. "
            f"Python {machine['python']}; "
            + ", ".join(f"{package} {number}" for package, number in sorted(versions.items()))
            + f". BLAS and OpenMP: {blas}.",
            "",
        ]
    )
