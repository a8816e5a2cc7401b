from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from wardround.findings import Plane
from wardround.languages.shell import Command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import PIPELINES, STEPS, CiCheck
from wardround_docker_ci.contents.scripts import EmbeddedScript
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import is_test, program

_CONDITION = LazyPattern(r"(?:\b(?:if|while|until)|!)\s+$")
_NOTHING = frozenset({"true", ":", "/bin/true"})


class HiddenFailure(CiCheck):
    """A test or lint command cannot fail the step: a fallback or a pipe after it hides its status.

    The pipeline then succeeds regardless of the tests, and nobody notices. Let it fail, or remove the step.
    """

    ID = "DC033"
    NAME = "hidden-failure"
    PLANE = Plane.TESTS
    DEFECT_CLASS = "hidden-failure"
    KINDS = PIPELINES | {FileKind.SHELL}
    NEEDS = ("||", "| ", "|tee", "set +e", "if !", "if  !")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            rm x || true
            npm test || exit 1
        """),
        code("""
            npm test || { cat log; exit 1; }
        """),
    ]
    INVALID = [
        code(
            """
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: |
                      «make test 2>&1 | tee test.log»
            """,
            path=".github/workflows/a.yml",
        ),
        code(
            """
            #!/bin/bash
            set -e
            «pytest -q | tail -n 5»
            """,
            path="ci.sh",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            commands = script.commands
            for at, (command, following) in enumerate(pairwise(commands)):
                if _is_hidden(command, following) and not self._is_handled(commands, at):
                    message = "the step succeeds even if the tests fail; remove the fallback"
                    self.report_at(command.start, following.end, message)
            self._check_unused_status(script)
            self._check_printed_failures(script)
            self._check_pipes(script)

    def _check_pipes(self, script: EmbeddedScript) -> None:
        if preserves_status(self.file, script):
            return
        for command in script.commands:
            if command.after == "|" and command.before not in ("|", "|&") and is_test(command):
                self._check_pipe(command, script.commands)

    def _check_unused_status(self, script: EmbeddedScript) -> None:
        """Check tests between ``set +e`` and ``set -e`` whose status is not used."""
        if _uses_status(script.passage.text):
            return
        continues = False
        for command in script.commands:
            if command.name == "set" and len(command.texts) > 1:
                continues = command.texts[1].startswith("+") and "e" in command.texts[1]
            if continues and _is_bare_test(command) and _is_followed(script, command):
                message = "the status of these tests is not used after set +e; test it"
                self.report_at(command.start, command.end, message)

    def _check_printed_failures(self, script: EmbeddedScript) -> None:
        """Check ``if ! tests; then echo ...; fi``, which only prints the failure."""
        text = script.passage.text
        for found in _PRINTS_FAILURE.finditer(text):
            start = script.passage.start + found.start()
            tests = [
                c for c in script.commands if start <= c.start < script.passage.start + found.start("report")
            ]
            if any(is_test(command) for command in tests) and not self.file.is_explained(start):
                self.report_at(
                    start,
                    script.passage.start + found.start("report"),
                    "the step continues after these tests fail; exit with their status",
                )

    def _check_pipe(self, command: Command, commands: Sequence[Command]) -> None:
        """Check a pipe, whose status is that of its last command, such as ``tee``."""
        following = next(
            (other for other in commands if other.start > command.end and other.depth == command.depth), None
        )
        passes_on = (
            following is not None and program(following) in _PASS_ON and following.after not in ("||", "&&")
        )
        if following is not None and passes_on and not self.file.is_explained(command.start):
            message = f"the step has the status of {program(following)}, not of the tests; set pipefail"
            self.report_at(command.start, following.end, message)

    def _is_handled(self, commands: Sequence[Command], at: int) -> bool:
        """Return True if the output is used elsewhere, or a comment allows the failure."""
        command = commands[at]
        if self.file.is_explained(command.start):
            return True
        return command.before == "|" or any(r.sign in (">", ">>", "&>") for r in command.redirects)


def _uses_status(text: str) -> bool:
    """Return True if a script never continues after a failure, or may use a status afterwards."""
    if "set +e" not in text or "trap" in text:
        return True
    return re.search(r"\$\{?(?:\?|PIPESTATUS)", text) is not None


def _is_followed(script: EmbeddedScript, command: Command) -> bool:
    """Return True if a script continues after a command that is not a part of a condition."""
    text, start = script.passage.text, script.passage.start
    if not text[command.end - start :].strip():
        return False
    return _CONDITION.search(text[: command.start - start]) is None


def _has_no_effect(command: Command) -> bool:
    if command.name in ("echo", "printf"):
        return not command.redirects and not re.search(
            r"GITHUB_|::(?:warning|error)", " ".join(command.texts)
        )
    return command.name in _NOTHING or command.texts == ["exit", "0"]


_PASS_ON = frozenset({"tee", "cat", "tail", "head", "ts", "sed", "awk", "tap-spec", "less", "pv"})
_PRINTS_FAILURE = LazyPattern(
    r"\bif\s+!\s[^\n;]*(?:;|\n)\s*then\b(?P<report>(?:\s*(?:echo|printf|:)(?=\s)[^\n;$<>|&]*(?:;|\n))+)\s*fi\b"
)
_PIPEFAIL = LazyPattern(r"pipefail|PIPESTATUS|pipestatus")


def preserves_status(file: CiFile, script: EmbeddedScript) -> bool:
    """Return True if a pipe in the script fails when any of its commands fails."""
    if file.kind is FileKind.GITLAB_CI or _PIPEFAIL.search(script.passage.text):
        return True
    if file.kind not in STEPS:
        return False
    shell = file.workflow.shell(script.job, script.owner)
    return shell == "bash" or "pipefail" in shell  # an explicit bash has the option, the default one does not


def _is_bare_test(command: Command) -> bool:
    is_bare = command.before not in ("&&", "||", "|") and command.after in ("\n", ";")
    return is_bare and not command.depth and is_test(command)


def _is_hidden(command: Command, following: Command) -> bool:
    """Return True if a fallback without effect hides a failure of tests."""
    is_last = following.after in ("\n", "", ";", ")")
    return command.after == "||" and is_last and _has_no_effect(following) and is_test(command)
