"""Options of calls that disable a protection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wardround.findings import Severity
from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.check import TreeCheck


@dataclass(frozen=True, slots=True)
class CallOption:
    """A value of an option that disables a protection.

    Attributes:
        value: matches the value, followed through constants.
        context: matches a file in which the option has this meaning.
    """

    key: str
    value: LazyPattern
    context: LazyPattern
    message: str
    severity: Severity | None = None


def report_options(check: TreeCheck, options: Sequence[CallOption]) -> None:
    """Report the options that disable a protection outside of development, in whichever object they are."""
    for node, value, candidates in _assignments(check, options):
        option = _matching_option(check, value, candidates)
        if option is not None and not check.reader.is_for_development(node):
            check.report_node(node, option.message, option.severity)


def _assignments(
    check: TreeCheck, options: Sequence[CallOption]
) -> Iterator[tuple[Node, Node, list[CallOption]]]:
    """Yield each assignment of a listed key, its value and the options with that key."""
    by_key: dict[str, list[CallOption]] = {}
    for option in options:
        by_key.setdefault(option.key, []).append(option)
    for node in check.code.kinds("pair", "assignment_expression"):
        key = node.child_by_field_name("key") or node.child_by_field_name("left")
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        name = check.text(key).strip("'\"`").rpartition(".")[2] if key is not None else ""
        if name in by_key and value is not None:
            yield node, value, by_key[name]


def _matching_option(check: TreeCheck, value: Node, options: Sequence[CallOption]) -> CallOption | None:
    text = check.text(check.reader.scope.resolve(value))
    for option in options:
        if option.value.search(text) and option.context.search(check.source.text):
            return option
    return None
