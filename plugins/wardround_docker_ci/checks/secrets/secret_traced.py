from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.check import PIPELINES, CiCheck
from wardround_docker_ci.checks.secrets.secret_printed import secret_variables
from wardround_docker_ci.contents.scripts import EmbeddedScript
from wardround_docker_ci.file_kinds import FileKind

_USED = LazyPattern(r"(?<!\\)\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)[^}]*\})|\$\{\{\s*secrets\.(\w+)")
_FILE_OF_SECRET = LazyPattern(r"/run/secrets/")


class SecretTraced(CiCheck):
    """`set -x` is active while a command has a secret in its arguments, so the log shows the secret.

    The platform masks only the exact text of a known secret: not values derived from it, and on GitLab and
    Jenkins often not the variable at all. Remove `-x`, or put `set +x` before the command.
    """

    ID = "DC082"
    NAME = "secret-traced"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-log"
    KINDS = PIPELINES | {FileKind.SHELL}
    NEEDS = ("set -", "sh -")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            set -x
            make
            set +x
            curl -H "Authorization: Bearer $API_TOKEN" x
        """),
        code("""
            set -eu
            curl -H "Authorization: Bearer $API_TOKEN" x
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
                  - env:
                      KEY: ${{ secrets.NEXUS }}
                    run: |
                      «set -ex»
                      curl -u "ci:$KEY" x
            """,
            path=".github/workflows/a.yml",
        ),
        code(
            """
            a:
              script:
                - «set -x»
                - make
                - curl -u ci:$DEPLOY_TOKEN x
            """,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        for group in self._shells():
            names = frozenset(name for script in group for name in secret_variables(self.file, script))
            self._check(group, names)

    def _check(self, group: Sequence[EmbeddedScript], names: frozenset[str]) -> None:
        """Report the first secret in a traced command of one shell."""
        traced = self._first_line_of(group)
        for command in (other for script in group for other in script.commands):
            switch = _switch(command)
            if switch is not None:
                traced = (command.start, command.end) if switch else None
            elif traced is not None and (name := _secret_of(command, names)):
                masks = self.file.kind in (FileKind.WORKFLOW, FileKind.ACTION)
                message = f"the trace of a later command writes {name} to the log; remove -x"
                self.report_at(*traced, message, severity=Severity.INFO if masks else None)
                return

    def _shells(self) -> Iterator[list[EmbeddedScript]]:
        """Yield the scripts that one shell runs: in GitLab all lines of a job."""
        if self.file.kind is not FileKind.GITLAB_CI:
            yield from ([script] for script in self.file.scripts)
            return
        by_job: dict[int, list[EmbeddedScript]] = {}
        for script in self.file.scripts:
            by_job.setdefault(id(script.owner), []).append(script)
        yield from by_job.values()

    def _first_line_of(self, group: Sequence[EmbeddedScript]) -> tuple[int, int] | None:
        found = _FIRST_LINE.match(group[0].passage.text)
        start = group[0].passage.start
        return (start + found.start(1), start + found.end(1)) if found else None


_FIRST_LINE = LazyPattern(r"\s*(#!\S*(?:ba|da|k|z)?sh[ \t]+-\w*x\w*)")


def _switch(command: Command) -> bool | None:
    """Return True if a command enables tracing, False if it disables it, and None otherwise."""
    if command.name != "set":
        return None
    for at, text in enumerate(command.texts):
        letters = text[1:] if text[:1] in ("-", "+") else ""
        if letters.isalpha() and "x" in letters:
            return text[0] == "-"
        takes_name = text == "+o" or (text[:1] == "-" and text.endswith("o"))
        if takes_name and "xtrace" in command.texts[at + 1 : at + 2]:
            return text[0] == "-"
    return None


def _secret_of(command: Command, secrets: frozenset[str]) -> str:
    """Return the secret in the words of a traced command; empty if none."""
    if command.name in (":", "[", "[[", "test", "unset", "export") and not command.assignments:
        return ""
    for word in (*command.assignments, *command.words[1:]):
        if word.raw.startswith("'"):
            continue
        for use in _USED.finditer(word.text):
            name = _secret_name(use, secrets)
            if name:
                return name
    return ""


def _secret_name(use: re.Match[str], secrets: frozenset[str]) -> str:
    """Return the name of a used variable if it is a secret; empty otherwise."""
    variable, braced, expression = use.groups()
    name: str = variable or braced or expression
    is_secret = bool(expression) or name in secrets or (name.isupper() and is_secret_name(name))
    return name if is_secret else ""
