"""DC223: failure swallowed."""

from __future__ import annotations

from itertools import pairwise

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.shell import Command
from wardround_docker_ci.check import PIPELINES, CiCheck
from wardround_docker_ci.file_kinds import FileKind

_MUST_WORK = LazyPattern(
    r"^(?:sudo\s+)?(?:(?:docker|kubectl)[- ](?:compose )?exec\s.*\s)?"
    r"(?:pg_dump(?:all)?|mysqldump|mariadb-dump|mongodump|restic\s+backup|borg\s+create|pg_restore"
    r"|(?:npx\s+|poetry run\s+|uv run\s+)?(?:alembic\s+upgrade|prisma\s+migrate\s+deploy|flyway\s+migrate)"
    r"|(?:python3?\s+)?(?:\./)?manage\.py\s+migrate|(?:bundle exec\s+)?rails\s+db:migrate"
    r"|kubectl\s+(?:.*\s)?(?:apply|rollout status)|helm\s+upgrade|(?:terraform|tofu)\s+(?:.*\s)?apply"
    r"|npm\s+publish|twine\s+upload|cargo\s+publish|docker\s+push|(?:sha256sum|sha512sum|gpg\s+--verify|cosign\s+verify))"
    r"(?=\s|$)"
)
_NOTHING = frozenset({"true", ":", "/bin/true"})


class FailureSwallowed(CiCheck):
    """A failure of a backup, migration, signature check or deployment is ignored.

    Later steps use missing data, or report success. Let the script stop, or handle the failure.
    """

    ID = "DC223"
    NAME = "failure-swallowed"
    DEFECT_CLASS = "hidden-failure"
    KINDS = PIPELINES | {FileKind.SHELL, FileKind.DOCKERFILE}
    NEEDS = ("||",)
    CASE_PATH = "a.sh"
    VALID = [
        code("""
            pg_dump a > b || exit 1
        """),
        code("""
            kubectl delete -f a || true
        """),
    ]
    INVALID = [
        code("""
            «pg_dump a 2>/dev/null | gzip > b || true»
        """),
        code(
            """
            FROM a:1
            RUN «sha256sum -c x.sha256 || true»
            """,
            path="Dockerfile",
        ),
    ]

    def run(self) -> None:
        for script in self.file.scripts:
            first: Command | None = None
            for command, following in pairwise(script.commands):
                if command.before not in ("|", "|&"):
                    first = command
                if command.after == "||" and _does_nothing(following) and first is not None:
                    text = " ".join(first.texts)
                    if _MUST_WORK.match(text) and not self.file.is_explained(first.start):
                        message = f"a failure of {first.name} is ignored; let the script stop"
                        self.report_at(first.start, following.end, message)


def _does_nothing(command: Command) -> bool:
    only_prints = command.name in ("echo", "printf") and not command.redirects
    return command.after in ("\n", "", ";", ")") and (only_prints or command.name in _NOTHING)
