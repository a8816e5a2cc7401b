"""The body of a release on GitHub, which turns numbers of issues and ids of commits into links.

Where the remote is not on a known host, ids are code and nothing is a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from wardround.lazy import LazyPattern
from wardround.release_notes.formats.breaking_form import form_line
from wardround.release_notes.formats.context import RenderContext
from wardround.release_notes.formats.evidence import Evidence, code
from wardround.release_notes.formats.markdown_text import markdown_line
from wardround.release_notes.formats.sections import (
    documentation,
    internal_summary,
    more_documentation,
    sections,
)
from wardround.release_notes.model import ReleaseNotes, Statement

_NUMBER = LazyPattern(r"#\d{1,9}")


def render(notes: ReleaseNotes, context: RenderContext) -> str:
    """Return the body; GitHub shows the version as the title above it."""
    return "\n".join(_Body(notes, context.url).lines()).strip("\n") + "\n"


class _Body:
    """Writes the sections of a release."""

    def __init__(self, notes: ReleaseNotes, url: str) -> None:
        self._notes = notes
        self._url = url
        self._evidence = Evidence(notes)

    def lines(self) -> Iterator[str]:
        for title, statements in sections(self._notes):
            yield from ("", f"## {title}", "", *map(self._line, statements))
        shown, more = documentation(self._notes)
        if shown:
            yield from ("", "## Documentation", "", *map(self._line, shown))
        if more:
            yield f"- {more_documentation(more)}"
        summary = internal_summary(self._notes)
        if summary:
            yield from ("", summary)
        if self._url:
            yield from ("", f"**Full changelog**: {self._comparison()}")

    def _line(self, statement: Statement) -> str:
        area = f"**{markdown_line(statement.area)}:** " if statement.area else ""
        ids = self._evidence.ids(statement.commits)
        named = ", ".join((*self._references(statement.references), self._ids(ids)))
        line = f"- {area}{markdown_line(statement.text)} ({named})"
        form = form_line(statement)
        return f"{line}\n  {form}" if form else line

    def _ids(self, ids: Sequence[str]) -> str:
        return ", ".join(ids) if self._url else code(ids)

    def _references(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the references; numbers of this repository stay as they are, so that GitHub links them."""
        for name in names:
            yield name if self._url and _NUMBER.fullmatch(name) else markdown_line(name)

    def _comparison(self) -> str:
        base, head = (quote(name, safe="/") for name in (self._notes.base, self._notes.head))
        return f"{self._url}/compare/{base}...{head}"
