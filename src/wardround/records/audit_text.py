"""The audit page as plain text and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wardround.records.audit_page import NONE, Row, Section
from wardround.text.escaping import markdown_text, one_line

_LABEL_WIDTH = 18
_WIDTH = 118


def plain_text(title: str, sections: Sequence[Section]) -> str:
    """Return the page as lines for a terminal or a printer; long values are wrapped, none is shortened."""
    lines = [title]
    for section in sections:
        if section.is_empty:
            lines += [f"{section.title.upper()}: {NONE}"]
            continue
        lines += [section.title.upper()]
        for row in section.rows:
            lines += _wrap(row)
    return "\n".join(lines) + "\n"


def markdown(title: str, sections: Sequence[Section]) -> str:
    """Return the page as Markdown, in which no text of the record is markup."""
    lines = [f"# {markdown_text(title)}"]
    for section in sections:
        lines += ["", f"## {section.title}", "", *_markdown_rows(section)]
    return "\n".join(lines) + "\n"


def _wrap(row: Row) -> list[str]:
    head = f"  {row.label:<{_LABEL_WIDTH - 2}} " if row.label != "-" else "  - "
    return textwrap.wrap(
        one_line(row.value),
        _WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head.rstrip()]


def _markdown_rows(section: Section) -> Iterator[str]:
    for row in section.rows:
        value = markdown_text(row.value)
        yield f"- {value}" if row.label == "-" else f"- **{markdown_text(row.label)}**: {value}"
