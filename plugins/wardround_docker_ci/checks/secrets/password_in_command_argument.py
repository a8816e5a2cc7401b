from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, Word, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.analysis.secret_values import is_real_secret
from wardround_docker_ci.check import SCRIPTS, CiCheck
from wardround_docker_ci.libraries.commands import program


class PasswordInCommandArgument(CiCheck):
    """A password is passed as a command-line argument, which every process of the machine can read.

    Arguments are visible in the process list, in `set -x` traces and in crash reports. Pass it on standard
    input: `echo "$PASSWORD" | docker login -u NAME --password-stdin`.
    """

    ID = "DC036"
    NAME = "password-in-command-argument"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "password-on-command-line"
    KINDS = SCRIPTS
    NEEDS = ("login", "mysql", "mariadb", "sshpass", "redis-cli", "mongo")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            echo "$P" | docker login -u me --password-stdin
        """),
        code("""
            docker login registry.example.org
        """),
    ]
    INVALID = [
        code("""
            docker login -u me «-p» "$PASSWORD" example.org
        """),
        code(
            """
            a:
              script:
                - podman login «--password=$P» -u x r
            """,
            path=".gitlab-ci.yml",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            for command in script.commands:
                self._check_client(command)
                if program(command) in _REGISTRY_CLIENTS:
                    self._check_login(unwrap_command(command))

    def _check_login(self, words: Sequence[Word]) -> None:
        if "login" not in [word.text for word in words[1:4]]:
            return
        at = next((n for n, word in enumerate(words) if _is_password_option(word.text)), None)
        if at is None:
            return
        following = words[at + 1].text if at + 1 < len(words) else ""
        # Another rule reports a password in plain text.
        if not is_real_secret(words[at].text.partition("=")[2] or following):
            message = "the password is visible in the process list; use --password-stdin"
            self.report_at(words[at].start, words[at].end, message)

    def _check_client(self, command: Command) -> None:
        """Check clients of databases and SSH that can read their password from a file or a variable."""
        option = _CLIENTS.get(program(command))
        words = unwrap_command(command)[1:] if option is not None else ()
        for word, following in pairwise((*words, *words[-1:])):
            match = option.match(word.text) if option is not None else None
            if match is None:
                continue
            is_separate = match.end() == len(word.text)
            argument = following.text if is_separate else word.text
            if "$" in argument and (following is not word or "$" in word.text):
                end = max(word.end, following.end) if is_separate else word.end
                message = "the password is visible in the process list; use a file or a variable"
                self.report_at(word.start, end, message, severity=Severity.INFO)
                return


_MYSQL = LazyPattern(r"(?:-p(?=\S)|--password=)")
_MONGO = LazyPattern(r"(?:-p$|--password(?:=|$))")
_CLIENTS = {
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "mysqlimport"), _MYSQL),
    **dict.fromkeys(("mongo", "mongosh", "mongodump", "mongorestore"), _MONGO),
    "redis-cli": LazyPattern(r"(?:-a$|--pass$)"),
    "sshpass": LazyPattern(r"-p"),
}


_REGISTRY_CLIENTS = ("docker", "podman", "buildah", "skopeo", "helm", "nerdctl", "oras")


def _is_password_option(text: str) -> bool:
    return text.split("=", 1)[0] == "--password" or re.match(r"-p(?!\w*-)", text) is not None
