"""The input of each plane: the parts of a change that it may see, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane

_DEFINITION = LazyPattern(
    r"(?i)^(?:\d+ )?[+-] {1,40}(?:(?:export|public|default|async|abstract|static)\s+)*"
    r"(?:def|class|function|interface|type|enum|const|create|alter|drop|@\w+\.(?:get|post|put|patch|delete|route|option))\b"
)
_MOST_DEFINITIONS = 40


class PlaneInput(msgspec.Struct, frozen=True, kw_only=True):
    """The part of all inputs.

    Attributes:
        omitted_hunks: the hunks that did not fit into the token budget.
    """

    omitted_hunks: int = 0


class CodeInput(PlaneInput, frozen=True, kw_only=True):
    """The input of the security plane."""

    hunks: tuple[dict[str, Any], ...] = ()


class NeighbourInput(CodeInput, frozen=True, kw_only=True):
    """The input of the semantic and perf planes.

    Attributes:
        neighbours: one line of each neighbour of the changed symbols.
    """

    neighbours: tuple[dict[str, Any], ...] = ()


class IntentInput(CodeInput, frozen=True, kw_only=True):
    """The input of the intent plane: the description of the change, and its lines.

    Attributes:
        title, criteria: of the ticket; empty if there is none.
        messages: of the commits, newest first.
    """

    title: str = ""
    criteria: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


class ContractInput(NeighbourInput, frozen=True, kw_only=True):
    """The input of the contract plane.

    Attributes:
        definitions: the removed and added lines that define something.
    """

    definitions: tuple[str, ...] = ()


class TestsInput(PlaneInput, frozen=True, kw_only=True):
    """The input of the tests plane."""

    source: tuple[dict[str, Any], ...] = ()
    tests: tuple[dict[str, Any], ...] = ()


class Described(msgspec.Struct, frozen=True, omit_defaults=True):
    """The input of a plane besides the hunks, without secrets and within its part of the budget."""

    title: str = ""
    criteria: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    neighbours: tuple[dict[str, Any], ...] = ()


class ChosenHunk(msgspec.Struct, frozen=True):
    """A hunk that fits into the budget, and True if it is of a test file."""

    values: dict[str, Any]
    is_test: bool


def plane_input(
    plane: Plane, hunks: Sequence[ChosenHunk], omitted: int, description: Described
) -> PlaneInput:
    """Return the input of a plane."""
    chosen = tuple(hunk.values for hunk in hunks)
    if plane is Plane.INTENT:
        return IntentInput(
            title=description.title,
            criteria=description.criteria,
            messages=description.messages,
            hunks=chosen,
            omitted_hunks=omitted,
        )
    if plane is Plane.CONTRACT:
        return ContractInput(
            definitions=_definitions(chosen),
            hunks=chosen,
            neighbours=description.neighbours,
            omitted_hunks=omitted,
        )
    if plane in (Plane.SEMANTIC, Plane.PERF):
        return NeighbourInput(hunks=chosen, neighbours=description.neighbours, omitted_hunks=omitted)
    if plane is Plane.TESTS:
        return TestsInput(
            source=tuple(hunk.values for hunk in hunks if not hunk.is_test),
            tests=tuple(hunk.values for hunk in hunks if hunk.is_test),
            omitted_hunks=omitted,
        )
    return CodeInput(hunks=chosen, omitted_hunks=omitted)


def _definitions(hunks: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    lines = (line for hunk in hunks for line in hunk["lines"] if _DEFINITION.match(line))
    return tuple(re.sub(r"^\d+ ", "", line) for line in lines)[:_MOST_DEFINITIONS]
