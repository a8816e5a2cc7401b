"""The judgement of one acceptance criterion, and the positions of its evidence."""

from __future__ import annotations

import enum
from collections.abc import Iterable

import msgspec

_NEAR = 3
"""Lines apart that still form one span."""
MAX_SPANS = 6


class CriterionState(enum.StrEnum):
    """Met with evidence, not met by the evidence, or not decidable from the code of the change."""

    MET = "met"
    NOT_MET = "not-met"
    NOT_CHECKABLE = "not-checkable"


class CodeSpan(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """Added lines of one file, first and last inclusive."""

    file: str
    line: int
    end_line: int


class CriterionResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state of a criterion; only a criterion with spans is met."""

    criterion: str
    state: CriterionState
    spans: tuple[CodeSpan, ...]
    reason: str

    def __post_init__(self) -> None:
        if (self.state is CriterionState.MET) != bool(self.spans):
            raise ValueError(f"{self.criterion}: a criterion is met if and only if spans show it")


class Judgement(msgspec.Struct, frozen=True):
    """A state with its reason, not yet assigned to a criterion."""

    state: CriterionState
    reason: str
    spans: tuple[CodeSpan, ...] = ()


def met_judgement(reason: str, spans: Iterable[CodeSpan]) -> Judgement:
    """Return the judgement that these lines meet the criterion."""
    return Judgement(CriterionState.MET, reason, tuple(sorted(set(spans)))[:MAX_SPANS])


def not_met(reason: str) -> Judgement:
    """Return the judgement that the change contradicts the criterion or does not contain it."""
    return Judgement(CriterionState.NOT_MET, reason)


def not_checkable(reason: str) -> Judgement:
    """Return the judgement that the code of the change cannot decide it."""
    return Judgement(CriterionState.NOT_CHECKABLE, reason)


def spans_of(file: str, numbers: Iterable[int]) -> list[CodeSpan]:
    """Group line numbers that are near one another into spans."""
    spans: list[CodeSpan] = []
    for number in sorted(set(numbers)):
        if spans and number - spans[-1].end_line <= _NEAR:
            spans[-1] = CodeSpan(file, spans[-1].line, number)
        else:
            spans.append(CodeSpan(file, number, number))
    return spans
