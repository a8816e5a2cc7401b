"""A section for a changelog as keepachangelog.com describes it; breaking changes are marked and first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from wardround.lazy import LazyPattern
from wardround.release_notes.formats.breaking_form import form_line
from wardround.release_notes.formats.context import RenderContext
from wardround.release_notes.formats.evidence import Evidence
from wardround.release_notes.formats.markdown_text import markdown_line
from wardround.release_notes.formats.sections import documentation, more_documentation
from wardround.release_notes.model import NoteKind, ReleaseNotes, Statement

_SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
_SECTION_OF = {
    NoteKind.SECURITY: "Security",
    NoteKind.FEATURE: "Added",
    NoteKind.FIX: "Fixed",
    NoteKind.DEPRECATION: "Deprecated",
}
_REMOVAL = LazyPattern(r"(?i)(?:remove[sd]?|drop(?:s|ped)?|delete[sd]?|end(?:s|ed)? support)\b")


def render(notes: ReleaseNotes, context: RenderContext) -> str:
    """Return the section of a version, or of what is not yet released."""
    return "\n".join(_lines(notes, context.version)) + "\n"


def _lines(notes: ReleaseNotes, version: str) -> Iterator[str]:
    yield f"## [{markdown_line(version)}] - {notes.date}" if version else "## [Unreleased]"
    by_section = _by_section(notes)
    evidence = Evidence(notes)
    for title in _SECTIONS:
        lines = [_line(statement, evidence) for statement in by_section.get(title, ())]
        if title == "Changed":
            lines += _documentation_lines(notes, evidence)
        if lines:
            yield from ("", f"### {title}", "", *lines)


def _by_section(notes: ReleaseNotes) -> Mapping[str, Sequence[Statement]]:
    found = defaultdict(list)
    for statement in notes.statements:
        if statement.kind not in (NoteKind.DOCUMENTATION, NoteKind.INTERNAL):
            found[_section(statement)].append(statement)
    return found


def _section(statement: Statement) -> str:
    named = _SECTION_OF.get(statement.kind)
    if named is not None:
        return named
    form = statement.breaking
    is_removal = not form.new if form is not None else _REMOVAL.match(statement.text) is not None
    return "Removed" if is_removal else "Changed"


def _line(statement: Statement, evidence: Evidence) -> str:
    mark = "**Breaking:** " if statement.kind is NoteKind.BREAKING else ""
    area = f"{markdown_line(statement.area)}: " if statement.area else ""
    line = f"- {mark}{area}{markdown_line(statement.text)} ({_names(statement, evidence)})"
    form = form_line(statement)
    return f"{line}\n  {form}" if form else line


def _names(statement: Statement, evidence: Evidence) -> str:
    """Return the pull request or ticket, and the commits."""
    return ", ".join((*map(markdown_line, statement.references), *evidence.ids(statement.commits)))


def _documentation_lines(notes: ReleaseNotes, evidence: Evidence) -> Iterator[str]:
    shown, more = documentation(notes)
    for statement in shown:
        yield f"- Documentation: {markdown_line(statement.text)} ({_names(statement, evidence)})"
    if more:
        yield f"- Documentation: {more_documentation(more)}"
