"""The rule catalogue as text, JSON and Markdown; ``docs/rules.md`` is the last, kept in step by a test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from wardround.rules.model import Rule
from wardround.text.escaping import json_text, lines_for_log

_INTRODUCTION = """\
# Rules

Every rule that wardround can report, written by `wardround rules --format md`.

*Error* is for what a reviewer would not merge, *warn* for what a reviewer would ask about, *info* for what
is worth knowing. A rule that was right less than nine times in ten on real changes is off by default and says
so. Change any in `.wardround.toml` or `pyproject.toml`: `"ruff/S307" = "error"`, `"sql/*" = "off"`.
"""


def as_text(rules: Sequence[Rule]) -> str:
    """One line for each rule."""
    width = max((len(rule.id) for rule in rules), default=0)
    levels = [rule.severity.label if rule.is_shown else "off" for rule in rules]
    lines = [
        f"{rule.id:<{width}}  {level:<5}  {rule.plane:<8}  {rule.name}"
        for rule, level in zip(rules, levels, strict=True)
    ]
    return "".join(f"{line}\n" for line in lines)


def as_json(rules: Sequence[Rule]) -> str:
    """A list of objects, one for each rule."""
    import msgspec

    return (
        json_text(msgspec.json.format(msgspec.json.encode([_row(rule) for rule in rules]), indent=2)) + "\n"
    )


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "name": rule.name,
        "plane": rule.plane,
        "severity": rule.severity.label,
        "defect_class": rule.defect_class,
        "default": "on" if rule.is_shown else "off",
        "off_because": rule.disabled_reason or rule.not_selected_reason,
        "why": rule.why,
        "reported_by": rule.reported_by,
        "tried_on": rule.tried_on,
        "valid": rule.valid,
        "invalid": rule.invalid,
        "url": rule.url,
    }


def as_markdown(rules: Sequence[Rule]) -> str:
    """One page: our own rules with an example each, then the codes of the tools in tables.

    Characters that cannot be seen, which some examples are about, are escaped.
    """
    own = [rule for rule in rules if rule.invalid]
    mapped = [rule for rule in rules if not rule.invalid]
    parts = [_INTRODUCTION, "## Rules of our own\n"]
    for prefix, group in _by_prefix(own):
        parts += [f"### {prefix}\n", *(_section(rule) for rule in group)]
    parts.append("## Codes of the tools\n")
    for prefix, group in _by_prefix(mapped):
        parts.append(f"### {prefix}\n\n{_table(group)}")
    return lines_for_log("\n".join(parts), {})


def _by_prefix(rules: Iterable[Rule]) -> list[tuple[str, list[Rule]]]:
    ordered = sorted(rules, key=lambda rule: (rule.id.partition("/")[0], rule.id))
    return [(name, list(group)) for name, group in groupby(ordered, key=lambda r: r.id.partition("/")[0])]


def _section(rule: Rule) -> str:
    """One rule of ours: what it is, why, and what it says of one bad and one good case."""
    default = (
        rule.severity.label if rule.is_shown else f"off ({rule.disabled_reason or rule.not_selected_reason})"
    )
    facts = f"{default} · {rule.plane} · `{rule.defect_class}`"
    lines = [f"#### {rule.id} {rule.name}", "", facts, "", *_paragraphs(rule.why)]
    if rule.tried_on:
        lines += [f"Tried on: {' '.join(rule.tried_on.split())}", ""]
    if rule.masked:
        where = f"Its cases look like secrets: `wardround explain {rule.id}` shows them."
        return "\n".join([*lines, where, ""])
    lines += ["Reported:", "", *_fenced(rule.invalid[0]), ""]
    if rule.valid:
        lines += ["Not reported:", "", *_fenced(rule.valid[0]), ""]
    return "\n".join(lines)


def _paragraphs(text: str) -> list[str]:
    return [line for part in text.split("\n\n") for line in (" ".join(part.split()), "")]


def _fenced(case: str) -> list[str]:
    fence = "````" if "```" in case else "```"
    return [fence, *case.strip("\n").split("\n"), fence]


def _table(rules: Sequence[Rule]) -> str:
    lines = ["| code | default | plane | defect class | name | why |", "|---|---|---|---|---|---|"]
    for rule in rules:
        default = (
            rule.severity.label
            if rule.is_shown
            else f"off: {rule.disabled_reason or rule.not_selected_reason}"
        )
        cells = (rule.code, default, str(rule.plane), rule.defect_class, rule.name, rule.why)
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
