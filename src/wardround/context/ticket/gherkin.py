"""Given/When/Then scenarios, as paragraphs, lists, headings with steps, or one sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from wardround.context.ticket.blocks import Block
from wardround.context.ticket.headings import Section
from wardround.context.ticket.sections import SectionBlock
from wardround.lazy import LazyPattern

_STEPS = {
    "given": (
        "given", "angenommen", "gegeben seien", "gegeben sei", "gegeben", "étant donnés", "étant donnée",
        "étant donné", "etant donné", "dado", "dada", "dados", "stel", "mając", "zakładając", "дано", "前提",
    ),
    "when": ("when", "wenn", "quand", "lorsque", "lorsqu'", "cuando", "quando", "als", "jeśli",
             "когда", "もし"),
    "then": ("then", "dann", "alors", "entonces", "então", "allora", "dan", "wtedy", "тогда", "ならば"),
    "and": ("and", "but", "und", "aber", "et", "mais", "y", "pero", "e", "mas", "ma", "en", "maar", "i", "и"),
}  # fmt: skip
"""Step keywords of Gherkin in a few languages."""
_KIND_OF = {keyword: kind for kind, keywords in _STEPS.items() for keyword in keywords}
_KEYWORDS = "|".join(sorted(map(re.escape, _KIND_OF), key=len, reverse=True))
_STEP = LazyPattern(rf"(?:\*\s+)?({_KEYWORDS})(?:\s*[:,]\s*|\s+|\s*$)", re.IGNORECASE)
_TITLE = LazyPattern(
    r"(?:scenario outline|scenario template|scenario|szenariogrundriss|szenario|plan du scénario|scénario|"
    r"esquema del escenario|escenario|cenário)\b[\s#]*[\w.]{0,6}\s*(?:[:.–-]\s*(?P<title>.*))?$",  # noqa: RUF001 - as people type it
    re.IGNORECASE,
)
_SENTENCE = LazyPattern(
    r"(?:given|angenommen|gegeben|étant donné|dado)\b.{2,600}?\b(?:when|wenn|quand|lorsque|cuando|quando)\b"
    r".{2,600}?\b(?:then|dann|alors|entonces|então)\b.{2,}|when\b.{2,600}?,?\s+then\b.{2,}",
    re.IGNORECASE,
)
_EXAMPLES = LazyPattern(r"(?:examples|beispiele|exemples|ejemplos|exemplos)\s*:?\s*$", re.IGNORECASE)
_BACKGROUND = LazyPattern(r"(?:background|grundlage|contexte|antecedentes)\s*:\s*$", re.IGNORECASE)
_MAX_STEPS = 40


class Unit(msgspec.Struct, frozen=True):
    """A line of a block that can be one step.

    Attributes:
        position: position of the block.
        line: index of the line in it.
    """

    text: str
    position: int
    line: int
    block: Block
    section: Section


class Scenario(msgspec.Struct, frozen=True):
    """A scenario: its lines, and the blocks that it consists of."""

    lines: tuple[str, ...]
    units: tuple[Unit, ...]
    section: Section


def units_of(blocks: Sequence[Block], sections: Sequence[SectionBlock]) -> list[Unit]:
    """Return the lines of the blocks in reading order, and the headings, which may be titles of scenarios."""
    found = [
        Unit(line, section.position, number, section.block, section.section)
        for section in sections
        for number, line in enumerate(section.block.lines or ("",))
    ]
    content = {section.position for section in sections}
    found += [
        Unit(block.text, position, 0, block, Section.OTHER)
        for position, block in enumerate(blocks)
        if position not in content and block.kind in ("heading", "paragraph")
    ]
    return sorted(found, key=lambda unit: (unit.position, unit.line))


def scenarios(units: Sequence[Unit]) -> list[Scenario]:
    """Find the scenarios outside of excluded sections."""
    found: list[Scenario] = []
    start = 0
    while start < len(units):
        scenario = _scenario_at(units, start)
        if scenario is None:
            start += 1
            continue
        start += len(scenario.units)
        if scenario.section is not Section.EXCLUDED:
            found.append(scenario)
    return found


def step_kind(text: str) -> str:
    """Return ``given``, ``when``, ``then``, ``and``, or an empty string for text that is not a step."""
    match = _STEP.match(text)
    return _KIND_OF[match[1].lower()] if match else ""


def is_sentence(text: str) -> bool:
    """Return True if one sentence has the condition and the outcome of a scenario."""
    return _SENTENCE.match(text) is not None


def _scenario_at(units: Sequence[Unit], start: int) -> Scenario | None:
    title = _TITLE.match(units[start].text) if units[start].block.kind != "code" else None
    first = start + 1 if title else start
    end = _end_of_steps(units, first, bool(title))
    steps = [unit.text for unit in units[first:end] if _is_shown(unit)]
    is_sentence_under_title = title is not None and len(steps) == 1 and is_sentence(steps[0])
    if not _is_complete(steps) and not is_sentence_under_title:
        return None
    name = _name_of(title)
    lines = [f"Scenario: {name}", *steps] if name else steps
    return Scenario(tuple(lines), tuple(units[start:end]), units[first].section)


def _name_of(title: re.Match[str] | None) -> str:
    return (title["title"] or "").strip() if title else ""


def _is_shown(unit: Unit) -> bool:
    return unit.block.kind in ("paragraph", "item") and bool(unit.text)


def _end_of_steps(units: Sequence[Unit], start: int, titled: bool) -> int:
    """Return the index after the last step of the scenario whose first step is at ``start``."""
    seen: list[str] = []
    for end in range(start, len(units)):
        kind = _shown_step(units[end])
        is_part = bool(kind) or (bool(seen) and _is_data(units, end))
        is_stray = not seen and kind == "and"
        if not is_part or is_stray or len(seen) == _MAX_STEPS or _begins_another(kind, seen, titled):
            return end
        if kind:
            seen.append(kind)
    return max(start, len(units))


def _shown_step(unit: Unit) -> str:
    """Return the kind of step that a unit shows; empty if it is none."""
    return step_kind(unit.text) if _is_shown(unit) else ""


def _is_data(units: Sequence[Unit], index: int) -> bool:
    """Return True for a table, the heading of a table of examples, and a text in a code block."""
    unit = units[index]
    follows_step = units[index - 1].block.kind != "heading"
    is_table = unit.block.kind == "table" or unit.text.startswith("|")
    return follows_step and (is_table or _EXAMPLES.match(unit.text) is not None)


def _begins_another(kind: str, seen: Sequence[str], titled: bool) -> bool:
    if "then" not in seen:
        return False
    return kind == "given" or (kind == "when" and "given" not in seen and not titled)


def _is_complete(steps: Sequence[str]) -> bool:
    kinds = {step_kind(step) for step in steps}
    return "then" in kinds and bool(kinds & {"given", "when"})


def is_background(text: str) -> bool:
    """Return True for the line that opens the shared steps of scenarios."""
    return _BACKGROUND.match(text) is not None
