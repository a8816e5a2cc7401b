"""DC117."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.shell import Command
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
_MAKES = LazyPattern(
    r"^(?:npm|pnpm|yarn|bun)\s+(?:ci|run\s+\S+|build|install)\b|^(?:make|cmake|mvn|\./mvnw|gradle|\./gradlew|hugo|jekyll|mkdocs|webpack)\b"
    r"|^(?:go|cargo|docker|dotnet|poetry|uv|python3?\s+-m)\s+build\b|^(?:tar|zip|pg_dump|mysqldump|cd|pushd|git\s+(?:pull|checkout|fetch|clone))\b"
)


class DeployAfterFailure(CiCheck):
    """A script that builds and then sends something out goes on when the build fails.

    What it sends is then the old build, half of one, or whatever the folder it could not enter holds. Begin
    with `set -euo pipefail`.
    """

    ID = "DC117"
    NAME = "deploy-after-failure"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "trees of 85 repositories with 853 scripts: 4 hits on `git push` alone, which is "
        "left out since; no hit now"
    )
    KINDS = frozenset({FileKind.SHELL})
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("#!/bin/bash\nset -e\nnpm run build\nrsync -a dist/ a@b:/srv\n", path="deploy.sh"),
        Valid("#!/bin/bash -eu\nnpm run build\nrsync -a dist/ a@b:/srv\n", path="deploy.sh"),
        Valid("#!/bin/bash\nnpm run build || exit 1\nrsync -a dist/ a@b:/srv\n", path="deploy.sh"),
        Valid("#!/bin/bash\nnpm run build && rsync -a dist/ a@b:/srv\n", path="deploy.sh"),
        Valid("#!/bin/bash\nrsync -a dist/ a@b:/srv\nnpm run build\n", path="deploy.sh"),
        Valid("npm run build\nrsync -a dist/ a@b:/srv\n", path="steps.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("#!/bin/bash\ncd site\nnpm run build\nrsync -a dist/ a@b:/srv\n", 1, 1, path="deploy.sh"),
        Invalid("#!/bin/sh\n\nmake test\nkubectl apply -f k8s\n", 1, 1, path="a.sh"),
        Invalid(
            "#!/bin/bash\nbuild() {\n  docker build -t x .\n}\nbuild\ndocker push x\n", 1, 1, path="a.sh"
        ),
    ]

    def run(self) -> None:
        text = self.file.text
        if not text.startswith("#!") or _STOPS.search(text):
            return
        commands = [one for script in self.file.scripts for one in script.commands if not one.depth]
        unheard = [one for one in commands if _is_unheard(one) and (_MAKES.match(_line(one)) or is_test(one))]
        sent = next((one for one in reversed(commands) if _SENDS.match(_line(one))), None)
        made = next((one for one in unheard if sent is not None and one.start < sent.start), None)
        if made is None or sent is None or sent.before == "&&":
            return
        line, name = self.file.places.line(made.start), program(made)
        said = f"when {name} fails in line {line}, {program(sent)} sends out what there is"
        if self.source.is_added(1):
            self.report_at(0, text.find("\n"), said)
        else:
            self.report_at(sent.start, sent.end, said)


def _line(command: Command) -> str:
    return " ".join(word.text for word in command.words)


def _is_unheard(command: Command) -> bool:
    """Whether nothing follows on how a command ends."""
    return command.after in ("\n", ";", "") and command.before not in ("&&", "||", "|")
