"""The notes as a document of its own: statements with their commits, and the changes without a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
from wardround.release_notes.model import ReleaseNotes, Statement, SuggestedVersion, Unattributed


def render(notes: ReleaseNotes, context: RenderContext) -> str:
    """Return the notes as Markdown."""
    return "\n".join(_Document(notes).lines(context.version)) + "\n"


class _Document:
    """Writes the parts of the notes in their order."""

    def __init__(self, notes: ReleaseNotes) -> None:
        self._notes = notes
        self._evidence = Evidence(notes)

    def lines(self, version: str) -> Iterator[str]:
        notes = self._notes
        yield f"# {markdown_line(version or 'Unreleased')}"
        yield ""
        yield _range(notes)
        if notes.version.suggested:
            yield from ("", _suggestion(notes.version))
        for title, statements in sections(notes):
            yield from self._section(title, map(self._statement_with_form, statements))
        yield from self._documentation()
        summary = internal_summary(notes)
        if summary:
            yield from ("", "## Internal", "", summary)
        yield from self._section("Not stated above", map(self._item, notes.unattributed))
        yield from self._section(
            "Not compared", (f"{item.kind}: {markdown_line(item.reason)}" for item in notes.not_compared)
        )

    def _documentation(self) -> Iterator[str]:
        shown, more = documentation(self._notes)
        lines = [*map(self._statement, shown), *([more_documentation(more)] if more else [])]
        return self._section("Documentation", lines)

    def _section(self, title: str, lines: Iterable[str]) -> Iterator[str]:
        for position, line in enumerate(lines):
            if position == 0:
                yield from ("", f"## {title}", "")
            yield f"- {line}"

    def _statement_with_form(self, statement: Statement) -> str:
        form = form_line(statement)
        return f"{self._statement(statement)}\n  {form}" if form else self._statement(statement)

    def _statement(self, statement: Statement) -> str:
        area = f"**{markdown_line(statement.area)}:** " if statement.area else ""
        named = "".join(f", {markdown_line(name)}" for name in statement.references)
        return f"{area}{markdown_line(statement.text)} ({self._commits(statement.commits)}{named})"

    def _item(self, item: Unattributed) -> str:
        commits = f" ({self._commits(item.commits)})" if item.commits else ""
        return f"{markdown_line(item.text)}: {markdown_line(item.reason)}{commits}"

    def _commits(self, commits: Iterable[str]) -> str:
        return code(self._evidence.ids(tuple(commits)))


def _suggestion(version: SuggestedVersion) -> str:
    reason = markdown_line(version.reason)
    return f"Suggested version after {version.current}: {version.suggested} ({reason})."


def _range(notes: ReleaseNotes) -> str:
    count = len(notes.commits)
    commits = f"{count} commit{'' if count == 1 else 's'}"
    return f"{commits} from {markdown_line(notes.base)} to {markdown_line(notes.head)}, {notes.date}."
