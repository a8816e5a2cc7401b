"""The Docker and CI specialist: its files, tools and checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks.base import Check
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding
from wardround.lazy import LazySequence
from wardround.specialists import Specialist, SyntaxCheck
from wardround.tools.ignore_comments import CommentForm, IgnoreComment
from wardround.tools.tool import Tool
from wardround_docker_ci.file_kinds import SHELLS, FileKind, kind_of

DOCKERFILE = CommentForm(("Dockerfile*", "*.Dockerfile", "*.dockerfile", "Containerfile*"))
YAML = CommentForm(("*.yml", "*.yaml"))
"""The forms of ignore comments in Dockerfiles and in pipelines."""
_NAMES = ("dockerfile", "containerfile", "jenkinsfile", "Dockerfile", "Containerfile", "Jenkinsfile")
_SNIFFED = (
    *(shape.format(name) for name in _NAMES for shape in ("{}", "*.{}", "{}.*", "{}-*")),
    "*.sh", "*.bash", "*.bats", "*.ksh", "*.yml", "*.yaml", "*.groovy", "*.jenkins", "*.pipeline",
)  # fmt: skip
"""Names of files that may be of a known kind; their content decides."""
_UNPARSED = frozenset({None, FileKind.SHELL, FileKind.JENKINSFILE, FileKind.HELM_TEMPLATE})
"""Kinds of files whose language has no complete parser here."""


class DockerCiSpecialist(Specialist):
    """Reviews Dockerfiles, pipelines, Kubernetes manifests and shell scripts."""

    name = "docker-ci"
    planes = frozenset(Plane) - {Plane.TESTS}
    patterns = (
        "Dockerfile", "Containerfile", "Jenkinsfile", ".gitlab-ci.yml", ".pre-commit-config.yaml",
        ".github/workflows/*.yml", ".github/workflows/*.yaml",
        "*/.github/workflows/*.yml", "*/.github/workflows/*.yaml",
    )  # fmt: skip
    content_sniffed = _SNIFFED
    interpreters = SHELLS
    tools = LazySequence[Tool]("wardround_docker_ci.tools:TOOLS")
    checks = CheckRegistry[type[Check]]("wardround_docker_ci.checks")
    ignore_comments = (
        IgnoreComment(
            r"#\s*check\s*=",
            ("check",),
            ((DOCKERFILE, r"#\s*(check\s*=\s*skip)"),),
            region=r"#\s*check\s*=",
        ),
    )

    def claims_text(self, path: str, content: bytes) -> bool:
        return kind_of(path, content.decode("utf-8-sig", "replace")) is not None

    def syntax_check(self, path: str, text: str) -> SyntaxCheck | None:
        from wardround.languages import dockerfile_syntax  # only for fixes
        from wardround.languages.yaml import tree

        kind = kind_of(path, text)
        if kind in _UNPARSED:
            return None
        return dockerfile_syntax.syntax_error if kind is FileKind.DOCKERFILE else tree.syntax_error

    def run_checks(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        from wardround_docker_ci.check import run_docker_ci_checks  # the parsers; not needed for the tools

        return run_docker_ci_checks(checks, source)
