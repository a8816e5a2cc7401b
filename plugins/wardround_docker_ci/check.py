"""The base class of the checks of this specialist, and the runner that parses a file once for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import ClassVar

from wardround.checks.base import Check, results_of
from wardround.checks.registry import candidate_checks
from wardround.checks.source import SourceFile
from wardround.findings import RawFinding, Severity, SuggestedFix
from wardround.lazy import LazyPattern
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind, kind_of


class CiCheck(Check):
    """A check of files of certain kinds; ``self.file`` is the parsed file.

    Attributes:
        KINDS: the kinds of files that the check inspects.
        NEEDS: literals; a file without any of them has no finding. Empty to inspect every file.
    """

    CASE_PATH = "Dockerfile"
    KINDS: ClassVar[frozenset[FileKind]] = frozenset()
    NEEDS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, source: SourceFile, file: CiFile | None = None) -> None:
        super().__init__(source)
        self.file = file or CiFile(
            kind_of(source.path, source.text) or FileKind.SHELL, source.path, source.text
        )

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return [kind.value for kind in cls.KINDS], cls.NEEDS

    def report_at(
        self,
        start: int,
        end: int,
        message: str,
        fix: SuggestedFix | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Report a finding between two offsets."""
        self.report(self.file.places.span(start, end), message, fix, severity)

    def replacing(
        self, start: int, end: int, replacement: str, description: str, *, safe: bool
    ) -> SuggestedFix:
        """Return a fix that replaces the text between two offsets."""
        return self.file.places.replacing(start, end, replacement, description, safe=safe)


DOCKERFILE = frozenset({FileKind.DOCKERFILE})
WORKFLOW = frozenset({FileKind.WORKFLOW})
STEPS = frozenset({FileKind.WORKFLOW, FileKind.ACTION})
COMPOSE = frozenset({FileKind.COMPOSE})
KUBERNETES = frozenset({FileKind.KUBERNETES})
HELM = frozenset({FileKind.HELM_VALUES})
TEMPLATE = frozenset({FileKind.HELM_TEMPLATE})
"""Manifests with template actions: report only what is present, never what is missing."""
GITLAB = frozenset({FileKind.GITLAB_CI})
JENKINS = frozenset({FileKind.JENKINSFILE})
PIPELINES = frozenset({FileKind.WORKFLOW, FileKind.ACTION, FileKind.GITLAB_CI, FileKind.JENKINSFILE})
SCRIPTS = frozenset(
    {
        FileKind.COMPOSE, FileKind.WORKFLOW, FileKind.ACTION, FileKind.GITLAB_CI, FileKind.KUBERNETES,
        FileKind.SHELL, FileKind.DOCKERFILE, FileKind.JENKINSFILE,
    }
)  # fmt: skip


def run_docker_ci_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run checks over one file, which is parsed once.

    Raises:
        SyntaxError: the file has a YAML extension and is not valid YAML.
    """
    kind = kind_of(source.path, source.text)
    if kind is None:
        return
    file = CiFile(kind, source.path, source.text)
    waived = _waived_rules(file)
    retained = _filter_ignored(file)
    for check in candidate_checks(checks, kind, source):
        if not issubclass(check, CiCheck):
            yield from results_of(check, source)
        elif (
            check.ID not in waived
            and kind in check.KINDS
            and (not check.NEEDS or source.keywords.contains_any(check.NEEDS))
        ):
            yield from retained(check, results_of(check, source, partial(check, source, file)))


_Kept = Callable[[type[Check], Iterable[RawFinding]], Iterable[RawFinding]]


def _filter_ignored(file: CiFile) -> _Kept:
    """Return the filter of results by the ignore comments of tools for the same defects."""
    if not _MAY_IGNORE.search(file.text):
        return lambda check, found: found
    from wardround_docker_ci.analysis.tool_ignores import ToolIgnores  # loads the maps of tools

    return ToolIgnores(file).drop_ignored


def _waived_rules(file: CiFile) -> frozenset[str]:
    """Return the ids of the rules that a Dockerfile skips with ``# check=skip=...``."""
    if file.kind is not FileKind.DOCKERFILE or not _MAY_WAIVE.search(file.text):
        return frozenset()
    from wardround_docker_ci.libraries.buildkit_checks import waived_codes

    return waived_codes(file.dockerfile)


_MAY_IGNORE = LazyPattern(r"#\s*(?:(?:zizmor|hadolint)\b[^\n]*\bignore|shellcheck\b[^\n]*\bdisable)")
_MAY_WAIVE = LazyPattern(r"check[ \t]*=[^\n]*skip", re.IGNORECASE)
