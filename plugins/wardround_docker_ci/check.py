"""What every check of this specialist is, and the runner that reads a file once for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from wardround.checks.base import Check, Source
from wardround.checks.lazy import LatePattern, chosen
from wardround.findings import RawResult, Severity, SuggestedFix
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import Kind, kind_of


class CiCheck(Check):
    """A check of files of some kinds; ``self.file`` shows what is in them.

    Attributes:
        KINDS: the kinds of files it looks at.
        NEEDS: pieces of text one of which stands in every file it can say something about; none if it cannot
            be told.
    """

    KINDS: ClassVar[frozenset[Kind]] = frozenset()
    NEEDS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, source: Source, file: CiFile | None = None) -> None:
        super().__init__(source)
        self.file = file or CiFile(kind_of(source.path, source.text) or Kind.SHELL, source.path, source.text)

    @classmethod
    def marks(cls) -> tuple[Sequence[str], Sequence[str]]:
        return [kind.value for kind in cls.KINDS], cls.NEEDS

    def report_at(
        self,
        start: int,
        end: int,
        message: str,
        fix: SuggestedFix | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Say that something is wrong between two offsets."""
        self.report(self.file.places.span(start, end), message, fix, severity)

    def replacing(
        self, start: int, end: int, replacement: str, description: str, *, safe: bool
    ) -> SuggestedFix:
        """A fix that replaces the text between two offsets."""
        return self.file.places.replacing(start, end, replacement, description, safe=safe)


DOCKERFILE = frozenset({Kind.DOCKERFILE})
WORKFLOW = frozenset({Kind.WORKFLOW})
STEPS = frozenset({Kind.WORKFLOW, Kind.ACTION})
COMPOSE = frozenset({Kind.COMPOSE})
KUBERNETES = frozenset({Kind.KUBERNETES})
HELM = frozenset({Kind.HELM_VALUES})
TEMPLATE = frozenset({Kind.HELM_TEMPLATE})
"""Manifests with gaps: only what stands in them can be judged, never what is missing."""
GITLAB = frozenset({Kind.GITLAB_CI})
JENKINS = frozenset({Kind.JENKINSFILE})
PIPELINES = frozenset({Kind.WORKFLOW, Kind.ACTION, Kind.GITLAB_CI, Kind.JENKINSFILE})
SCRIPTS = frozenset(
    {
        Kind.COMPOSE, Kind.WORKFLOW, Kind.ACTION, Kind.GITLAB_CI, Kind.KUBERNETES, Kind.SHELL,
        Kind.DOCKERFILE, Kind.JENKINSFILE,
    }
)  # fmt: skip


def run_docker_ci_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    """Run checks over one file, which is read once.

    Raises:
        SyntaxError: the file is YAML by its name and not by its text.
    """
    kind = kind_of(source.path, source.text)
    if kind is None:
        return
    file = CiFile(kind, source.path, source.text)
    waived = _waived(file)
    for one in chosen(checks, kind, source):
        if not issubclass(one, CiCheck):
            plain = one(source)
            plain.run()
            yield from plain.results
        elif one.ID not in waived and kind in one.KINDS and (not one.NEEDS or source.said.has_one(one.NEEDS)):
            check = one(source, file)
            check.run()
            yield from check.results


def _waived(file: CiFile) -> frozenset[str]:
    """What the author of a Dockerfile told Docker's own linter not to say."""
    if file.kind is not Kind.DOCKERFILE or not _MAY_WAIVE.search(file.text):
        return frozenset()
    from wardround_docker_ci.libraries.buildkit_checks import waived

    return waived(file.dockerfile)


_MAY_WAIVE = LatePattern(r"check[ \t]*=[^\n]*skip", re.IGNORECASE)
