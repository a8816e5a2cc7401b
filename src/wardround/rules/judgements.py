"""Judgements: the verdict of a reader about one finding, without any of the code and without sentences."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from wardround.errors import UsageError


class Verdict(StrEnum):
    """The value of a finding to the author of the change.

    Attributes:
        WORTH: the author would change something, or be glad to know.
        TRUE: correct, but noise.
        WRONG: the claim is not valid.
        UNCLEAR: the code at hand neither proves nor disproves the claim.
    """

    WORTH = "worth"
    TRUE = "true"
    WRONG = "wrong"
    UNCLEAR = "unclear"


class ReasonCode(StrEnum):
    """The reason of a verdict; ``meaning`` explains it, ``verdicts`` are those to which it applies."""

    DEFECT = "defect"
    RISK = "risk"
    UPKEEP = "upkeep"
    TRIVIAL = "trivial"
    INTENDED = "intended"
    FIXTURE = "fixture"
    GENERATED = "generated"
    CONVENTION = "convention"
    REPEATED = "repeated"
    GUARDED = "guarded-elsewhere"
    FRAMEWORK = "framework"
    MISREAD = "misread"
    WRONG_PLACE = "wrong-place"
    UNPROVEN = "unproven"
    OUTSIDE = "outside"

    @property
    def meaning(self) -> str:
        return _CODES[self][0]

    @property
    def verdicts(self) -> frozenset[Verdict]:
        return _CODES[self][1]


_WORTH = frozenset({Verdict.WORTH})
_TRUE = frozenset({Verdict.TRUE})
_WRONG = frozenset({Verdict.WRONG})
_EITHER = _TRUE | _WRONG
_UNCLEAR = frozenset({Verdict.UNCLEAR})
_CODES: dict[ReasonCode, tuple[str, frozenset[Verdict]]] = {
    ReasonCode.DEFECT: ("the code does something wrong", _WORTH),
    ReasonCode.RISK: ("it works today, and a foreseeable event makes it fail or leak", _WORTH),
    ReasonCode.UPKEEP: (
        "dead, misleading or needlessly complicated code that the author would change",
        _WORTH,
    ),
    ReasonCode.TRIVIAL: ("nothing depends on it, or the change costs more than it gains", _TRUE),
    ReasonCode.INTENDED: ("the code or its comment shows that the author wants it so", _EITHER),
    ReasonCode.FIXTURE: ("test data, an example or a demonstration, where it does no harm", _EITHER),
    ReasonCode.GENERATED: ("generated, vendored or minified code, which nobody edits", _EITHER),
    ReasonCode.CONVENTION: ("the project does it everywhere, on purpose", _TRUE),
    ReasonCode.REPEATED: ("another finding of the same review states the same defect", _TRUE),
    ReasonCode.GUARDED: ("another line, a caller, a type or a setting excludes it", _WRONG),
    ReasonCode.FRAMEWORK: ("the framework, the tool or the platform makes the code correct", _WRONG),
    ReasonCode.MISREAD: ("the rule misreads the code, the version or the kind of file", _WRONG),
    ReasonCode.WRONG_PLACE: ("the defect exists, and the finding points to another line", _WRONG),
    ReasonCode.UNPROVEN: ("plausible, and the code at hand proves neither", _UNCLEAR),
    ReasonCode.OUTSIDE: ("it depends on facts that are not in the repository", _UNCLEAR),
}


def reasons_for(verdict: Verdict) -> tuple[ReasonCode, ...]:
    """Return the reasons that fit a verdict, in the order of their definition."""
    return tuple(code for code in ReasonCode if verdict in code.verdicts)


class FindingKey(msgspec.Struct, frozen=True, order=True):
    """The identity of a judged finding; several findings of a rule on a line are one."""

    repository: str
    commit: str
    path: str
    line: int
    rule: str


def key_id(key: FindingKey) -> str:
    """Return 16 hex digits that identify a finding."""
    parts = (key.repository, key.commit, key.path, str(key.line), key.rule)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """The verdict of one reader about one finding.

    Attributes:
        repository: its public name, ``owner/name``, or the name of its folder.
        commit: the reviewed commit; for a dismissed finding of a staged change, its parent.
        line: 1-based, of the head.
        reader: a name that identifies the reader; no address.

    Raises:
        ValueError: the reason does not fit the verdict.
    """

    repository: Annotated[str, Meta(min_length=1, max_length=200)]
    commit: Annotated[str, Meta(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")]
    path: Annotated[str, Meta(min_length=1)]
    line: Annotated[int, Meta(ge=1)]
    rule: Annotated[str, Meta(pattern="^[^/]+/.+$")]
    verdict: Verdict
    reason: ReasonCode
    reader: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$")]
    date: datetime.date

    def __post_init__(self) -> None:
        if self.verdict not in self.reason.verdicts:
            fitting = ", ".join(reasons_for(self.verdict))
            raise ValueError(
                f"reason {self.reason} does not fit verdict {self.verdict}; choose from {fitting}"
            )

    @property
    def key(self) -> FindingKey:
        return FindingKey(self.repository, self.commit, self.path, self.line, self.rule)


def judgement_of(key: FindingKey, verdict: str, reason: str, reader: str, date: datetime.date) -> Judgement:
    """Return the record of a verdict.

    Raises:
        UsageError: the reason is unknown or does not fit the verdict, or a name is invalid.
    """
    fields = {**msgspec.structs.asdict(key), "verdict": verdict, "reason": reason, "reader": reader}
    try:
        return msgspec.convert({**fields, "date": date}, Judgement)
    except msgspec.ValidationError as cause:
        codes = ", ".join(code for code in ReasonCode)
        raise UsageError(f"no judgement of {key.rule}: {cause}; the reason codes are {codes}") from cause


def dump(judgements: Iterable[Judgement]) -> bytes:
    """Return the lines of a file: sorted, one judgement each, so that git merges it."""
    return b"".join(msgspec.json.encode(judgement) + b"\n" for judgement in sorted(judgements))


def with_entry(known: Iterable[Judgement], new: Judgement) -> list[Judgement]:
    """Return judgements and one more, which replaces that of the same reader about the same finding."""
    others = [entry for entry in known if (entry.key, entry.reader) != (new.key, new.reader)]
    return [*others, new]
