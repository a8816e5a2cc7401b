"""What text carries that is put together of parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import join, without
from wardround_python.dataflow import sanitizers
from wardround_python.dataflow.assignments import Bindings
from wardround_python.dataflow.domain import CLEAN, SinkKind, Value
from wardround_python.dataflow.expression_shapes import constant_text, holes_of, leading, names_used, operands


class Texts(Bindings):
    """Sums, templates and f-strings."""

    def _joined(self, parts: Sequence[tuple[str | None, Value]]) -> Value:
        """Text put together of parts: (the constant, nothing) or (None, what it carries)."""
        value = join(*(carried for _, carried in parts))
        if not value:
            return CLEAN
        text, carried = parts[0]
        start = "".join(text or "" for text, _ in leading(parts))
        leads = any(left & (SinkKind.REDIRECT | SinkKind.URL) for left in carried.values())
        if (text is None and not leads) or sanitizers.SHAPES.search(start):
            value = without(value, SinkKind.REDIRECT | SinkKind.URL)
        value = without(value, SinkKind.FIELDS)
        if any(text and sanitizers.SCRIPT.search(text) for text, _ in parts):
            value = {
                origin: left | SinkKind.PAGE if left & SinkKind.SCRIPT else left
                for origin, left in value.items()
            }
        if any(text and sanitizers.TAG.search(text) for text, _ in parts):
            return {
                origin: left | SinkKind.PAGE if left & SinkKind.HTML else left
                for origin, left in value.items()
            }
        return value

    def _binary(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Mod):
            return self._percent(node)
        if not isinstance(node.op, (ast.Add, ast.Div, ast.BitOr, ast.Mult)):
            return CLEAN
        summed = operands(node)
        parts = [(constant_text(one), self.value(one)) for one in summed]
        if isinstance(node.op, ast.Add):
            return self._joined(parts)
        return join(*(carried for _, carried in parts))

    def _percent(self, node: ast.BinOp) -> Value:
        template = self._text_of(node.left)
        if template is None:
            exact = self._exact(node.left)
            template = exact.value if exact is not None and isinstance(exact.value, str) else None
        left = self.value(node.left)
        if isinstance(node.right, ast.Tuple):
            holes = holes_of(template) if template is not None else []
            given = [
                self.value(one)
                for at, one in enumerate(node.right.elts)
                if len(holes) != len(node.right.elts) or holes[at] not in "difouxXeEgG"
            ]
        else:
            holes = holes_of(template) if template is not None else []
            are_numbers = bool(holes) and set(holes) <= set("difouxX")
            given = [] if are_numbers else [self._by_name(template, node.right)]
        if isinstance(node.left, ast.Call) and last_name(node.left.func) == "Markup":
            given = [without(one, SinkKind.HTML | SinkKind.PAGE) for one in given]
        start = template.partition("%")[0] if template is not None else None
        rest = template[len(start) :] if template is not None and start is not None else None
        parts: list[tuple[str | None, Value]] = [(start, left)] if start != "" else []
        return self._joined([*parts, *((None, one) for one in given), (rest, CLEAN)])

    def _by_name(self, template: str | None, node: ast.expr) -> Value:
        """What ``template % mapping`` takes out of the mapping."""
        names = names_used(template) if template is not None else None
        if not names or not isinstance(node, ast.Dict):
            return self.value(node)
        pairs = zip(node.keys, node.values, strict=True)
        each = [(key.value if isinstance(key, ast.Constant) else None, self.value(one)) for key, one in pairs]
        return join(*(value for key, value in each if key is None or key in names))

    def _f_string(self, node: ast.JoinedStr) -> Value:
        parts: list[tuple[str | None, Value]] = []
        for one in node.values:
            if isinstance(one, ast.Constant):
                parts.append((str(one.value), CLEAN))
            elif isinstance(one, ast.FormattedValue):
                spec = ast.unparse(one.format_spec) if one.format_spec else ""
                is_number = spec.rstrip("'\"")[-1:] in set("dfxeg%b") and bool(spec)
                text = self._text_of(one.value)
                value = CLEAN if is_number else self.value(one.value)
                parts.append((text, without(value, SinkKind.LOG) if one.conversion == ord("r") else value))
        return self._joined(parts) if parts else CLEAN
