"""The rule catalogue as text and JSON; ``rule_pages`` has it in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wardround.reports.examples import excerpts
from wardround.rules.cases import Case, ChangeCase, MarkedChange
from wardround.rules.model import Rule
from wardround.text.escaping import json_text


def as_text(rules: Sequence[Rule]) -> str:
    """One line for each rule."""
    width = max((len(rule.id) for rule in rules), default=0)
    levels = [rule.severity.label if rule.is_shown else "off" for rule in rules]
    lines = [
        f"{rule.id:<{width}}  {level:<5}  {rule.maturity:<10}  {rule.plane:<8}  {rule.name}"
        for rule, level in zip(rules, levels, strict=True)
    ]
    return "".join(f"{line}\n" for line in lines)


def as_json(rules: Sequence[Rule]) -> str:
    """Return a JSON list with an object for each rule."""
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
        "off_because": rule.off_reason,
        "maturity": rule.maturity,
        "why": rule.why,
        "reported_by": rule.reported_by,
        "valid": [_plain(case, rule.case_path) for case in rule.valid],
        "invalid": [_plain(case, rule.case_path) for case in rule.invalid],
        "url": rule.url,
    }


def _plain(case: Case, path: str) -> str:
    """Return the text under review, or for a change its texts with their titles."""
    texts = excerpts(case, path)
    if not isinstance(case, MarkedChange | ChangeCase):
        return texts[-1].source
    return "\n".join(f"{text.title}:\n{text.source}" for text in texts)
