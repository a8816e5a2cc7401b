"""The Docker and CI specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks.base import Check
from wardround.checks.lazy import LazySequence
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.findings import RawFinding
from wardround.specialists import Specialist
from wardround_docker_ci.file_kinds import SHELLS, kind_of

_NAMED = ("dockerfile", "containerfile", "jenkinsfile", "Dockerfile", "Containerfile", "Jenkinsfile")
_ASKED = (
    *(shape.format(name) for name in _NAMED for shape in ("{}", "*.{}", "{}.*", "{}-*")),
    "*.sh", "*.bash", "*.bats", "*.ksh", "*.yml", "*.yaml", "*.groovy", "*.jenkins", "*.pipeline",
)  # fmt: skip
"""Names of files that may be of a kind it knows; what they say settles it."""


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="docker-ci",
        patterns=(
            "Dockerfile", "Containerfile", "Jenkinsfile", ".gitlab-ci.yml", ".pre-commit-config.yaml",
            ".github/workflows/*.yml", ".github/workflows/*.yaml",
            "*/.github/workflows/*.yml", "*/.github/workflows/*.yaml",
        ),
        content_sniffed=_ASKED,
        claims_text=_claims,
        interpreters=SHELLS,
        tools=LazySequence("wardround_docker_ci.tools:TOOLS"),
        checks=CheckRegistry("wardround_docker_ci.checks"),
        run_checks=_run_checks,
    )  # fmt: skip


def _claims(path: str, content: bytes) -> bool:
    return kind_of(path, content.decode("utf-8-sig", "replace")) is not None


def _run_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    from wardround_docker_ci.check import run_docker_ci_checks  # the parsers: not needed to start the tools

    return run_docker_ci_checks(checks, source)
