"""The values a review is made of: places, raw results, findings.

Like all values of the modules that a review imports they are ``msgspec.Struct``s; elsewhere values are
dataclasses. Python makes a dataclass at import, by compiling source text: 4.6 million instructions each,
where a struct takes 0.4 million. A review has some 80 of them, and they were a third of one from the cache.
"""

from __future__ import annotations

import enum

import msgspec

SYNTAX_ERROR = "syntax-error"
"""The defect class of whatever says that a file does not parse."""
MERGE_CONFLICT = "merge-conflict"
"""The defect class of whatever reports the markers of a merge conflict in a file."""
UNPARSED = frozenset({SYNTAX_ERROR, MERGE_CONFLICT})
"""The defect classes that say enough about a file that was not reviewed for its syntax."""
UNMERGED = "it has merge conflicts; resolve them first"
"""The reason where the index has several versions of a file."""
PARSE_FAILURE_PREFIX = "it does not parse"
"""How the reason begins where a file was not looked at for its syntax, about which a finding says enough."""


class Severity(enum.IntEnum):
    """How bad it is if the finding is true."""

    INFO = 1
    WARN = 2
    ERROR = 3

    @property
    def label(self) -> str:
        return self.name.lower()

    @classmethod
    def named(cls, label: str) -> Severity:
        return cls[label.upper()]


class Plane(enum.StrEnum):
    """The six isolated analyses a finding can belong to."""

    INTENT = "intent"
    CONTRACT = "contract"
    SEMANTIC = "semantic"
    TESTS = "tests"
    SECURITY = "security"
    PERF = "perf"


class Status(enum.StrEnum):
    """What a finding has to do with the change."""

    NEW = "new"
    CAUSED = "caused"
    EXISTING = "existing"
    SUPPRESSED = "suppressed"


class Span(msgspec.Struct, frozen=True, order=True):
    """A place in a file: lines and columns are 1-based, columns count code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def __post_init__(self) -> None:
        if self.line < 1 or self.column < 1:
            raise ValueError(f"places are 1-based, got {self.line}:{self.column}")
        if (self.end_line, self.end_column) < (self.line, self.column):
            raise ValueError(
                f"{self.line}:{self.column} ends before it starts, at {self.end_line}:{self.end_column}"
            )

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character; an empty span is taken as one character wide."""
        if self.start == other.start:
            return True
        first, second = sorted((self, other))
        return second.start < first.end

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
    """Edits that mend a finding; ``safe`` ones keep the meaning of the program and may be applied unseen."""

    description: str
    safe: bool
    edits: tuple[Edit, ...]


class RawFinding(msgspec.Struct, frozen=True):
    """What one tool or check said about one place, before it is weighed.

    Attributes:
        code: the tool's own name for the complaint, without the tool: ``B006``.
        severity: in place of the rule's, where this one is less (or more) than the rule usually means.
        chosen: the project's own configuration asks for the code, so that no specialist refutes it.
        only_caused: it is reported only where the change causes it on a line that it leaves as it was.
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


class Finding(msgspec.Struct, frozen=True):
    """One complaint about one place, after mapping, comparing with the base and merging.

    Attributes:
        masked: a secret stands on these lines, so their text is never printed.
        waived: the reason of whoever dismissed it; empty if nobody did.
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

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"{self.rule}: confidence is a probability, got {self.confidence}")

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        return (self.file, self.span.line, self.span.column, self.rule, self.fingerprint)


class Unreviewed(msgspec.Struct, frozen=True, order=True):
    """Something that was asked for and did not happen; never shown as clean."""

    file: str
    specialist: str
    tool: str
    reason: str


class ToolRun(msgspec.Struct, frozen=True):
    """That a tool looked at some files: how many, how many of them from the cache, how long it took.

    Attributes:
        digest: of the program that was started, ``sha256:`` and 64 hex digits; empty for what is no program.
    """

    tool: str
    version: str
    files: int
    cached: int
    seconds: float
    digest: str = ""
