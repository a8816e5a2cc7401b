"""Write docs/cost.md from the figures in docs/cost.json, which the other benchmarks write.

    python benchmarks/cost.py

A figure that is missing is an error that names the command which measures it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
FIGURES, PAGE = DOCS / "cost.json", DOCS / "cost.md"
COMMANDS = {
    "size": "python benchmarks/size.py 3.13=FOLDER 3.11=FOLDER web=FOLDER",
    "commit": "python benchmarks/commit.py",
    "hooks": "python benchmarks/hooks.py",
    "history": "python benchmarks/history.py CLONE --last 30",
    "test_plan": "python benchmarks/test_plan.py",
    "inference": "python benchmarks/inference.py",
}
"""Benchmark -> the command that measures it; with ``--json docs/cost.json`` it replaces the figures here."""
_HEAD = """\
# What a review costs

Measured by the programs in `benchmarks/`; `python benchmarks/cost.py` writes this page from their figures.
Absolute figures depend on the machine, so each has its command; the comparisons are paired within one run.

| | | Command |
|---|---|---|
"""
_FOOT = """\

A review starts a Python interpreter and loads what it needs, which the compiled tools do not: no cache
removes this, and it is most of what a small commit takes. In return the findings are compared with the base,
several reports of one defect are one finding, and additional rules apply.

"""
_REPOSITORIES = ("healthchecks", "redash", "saleor")


class MissingFigure(Exception):
    """A figure is not in the file."""


class Figures:
    """The figures of one benchmark."""

    def __init__(self, benchmark: str, figures: Mapping[str, Any]) -> None:
        self._benchmark = benchmark
        self._figures = figures

    def __getitem__(self, name: str) -> Any:
        try:
            return self._figures[name]
        except KeyError:
            command = f"{COMMANDS[self._benchmark]} --json docs/cost.json"
            raise MissingFigure(f"{self._benchmark}: {name} is missing; run {command}") from None


def page(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page.

    Raises:
        MissingFigure: a benchmark was not run; the message has its command.
    """
    figures = {name: Figures(name, measured.get(name, {})) for name in COMMANDS}
    rows = [
        *_size(figures["size"]),
        *_commit(figures["commit"]),
        *_hooks(figures["hooks"]),
        *_history(figures["history"]),
        *_test_plan(figures["test_plan"]),
        *_inference(figures["inference"]),
    ]
    machines = "".join(f"- `{COMMANDS[name]}`: {figures[name]['machine']}\n" for name in COMMANDS)
    return f"{_HEAD}{''.join(rows)}{_FOOT}Measured with:\n\n{machines}"


def _row(what: str, figure: str, benchmark: str) -> str:
    return f"| {what} | {figure} | `{COMMANDS[benchmark]}` |\n"


def _size(figures: Figures) -> list[str]:
    newest, oldest, web = figures["3.13"], figures["3.11"], figures["web"]
    text = (
        f"{newest['mib']} MiB with Python 3.13, {newest['models_mib']} of them models; {oldest['mib']} with "
        f"3.11, whose environments include setuptools; `[web,docker-ci]` adds {web['mib'] - newest['mib']}"
    )
    return [_row("installed size, with the tools", text, "size")]


def _commit(figures: Figures) -> list[str]:
    cold, warm = figures["5-file change, cold cache"], figures["5-file change, warm cache"]
    mixed, wide = figures["6 files of every kind, cold cache"], figures["200-file change, cold cache"]
    large, memory = (
        figures["1 file in 20,000 against 1 file in 200"], figures["5,000-file change, memory of the host"]
    )  # fmt: skip
    shown = figures["wardround --help"]
    lines = {
        "5 changed Python files, cold": f"{_against_tools(cold)}",
        "the same, warm": _seconds(warm["value"]),
        "`wardround --help`": _seconds(shown["value"]),
        "6 files of every kind of code": f"{_against_tools(mixed)}; {mixed['tools']} tools",
        "200 changed files of 400 lines": f"{_against_tools(wide)}: {_ratio(wide)} times",
        "1 file in a repository of 20,000 files against 1 file in 200": f"{large['value']:.2f} times",
        "memory of the process and its workers for 5,000 changed files": f"{memory['value']:.0f} MiB",
    }
    return [_row(what, text, "commit") for what, text in lines.items()]


def _against_tools(line: Mapping[str, float]) -> str:
    return f"{_seconds(line['value'])}; the tools alone, in parallel, {_seconds(line['tools_alone'])}"


def _ratio(line: Mapping[str, float]) -> str:
    return f"{line['value'] / line['tools_alone']:.1f}"


def _hooks(figures: Figures) -> list[str]:
    rows = []
    for size in ("5 of 200 files", "5 of 20,000 files", "200 of 400 long files"):
        both = [(runner, figures[f"{size}, {runner}"]) for runner in ("pre-commit", "prek")]
        times = "; ".join(
            f"under {runner} {_seconds(item['ours'])}, {item['ratio']:.1f} times" for runner, item in both
        )
        rows.append(_row(f"`git commit` of {size}, against hooks for the same tools", times, "hooks"))
    return rows


def _history(figures: Figures) -> list[str]:
    found = [figures[name] for name in _REPOSITORIES]
    medians = ", ".join(f"{repository['median']:.2f}" for repository in found)
    shares = ", ".join(f"{repository['under_a_second']:.0%}" for repository in found)
    what = f"the last {found[0]['commits']} commits of {', '.join(_REPOSITORIES)}, each cold"
    return [_row(what, f"median {medians} s; {shares} under a second", "history")]


def _test_plan(figures: Figures) -> list[str]:
    what = (
        f"`wardround test`: the plan for {figures['files']:,} files and {figures['tests']:,} recorded tests"
    )
    text = (
        f"{figures['plan']:.1f} s of processor time; {_seconds(figures['first_line'])} until the first line"
    )
    return [_row(what, text, "test_plan")]


def _inference(figures: Figures) -> list[str]:
    cold, warm, review = figures["cold"], figures["warm"], figures["review"]
    text = (
        f"{_seconds(cold['wall_s'])}, a bare onnxruntime session {_seconds(cold['bare_wall_s'])}; "
        f"warm {warm['share_of_bare']:.2f} times as fast as that session"
    )
    added = (
        f"adds {_seconds(review['added_cold_cpu_s'])} of processor time; "
        f"{_seconds(max(review['added_cached_cpu_s'], 0))} if the scores are cached. The one model that "
        "reviews use is much smaller and runs only if a change leaves a new parameter out of a docstring"
    )
    return [
        _row("20 texts of 128 tokens through a model, cold", text, "inference"),
        _row("scoring one text in each of 20 changed files", added, "inference"),
    ]


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def main() -> int:
    try:
        PAGE.write_text(page(json.loads(FIGURES.read_text("utf-8"))), "utf-8")
    except MissingFigure as cause:
        print(cause)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
