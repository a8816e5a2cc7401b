"""Findings and pipeline inputs for tests of single steps, without git, tools or files."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from tests.variants import specialist
from wardround import host
from wardround.change.change_source import decode_any_encoding, decode_text
from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk
from wardround.config.schema import Config
from wardround.context.test_data import TestData
from wardround.execution.model import Results
from wardround.findings import Finding, Plane, RawFinding, Severity, Span, Status
from wardround.host import PluginHost
from wardround.processors.baseline_file import Baseline
from wardround.processors.dismissals_file import Dismissals
from wardround.processors.judge.model import default_judge
from wardround.processors.model import Candidate, PipelineInputs, ReviewFindings, SideResults
from wardround.specialists import Specialist

IGNORE_COMMENTS = host.load().ignore_comments
PYTHON = specialist("python", ("*.py",))
FINDING = Finding(
    fingerprint="",
    rule="ruff/B006",
    defect_class="mutable-default",
    plane=Plane.SEMANTIC,
    specialist="python",
    severity=Severity.WARN,
    file="a.py",
    span=Span(1, 1, 1, 2),
    message="m",
    rationale="",
    status=Status.NEW,
    sources=("ruff/B006",),
)


@dataclass(frozen=True, slots=True)
class InMemoryTexts:
    """The contents of changed files."""

    head_contents: Mapping[str, bytes] = field(default_factory=dict)
    base_contents: Mapping[str, bytes] = field(default_factory=dict)

    def head(self, path: str) -> str | None:
        content = self.head_bytes(path)
        return None if content is None else decode_text(content)

    def readable(self, path: str, *, base: bool = False) -> str | None:
        content = self.base_bytes(path) if base else self.head_bytes(path)
        return None if content is None else decode_any_encoding(content)

    def head_bytes(self, path: str) -> bytes | None:
        return self.head_contents.get(path)

    def base_bytes(self, path: str) -> bytes | None:
        return self.base_contents.get(path)


def added(path: str, lines: int = 9) -> ChangedFile:
    """A file that the change adds."""
    return ChangedFile(path, None, FileStatus.ADDED, "100644", hunks=(Hunk(0, 0, 1, lines),))


def modified(path: str, *hunks: Hunk) -> ChangedFile:
    """A file that the change edits in these places."""
    return ChangedFile(path, path, FileStatus.MODIFIED, "100644", hunks=hunks)


def inputs(
    *files: ChangedFile,
    head: Mapping[str, str] | None = None,
    base: Mapping[str, str] | None = None,
    specialists: tuple[Specialist, ...] = (PYTHON,),
    **values: Any,
) -> PipelineInputs:
    """The inputs of a review of these files, by default of an added ``a.py``; contents by path."""
    changed = files or (added("a.py"),)
    texts = InMemoryTexts(
        {path: text.encode() for path, text in (head or {}).items()},
        {path: text.encode() for path, text in (base or {}).items()},
    )
    known = PipelineInputs(
        change=Change("1" * 40, "2" * 40, changed),
        results=SideResults(Results(), Results()),
        unwaived_results=SideResults(Results(), Results()),
        reviewers={file.path: specialists for file in changed},
        unreviewed=(),
        ignore_comments=IGNORE_COMMENTS,
        specialists=specialists,
        catalogue=PluginHost(specialists).catalogue,
        config=Config(),
        fail_level="error",
        filter_mode="added",
        is_trusted=True,
        texts=texts,
        other_text=lambda path: None,
        tracked_paths=lambda: {file.path for file in changed},
        test_data=TestData(lambda path: None),
        baseline=Baseline(),
        dismissals=Dismissals(),
        today=datetime.date(2026, 11, 22),
        ranks=True,
        judge=default_judge,
    )
    return replace(known, **values)


def raw(code: str = "B006", line: int = 1, path: str = "a.py", **values: Any) -> RawFinding:
    """A result of a tool."""
    return RawFinding(code, path, Span(line, 1, line, 2), "m", **values)


def finding(line: int = 1, **values: Any) -> Finding:
    """A finding on a line of ``a.py``."""
    return replace(FINDING, **{"span": Span(line, 1, line, 2), **values})


def candidate(line: int = 1, *, result: RawFinding | None = None, **values: Any) -> Candidate:
    """A candidate on a line of ``a.py``; attributes of the finding by name."""
    own = {name: values.pop(name) for name in ("was_unparsed", "is_hidden") if name in values}
    created = finding(line, **values)
    return Candidate(created, result or raw(line=line, path=created.file), **own)


def review(*findings: Finding, **values: Any) -> ReviewFindings:
    """A review with these findings."""
    return ReviewFindings(findings=findings, **values)
