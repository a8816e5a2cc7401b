"""The evidence that all planes judge: the reviewers of each file, their findings, and missing results.

A record contains it, so that the signals can be derived again anywhere.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from wardround.analyses.analysis import Analysis, Notes
from wardround.config.schema import FailLevel
from wardround.context.code_graph.symbol_moves import SymbolMove
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.findings import INTRODUCED, LANGUAGE_MODEL, RUN, Plane, Severity, Status
from wardround.model_claims import DroppedClaim, ModelClaim
from wardround.planes.claims import MeasuredPrecision
from wardround.planes.plane_reviewers import PlaneReviewers, former_reviewers

_Count = Annotated[int, msgspec.Meta(ge=0)]


ANY_TEXT = frozenset({"project-rules", "secrets", "text"})
"""Specialists that read text of any kind: a file that only they claim is not judged otherwise."""


class FileRole(enum.StrEnum):
    """The part that a changed file plays in a project."""

    SOURCE = "source"
    TEST = "test"
    DOCUMENTATION = "documentation"
    OTHER = "other"


class FileEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One changed file and who reviewed it.

    Attributes:
        specialists: those that claim it.
        reviewers: the specialists and tools that returned a result for it, even an empty one.
        added_lines: at the head; a long line counts as several.
        moved_lines: those of them that a moved symbol had before.
        removed_lines: the number of lines removed from the base.
        tests_change: the lines added to it are a test of changed source.
    """

    path: str
    role: FileRole
    specialists: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    added_lines: _Count = 0
    moved_lines: _Count = 0
    removed_lines: _Count = 0
    tests_change: bool = False

    @property
    def is_plain_text(self) -> bool:
        """True if only specialists read it that read text of any kind."""
        return bool(self.specialists) and ANY_TEXT.issuperset(self.specialists)

    @property
    def is_unjudged(self) -> bool:
        """True if no specialist for a language or a format reads a file that is not documentation."""
        return self.role is FileRole.OTHER


class FindingEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding as a record keeps it: without source text, reason and fix.

    Attributes:
        is_silenced: the change introduces it and hides it as well; it counts as if it were reported.
        claim: claim of a language model; absent for other reporters.
        waiver: the reason for which a person dismissed it; absent for findings that nobody dismissed.
    """

    fingerprint: str
    rule: str
    defect_class: str
    plane: Plane
    specialist: str
    severity: str
    status: Status
    confidence: float
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    sources: tuple[str, ...] = ()
    is_silenced: bool = False
    claim: ModelClaim | msgspec.UnsetType = msgspec.UNSET
    waiver: str | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        Severity.from_label(self.severity)

    @property
    def level(self) -> Severity:
        """The severity as an ordered value."""
        return Severity.from_label(self.severity)

    @property
    def is_from_model(self) -> bool:
        """True if a language model reported it."""
        return self.specialist == LANGUAGE_MODEL

    def is_reported_by(self, plane: Plane) -> bool:
        """Return True if it is of a plane, or a language model reported the same there."""
        return self.plane is plane or f"{LANGUAGE_MODEL}/{plane}" in self.sources

    @property
    def is_run_note(self) -> bool:
        """True if a run reported it for people alone: not severe, and not certain."""
        return self.specialist == RUN and self.level is Severity.INFO and self.confidence < 1

    @property
    def is_introduced(self) -> bool:
        """is_introduced: True if the change causes it, and only the change itself has waived it."""
        return self.status in INTRODUCED or self.is_silenced


class MissingEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A required review step that did not happen."""

    file: str
    specialist: str
    tool: str
    reason: str


class PartialEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The checks of a specialist that ran without something that they need, such as the code graph.

    Attributes:
        specialist: its name; ``crash_name_of_analysis`` for an analysis that crashed.
    """

    specialist: str
    reason: str


def crash_name_of_analysis(name: str) -> str:
    """Return the name under which the crash of an analysis is part of the evidence."""
    return f"analysis {name}"


class ToolEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool or model that ran.

    Attributes:
        digest: digest of the program, ``sha256:`` and 64 hex digits; empty if it is not a program.
    """

    tool: str
    version: str
    digest: str = ""


class TokenUsage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tokens of an exchange, as the endpoint counts them; 0 if it does not."""

    prompt: int = 0
    completion: int = 0


class QuestionCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The narrow questions of an exchange.

    Attributes:
        problems: those with the answer that means a problem.
        unclear: those that the model left open.
        unresolved: those without an answer that quotes the input.
        omitted: those that are not among the ``sent`` ones, since a request has a bounded number.
    """

    sent: int = 0
    problems: int = 0
    unclear: int = 0
    unresolved: int = 0
    omitted: int = 0


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The exchange of one plane with a language model.

    Attributes:
        step: the first pass, which makes claims, or the second, which tries to refute them.
        prompt: the digest of the prompt file and the output schema.
        requests: the digests of the bodies that were sent, in their order.
        model: as configured; ``served_model`` is the name that the endpoint returned.
        finish_reason: reason why the last answer ended.
        answer: its text without secrets, shortened; ``answer_digest`` is that of the complete text.
        findings: the number of claims that became findings.
        discarded: reason -> the number of claims that did not.
        dropped: those of them that have the form of a claim, without repetitions.
        omitted_hunks: the hunks that did not fit into the token budget.
        refused: the parameters that the endpoint rejected, each as often as a form of it.
        problem: the reason why the answer cannot be used; empty if it can.
        is_cached: the last request was not sent: an earlier review has got this answer to it.
    """

    plane: Plane
    prompt: str
    model: str
    seed: int
    requests: tuple[str, ...] = ()
    served_model: str = ""
    finish_reason: str = ""
    usage: TokenUsage = TokenUsage()
    answer: str = ""
    answer_digest: str = ""
    findings: int = 0
    discarded: dict[str, int] = {}
    omitted_hunks: int = 0
    problem: str = ""
    refused: tuple[str, ...] = ()
    step: Literal["claims", "refutation"] = "claims"
    dropped: tuple[DroppedClaim, ...] = ()
    questions: QuestionCounts = QuestionCounts()
    is_cached: bool = False

    @property
    def last_request(self) -> str:
        """The digest of the request that was answered; the others were rejected, or failed."""
        return self.requests[-1] if self.requests else ""


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Everything that the planes judge besides the context.

    Attributes:
        profile: ``commit`` or ``ci``.
        gate: the outcome of the gate: ``pass``, ``blocked`` or ``inconclusive``.
        fail_level: the least severity that blocks; ``none`` blocks nothing.
        target_branch: the branch that the change is to be merged into; empty if it is not known.
        policy_file: the path of the policy in the repository; empty if it is a bundled one.
        messages: messages of the newest commits of the change, newest first.
        moves: the functions and classes that the change moves or renames.
        neighbours: the code around the first symbols that the change modifies.
        precision: measured precision of the sources that contributed, apart from static ones.
        change_reviewers: the specialists whose checks of the entire change ran.
        partial: those of them that ran without something that they need, with the reason.
        findings: those that the change introduces, silenced by it or not, and those that are suppressed.
        plane_failures: plane -> the reason why it returned no signal.
        exchanges: with a language model, in the order of the planes.
        plane_reviewers: as specialists and tools declare them; absent in records of older versions.
        notes: the results of the analyses that noted something, by their names; see ``notes_of``.
    """

    profile: str
    gate: str
    fail_level: FailLevel
    target_branch: str
    files: tuple[FileEvidence, ...]
    change_reviewers: tuple[str, ...] = ()
    findings: tuple[FindingEvidence, ...] = ()
    missing: tuple[MissingEvidence, ...] = ()
    tools: tuple[ToolEvidence, ...] = ()
    plane_failures: dict[Plane, str] = {}
    policy_file: str = ""
    messages: tuple[str, ...] = ()
    moves: tuple[SymbolMove, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    neighbours: tuple[SymbolNeighbours, ...] = ()
    partial: tuple[PartialEvidence, ...] = ()
    precision: dict[str, MeasuredPrecision] = {}
    plane_reviewers: dict[Plane, PlaneReviewers] | msgspec.UnsetType = msgspec.UNSET
    notes: dict[str, Any] = {}

    @cached_property
    def introduced(self) -> tuple[FindingEvidence, ...]:
        """The findings that the change causes: the open ones, and those that it waives itself."""
        return tuple(finding for finding in self.findings if finding.is_introduced)

    def reviewers_of(self, plane: Plane) -> PlaneReviewers:
        """Return the reviewers of a plane."""
        declared = self.plane_reviewers
        known = former_reviewers() if isinstance(declared, msgspec.UnsetType) else declared
        return known.get(plane, PlaneReviewers())

    @property
    def waived(self) -> tuple[FindingEvidence, ...]:
        """The findings that are not open: suppressed, dismissed or accepted ones."""
        return tuple(finding for finding in self.findings if finding.status not in INTRODUCED)

    @property
    def added_lines(self) -> int:
        """The number of added lines of all files, without those that were only moved."""
        return sum(file.added_lines - file.moved_lines for file in self.files)

    @property
    def removed_lines(self) -> int:
        """The number of removed lines of all files, without as many as were only moved."""
        return max(0, sum(file.removed_lines - file.moved_lines for file in self.files))

    def notes_of(self, analysis: type[Analysis[Notes]]) -> Notes:
        """Return the notes of an analysis, which are empty if it did not run."""
        notes: Notes = self.notes.get(analysis.name, analysis.no_notes())
        return notes

    def with_notes(self, analysis: type[Analysis[Notes]], notes: Notes) -> Evidence:
        """Return the evidence with the notes of an analysis instead of the former ones."""
        return replace(self, notes=self.notes | {analysis.name: notes})

    def files_of(self, specialist: str) -> Iterator[FileEvidence]:
        """Return the files that a specialist claims."""
        return (file for file in self.files if specialist in file.specialists)
