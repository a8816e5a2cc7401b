"""The claims that a plane rests on, with their sources, and the confidence that follows from them.

A claim is true if one of its sources is correct, so its confidence is the highest precision of a source. All
claims of a plane have to be true, and nothing shows that they are independent, so the confidence of the plane
is the lowest of its claims. Neither rule rounds or adds: the result is the same in any order, on any machine.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import msgspec

MOST_SOURCES = 20
"""Maximum number of sources of a claim that a signal lists."""
_PARTS = 1000


class SourceKind(enum.StrEnum):
    """The kind of a source. Tools and checks are static; a note is evidence for people alone; a run
    executed the change.
    """

    CHECK = "check"
    TOOL = "tool"
    MODEL = "model"
    LANGUAGE_MODEL = "language-model"
    RETRIEVAL = "retrieval"
    COVERAGE = "coverage"
    CRITERIA = "criteria"
    NOTE = "note"
    RUN = "run"


class MeasuredPrecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The precision of a source: its correct results, as counted by an evaluation.

    Attributes:
        evaluation: the command that counts them.
    """

    kind: SourceKind
    right: Annotated[int, msgspec.Meta(ge=0)]
    of: Annotated[int, msgspec.Meta(ge=1)]
    evaluation: str

    def __post_init__(self) -> None:
        if self.right > self.of:
            raise ValueError(f"{self.right} right ones of {self.of}")

    @property
    def share(self) -> float:
        """The share of correct ones in thousandths, rounded down."""
        return self.right * _PARTS // self.of / _PARTS


class ClaimSource(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A source of a claim.

    Attributes:
        precision: 1 for a static one, the calibrated confidence of a model, 0 for one that was not measured.
        derived_from: the evaluation with its counts, or the reason why there is none.
    """

    name: str
    kind: SourceKind
    precision: float
    derived_from: str


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement of a plane.

    Attributes:
        confidence: confidence of the most precise of its sources; 0 if there is none.
        counts: the confidence of the plane follows from it.
        more_sources: the number of further ones.
    """

    text: str
    confidence: float
    sources: tuple[ClaimSource, ...] = ()
    more_sources: int = 0
    counts: bool = True


STATIC = "static"
_UNMEASURED = "not measured"


def static_source(name: str, *, is_tool: bool = False) -> ClaimSource:
    """Return a check or a tool, whose results do not depend on chance."""
    return ClaimSource(name, SourceKind.TOOL if is_tool else SourceKind.CHECK, 1.0, STATIC)


def measured_source(name: str, kind: SourceKind, known: MeasuredPrecision | None) -> ClaimSource:
    """Return a source with the precision that was measured; 0 if none was."""
    if known is None:
        return ClaimSource(name, kind, 0.0, _UNMEASURED)
    return ClaimSource(name, known.kind, known.share, f"{known.right} of {known.of}, {known.evaluation}")


def claim(text: str, sources: Iterable[ClaimSource], *, counts: bool = True) -> Claim:
    """Return a claim that is true if one of the sources is correct."""
    listed = sorted(set(sources))
    return Claim(
        text,
        max((claim.precision for claim in listed), default=0.0),
        tuple(listed[:MOST_SOURCES]),
        max(len(listed) - MOST_SOURCES, 0),
        counts,
    )


def confidence_of(claims: Sequence[Claim]) -> float:
    """Return the confidence of a plane: the lowest of the claims that count; 0 if there is none."""
    return min((claim.confidence for claim in claims if claim.counts), default=0.0)


def claim_lines(claims: Sequence[Claim]) -> Iterator[str]:
    """Return a line for each claim."""
    for stated_claim in claims:
        names = ", ".join(f"{source.name} {source.precision:g}" for source in stated_claim.sources)
        yield f"{stated_claim.text}: {names or 'no source'}"
