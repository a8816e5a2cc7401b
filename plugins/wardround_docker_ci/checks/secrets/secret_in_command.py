from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, Word
from wardround.languages.yaml.nodes import Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.text.secret_names import is_secret_name
from wardround_docker_ci.analysis.secret_values import is_real_secret, mask
from wardround_docker_ci.check import KUBERNETES, SCRIPTS, CiCheck
from wardround_docker_ci.models.node_lists import scalars

_HEADER = LazyPattern(
    r"(?:authorization:\s*(?:bearer|token|basic)|(?:x-api-key|private-token|x-auth-token):)\s*([^\s\"']+)",
    re.IGNORECASE,
)
_IN_URL = LazyPattern(r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"']*:([^\s/@\"']+)@", re.IGNORECASE)
_NPM = LazyPattern(r":?_auth(?:Token)?[= ](\S+)")
_OPTION = LazyPattern(r"--?([A-Za-z][\w-]*)=(.+)", re.DOTALL)


class SecretInCommand(CiCheck):
    """A command contains a secret in plain text.

    It is in the repository's history, in the build's log and, in a Dockerfile, in the image. Revoke it, and
    read it from the platform's secret store.
    """

    ID = "DC038"
    NAME = "secret-in-command"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    KINDS = SCRIPTS
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            curl -H "Authorization: Bearer $TOKEN" https://example.org
        """),
        code("""
            git clone https://user:${TOKEN}@example.org/a.git
        """),
    ]
    INVALID = [
        code(
            """
            FROM a:1
            RUN curl -H "Authorization: Bearer «9f8e7d6c5b4a3928»" https://x.org
            """,
            path="Dockerfile",
        ),
        code("""
            git clone https://bot:«gk7Rt2Qw9zLp»@example.org/a.git
        """),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                self._check_command(command)
        for pod in self.file.pods if self.file.kind in KUBERNETES else ():
            for container in pod.containers:
                for scalar in scalars(
                    (*container.node.items_at("command"), *container.node.items_at("args"))
                ):
                    self._check_argument(scalar)

    def _check_command(self, command: Command) -> None:
        for word in command.assignments:
            self._check_assignment(word)
        for word in command.words:
            if command.name in ("export", "declare", "local", "readonly"):
                self._check_assignment(word)
            self._check(word)

    def _check_argument(self, item: Scalar) -> None:
        """Check an option of a container's program, with its value."""
        option = _OPTION.fullmatch(item.value.strip())
        if option and is_secret_name(option.group(1)) and is_real_secret(option.group(2)):
            text = self.file.passage(item)
            message = f"secret in plain text ({mask(option.group(2))}); use a secret store"
            self.report_at(text.start + max(text.text.find("=") + 1, 0), text.end, message)

    def _check_assignment(self, word: Word) -> None:
        name, sign, value = word.text.partition("=")
        if sign and is_secret_name(name) and is_real_secret(value):
            self._report(word, value)

    def _check(self, word: Word) -> None:
        for pattern in (_HEADER, _IN_URL, _NPM):
            found = pattern.search(word.text)
            if found and is_real_secret(found.group(1)):
                self._report(word, found.group(1))
                return
        option = _OPTION.fullmatch(word.text)
        if option and is_secret_name(option.group(1)) and is_real_secret(option.group(2)):
            self._report(word, option.group(2))

    def _report(self, word: Word, value: str) -> None:
        at = word.raw.find(value)
        start = word.start + max(at, 0)
        end = start + len(value) if at >= 0 else word.end
        self.report_at(start, end, f"secret in plain text ({mask(value)}); use a secret store")
