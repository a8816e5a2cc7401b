"""The input of each plane: the parts of a change that it may see, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from wardround.findings import Plane
from wardround.lazy import LazyPattern

_DEFINITION = LazyPattern(
    r"(?i)^(?:\d+ )?[+-] {1,40}(?:(?:export|public|default|async|abstract|static)\s+)*"
    r"(?:def|class|function|interface|type|enum|const|create|alter|drop|@\w+\.(?:get|post|put|patch|delete|route|option))\b"
)
_MOST_DEFINITIONS = 40


class PlaneInput(msgspec.Struct, frozen=True, kw_only=True):
    """The part of all inputs.

    Attributes:
        omitted_hunks: the hunks that did not fit into the token budget.
        questions: about single lines; absent if there is none.
    """

    omitted_hunks: int = 0
    questions: tuple[dict[str, Any], ...] | UnsetType = UNSET


class CodeInput(PlaneInput, frozen=True, kw_only=True):
    """The input of the security and perf planes.

    Attributes:
        neighbours: neighbours of the changed symbols, a line of each or their code.
    """

    hunks: tuple[dict[str, Any], ...] = ()
    neighbours: tuple[dict[str, Any], ...] = ()


class IntentInput(PlaneInput, frozen=True, kw_only=True):
    """The input of the intent plane: the description of the change, and its lines.

    Attributes:
        title, criteria: of the ticket; empty if there is none.
        messages: commit messages, newest first.
    """

    hunks: tuple[dict[str, Any], ...] = ()
    title: str = ""
    criteria: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


class SemanticInput(CodeInput, frozen=True, kw_only=True):
    """The input of the semantic plane.

    Attributes:
        messages: commit messages, newest first.
    """

    messages: tuple[str, ...] = ()


class ContractInput(CodeInput, frozen=True, kw_only=True):
    """The input of the contract plane.

    Attributes:
        definitions: the removed and added lines that define something.
        messages: commit messages, newest first.
    """

    definitions: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


class TestsInput(PlaneInput, frozen=True, kw_only=True):
    """The input of the tests plane.

    Attributes:
        neighbours: the code of the neighbours of the changed symbols.
    """

    source: tuple[dict[str, Any], ...] = ()
    tests: tuple[dict[str, Any], ...] = ()
    neighbours: tuple[dict[str, Any], ...] = ()


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
            messages=description.messages,
            omitted_hunks=omitted,
        )
    if plane is Plane.SEMANTIC:
        return SemanticInput(
            hunks=chosen,
            neighbours=description.neighbours,
            messages=description.messages,
            omitted_hunks=omitted,
        )
    if plane is Plane.TESTS:
        return TestsInput(
            source=tuple(hunk.values for hunk in hunks if not hunk.is_test),
            tests=tuple(hunk.values for hunk in hunks if hunk.is_test),
            neighbours=description.neighbours,
            omitted_hunks=omitted,
        )
    return CodeInput(hunks=chosen, neighbours=description.neighbours, omitted_hunks=omitted)


def _definitions(hunks: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    lines = (line for hunk in hunks for line in hunk["lines"] if _DEFINITION.match(line))
    return tuple(re.sub(r"^\d+ ", "", line) for line in lines)[:_MOST_DEFINITIONS]
