from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.shell import Command
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import is_test, program

_STOPS = LazyPattern(
    r"(?:^|[\s;])set\s+(?:-\w*e|-o\s+errexit)|^#!.*\s-\w*e|\btrap\b[^\n]*\bERR\b", re.MULTILINE
)
_SENDS = LazyPattern(
    r"^(?:rsync\b.*\s\S+@?\S*:|scp\b.*\s\S+:|aws\s+(?:s3\s+(?:sync|cp|rm)|ecs|lambda|cloudformation)\b|gsutil\b.*\b(?:rsync|cp)\b"
    r"|kubectl\b.*\b(?:apply|set|rollout|replace|delete)\b|helm\b.*\b(?:upgrade|install)\b|docker\s+(?:push|stack\s+deploy)\b"
    r"|terraform\b.*\bapply\b|(?:npm|yarn|pnpm|cargo|poetry)\s+publish\b|twine\s+upload\b|ssh\b.*@"
    r"|(?:gcloud|fly|flyctl|vercel|netlify|wrangler|firebase|serverless|sls|cap)\b.*\b(?:deploy|publish)\b|gh\s+release\s+create\b)"
)
_BUILDS = LazyPattern(
    r"^(?:npm|pnpm|yarn|bun)\s+(?:ci|run\s+\S+|build|install)\b|^(?:make|cmake|mvn|\./mvnw|gradle|\./gradlew|hugo|jekyll|mkdocs|webpack)\b"
    r"|^(?:go|cargo|docker|dotnet|poetry|uv|python3?\s+-m)\s+build\b|^(?:tar|zip|pg_dump|mysqldump|cd|pushd|git\s+(?:pull|checkout|fetch|clone))\b"
)


class DeployAfterFailure(CiCheck):
    """A script that builds and then deploys continues when the build fails.

    It then deploys the old build, a partial one, or the contents of the wrong directory. Begin the script
    with `set -euo pipefail`.
    """

    ID = "DC117"
    NAME = "deploy-after-failure"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    KINDS = frozenset({FileKind.SHELL})
    CASE_PATH = "deploy.sh"
    VALID = [
        code("""
            #!/bin/bash
            set -e
            npm run build
            rsync -a dist/ a@b:/srv
        """),
        code("""
            #!/bin/bash -eu
            npm run build
            rsync -a dist/ a@b:/srv
        """),
    ]
    INVALID = [
        code("""
            «#!/bin/bash»
            cd site
            npm run build
            rsync -a dist/ a@b:/srv
        """),
        code(
            """
            «#!/bin/sh»

            make test
            kubectl apply -f k8s
            """,
            path="a.sh",
        ),
    ]

    def run(self) -> None:
        text = self.file.text
        if not text.startswith("#!") or _STOPS.search(text):
            return
        commands = list(self._outer_commands())
        deployments = [command for command in commands if _SENDS.match(_line(command))]
        if not deployments or deployments[-1].before == "&&":
            return
        deployment = deployments[-1]
        earlier = (command for command in commands if command.start < deployment.start)
        build = next(filter(_is_unchecked_build, earlier), None)
        if build is not None:
            self._report(build, deployment)

    def _outer_commands(self) -> Iterator[Command]:
        for script in self.file.scripts:
            yield from (command for command in script.commands if command.depth == 0)

    def _report(self, build: Command, sent: Command) -> None:
        line, name = self.file.places.line(build.start), program(build)
        message = f"{program(sent)} runs even if {name} on line {line} fails; add set -euo pipefail"
        if self.source.is_added(1):
            self.report_at(0, self.file.text.find("\n"), message)
        else:
            self.report_at(sent.start, sent.end, message)


def _line(command: Command) -> str:
    return " ".join(word.text for word in command.words)


def _is_unchecked(command: Command) -> bool:
    """Return True if nothing depends on the exit status of a command."""
    return command.after in ("\n", ";", "") and command.before not in ("&&", "||", "|")


def _is_unchecked_build(command: Command) -> bool:
    is_build = _BUILDS.match(_line(command)) is not None or is_test(command)
    return is_build and _is_unchecked(command)
