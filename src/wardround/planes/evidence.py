"""The evidence that all planes judge: what reviewed which file, what it found, and what is missing.

A record contains it, so that the signals can be derived again anywhere.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal

import msgspec

from wardround.config.schema import FailLevel
from wardround.context.change_tests import ChangeTests
from wardround.context.cost_notes import CostNotes
from wardround.context.repetition import Repetition
from wardround.context.surface.model import Surface
from wardround.context.symbol_moves import SymbolMove
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.findings import INTRODUCED, LANGUAGE_MODEL, RUN, Plane, Severity, Status
from wardround.planes.claims import MeasuredPrecision
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.intent_notes import IntentNotes
from wardround.semantics.boundary_notes import BoundaryNote
from wardround.semantics.supply_chain.notes import SupplyChainNotes

_Count = Annotated[int, msgspec.Meta(ge=0)]


ANY_TEXT = frozenset({"secrets", "text"})
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
        removed_lines: of the base.
        tests_change: what the change adds to it is a test of changed source.
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

    def __post_init__(self) -> None:
        Severity.named(self.severity)

    @property
    def level(self) -> Severity:
        """The severity as an ordered value."""
        return Severity.named(self.severity)

    @property
    def is_from_model(self) -> bool:
        """True if a language model reported it."""
        return self.specialist == LANGUAGE_MODEL

    @property
    def is_run_note(self) -> bool:
        """True if a run reported it for people alone: not severe, and not certain."""
        return self.specialist == RUN and self.level is Severity.INFO and self.confidence < 1

    @property
    def is_introduced(self) -> bool:
        """True if the change is the reason for it, and nobody but the change itself has waived it."""
        return self.status in INTRODUCED or self.is_silenced


class MissingEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A required review step that did not happen."""

    file: str
    specialist: str
    tool: str
    reason: str


class PartialEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The checks of a specialist that ran without something that they need, such as the code graph."""

    specialist: str
    reason: str


class ToolEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool or model that ran.

    Attributes:
        digest: of the program, ``sha256:`` and 64 hex digits; empty if it is not a program.
    """

    tool: str
    version: str
    digest: str = ""


class TokenUsage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tokens of an exchange, as the endpoint counts them; 0 if it does not."""

    prompt: int = 0
    completion: int = 0


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The exchange of one plane with a language model.

    Attributes:
        step: the first pass, which makes claims, or the second, which tries to refute them.
        prompt: the digest of the prompt file and the output schema.
        requests: the digests of the bodies that were sent, in their order.
        model: as configured; ``served_model`` is the name that the endpoint returned.
        finish_reason: of the last answer.
        answer: its text without secrets, shortened; ``answer_digest`` is that of the complete text.
        findings: the number of claims that became findings.
        discarded: reason -> the number of claims that did not.
        omitted_hunks: the hunks that did not fit into the token budget.
        refused: the parameters that the endpoint refused, each as often as a form of it.
        problem: the reason why the answer cannot be used; empty if it can.
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


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Everything that the planes judge besides the context.

    Attributes:
        profile: ``commit`` or ``ci``.
        gate: the outcome of the gate: ``pass``, ``blocked`` or ``inconclusive``.
        fail_level: the least severity that blocks; ``none`` blocks nothing.
        target_branch: the branch that the change is to be merged into; empty if it is not known.
        policy_file: the path of the policy in the repository; empty if it is a bundled one.
        messages: of the newest commits of the change, newest first.
        moves: the functions and classes that the change moves or renames.
        neighbours: the code around the first symbols that the change modifies.
        criteria: the states of the acceptance criteria of the ticket.
        intent: notes about the scope of the change, its kind, and the files to read with it.
        repetitions: the added functions that repeat an existing one.
        surface: the changes of what others outside of the repository rely on.
        tests: the tests that reach the changed functions, and the changed lines that ran.
        precision: of the sources that contributed, apart from static ones, as measured.
        boundaries: the places on a trust boundary that it changes.
        cost: the functions on hot paths that it makes more complex, and large additions.
        supply_chain: the dependencies, lock files and install scripts that the change affects.
        change_reviewers: the specialists whose checks of the entire change ran.
        partial: those of them that ran without something that they need, with the reason.
        findings: those that the change introduces, silenced by it or not, and those that are suppressed.
        plane_failures: plane -> the reason why it returned no signal.
        exchanges: with a language model, in the order of the planes.
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
    criteria: tuple[CriterionResult, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    intent: IntentNotes = IntentNotes()
    repetitions: tuple[Repetition, ...] = ()
    neighbours: tuple[SymbolNeighbours, ...] = ()
    partial: tuple[PartialEvidence, ...] = ()
    surface: Surface = Surface()
    tests: ChangeTests = ChangeTests()
    precision: dict[str, MeasuredPrecision] = {}
    supply_chain: SupplyChainNotes = SupplyChainNotes()
    boundaries: tuple[BoundaryNote, ...] = ()
    cost: CostNotes = CostNotes()

    @cached_property
    def introduced(self) -> tuple[FindingEvidence, ...]:
        """The findings for which the change is the reason: the open ones, and those that it silences."""
        return tuple(finding for finding in self.findings if finding.is_introduced)

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

    def files_of(self, specialist: str) -> Iterator[FileEvidence]:
        """Return the files that a specialist claims."""
        return (file for file in self.files if specialist in file.specialists)
