"""The value of text that is concatenated from parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from tree_sitter import Node

from wardround.semantics.dataflow.domain import extend, join_all, without
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.domain import CLEAN, OBJECT, OWN_ADDRESS, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.syntax.nodes import first_part

Part = tuple[str | None, Taint]
"""A part of a string: a constant and CLEAN, or None and the value of an expression."""
_CONTEXT_LENGTH = 160
"""Number of characters before a part in which its context is searched."""
_LITERAL_PARTS = frozenset({"string_fragment", "escape_sequence"})


class StringBuilder:
    """Evaluates template literals and concatenations."""

    __slots__ = ("_evaluator", "_features", "_module", "_scope", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator, features: ModuleFeatures) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._evaluator = evaluator
        self._features = features

    def concatenate(self, parts: Sequence[Part]) -> Taint:
        """Return the value of text that is concatenated from parts."""
        if not any(value for _, value in parts):
            return CLEAN
        joined = join_all(_values_in_context(parts))
        prefix = _complete(takewhile(lambda part: not part[1], parts))
        starts_clean = parts[0][0] is None and not parts[0][1]
        if starts_clean or sanitizers.LEADS.search(prefix):
            joined = without(joined, OWN_ADDRESS)
        return without(joined, OBJECT)

    def part(self, node: Node) -> Part:
        """Return an expression as a part of a string."""
        text = self.constant_text(node)
        return (text, CLEAN) if text is not None else (None, self._evaluator.evaluate(node))

    def constant_text(self, node: Node) -> str | None:
        """Return the string of a literal, or of a constant of this module."""
        node = bare(node)
        if node.type == "identifier" and not self._state.values.get(self._module.of(node)):
            node = self._scope.resolve(node)
        return self._module.of(node)[1:-1] if _is_literal(node) else None

    def template(self, node: Node) -> Taint:
        """Return the value of a template literal."""
        parts: list[Part] = []
        at = node.start_byte + 1
        for substitution in node.named_children:
            if substitution.type != "template_substitution":
                continue
            parts.append((self._module.between(at, substitution.start_byte), CLEAN))
            at = substitution.end_byte
            value = first_part(substitution)
            parts.append(self.part(value) if value is not None else (None, CLEAN))
        parts.append((self._module.between(at, node.end_byte - 1), CLEAN))
        result = self.concatenate([part for part in parts if part[0] != ""])
        if result and self._features.writes_lines and sanitizers.HEADER_LINE.search(parts[0][0] or ""):
            self._state.reach(SinkKind.HEADER, node, result)
        return result


def _complete(parts: Iterable[Part]) -> str:
    """Return the text of parts, with a zero character for each value."""
    return "".join(text if text is not None else "\0" for text, _ in parts)


def _is_literal(node: Node) -> bool:
    """Return True for a string, and for a template without values."""
    if node.type == "template_string":
        return all(part.type in _LITERAL_PARTS for part in node.named_children)
    return node.type == "string"


def _values_in_context(parts: Sequence[Part]) -> Iterator[Taint]:
    """Yield the values of parts with the labels that the text around them adds."""
    complete = _complete(parts)
    is_statement = sanitizers.STATEMENT.search(complete) is not None
    is_markup = sanitizers.TAG.search(complete) is not None
    before = ""
    for text, value in parts:
        if value and text is None:
            labelled = _value_in_command(
                _value_in_statement(value, before, is_statement=is_statement), before
            )
            yield extend(labelled, SinkKind.PAGE, SinkKind.HTML) if is_markup else labelled
        before += "\0" if text is None else text


def _value_in_command(value: Taint, before: str) -> Taint:
    """Return the value of a part with the labels that it has as an argument of a command."""
    return extend(value, SinkKind.COMMAND, SinkKind.SHELL) if before.strip("\0 ") else value


def _value_in_statement(value: Taint, before: str, *, is_statement: bool) -> Taint:
    """Return the value of a part with the labels that it has in an SQL statement, by the text before it."""
    line = before[-_CONTEXT_LENGTH:]
    is_quoted = line.endswith(("'", "'%", "'%%"))
    is_clause = sanitizers.CLAUSE.search(line.rstrip("'%\"")) is not None
    is_in_clause = is_clause and ("=" in line or is_quoted or "(" in line)
    if not is_statement and not is_in_clause:
        return value
    value = extend(value, SinkKind.STATEMENT, SinkKind.SQL)
    return extend(value, SinkKind.QUOTED, SinkKind.SQL) if is_quoted else value
