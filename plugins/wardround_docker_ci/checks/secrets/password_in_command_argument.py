"""DC036."""

from __future__ import annotations

import re
from itertools import pairwise

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.shell import Command, unwrapped
from wardround_docker_ci.analysis.secret_names import is_real_secret
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
                if program(command) not in (
                    "docker",
                    "podman",
                    "buildah",
                    "skopeo",
                    "helm",
                    "nerdctl",
                    "oras",
                ):
                    continue
                words = unwrapped(command)
                if "login" not in [word.text for word in words[1:4]]:
                    continue
                for at, word in enumerate(words):
                    if word.text.split("=", 1)[0] == "--password" or re.match(r"-p(?!\w*-)", word.text):
                        following = words[at + 1].text if at + 1 < len(words) else ""
                        if is_real_secret(word.text.partition("=")[2] or following):
                            break  # another rule reports a password in plain text
                        self.report_at(
                            word.start,
                            word.end,
                            "the password is visible in the process list; use --password-stdin",
                        )
                        break

    def _check_client(self, command: Command) -> None:
        """Check clients of databases and SSH that can read their password from a file or a variable."""
        option = _CLIENTS.get(program(command))
        words = unwrapped(command) if option is not None else ()
        for word, following in pairwise((*words[1:], *words[-1:])):
            found = option.match(word.text) if option is not None else None
            argument = following.text if found is not None and found.end() == len(word.text) else word.text
            if found is not None and "$" in argument and (following is not word or "$" in word.text):
                end = max(word.end, following.end) if argument is following.text else word.end
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
