from __future__ import annotations

from collections.abc import Sequence

from wardround.languages.shell import Command, unwrap_command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.checks.shell.hidden_failure import preserves_status
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import is_test, program

_PRODUCERS = frozenset(
    {
        "pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mongodump", "pg_basebackup", "xtrabackup",
        "mariabackup", "sqlite3", "redis-cli", "zfs", "btrfs", "borg", "etcdctl", "slapcat", "kubectl",
        "docker",
    }
)  # fmt: skip
_DUMPS = LazyPattern(r"\b(?:dump\w*|basebackup|backup|send|save|export|snapshot)\b")
_BUILDS = LazyPattern(
    r"^(?:npm|pnpm|yarn|bun) (?:run )?(?:build|publish|deploy|release)\S*(?: |$)|^(?:make|cmake|ninja"
    r"|mvn|\./mvnw|gradle|\./gradlew|bazel|sbt|msbuild|xcodebuild)(?: |$)"
    r"|^(?:go|cargo|dotnet|swift|docker|docker buildx|helm|poetry|uv) (?:build|publish|install|push"
    r"|package)(?: |$)"
    r"|^(?:terraform|tofu|terragrunt|pulumi|helm|helmfile|kubectl|ansible-playbook|cdk|serverless|sam|twine|goreleaser|packer)"
    r" (?!(?:\S+ )*(?:get|version|list|show|output|logs|describe|status|template|providers|fmt)(?: |$))"
)
"""Commands whose failure is the failure of the step."""
_KEEPERS = frozenset(
    {
        "gzip", "pigz", "zstd", "xz", "bzip2", "lz4", "gpg", "age", "openssl", "aws", "gsutil", "rclone",
        "restic", "split", "ssh", "psql", "mysql", "pg_restore", "mongorestore",
    }
)  # fmt: skip


class MissingPipefail(CiCheck):
    """An error before a pipe does not stop the script, so an incomplete dump becomes a backup.

    The status of a pipe is that of its last command, and the compressor succeeds with partial input. Write
    `set -o pipefail` (`set -euo pipefail`) at the top.
    """

    ID = "DC112"
    NAME = "missing-pipefail"
    DEFECT_CLASS = "pipefail-missing"
    KINDS = frozenset({FileKind.SHELL}) | STEPS
    NEEDS = ("dump", "backup", "send", "save", "export", "cat", "tee")
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            #!/bin/bash
            set -euo pipefail
            pg_dump app | gzip > a.gz
        """),
        code("""
            #!/bin/bash
            set -e
            pg_dump app > a.sql
            gzip a.sql
        """),
    ]
    INVALID = [
        code("""
            #!/bin/bash
            set -e
            «terraform apply tfplan | tee log»
        """),
        code(
            """
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: «npm run build 2>&1 | tee log»
            """,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            if not preserves_status(self.file, script):
                self._check(script.commands)

    def _check(self, commands: Sequence[Command]) -> None:
        for at, command in enumerate(commands):
            if command.after != "|":
                continue
            same_level = (other for other in commands[at + 1 :] if other.depth == command.depth)
            following = next(same_level, None)
            if following is None:
                continue
            if _shows_build(command, following):
                self._report_tee(command, following)
            elif _is_dump(command) and program(following) in _KEEPERS:
                self._report(commands, command, following)
                return

    def _report_tee(self, command: Command, following: Command) -> None:
        if not self.file.is_explained(command.start):
            message = f"the step has the status of tee, not of {program(command)}; set pipefail"
            self.report_at(command.start, following.end, message)

    def _report(self, commands: Sequence[Command], command: Command, following: Command) -> None:
        """Report the ``set`` command without the option if its line is added too, else the pipe."""
        line = self.file.places.line(command.start)
        message = f"a failure of {program(command)} on line {line} is ignored; set pipefail"
        options = next(filter(_sets_errexit, commands), None)
        if options is not None and options.start < command.start and self._is_new(options):
            self.report_at(options.start, options.end, message)
        else:
            self.report_at(command.start, following.end, message)

    def _is_new(self, command: Command) -> bool:
        return self.source.is_added(self.file.places.line(command.start))


def _sets_errexit(command: Command) -> bool:
    return command.name == "set" and len(command.texts) > 1 and "e" in command.texts[1]


def _shows_build(command: Command, following: Command) -> bool:
    """Return True if a build is the first command of a pipe to ``tee``."""
    if command.before in ("|", "|&") or program(following) != "tee":
        return False
    return _is_build(command)


def _is_build(command: Command) -> bool:
    text = " ".join(word.text for word in unwrap_command(command))
    return _BUILDS.match(text) is not None and not is_test(command)


def _is_dump(command: Command) -> bool:
    name = program(command)
    if name not in _PRODUCERS:
        return False
    text = " ".join(command.texts)
    return name.endswith(("dump", "dumpall", "backup", "slapcat")) or _DUMPS.search(text) is not None
