"""Acceptance criteria in the text of a ticket.

In order of preference, and all criteria of one kind count:

1. the contents of sections of acceptance criteria, scenarios, and tables with a column of criteria; 2.
without those, checkboxes; 3. without those, the items of numbered lists that are not steps to reproduce.

Sections of another purpose (notes, steps to reproduce, out of scope) and code never give criteria.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from wardround.context.ticket import gherkin
from wardround.context.ticket.blocks import Block, read_blocks
from wardround.context.ticket.criteria_table import has_criteria_column, row_texts
from wardround.context.ticket.headings import Section, section_of
from wardround.context.ticket.model import Criterion, Form
from wardround.context.ticket.plain_text import MAX_DESCRIPTION, one_line
from wardround.context.ticket.sections import SectionBlock, split_into_sections
from wardround.context.ticket.statements import (
    is_declaration,
    is_placeholder,
    is_reproduction_step,
    is_statement,
    split_label,
)

MAX_CRITERIA = 200
MAX_UNPARSED = 50
_MAX_STATEMENT = 400
"""Characters of a paragraph that is one criterion."""


class ParsedCriteria(msgspec.Struct, frozen=True):
    """The criteria of a text and the parts of acceptance sections that are not criteria."""

    criteria: tuple[Criterion, ...] = ()
    unparsed: tuple[str, ...] = ()


class _Found(msgspec.Struct, frozen=True):
    """A criterion before it has an id; without a form it is an unparsed part."""

    position: int
    text: str
    form: Form | None = None


def parse_criteria(markdown: str) -> ParsedCriteria:
    """Parse the acceptance criteria of a markdown text; pure and within fixed limits."""
    blocks = read_blocks(markdown)
    sections = split_into_sections(blocks)
    scenarios = gherkin.scenarios(gherkin.units_of(blocks, sections))
    rest = _remove_scenarios(sections, scenarios)
    reader = _SectionReader(blocks, rest)
    found = [
        _Found(scenario.units[0].position, "\n".join(scenario.lines), "gherkin") for scenario in scenarios
    ]
    found += reader.acceptance()
    if not found:
        found = reader.checkboxes() or reader.numbered_items()
    notes = [_Found(len(blocks), _TOO_LONG)] if len(markdown) > MAX_DESCRIPTION else []
    return _numbered_criteria(sorted(found, key=lambda criterion: criterion.position) + notes)


_TOO_LONG = f"the text after {MAX_DESCRIPTION:,} characters"


def _remove_scenarios(
    sections: Iterable[SectionBlock], scenarios: Iterable[gherkin.Scenario]
) -> list[SectionBlock]:
    """Return the blocks without the lines of scenarios."""
    used = {(unit.position, unit.line) for scenario in scenarios for unit in scenario.units}
    positions = {position for position, _ in used}
    left: list[SectionBlock] = []
    for section in sections:
        if section.position not in positions:
            left.append(section)
            continue
        lines = tuple(
            line for number, line in enumerate(section.block.lines) if (section.position, number) not in used
        )
        if lines:
            left.append(
                msgspec.structs.replace(section, block=msgspec.structs.replace(section.block, lines=lines))
            )
    return left


class _SectionReader:
    """Reads criteria from blocks that are not part of a scenario."""

    def __init__(self, blocks: Sequence[Block], sections: Sequence[SectionBlock]) -> None:
        self._blocks = blocks
        self._sections = sections
        self._parents = {block.parent for block in blocks if block.parent >= 0}

    def acceptance(self) -> list[_Found]:
        """The criteria and the unparsed parts of acceptance sections, and tables of criteria anywhere."""
        found: list[_Found] = []
        for index, section in enumerate(self._sections):
            if section.section is Section.ACCEPTANCE:
                following = self._sections[index + 1 : index + 2]
                found += self._section_criteria(section, following[0].block if following else None)
            elif section.block.kind == "table" and section.section is Section.OTHER:
                found += _rows(section) if has_criteria_column(section.block.rows) else []
        return found

    def checkboxes(self) -> list[_Found]:
        """Return the items with a checkbox outside of sections with another purpose."""
        return self._items(lambda block: block.checkbox and not is_declaration(block.text))

    def numbered_items(self) -> list[_Found]:
        """Return the items of numbered lists, unless one of them is a step to reproduce."""
        items = [
            section for section in self._sections if section.block.kind == "item" and section.block.ordered
        ]
        if any(is_reproduction_step(item.block.text) for item in items) or self._has_steps_before(items):
            return []
        return self._items(lambda block: block.ordered)

    def _items(self, accepts: Callable[[Block], bool]) -> list[_Found]:
        found: list[_Found] = []
        for section in self._sections:
            if section.block.kind == "item" and section.section is Section.OTHER and accepts(section.block):
                found += [item for item in self._item(section) if item.form]
        return found

    def _has_steps_before(self, items: Sequence[SectionBlock]) -> bool:
        before = {item.position - 1 for item in items}
        leads = [block.text for position, block in enumerate(self._blocks) if position in before]
        return any(is_reproduction_step(lead) for lead in leads)

    def _section_criteria(self, entry: SectionBlock, following: Block | None) -> list[_Found]:
        match entry.block.kind:
            case "item":
                return self._item(entry)
            case "table":
                return _rows(entry)
            case "code":
                return [_Found(entry.position, one_line(entry.block.text))]
            case _:
                is_lead = entry.block.text.endswith((":", "：")) and following is not None  # noqa: RUF001
                return [] if is_lead and _is_listing(following) else _paragraph(entry)

    def _item(self, entry: SectionBlock) -> list[_Found]:
        text = entry.block.text
        leads = entry.position in self._parents and text.endswith(":")
        if not text or leads:
            return []
        if not _is_criterion(text):
            return [_Found(entry.position, text)]
        if gherkin.is_sentence(text):
            return [_Found(entry.position, text, "gherkin")]
        form: Form = "checklist" if entry.block.checkbox else "numbered" if entry.block.ordered else "section"
        return [_Found(entry.position, self._lead_of(entry.block) + text, form)]

    def _lead_of(self, block: Block) -> str:
        """Return the texts of the parent items that introduce this one."""
        leads: list[str] = []
        while block.parent >= 0:
            block = self._blocks[block.parent]
            if block.text.endswith(":") and section_of(block.text) is Section.OTHER:
                leads.insert(0, block.text + " ")
        return "".join(leads)


def _is_listing(block: Block | None) -> bool:
    return block is not None and block.kind in ("item", "table")


def _is_criterion(text: str) -> bool:
    is_struck = text.startswith("~~") and text.endswith("~~")
    return not (is_struck or is_placeholder(text) or text.endswith("?") or gherkin.is_background(text))


def _rows(entry: SectionBlock) -> list[_Found]:
    rows = row_texts(entry.block.rows)
    if not rows:
        return [_Found(entry.position, one_line(" | ".join(entry.block.rows[0])))] if entry.block.rows else []
    return [_Found(entry.position, row, "table" if _is_criterion(row) else None) for row in rows]


def _paragraph(entry: SectionBlock) -> list[_Found]:
    """Criteria of a paragraph: each line if each is a statement, otherwise all of it."""
    lines = entry.block.lines
    forms = [_form_of_line(line) for line in lines]
    if all(forms):
        return [_Found(entry.position, line, form) for line, form in zip(lines, forms, strict=True)]
    text = entry.block.text
    if len(text) <= _MAX_STATEMENT and (form := _form_of_line(text)):
        return [_Found(entry.position, text, form)]
    return [_Found(entry.position, text)]


_BULLET = re.compile(r"(?:[•◦▪‣·–—☐☑☒✓✔✅-]|\[[ xX]?\])\s*")  # noqa: RUF001 - as people type them
_NUMBER = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]\s+")
_BOXES = ("☐", "☑", "☒", "✓", "✔", "✅", "[")


def _form_of_line(line: str) -> Form | None:
    """Return the form of a line outside of lists, None if it is not a criterion."""
    if not _is_criterion(line):
        return None
    if gherkin.is_sentence(line):
        return "gherkin"
    if _BULLET.match(line):
        return "checklist" if line.startswith(_BOXES) else "section"
    if _NUMBER.match(line):
        return "numbered"
    return "section" if split_label(line)[0] or is_statement(line) else None


def _numbered_criteria(found: Sequence[_Found]) -> ParsedCriteria:
    """Assign ids to the criteria; criteria beyond the limits are an unparsed part."""
    criteria: dict[str, Criterion] = {}
    unparsed: list[str] = []
    for section in found:
        if section.form is None or len(criteria) >= MAX_CRITERIA:
            unparsed.append(one_line(section.text))
            continue
        label, text = split_label(_strip_mark(section.text))
        name = label if label and label not in criteria else f"c{len(criteria) + 1}"
        criteria[name] = Criterion(name, _limit_lines(text), section.form)
    left = len(unparsed) - MAX_UNPARSED
    shown = [*unparsed[:MAX_UNPARSED], f"{left} more parts"] if left > 0 else unparsed
    return ParsedCriteria(tuple(criteria.values()), tuple(shown))


def _strip_mark(text: str) -> str:
    return _NUMBER.sub("", _BULLET.sub("", text, count=1), count=1) if _is_marked(text) else text


def _is_marked(text: str) -> bool:
    return bool(_BULLET.match(text) or _NUMBER.match(text))


def _limit_lines(text: str) -> str:
    return "\n".join(one_line(line) for line in text.split("\n"))
