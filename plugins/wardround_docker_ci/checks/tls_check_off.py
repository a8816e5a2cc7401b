"""DC031."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround.late import LatePattern
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.programs import program
from wardround_docker_ci.shell import Command, unwrapped

_LOCAL = LatePattern(
    r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|kubernetes\.default|host\.docker\.internal)"
)
_VARIABLES = {
    "NODE_TLS_REJECT_UNAUTHORIZED": ("0",),
    "GIT_SSL_NO_VERIFY": ("1", "true"),
    "PYTHONHTTPSVERIFY": ("0",),
    "NPM_CONFIG_STRICT_SSL": ("false",),
    "CURL_INSECURE": ("1", "true"),
}
_UNSIGNED = LatePattern(r"\bdeb\s+\[[^\]]*trusted=yes")
_PYTHON_HOSTS = LatePattern(r"(?:^|\.)(?:pypi\.org|pythonhosted\.org|pypi\.python\.org)$")


class TlsCheckOff(CiCheck):
    """A download does not check whose server answers.

    Anybody on the way can put something else in its place, and a build runs what it downloads. Install the
    certificate authority that is missing instead of switching the check off.
    """

    ID = "DC031"
    NAME = "tls-check-off"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "tls-verification-off"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = SCRIPTS
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("curl -fsSL https://example.org/a -o a\n", path="a.sh"),
        Valid("until curl -k https://localhost:8443/health; do sleep 1; done\n", path="a.sh"),
        Valid("FROM a:1\nENV NODE_TLS_REJECT_UNAUTHORIZED=1\n", path="Dockerfile"),
        Valid("tar -kxf a.tar\nsort -k 2 a\n", path="a.sh"),
        Valid("pip install --trusted-host 127.0.0.1 a\n", path="a.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "FROM a:1\nRUN echo 'deb [trusted=yes] https://x.org/d s m' > /etc/apt/x.list\n",
            2,
            10,
            path="Dockerfile",
        ),
        Invalid("ssh -o StrictHostKeyChecking=no deploy@example.org ./restart\n", 1, 8, path="a.sh"),
        Invalid("FROM a:1\nRUN curl -skL https://example.org/a -o /a\n", 2, 10, path="Dockerfile"),
        Invalid("wget --no-check-certificate https://example.org/a\n", 1, 6, path="a.sh"),
        Invalid("FROM a:1\nRUN npm config set strict-ssl false && npm ci\n", 2, 5, path="Dockerfile"),
        Invalid("FROM a:1\nENV NODE_TLS_REJECT_UNAUTHORIZED=0\n", 2, 34, path="Dockerfile"),
        Invalid("git -c http.sslVerify=false clone https://example.org/a\n", 1, 8, path="a.sh"),
        Invalid(
            "on: push\nenv:\n  GIT_SSL_NO_VERIFY: 'true'\njobs: {}\n", 3, 23, path=".github/workflows/a.yml"
        ),
        Invalid("pip install --trusted-host pypi.org flask\n", 1, 13, path="a.sh"),
        Invalid("git config --global http.sslVerify false\n", 1, 21, path="a.sh"),
    ]

    def run(self) -> None:
        for variable in self.file.variables:
            if variable.value.lower() in _VARIABLES.get(variable.name.upper(), ()):
                self._report(variable.start, variable.end, variable.name)
        for script in self.file.scripts:
            for command in script.commands:
                self._look(command)

    def _report(self, start: int, end: int, what: str) -> None:
        self.report_at(start, end, f"{what} switches off the check whose server answers")

    def _look(self, command: Command) -> None:
        for word in command.assignments:
            name, _, value = word.text.partition("=")
            if value.lower() in _VARIABLES.get(name.upper(), ()):
                self._report(word.start, word.end, name)
        words = unwrapped(command)
        if not words or any(_LOCAL.search(word.text) for word in words):
            return
        name = program(command)
        texts = [word.text for word in words]
        if name == "export":
            self._exported(command)
        elif name == "npm" and texts[1:4] in (
            ["config", "set", "strict-ssl"],
            ["set", "strict-ssl", "false"],
        ):
            if texts[-1] == "false":
                self._report(command.start, command.end, "strict-ssl false")
        elif name in ("echo", "printf") and any(_UNSIGNED.search(text) for text in texts):
            word = next(word for word in words if _UNSIGNED.search(word.text))
            self.report_at(
                word.start, word.end, "trusted=yes takes packages of this source without a signature"
            )
        else:
            for at, word in enumerate(words[1:], 1):
                if _is_off(name, word.text, texts[at + 1] if at + 1 < len(texts) else ""):
                    self._report(word.start, word.end, word.text)

    def _exported(self, command: Command) -> None:
        for word in command.words[1:]:
            name, _, value = word.text.partition("=")
            if value.lower() in _VARIABLES.get(name.upper(), ()):
                self._report(word.start, word.end, name)


def _is_off(name: str, text: str, following: str) -> bool:
    """Whether an argument tells a program not to look at certificates."""
    if name == "curl":
        short = re.fullmatch(r"-[a-jl-zA-Z#]*k[a-zA-Z#]*", text) and not re.match(
            r"-[a-zA-Z]*[XHdoAuebFTmx]", text
        )
        return text == "--insecure" or bool(short)
    if name == "wget":
        return text == "--no-check-certificate"
    if name == "git":
        return bool(re.fullmatch(r"http\.(?:https?://\S+\.)?sslverify=(?:false|0)", text, re.IGNORECASE)) or (
            bool(re.fullmatch(r"http\.(?:\S+\.)?sslverify", text, re.IGNORECASE))
            and following in ("false", "0")
        )
    if re.match(r"pip[\d.]*$", name):
        host = text.partition("=")[2] or following
        return text.startswith("--trusted-host") and bool(_PYTHON_HOSTS.search(host))
    if name in ("ssh", "scp", "sftp", "rsync"):
        return re.search(r"(?:^|[\s,o])StrictHostKeyChecking[= ](?:no|off)\b", text) is not None
    return name in ("apt-get", "apt") and text in ("--allow-unauthenticated", "--force-yes")
