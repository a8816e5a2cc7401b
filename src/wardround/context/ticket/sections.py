"""The section of each block of a ticket, by real headings and by lines that serve as headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from wardround.context.ticket.blocks import Block
from wardround.context.ticket.headings import Section, section_of

_LINE_HEADING_LEVEL = 7
"""A line that serves as a heading is below every real heading."""
_COLON_HEADING = re.compile(r"(?P<name>[^:：]{2,60})[:：](?:\s+(?P<rest>\S.*))?$")  # noqa: RUF001 - full width


class SectionBlock(msgspec.Struct, frozen=True):
    """A block with the section around it; headings are excluded."""

    block: Block
    section: Section
    position: int


def split_into_sections(blocks: Sequence[Block]) -> list[SectionBlock]:
    """Assign blocks to sections; ``Acceptance criteria: text`` on one line gives a paragraph ``text``.

    A heading of neither kind inside a section of either kind opens a part of that section. A horizontal rule
    ends the section of a line that serves as a heading.
    """
    outline = _Outline()
    found: list[SectionBlock] = []
    for position, block in enumerate(blocks):
        rest = outline.enter(block)
        if rest is not None:
            found.append(SectionBlock(rest, outline.section, position))
    return found


class _Outline:
    """The open headings above the current block."""

    def __init__(self) -> None:
        self._open: list[tuple[int, Section]] = []

    @property
    def section(self) -> Section:
        """The kind of the innermost heading that has one."""
        kinds = (kind for _, kind in reversed(self._open) if kind is not Section.OTHER)
        return next(kinds, Section.OTHER)

    def enter(self, block: Block) -> Block | None:
        """Return the content of the block apart from a heading, None if it is only a heading."""
        if block.kind == "heading":
            self._push(block.level, section_of(block.text))
            return None
        if block.kind == "rule":
            self._close(_LINE_HEADING_LEVEL)
            return None
        heading = _line_heading(block)
        if heading is None:
            return block
        kind, rest = heading
        self._push(_LINE_HEADING_LEVEL, kind)
        return rest

    def _push(self, level: int, kind: Section) -> None:
        self._close(level)
        self._open.append((level, kind))

    def _close(self, level: int) -> None:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()


def _line_heading(block: Block) -> tuple[Section, Block | None] | None:
    """Return the kind of a paragraph that serves as a heading and the text after the heading in it."""
    if not _may_be_heading(block):
        return None
    match = _COLON_HEADING.match(block.lines[0])
    if match is not None:
        return _colon_heading(block, match["name"], match["rest"] or "")
    kind = section_of(block.text)
    if block.kind == "item":
        return None
    if kind is Section.OTHER:
        return (kind, None) if block.strong else None
    is_first_line = len(block.lines) == 1 or kind is section_of(block.lines[0])
    return (kind, _lines_after_heading(block, "")) if is_first_line else None


def _colon_heading(block: Block, name: str, rest: str) -> tuple[Section, Block | None] | None:
    """Return the heading before a colon; an item with more on its line is none."""
    kind = section_of(name)
    if block.kind == "item" and (kind is Section.OTHER or rest):
        return None
    if kind is Section.OTHER:
        return (kind, None) if block.strong else None
    return kind, _lines_after_heading(block, rest)


def _may_be_heading(block: Block) -> bool:
    """Return True for a paragraph or an outer item without code before a colon."""
    is_outer = block.kind == "paragraph" or (block.kind == "item" and block.level == 1)
    return is_outer and bool(block.lines) and "`" not in block.lines[0].partition(":")[0]


def _lines_after_heading(block: Block, rest: str) -> Block | None:
    """Return the rest of the line with a heading, and the lines after it; None if there is nothing."""
    lines = block.lines[1:]
    if rest:
        lines = (rest, *lines)
    return Block("paragraph", lines) if lines else None
