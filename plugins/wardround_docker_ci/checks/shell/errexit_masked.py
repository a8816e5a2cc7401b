from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.findings import Severity
from wardround.languages.shell import Command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind

_STOPS = LazyPattern(r"^[ \t]*set[ \t]+-\w*e|^#!.*sh[ \t]+-\w*e|set -o errexit", re.MULTILINE)
_FUNCTION = LazyPattern(
    r"^(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*(?:\([ \t]*\))?[ \t]*\{[ \t]*\n(.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
_CALLED_IN_CONDITION = (
    r"^[ \t]*(?:(?:if|elif|while|until)[ \t]+(?:![ \t]+)?{0}(?![-.\w=(])[^\n;|&]*;"
    r"|{0}(?![-.\w=(])[^\n;|&]*(?:&&|\|\|))"
)
_CONDITION = LazyPattern(r"(?:\b(?:if|elif|while|until)|!)[ \t]+$")
_WORKS = frozenset(
    {
        "npm", "pnpm", "yarn", "make", "docker", "podman", "kubectl", "helm", "terraform", "git", "curl",
        "wget", "tar", "unzip", "rsync", "scp", "ssh", "aws", "gcloud", "az", "pip", "pip3", "poetry", "uv",
        "python", "python3", "cargo", "go", "mvn", "gradle", "gradlew", "psql", "pg_dump",
        "pg_restore", "mysql", "mysqldump",
        "bundle", "rake", "composer", "php", "node", "npx", "cmake", "ninja", "gpg", "cp", "mv",
        "apt-get", "systemctl", "restic", "mongodump", "buildah", "skopeo", "dotnet",
    }
)  # fmt: skip


class ErrexitMasked(CiCheck):
    """A function called by `if`, `&&` or `||` ignores `set -e`.

    The shell continues after a failed command in the function, and the function's status is that of its last
    command. Call it by itself, or end each step in it with `|| return 1`.
    """

    ID = "DC212"
    NAME = "errexit-masked"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "lost-status"
    KINDS = frozenset({FileKind.SHELL})
    NEEDS = ("set -e", "set -o errexit", "sh -e", "set -u", "set -x")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            set -e
            f() {
              npm ci
              npm test
            }
            f
        """),
        code("""
            f() {
              npm ci
              npm test
            }
            if f; then echo; fi
        """),
    ]
    INVALID = [
        code("""
            set -e
            f() {
              npm ci
              npm test
            }
            «if f;» then
              echo
            fi
        """),
        code("""
            #!/bin/bash
            set -euo pipefail
            function load {
              curl -fO $URL
              tar xzf a.tgz
            }
            «load a ||» echo failed
        """),
    ]

    def run(self) -> None:
        text = self.file.text
        if not _STOPS.search(text):
            return
        commands = [command for script in self.file.scripts for command in script.commands]
        for name, start, end in _functions(text):
            lost = _first_masked_failure(commands, text, start, end)
            if lost is not None:
                self._check_call(name, lost)

    def _check_call(self, name: str, lost: Command) -> None:
        """Report the first call of a function in a condition."""
        pattern = _CALLED_IN_CONDITION.format(re.escape(name))
        call = re.search(pattern, self.file.text, re.MULTILINE)
        if call is not None and not self.file.is_explained(call.start()):
            at = call.start() + len(call.group()) - len(call.group().lstrip())
            message = f'in a condition, "{name}" continues after "{lost.name}" fails; call it by itself'
            self.report_at(at, call.end(), message)


def _functions(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _FUNCTION.finditer(text):
        if "set -e" not in found.group(2):
            yield found.group(1), found.start(2), found.end(2)


def _may_be_lost(command: Command) -> bool:
    """Return True if only ``set -e`` would detect a failure of a command."""
    return (
        command.name in _WORKS
        and command.after in ("\n", ";")
        and command.before in ("", "\n", ";", ")")
        and not command.has_flag("", "--ignore-not-found")
    )


def _first_masked_failure(commands: Sequence[Command], text: str, start: int, end: int) -> Command | None:
    """Return the first command of a function's body whose failure only ``set -e`` would detect."""
    outer = [command for command in commands if command.depth == 0]
    body = [command for command in outer if start <= command.start < end]
    for command in body[:-1]:
        is_condition = _CONDITION.search(text[start : command.start]) is not None
        if not is_condition and _may_be_lost(command):
            return command
    return None
