"""The sections of notes that people read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.release_notes.model import NoteKind, ReleaseNotes, Statement

TITLES = {
    NoteKind.BREAKING: "Breaking changes",
    NoteKind.SECURITY: "Security",
    NoteKind.FEATURE: "Features",
    NoteKind.FIX: "Fixes",
    NoteKind.PERFORMANCE: "Performance",
    NoteKind.DEPRECATION: "Deprecations",
    NoteKind.CHANGE: "Other changes",
    NoteKind.DEPENDENCIES: "Dependencies",
}
_MOST_DOCUMENTATION = 6
"""Number of statements about documentation that people read; the JSON has all."""


def sections(notes: ReleaseNotes) -> Iterator[tuple[str, Sequence[Statement]]]:
    """Yield title and statements of each section that has any, except documentation and internal changes."""
    for kind, title in TITLES.items():
        statements = of_kind(notes, kind)
        if statements:
            yield title, statements


def of_kind(notes: ReleaseNotes, kind: NoteKind) -> list[Statement]:
    """Return the statements of a kind."""
    return [statement for statement in notes.statements if statement.kind is kind]


def documentation(notes: ReleaseNotes) -> tuple[Sequence[Statement], int]:
    """Return the statements about documentation that are shown, and the number of the others."""
    statements = of_kind(notes, NoteKind.DOCUMENTATION)
    is_long = len(statements) > _MOST_DOCUMENTATION + 1
    ranked = sorted(statements, key=_is_aside)
    shown = [statement for statement in statements if statement in ranked[:_MOST_DOCUMENTATION]]
    return (shown, len(statements) - len(shown)) if is_long else (statements, 0)


def _is_aside(statement: Statement) -> bool:
    """Return True for a statement without a pull request or a ticket."""
    return not statement.references


def more_documentation(count: int) -> str:
    """Return the line about the statements that are not shown."""
    return f"{count} more changes of the documentation"


def internal_summary(notes: ReleaseNotes) -> str:
    """Return the sentence about internal changes; empty if there are none."""
    count = len(of_kind(notes, NoteKind.INTERNAL))
    if not count:
        return ""
    return f"{count} internal change{'' if count == 1 else 's'}: tests, tooling, structure of the code."
