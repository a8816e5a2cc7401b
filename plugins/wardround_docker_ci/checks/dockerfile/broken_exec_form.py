"""DC016."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity, SuggestedFix
from wardround.languages.dockerfile import Instruction
from wardround.storage.regex_cache import bounded
from wardround_docker_ci.check import DOCKERFILE, CiCheck


class BrokenExecForm(CiCheck):
    """What looks like the JSON form of a command is not JSON, so a shell gets the brackets.

    Docker takes it as shell form without a word, and the container starts with "[": not found. JSON wants
    double quotes and no comma behind the last string.
    """

    ID = "DC016"
    NAME = "broken-exec-form"
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "shell-form-command"
    NEEDS = ("[",)
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = DOCKERFILE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('FROM a:1\nCMD ["node", "app.js"]\n', path="Dockerfile"),
        Valid("FROM a:1\nRUN [ -f a ] && b\n", path="Dockerfile"),
        Valid("FROM a:1\nRUN [[ -f a ]] || b\n", path="Dockerfile"),
        Valid("FROM a:1\nENTRYPOINT []\n", path="Dockerfile"),
        Valid("FROM a:1\nCMD [ -f /x ] && exec y\n", path="Dockerfile"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nCMD ['node', 'app.js']\n",
            line=2,
            column=1,
            path="Dockerfile",
            fixed='FROM a:1\nCMD ["node", "app.js"]\n',
        ),
        Invalid('FROM a:1\nENTRYPOINT ["node", "app.js",]\n', line=2, column=1, path="Dockerfile"),
        Invalid("FROM a:1\nCMD [node, app.js]\n", line=2, column=1, path="Dockerfile"),
        Invalid('FROM a:1\nCMD ["node" "app.js"]\n', line=2, column=1, path="Dockerfile"),
    ]

    def run(self) -> None:
        for one in self.file.dockerfile.instructions:
            text = one.text
            looks = text.startswith("[") and text.endswith("]") and not text.startswith(("[[", "[ -", "[ !"))
            is_test = text.startswith("[ ") and "," not in text and '"' not in text
            if one.keyword in ("CMD", "ENTRYPOINT") and looks and not is_test and one.exec_form is None:
                self.report_at(
                    one.start, one.end, f"this {one.keyword} is no JSON, so a shell is given the brackets",
                    self._requoted(one),
                )  # fmt: skip

    def _requoted(self, one: Instruction) -> SuggestedFix | None:
        if not bounded(r"\[(?:\s*'[^'\"\\]*'\s*,?)+\]").fullmatch(one.text):
            return None
        start = one.body.start + len(one.body.text) - len(one.body.text.lstrip())
        return self.replacing(start, one.end, one.text.replace("'", '"'), "use double quotes", safe=True)
