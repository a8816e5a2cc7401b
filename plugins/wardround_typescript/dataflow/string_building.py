"""What text carries that is put together of parts."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround_typescript.dataflow import sanitizers
from wardround_typescript.dataflow.conditions import Conditions
from wardround_typescript.dataflow.domain import (
    CLEAN,
    OBJECT,
    OWN_ADDRESS,
    SinkKind,
    Value,
    added,
    all_of,
    without,
)
from wardround_typescript.dataflow.scope import bare

Part = tuple[str | None, Value]


class Texts(Conditions):
    """The part of a walk that reads templates and sums."""

    def joined(self, parts: Sequence[Part]) -> Value:
        """Text put together of parts: (the constant, nothing) or (None, what it carries)."""
        if not any(carried for _, carried in parts):
            return CLEAN
        whole = "".join(text if text is not None else "\0" for text, _ in parts)
        is_statement = sanitizers.STATEMENT.search(whole) is not None
        is_markup = sanitizers.TAG.search(whole) is not None
        found = []
        before = ""
        for text, carried in parts:
            if text is not None:
                before += text
                continue
            if carried:
                found.append(self._placed(carried, before, is_statement, is_markup))
            before += "\0"
        value = all_of(found)
        start = whole.partition("\0")[0]
        is_led = parts[0][0] is None and not parts[0][1]
        if is_led or sanitizers.LEADS.search(start):
            value = without(value, OWN_ADDRESS)
        return without(value, OBJECT)

    def _placed(self, carried: Value, before: str, is_statement: bool, is_markup: bool) -> Value:
        line = before[-160:]
        is_quoted = line.endswith(("'", "'%", "'%%"))
        is_clause = sanitizers.CLAUSE.search(line.rstrip("'%\"")) is not None
        if is_statement or (is_clause and ("=" in line or is_quoted or "(" in line)):
            carried = added(carried, SinkKind.STATEMENT, SinkKind.SQL)
            if is_quoted and (is_clause or is_statement):
                carried = added(carried, SinkKind.QUOTED, SinkKind.SQL)
        if before.strip("\0 "):
            carried = added(carried, SinkKind.COMMAND, SinkKind.SHELL)
        return added(carried, SinkKind.PAGE, SinkKind.HTML) if is_markup else carried

    def constant_text(self, node: Node) -> str | None:
        """The text of a literal, or of a name that stands for one in this module."""
        node = bare(node)
        if node.type == "identifier" and not self.values.get(self.module.of(node)):
            node = self.scope.resolved(node)
        if node.type == "string":
            return self.module.of(node)[1:-1]
        if node.type == "template_string" and not node.named_children:
            return self.module.of(node)[1:-1]
        if node.type == "template_string" and all(
            one.type in {"string_fragment", "escape_sequence"} for one in node.named_children
        ):
            return self.module.of(node)[1:-1]
        return None

    def _template(self, node: Node) -> Value:
        parts: list[Part] = []
        at = node.start_byte + 1
        for one in node.named_children:
            if one.type != "template_substitution":
                continue
            parts.append((self.module.between(at, one.start_byte), CLEAN))
            at = one.end_byte
            inner = one.named_children[0] if one.named_children else None
            text = self.constant_text(inner) if inner is not None else None
            parts.append(
                (text, CLEAN)
                if text is not None
                else (None, self.value(inner) if inner is not None else CLEAN)
            )
        parts.append((self.module.between(at, node.end_byte - 1), CLEAN))
        value = self.joined([one for one in parts if one[0] != ""])
        if value and self.owner.writes_lines and sanitizers.HEADER_LINE.search(parts[0][0] or ""):
            self.reach(SinkKind.HEADER, node, value)
        return value
