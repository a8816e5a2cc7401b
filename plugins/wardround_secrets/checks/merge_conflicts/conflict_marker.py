"""Part of this plugin because it reads every added line of every text file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from wardround.findings import MERGE_CONFLICT, Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_BEGINS, _ENDS = b"<<<<<<< ", b">>>>>>> "
_MARKER = LazyPattern(r"^(?:(<{7}) \S.*|(={7})\r?|(>{7}) \S.*)$", re.MULTILINE)
_LABELLED = LazyPattern(r">{7} (?:\S+|\S+ \(.*\)|[0-9a-f]{7,}\.\.\. .*|Stashed changes)\r?")
"""End marker as git writes it, with a branch or commit;

without a start marker, any other may be a quotation.
"""
_PATCHES = (".patch", ".diff", ".rej", ".orig")
_TEXTS = (".md", ".mdx", ".rst", ".adoc", ".txt", ".html", ".htm")
_FENCE = LazyPattern(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_ABOUT_CONFLICTS = LazyPattern(r"conflict|merge[-_]?marker", re.IGNORECASE)


class ConflictMarker(SecretCheck):
    """A merge conflict is committed with its markers.

    The file contains both versions and the lines that git put between them, so parsers fail or read the wrong
    content. Keep the correct version and delete the marker lines (seven ``<``, ``=`` or ``>``).
    """

    ID = "SE015"
    NAME = "conflict-marker"
    ANCHORS = (_BEGINS, _ENDS)
    PLANE: ClassVar[Plane] = Plane.SEMANTIC
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    DEFECT_CLASS: ClassVar[str | None] = MERGE_CONFLICT
    MASKED: ClassVar[bool] = False
    IN_TESTS: ClassVar[bool] = True
    IN_GENERATED: ClassVar[bool] = True
    CASE_PATH = "a.yml"
    VALID = [
        code(
            """
            a = 1 <<<<<<< 2
            =======
            """,
            path="case.py",
        ),
        code(
            """
            Title
            =======
            text

            >>>>>>> quoted seven times
            """,
            path="notes/mail",
        ),
    ]
    INVALID = [
        code("""
            a: 0
            «<<<<<<< HEAD»
            a: 1
            =======
            a: 2
            >>>>>>> x
        """),
        code(
            """
            a
            =======
            b
            «>>>>>>> origin/main»
            """,
            path="a.json",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        if text.path.endswith(_PATCHES) or not (_BEGINS in text.lower or _ENDS in text.lower):
            return
        message = "unresolved merge conflict; keep one version or merge both, and delete the conflict markers"
        severity = Severity.WARN if text.is_example_file else None
        for marker in _conflicts(text.text):
            if text.is_example_file and _is_quoted(text, marker.start()):
                continue
            yield SecretMatch(*marker.span(), message, severity)


def _is_quoted(text: ScannedText, offset: int) -> bool:
    """Return True if a test or a manual shows a conflict: by its path, or in a fenced block."""
    if _ABOUT_CONFLICTS.search(text.path):
        return True
    return text.path.endswith(_TEXTS) and len(_FENCE.findall(text.text[:offset])) % 2 == 1


def _conflicts(text: str) -> Iterator[re.Match[str]]:
    """Yield the first marker of each conflict."""
    start: re.Match[str] | None = None
    is_divided = False
    for marker in _MARKER.finditer(text):
        begins, divides, _ends = marker.groups()
        if divides:
            is_divided = True
            continue
        conflict = _conflict_before(marker, start, is_divided=is_divided, is_ended=not begins)
        if conflict is not None:
            yield conflict
        start, is_divided = (marker if begins else None), False
    if start and is_divided:
        yield start


def _conflict_before(
    marker: re.Match[str], start: re.Match[str] | None, *, is_divided: bool, is_ended: bool
) -> re.Match[str] | None:
    """Return the first marker of the conflict that the next start or end marker completes."""
    if start is not None:
        return start if is_divided or is_ended else None
    return marker if is_divided and _LABELLED.fullmatch(marker.group()) else None
