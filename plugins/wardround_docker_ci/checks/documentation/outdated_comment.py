"""DC160: outdated comment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import describe, stale_comments
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind

if TYPE_CHECKING:
    from wardround.semantics.semdiff.replacements import Replacement

_REMARK = LazyPattern(r"(?m)(?:^|(?<=\s))#.*$")
_QUOTED = LazyPattern(r"\"[^\"\n]*\"|'[^'\n]*'")
_NO_LETTER = LazyPattern(r"[\W_]+")
_FOR_EXAMPLE = r"(?i)\b(?:like|such as|e\.g\.|for (?:example|instance)),?\s*[\"'`]?"


class OutdatedComment(CiCheck):
    """A comment next to a setting is outdated by this change.

    It states a number, a unit or a value that the change replaced just below. Readers assume the old
    setting. Update the comment in the same commit.
    """

    ID = "DC160"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = frozenset(FileKind)
    NEEDS = ("#",)
    CASE_PATH = ".github/workflows/ci.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                # half an hour, 30 minutes, is plenty
                timeout-minutes: 45
                steps: []
        """),
        code(
            """
            # [Choice] Node.js version: 18, 16, 14
            ARG VARIANT=20
            FROM node:${VARIANT}
            """,
            path="Dockerfile",
            base="""
            # [Choice] Node.js version: 18, 16, 14
            ARG VARIANT=18
            FROM node:${VARIANT}
            """,
        ),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            # checked every «ten» seconds
            HEALTHCHECK --interval=30s CMD curl -f http://localhost
            """,
            path="Dockerfile",
            base="""
            FROM a:1
            # checked every ten seconds
            HEALTHCHECK --interval=10s CMD curl -f http://localhost
            """,
        ),
        code(
            """
            #!/bin/sh
            # «three» tries
            retry 5 ./push.sh
            """,
            path="a.sh",
            base="""
            #!/bin/sh
            # three tries
            retry 3 ./push.sh
            """,
        ),
    ]

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import HASH  # not needed where nothing changed

        for one in stale_comments(self.source, HASH):
            if self._is_remark(one.line, one.column) and not self._holds_still(one.swap, one.line):
                self.report(*describe(one))

    def _is_remark(self, line: int, column: int) -> bool:
        """Return True if a position is in a comment; a quoted ``#`` is more often part of a command."""
        before = self.source.lines[line - 1][: column - 1]
        return _REMARK.search(_QUOTED.sub("", before)) is not None

    def _holds_still(self, swap: Replacement, line: int) -> bool:
        """Return True if the comment may still be correct.

        So are "8" where the value became "8.7", a name that only moved or changed its notation, a list of
        alternatives, and an example.
        """
        if swap.new not in ("", "nothing"):
            old, words = re.escape(swap.old), self.source.lines[line - 1]
            several = re.search(rf"\d,\s*{old}(?![\w.])|(?<![\w.]){old},\s*\d", words)
            example = re.search(rf"{_FOR_EXAMPLE}{old}(?![\w.])", words)
            if several or example or _plain_words(swap.old) == _plain_words(swap.new):
                return True
            return swap.new.startswith(f"{swap.old}.")
        moved = re.compile(rf"(?<![\w.-]){re.escape(swap.old)}(?![\w-])")
        return moved.search(_REMARK.sub("", self.source.added_text)) is not None


def _plain_words(listed: str) -> set[str]:
    """Return the words of a list without their notation; text that is not a list stays as it is."""
    return {_NO_LETTER.sub("", word).lower() for word in listed.split(",")} if "," in listed else {listed}
