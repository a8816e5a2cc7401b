"""The features of a finding from which the judge computes its probabilities; none is the text of code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from wardround.findings import INTRODUCED, Finding, Plane, Severity, Status
from wardround.processors.judge.counters import FindingCounters
from wardround.processors.model import PipelineInputs
from wardround.rules.file_kinds import FileKind, kind_of_file


class FindingFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The facts about one finding.

    Attributes:
        confidence: confidence of the tool or check, before any judgement.
        sources: the number of rules that report the defect.
        is_added_file: the change adds the file.
        lines: number of lines of the file.
        in_file: findings in the file, existing ones too.
        same_in_file: findings of the rule in the file, existing ones too.
        same_in_repository: known findings of the rule.
        in_change: findings that the change introduces.
        same_in_change: findings of the rule that the change introduces.
        changed_files: the files of the change.
        added_lines: by the change, in all files.
        function_lines: number of lines of the enclosing function, 0 outside of functions; None where that is
            unknown.
    """

    rule: str
    defect_class: str
    specialist: str
    plane: Plane
    severity: Severity
    confidence: float
    sources: int
    has_fix: bool
    is_caused: bool
    kind: FileKind
    is_added_file: bool
    lines: int
    in_file: int
    same_in_file: int
    same_in_repository: int
    in_change: int
    same_in_change: int
    changed_files: int
    added_lines: int
    function_lines: int | None


class FactsOfFindings:
    """Collects the facts about findings of one review.

    Args:
        findings: all of the reviewed files, existing ones too.
    """

    def __init__(self, findings: Sequence[Finding], inputs: PipelineInputs) -> None:
        self._inputs = inputs
        self._counters = FindingCounters(findings, inputs.texts.head, inputs.baseline)
        introduced = [finding for finding in findings if finding.status in INTRODUCED]
        self._in_change = len(introduced)
        self._same_in_change: Mapping[str, int] = Counter(finding.rule for finding in introduced)
        self._added_lines = sum(file.added_lines for file in inputs.change.files)

    def of(self, finding: Finding) -> FindingFacts:
        """Return the facts about one of the findings."""
        counters, file = self._counters.of(finding), self._inputs.files.get(finding.file)
        return FindingFacts(
            rule=finding.rule,
            defect_class=finding.defect_class,
            specialist=finding.specialist,
            plane=finding.plane,
            severity=finding.severity,
            confidence=finding.confidence,
            sources=len(finding.sources),
            has_fix=finding.suggested_fix is not None,
            is_caused=finding.status is Status.CAUSED,
            kind=kind_of_file(finding.file),
            is_added_file=file is not None and file.base_path is None,
            lines=counters.lines,
            in_file=counters.in_file,
            same_in_file=counters.same_in_file,
            same_in_repository=counters.same_in_repository,
            in_change=self._in_change,
            same_in_change=self._same_in_change[finding.rule],
            changed_files=len(self._inputs.change.files),
            added_lines=self._added_lines,
            function_lines=counters.function_lines,
        )
