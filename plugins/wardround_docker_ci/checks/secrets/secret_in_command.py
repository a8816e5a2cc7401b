"""DC038."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.shell import Word
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.analysis.secret_names import is_real_secret, is_secret_name, masked
from wardround_docker_ci.check import KUBERNETES, SCRIPTS, CiCheck

_HEADER = LazyPattern(
    r"(?:authorization:\s*(?:bearer|token|basic)|(?:x-api-key|private-token|x-auth-token):)\s*([^\s\"']+)",
    re.IGNORECASE,
)
_IN_URL = LazyPattern(r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"']*:([^\s/@\"']+)@", re.IGNORECASE)
_NPM = LazyPattern(r":?_auth(?:Token)?[= ](\S+)")
_OPTION = LazyPattern(r"--?([A-Za-z][\w-]*)=(.+)", re.DOTALL)


class SecretInCommand(CiCheck):
    """A command holds a secret in clear.

    It stands in the repository's history, in the build's log and, in a Dockerfile, in the image. Revoke it,
    and read it from the secret store of the platform.
    """

    ID = "DC038"
    NAME = "secret-in-command"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    TRIED_ON = (
        "trees of 27 repositories and 640 commits of 16 that touch such files: no hit; arguments of "
        "containers, in 27: none"
    )
    KINDS = SCRIPTS
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('curl -H "Authorization: Bearer $TOKEN" https://example.org\n', path="a.sh"),
        Valid("git clone https://user:${TOKEN}@example.org/a.git\n", path="a.sh"),
        Valid("psql postgres://postgres:postgres@localhost/test\n", path="a.sh"),
        Valid("export API_TOKEN=changeme\n", path="a.sh"),
        Valid("cmd --token-file=/run/secrets/9f8a7b6c5d\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'FROM a:1\nRUN curl -H "Authorization: Bearer 9f8e7d6c5b4a3928" https://x.org\n',
            2,
            36,
            path="Dockerfile",
        ),
        Invalid("git clone https://bot:gk7Rt2Qw9zLp@example.org/a.git\n", 1, 23, path="a.sh"),
        Invalid("export DB_PASSWORD=gk7Rt2Qw9zLp\n", 1, 20, path="a.sh"),
        Invalid("FROM a:1\nRUN API_TOKEN=gk7Rt2Qw9zLp make\n", 2, 15, path="Dockerfile"),
        Invalid("FROM a:1\nRUN npm config set //r.org/:_authToken=gk7Rt2Qw9zLp\n", 2, 40, path="Dockerfile"),
        Invalid("deploy --api-token=gk7Rt2Qw9zLp\n", 1, 20, path="a.sh"),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: a:1\n"
            "    args: [serve, --db-password=gk7Rt2Qw9zLp]\n",
            line=7,
            column=33,
            path="pod.yaml",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                for word in command.assignments:
                    self._assigned(word)
                for word in command.words:
                    if command.name in ("export", "declare", "local", "readonly"):
                        self._assigned(word)
                    self._look(word)

        for pod in self.file.pods if self.file.kind in KUBERNETES else ():
            for container in pod.containers:
                for one in (*container.node.listed("command"), *container.node.listed("args")):
                    if isinstance(one, Scalar):
                        self._argument(one)

    def _argument(self, one: Scalar) -> None:
        """An option of a container's program, with its value."""
        option = _OPTION.fullmatch(one.value.strip())
        if option and is_secret_name(option.group(1)) and is_real_secret(option.group(2)):
            text = self.file.passage(one)
            said = f"a secret in clear ({masked(option.group(2))})"
            self.report_at(text.start + max(text.text.find("=") + 1, 0), text.end, said)

    def _assigned(self, word: Word) -> None:
        name, sign, value = word.text.partition("=")
        if sign and is_secret_name(name) and is_real_secret(value):
            self._report(word, value)

    def _look(self, word: Word) -> None:
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
        self.report_at(start, end, f"a secret in clear ({masked(value)})")
