"""The values a review consists of: spans, raw results, findings.

All values of the modules that a review imports are ``msgspec.Struct``s; other modules use dataclasses.
Python
creates a dataclass at import by compiling source text, in 4.6 million instructions; a struct takes 0.4
million. A review loads about 80 of them, which as dataclasses took a third of a cached review.
"""

from __future__ import annotations

import enum

import msgspec

from wardround.model_claims import ModelClaim

SYNTAX_ERROR = "syntax-error"
"""The defect class of a file that does not parse."""
MERGE_CONFLICT = "merge-conflict"
"""The defect class of merge conflict markers in a file."""
INVALID_WORKFLOW = "invalid-workflow"
"""The defect class of a file that is well-formed and that its CI system rejects."""
UNPARSED = frozenset({SYNTAX_ERROR, MERGE_CONFLICT})
"""The defect classes that sufficiently explain why a file was not reviewed because of its syntax."""
UNMERGED = "it has merge conflicts; resolve them first"
"""The reason for a file that has several versions in the index."""
PARSE_FAILURE_PREFIX = "it does not parse"
"""The prefix of the reason for a file that was not reviewed because of a syntax error that a finding
reports.
"""

LANGUAGE_MODEL = "language-model"
"""The specialist of findings of a language model, and the prefix of their rules."""

RUN = "run"
"""The specialist of findings of a run of the changed code, and the prefix of their rules."""

ENTIRE_CHANGE = "."
"""The file of a review step that did not happen and is about no single file."""


class Severity(enum.IntEnum):
    """How serious a finding is if it is true."""

    INFO = 1
    WARN = 2
    ERROR = 3

    @property
    def label(self) -> str:
        return self.name.lower()

    @classmethod
    def from_label(cls, label: str) -> Severity:
        """Return the severity with a label.

        Raises:
            ValueError: there is none.
        """
        found = cls.__members__.get(label.upper())
        if found is None or found.label != label:
            raise ValueError(f"severity {label[:40]!r} is none of info, warn and error")
        return found


class Plane(enum.StrEnum):
    """The six isolated analyses a finding can belong to."""

    INTENT = "intent"
    CONTRACT = "contract"
    SEMANTIC = "semantic"
    TESTS = "tests"
    SECURITY = "security"
    PERF = "perf"


class Status(enum.StrEnum):
    """The relation of a finding to the change."""

    NEW = "new"
    CAUSED = "caused"
    EXISTING = "existing"
    SUPPRESSED = "suppressed"


INTRODUCED = (Status.NEW, Status.CAUSED)
"""The statuses of findings that a change introduces."""


class Span(msgspec.Struct, frozen=True, order=True):
    """A range in a file: lines and columns are 1-based, columns count code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def __post_init__(self) -> None:
        if self.line < 1 or self.column < 1:
            raise ValueError(f"positions are 1-based, got {self.line}:{self.column}")
        if (self.end_line, self.end_column) < (self.line, self.column):
            raise ValueError(
                f"{self.line}:{self.column} ends before it starts, at {self.end_line}:{self.end_column}"
            )

    def overlaps(self, other: Span) -> bool:
        """Return True if the two share a character; an empty span counts as one character wide."""
        if self.start == other.start:
            return True
        first, second = sorted((self, other))
        return second.start < first.end

    def contains(self, position: tuple[int, int]) -> bool:
        """Return True if a line and column, both 1-based, are of a character within."""
        return self.start <= position < self.end

    @property
    def start(self) -> tuple[int, int]:
        return (self.line, self.column)

    @property
    def end(self) -> tuple[int, int]:
        return (self.end_line, self.end_column)


class Edit(msgspec.Struct, frozen=True):
    """Replace the text of ``span`` in ``file`` by ``replacement``."""

    file: str
    span: Span
    replacement: str


class SuggestedFix(msgspec.Struct, frozen=True):
    """Edits that fix a finding; ``safe`` ones preserve the meaning of the program and may be applied
    unreviewed.
    """

    description: str
    safe: bool
    edits: tuple[Edit, ...]


class RawFinding(msgspec.Struct, frozen=True):
    """The result of one tool or check at one position, before processing.

    Attributes:
        code: the tool's own code, without the name of the tool: ``B006``.
        severity: overrides the severity of the rule.
        explicitly_enabled: the project itself selects the code, so that no specialist refutes it.
        only_caused: reported only if the change causes it on an unchanged line.
        is_confirmed: an analysis of the surrounding code confirms the rule; how often the rule is correct
            elsewhere is then irrelevant.
        claim: claim of a language model; None for other reporters.
    """

    code: str
    file: str
    span: Span
    message: str
    url: str | None = None
    fix: SuggestedFix | None = None
    confidence: float = 1.0
    severity: Severity | None = None
    explicitly_enabled: bool = False
    only_caused: bool = False
    is_confirmed: bool = False
    claim: ModelClaim | None = None

    @property
    def is_error_of_project(self) -> bool:
        """Return True if the project configures the code as an error, which also counts for codes that are
        off by default.
        """
        return self.explicitly_enabled and self.severity is Severity.ERROR


class Estimate(msgspec.Struct, frozen=True):
    """The estimate of the judge for a finding.

    Attributes:
        worth: the probability that the author would change something or be glad to know, 0 to 1.
        wrong: the probability that the finding is not correct, 0 to 1.
        derivation: the readings from which it is computed.
        is_lowered: the finding was a warning, and is a note for this estimate.
        is_folded: reports for people count the finding and do not show it.
    """

    worth: float
    wrong: float
    derivation: str
    is_lowered: bool = False
    is_folded: bool = False


class Finding(msgspec.Struct, frozen=True):
    """One result of a rule at one position, after mapping, comparison with the base and merging.

    Attributes:
        confidence: confidence of the tool or check.
        estimate: the judge's estimate; None where it does not judge.
        masked: these lines contain a secret, so their text is never printed.
        dismissal_reason: the reason for which it was dismissed; empty if it was not.
        is_silenced: the change introduces the finding and also waives it, by a comment or an entry of its
            own. It does not block, and signals, tier and verdict count it as if it were reported.
        counted: the severity that signals and verdicts count where the change lowers that of reports, by a
            comment or a setting; None where it does not.
        commit: the id of the commit whose version of the file has it; empty for the head.
        is_confirmed: an analysis of the surrounding code confirms it; the judge, which knows the readings of
            the rule, does not change its severity.
        claim: claim of a language model; None for other reporters.
    """

    fingerprint: str
    rule: str
    defect_class: str
    plane: Plane
    specialist: str
    severity: Severity
    file: str
    span: Span
    message: str
    rationale: str
    status: Status
    confidence: float = 1.0
    sources: tuple[str, ...] = ()
    url: str | None = None
    suggested_fix: SuggestedFix | None = None
    masked: bool = False
    dismissal_reason: str = ""
    estimate: Estimate | None = None
    is_silenced: bool = False
    counted: Severity | None = None
    commit: str = ""
    is_confirmed: bool = False
    claim: ModelClaim | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"{self.rule}: confidence is a probability, got {self.confidence}")

    @property
    def is_of_rule(self) -> bool:
        """Return True if a tool or a check reports it about the code: no run, no model, not wardround."""
        return self.specialist not in (LANGUAGE_MODEL, RUN) and not self.rule.startswith("wardround/")

    @property
    def likelihood(self) -> float:
        """The probability that the finding is correct, 0 to 1: of the judge if it judged it."""
        return self.confidence if self.estimate is None else round(1 - self.estimate.wrong, 3)

    @property
    def is_introduced(self) -> bool:
        """Return True if the change introduces the finding, even if it also waives it."""
        return self.status in INTRODUCED or self.is_silenced

    @property
    def severity_of_rule(self) -> Severity:
        """The severity before the judge's estimate and before the change's own waiver lower it."""
        is_lowered = self.estimate is not None and self.estimate.is_lowered
        stated = self.severity if self.counted is None else max(self.severity, self.counted)
        return max(stated, Severity.WARN) if is_lowered else stated

    @property
    def is_folded(self) -> bool:
        """Return True if the judge folds the finding."""
        return self.estimate is not None and self.estimate.is_folded

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        return (self.file, self.span.line, self.span.column, self.rule, self.fingerprint)


class Unreviewed(msgspec.Struct, frozen=True, order=True):
    """A requested review step that did not happen; never reported as clean.

    Attributes:
        is_declared: the trusted side declares that nobody can review the file here, with a filter of
            ``.gitattributes``: its planes are inconclusive, and the gate is not.
    """

    file: str
    specialist: str
    tool: str
    reason: str
    is_declared: bool = False


class ToolRun(msgspec.Struct, frozen=True):
    """The run of a tool: the number of files, how many of them came from the cache, and the duration.

    Attributes:
        digest: digest of the program that was started, ``sha256:`` and 64 hex digits; empty if it is not a
            program.
    """

    tool: str
    version: str
    files: int
    cached: int
    seconds: float
    digest: str = ""
