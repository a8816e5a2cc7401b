"""SE015: what a merge left in a file. Here, since nobody else reads every added line of every text file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import MERGE_CONFLICT, Plane, Severity
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_BEGINS, _ENDS = b"<<<<<<< ", b">>>>>>> "
_MARKER = LazyPattern(r"^(?:(<{7}) \S.*|(={7})\r?|(>{7}) \S.*)$", re.MULTILINE)
_LABELLED = LazyPattern(r">{7} (?:\S+|\S+ \(.*\)|[0-9a-f]{7,}\.\.\. .*|Stashed changes)\r?")
"""An end as git writes it, by a branch or a commit: where nothing begins, any other may be a quotation."""
_PATCHES = (".patch", ".diff", ".rej", ".orig")


class ConflictMarker(SecretCheck):
    """A merge conflict is committed as git left it: both versions, and the lines between them.

    No program reads that as it was meant, and which of the two counts nobody has decided. Keep what is right,
    and delete the lines that begin with seven signs.
    """

    ID = "SE015"
    NAME = "conflict-marker"
    PLANE: ClassVar[Plane] = Plane.SEMANTIC
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    DEFECT_CLASS: ClassVar[str | None] = MERGE_CONFLICT
    MASKED: ClassVar[bool] = False
    IN_TESTS: ClassVar[bool] = True
    IN_GENERATED: ClassVar[bool] = True
    TRIED_ON = (
        "All files of 60 repositories: one left in a licence, one shown in a manual (which is a warning)"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "a = 1 <<<<<<< 2\n=======\n",
        Valid("Title\n=======\ntext\n\n>>>>>>> quoted seven times\n", path="notes/mail"),
        Valid(" <<<<<<< ours\n =======\n >>>>>>> theirs\n", path="a.yml"),
        Valid("<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", path="fix.patch"),
        Valid("<<<<<<<\n=======\n>>>>>>>\n", path="a.c"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("a: 0\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", line=2, column=1, path="a.yml"),
        Invalid("<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> x\r\n", line=1, column=1, path="Cargo.lock"),
        Invalid("a\n=======\nb\n>>>>>>> origin/main\n", line=4, column=1, path="a.json"),
        Invalid("<<<<<<< HEAD\na\n=======\nb\n", line=1, column=1, path="q.sql"),
        Invalid("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", line=1, column=1, path="README.md"),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        if text.path.endswith(_PATCHES) or not (_BEGINS in text.lower or _ENDS in text.lower):
            return
        begun: re.Match[str] | None = None
        divided = False
        for marker in _MARKER.finditer(text.text):
            begins, divides, ends = marker.groups()
            if ends and (begun or (divided and _LABELLED.fullmatch(marker.group()))):
                yield cls._hit(text, begun or marker)
            elif begins and begun and divided:
                yield cls._hit(text, begun)
            if begins:
                begun, divided = marker, False
            elif divides:
                divided = True
            else:
                begun, divided = None, False
        if begun and divided:
            yield cls._hit(text, begun)

    @classmethod
    def _hit(cls, text: ScannedText, marker: re.Match[str]) -> SecretMatch:
        said = "a merge conflict is left here; keep one version, or both, and delete the lines of seven signs"
        return SecretMatch(*marker.span(), said, Severity.WARN if text.is_for_show else None)
