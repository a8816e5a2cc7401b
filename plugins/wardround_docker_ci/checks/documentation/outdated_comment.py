"""DC160."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
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
_PATH = ".github/workflows/ci.yml"


def _job(minutes: int, comment: str = "half an hour, 30 minutes, is plenty") -> str:
    return f"on: push\njobs:\n  a:\n    # {comment}\n    timeout-minutes: {minutes}\n    steps: []\n"


_VARIANT = "# [Choice] Node.js version: 18, 16, 14\nARG VARIANT={}\nFROM node:${{VARIANT}}\n"
_NPM = "FROM node:18\n# Upgrade npm to 8.\nRUN npm install --global npm@{}\n"
_ON = (
    "on:\n  push:{}\njobs:\n  a:\n    # Only on release / push to the dev branch\n    if: "
    "github.event == 'release' || (github.event == 'push'{})\n    steps: []\n"
)
_TAG = "# Accepts a tag like 30 or 29.1.\nARG NODE={}\nFROM node:$NODE\n"
_LIST = (
    '#!/bin/sh\n# Ignore the Lint and Update checks.\nlist | jq \'select(. == "Lint" or has("Update"){})\'\n'
)
_CUT = (
    '#!/bin/sh\nif [ "$(echo "$PS1" | awk \'{{ string=substr($0, 1, 22); print string; }}\')" = x ]; then\n'
    "    PS1=${{PS1:{}}}\nfi\n"
)


class OutdatedComment(CiCheck):
    """A comment beside a setting says what this change made untrue.

    It states a number, a unit or a value that the change exchanged for another right below. Whoever reads it
    takes the setting for what it was. Change the comment in the same commit.
    """

    ID = "DC160"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "history of 396 repositories, 165,799 commits with pipelines, Dockerfiles or scripts: 23 hits, all "
        "read: 14 right, 4 wrong, 5 in doubt; in the 8 repositories that nobody had read before it was 5, 3 "
        "and 3 of 11. Three of the wrong, on an example and on a name in another writing, are silent since; "
        "most doubts are lists that lack what the change brought"
    )
    KINDS = frozenset(FileKind)
    NEEDS = ("#",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_job(45), path=_PATH),
        Valid(_job(45, "45 minutes are plenty"), path=_PATH, base=_job(30, "30 minutes are plenty")),
        Valid(_job(45, "see #30"), path=_PATH, base=_job(30, "see #30")),
        Valid(_VARIANT.format(20), path="Dockerfile", base=_VARIANT.format(18)),
        Valid(_NPM.format("8.7"), path="Dockerfile", base=_NPM.format("8")),
        Valid(
            _ON.format("\n    branches: [dev]", ""),
            path=_PATH,
            base=_ON.format("", " && github.branch == 'dev'"),
        ),
        Valid(_CUT.format(26), path="a.sh", base=_CUT.format(22)),
        Valid(_TAG.format(31), path="Dockerfile", base=_TAG.format(30)),
        Valid(_LIST.format(' or has("update-")'), path="a.sh", base=_LIST.format("")),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_job(45), 4, 21, path=_PATH, base=_job(30)),
        Invalid(
            "FROM a:1\n# checked every ten seconds\nHEALTHCHECK --interval=30s CMD curl -f "
            "http://localhost\n",
            2,
            17,
            path="Dockerfile",
            base="FROM a:1\n# checked every ten seconds\nHEALTHCHECK --interval=10s CMD curl -f "
            "http://localhost\n",
        ),
        Invalid(
            "#!/bin/sh\n# three tries\nretry 5 ./push.sh\n",
            2,
            3,
            path="a.sh",
            base="#!/bin/sh\n# three tries\nretry 3 ./push.sh\n",
        ),
    ]

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import HASH  # not needed where nothing changed

        for one in stale_comments(self.source, HASH):
            if self._is_remark(one.line, one.column) and not self._holds_still(one.swap, one.line):
                self.report(*describe(one))

    def _is_remark(self, line: int, column: int) -> bool:
        """Whether a place is in a comment; a text in quotes is a command here more often than words."""
        before = self.source.lines[line - 1][: column - 1]
        return _REMARK.search(_QUOTED.sub("", before)) is not None

    def _holds_still(self, swap: Replacement, line: int) -> bool:
        """Whether the words may be as true as before.

        Such are those of "8" that is "8.7" now, of a name that only moved or came in another writing too,
        those that list what there is, and those that give an example.
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
    """The words of a list without what is only their writing; what is no list stays as it is."""
    return {_NO_LETTER.sub("", word).lower() for word in listed.split(",")} if "," in listed else {listed}
