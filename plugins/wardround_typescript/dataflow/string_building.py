"""The value of text that is concatenated from parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from tree_sitter import Node

from wardround.semantics.dataflow.domain import extended, join_all, without
from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.domain import CLEAN, OBJECT, OWN_ADDRESS, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import FlowState

Part = tuple[str | None, Taint]
"""A part of a text: a constant and CLEAN, or None and the value of an expression."""
_CONTEXT_LENGTH = 160
"""Characters before a part in which its context is searched for."""
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
        """The value of text that is concatenated from parts."""
        if not any(value for _, value in parts):
            return CLEAN
        complete = _complete(parts)
        is_statement = sanitizers.STATEMENT.search(complete) is not None
        is_markup = sanitizers.TAG.search(complete) is not None
        found = []
        before = ""
        for text, value in parts:
            if text is not None:
                before += text
                continue
            if value:
                found.append(_in_context(value, before, is_statement, is_markup))
            before += "\0"
        joined = join_all(found)
        prefix = _complete(takewhile(lambda part: not part[1], parts))
        starts_clean = parts[0][0] is None and not parts[0][1]
        if starts_clean or sanitizers.LEADS.search(prefix):
            joined = without(joined, OWN_ADDRESS)
        return without(joined, OBJECT)

    def part(self, node: Node) -> Part:
        """An expression as a part of a text."""
        text = self.constant_text(node)
        return (text, CLEAN) if text is not None else (None, self._evaluator.evaluate(node))

    def constant_text(self, node: Node) -> str | None:
        """The text of a literal, or of a constant of this module that holds one."""
        node = bare(node)
        if node.type == "identifier" and not self._state.values.get(self._module.of(node)):
            node = self._scope.resolved(node)
        if node.type == "string":
            return self._module.of(node)[1:-1]
        if node.type == "template_string" and all(
            part.type in _LITERAL_PARTS for part in node.named_children
        ):
            return self._module.of(node)[1:-1]
        return None

    def template(self, node: Node) -> Taint:
        """The value of a template literal."""
        parts: list[Part] = []
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type != "template_substitution":
                continue
            parts.append((self._module.between(at, child.start_byte), CLEAN))
            at = child.end_byte
            parts.append(self.part(child.named_children[0]) if child.named_children else (None, CLEAN))
        parts.append((self._module.between(at, node.end_byte - 1), CLEAN))
        value = self.concatenate([part for part in parts if part[0] != ""])
        if value and self._features.writes_lines and sanitizers.HEADER_LINE.search(parts[0][0] or ""):
            self._state.reach(SinkKind.HEADER, node, value)
        return value


def _complete(parts: Iterable[Part]) -> str:
    """The text of parts, with a zero character for each value."""
    return "".join(text if text is not None else "\0" for text, _ in parts)


def _in_context(value: Taint, before: str, is_statement: bool, is_markup: bool) -> Taint:
    """The value of a part with the labels that the text before it adds."""
    line = before[-_CONTEXT_LENGTH:]
    is_quoted = line.endswith(("'", "'%", "'%%"))
    is_clause = sanitizers.CLAUSE.search(line.rstrip("'%\"")) is not None
    if is_statement or (is_clause and ("=" in line or is_quoted or "(" in line)):
        value = extended(value, SinkKind.STATEMENT, SinkKind.SQL)
        if is_quoted and (is_clause or is_statement):
            value = extended(value, SinkKind.QUOTED, SinkKind.SQL)
    if before.strip("\0 "):
        value = extended(value, SinkKind.COMMAND, SinkKind.SHELL)
    return extended(value, SinkKind.PAGE, SinkKind.HTML) if is_markup else value
