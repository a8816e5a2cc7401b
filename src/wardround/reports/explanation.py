"""A rule as ``wardround explain`` shows it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from wardround.planes.measured_precision import load_precision
from wardround.reports.examples import comparison
from wardround.rules.earned_level import consequence, shares
from wardround.rules.model import Rule
from wardround.rules.off_in import kinds_off
from wardround.rules.reading_counts import ReadingCounts

_WIDTH = 80
_SAME_DEFECT = 8
"""The number of listed rules that report the same defect; the others are counted."""


def render_rule(
    rule: Rule, same_defect: Sequence[str], width: int, height: int, counts: ReadingCounts | None = None
) -> str:
    """Return a rule with its reasons, its cases and the ways to suppress it.

    Args:
        same_defect: the rules that report the same defect.
        width: width of the terminal, in columns.
        height: height of the terminal, in lines.
        counts: the verdicts of readers about its findings; None if none were read.
    """
    lines = [f"{rule.id}  {rule.name}", ""]
    for paragraph in rule.why.split("\n\n"):
        lines += [*textwrap.wrap(" ".join(paragraph.split()), _WIDTH), ""]
    lines += _facts(rule, same_defect, counts)
    if rule.invalid or rule.valid:
        lines += ["", *comparison(rule.invalid, rule.valid, rule.case_path, width, height - 1)]
    return "\n".join([*lines, *_suppression(rule)]) + "\n"


def _facts(rule: Rule, same_defect: Sequence[str], counts: ReadingCounts | None) -> list[str]:
    lines = [
        f"severity      {'' if rule.runs(preview=False) else 'off; switched on, '}{rule.severity.label}",
        f"maturity      {rule.maturity.off_reason or rule.maturity}",
        f"plane         {rule.plane}",
        f"defect class  {rule.defect_class}",
        f"reported by   {', '.join(rule.reported_by)}",
    ]
    lines += _judgements(rule, counts)
    if same_defect:
        more = len(same_defect) - _SAME_DEFECT
        named = ", ".join(same_defect[:_SAME_DEFECT]) + (f" and {more} more" if more > 0 else "")
        lines += textwrap.wrap(
            f"same defect   {named}", _WIDTH, subsequent_indent=" " * 14, break_on_hyphens=False
        )
    return [*lines, f"more          {rule.url}"] if rule.url else lines


def _judgements(rule: Rule, counts: ReadingCounts | None) -> list[str]:
    """Return the lines about judgements of its findings, and about their consequence."""
    if counts is None:
        texts = [_precision_text(rule)]
    else:
        texts = list(filter(None, [counts.summary(), shares(counts), consequence(rule, counts)]))
    if kinds := kinds_off().get(rule.id):
        texts.append(f"off in {', '.join(sorted(kinds))}, where its findings were wrong")
    return [f"{'' if number else 'judgements':14}{text}" for number, text in enumerate(texts)]


def _precision_text(rule: Rule) -> str:
    """Return the precision of a rule measured by its own evaluation; ``not read`` otherwise."""
    known = load_precision().get(rule.id)
    return "not read" if known is None else f"{known.right} of {known.of} right, {known.evaluation}"


def _suppression(rule: Rule) -> list[str]:
    change = "off" if rule.runs(preview=False) else rule.severity.label
    return [
        "",
        "to suppress it once, in a comment on the line or the line above:",
        "",
        f"    wardround: ignore[{rule.id}] the reason",
        "",
        "to change it for a folder, in .wardround.toml or pyproject.toml:",
        "",
        "    [tool.wardround.rules]        # [rules] in .wardround.toml",
        f'    "{rule.id}" = "{change}"',
    ]
