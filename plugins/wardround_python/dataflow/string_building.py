"""Taint of text that is built of parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.semantics.dataflow.domain import join, without
from wardround_python.dataflow import sanitizers
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_python.dataflow.evaluation import Transfers
from wardround_python.dataflow.expression_shapes import (
    constant_text,
    holes_of,
    leading,
    operands,
    used_entry_names,
    used_fields,
)
from wardround_python.dataflow.known_value import KnownConstant
from wardround_python.syntax.calls import spreads_keywords

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


class StringBuilder:
    """Taint of text that is built of parts."""

    __slots__ = (
        "_containers",
        "_evaluator",
        "_folder",
        "_known",
        "_names",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._folder = flow.folder
        self._containers = flow.containers
        self._known = flow.known

    def transfers(self) -> Transfers:
        """Return the transfer functions by kind of node."""
        return {ast.BinOp: self._binary, ast.JoinedStr: self._f_string}

    def concatenate(self, parts: Sequence[tuple[str | None, Taint]]) -> Taint:
        """Return the taint of a string built of parts: (the constant, no taint) or (None, its taint)."""
        value = join(*(carried for _, carried in parts))
        if not value:
            return CLEAN
        if _is_address_fixed(parts):
            value = without(value, SinkKind.REDIRECT | SinkKind.URL)
        value = without(value, SinkKind.FIELDS)
        constants = [text for text, _ in parts if text]
        if any(map(sanitizers.SCRIPT.search, constants)):
            value = _page_taint(value, SinkKind.SCRIPT)
        if any(map(sanitizers.TAG.search, constants)):
            value = _page_taint(value, SinkKind.HTML)
        return value

    def fill(
        self, node: ast.Call, func: ast.Attribute, receiver: Taint, taints: Sequence[Taint], every: Taint
    ) -> Taint | None:
        """Return the taint of a string built from a template or from pieces; None for other methods."""
        if func.attr in {"format", "format_map"} and last_name(getattr(func.value, "func", func)) == "Markup":
            return without(every, SinkKind.HTML | SinkKind.PAGE)
        if func.attr in {"format", "format_map"}:
            return self._format_taint(node, func, receiver, taints)
        if func.attr == "join" and len(node.args) == 1 and not receiver and taints[0]:
            return self.concatenate(self._pieces(node.args[0], taints[0]))
        if func.attr in {"substitute", "safe_substitute"}:
            return self._substitute_taint(node, func, join(receiver, every))
        return None

    def raw_taint(self, node: ast.expr) -> Taint:
        """Return the taint of a string that may be split into its parts again."""
        if isinstance(node, ast.JoinedStr):
            return join(
                *(
                    self._evaluator.value(value)
                    for value in node.values
                    if isinstance(value, ast.FormattedValue)
                )
            )
        return self._evaluator.value(node)

    def matches_anything(self, pattern: ast.expr) -> bool:
        """Return True if a match of the pattern can be any text."""
        text = self._template(pattern)
        return text is None or any(part in text for part in (".*", ".+", r"\S", "[^"))

    def _binary(self, node: ast.BinOp) -> Taint:
        if isinstance(node.op, ast.Mod):
            return self._percent(node)
        if not isinstance(node.op, (ast.Add, ast.Div, ast.BitOr, ast.Mult)):
            return CLEAN
        summed = operands(node)
        parts = [(constant_text(item), self._evaluator.value(item)) for item in summed]
        if isinstance(node.op, ast.Add):
            return self.concatenate(parts)
        return join(*(carried for _, carried in parts))

    def _percent(self, node: ast.BinOp) -> Taint:
        template = self._percent_template(node.left)
        left = self._evaluator.value(node.left)
        taints = self._percent_values(template, node.right)
        if isinstance(node.left, ast.Call) and last_name(node.left.func) == "Markup":
            taints = [without(taint, SinkKind.HTML | SinkKind.PAGE) for taint in taints]
        values: list[tuple[str | None, Taint]] = [(None, taint) for taint in taints]
        return self._fill_template(template, "%", left, values)

    def _percent_template(self, node: ast.expr) -> str | None:
        template = self._names.text_of(node)
        if template is not None:
            return template
        constant = self._folder.constant(node)
        return constant.value if constant is not None and isinstance(constant.value, str) else None

    def _percent_values(self, template: str | None, values: ast.expr) -> list[Taint]:
        """Return the taints of the values that ``template % values`` inserts as text."""
        holes = holes_of(template) if template is not None else []
        if not isinstance(values, ast.Tuple):
            are_numbers = bool(holes) and set(holes) <= set("difouxX")
            return [] if are_numbers else [self._mapping_taint(template, values)]
        if len(holes) != len(values.elts):
            return [self._evaluator.value(element) for element in values.elts]
        pairs = zip(holes, values.elts, strict=True)
        return [self._evaluator.value(element) for hole, element in pairs if hole not in "difouxXeEgG"]

    def _fill_template(
        self, template: str | None, mark: str, carried: Taint, values: Sequence[tuple[str | None, Taint]]
    ) -> Taint:
        """Return the taint of a template with values; its text before the first mark is constant."""
        if template is None:
            return self.concatenate([(None, carried), *values, (None, CLEAN)])
        start = template.partition(mark)[0]
        first = [(start, carried)] if start else []
        return self.concatenate([*first, *values, (template[len(start) :], CLEAN)])

    def _mapping_taint(self, template: str | None, node: ast.expr) -> Taint:
        """Return the taint of what ``template % mapping`` reads from the mapping."""
        names = used_entry_names(template) if template is not None else None
        if not names or not isinstance(node, ast.Dict):
            return self._evaluator.value(node)
        pairs = zip(node.keys, node.values, strict=True)
        each = [
            (key.value if isinstance(key, ast.Constant) else None, self._evaluator.value(value))
            for key, value in pairs
        ]
        return join(*(value for key, value in each if key is None or key in names))

    def _f_string(self, node: ast.JoinedStr) -> Taint:
        parts: list[tuple[str | None, Taint]] = []
        for operand in node.values:
            if isinstance(operand, ast.Constant):
                parts.append((str(operand.value), CLEAN))
            elif isinstance(operand, ast.FormattedValue):
                spec = unparse(operand.format_spec) if operand.format_spec else ""
                is_number = spec.rstrip("'\"")[-1:] in set("dfxeg%b") and bool(spec)
                text = self._names.text_of(operand.value)
                value = CLEAN if is_number else self._evaluator.value(operand.value)
                parts.append(
                    (text, without(value, SinkKind.LOG) if operand.conversion == ord("r") else value)
                )
        return self.concatenate(parts) if parts else CLEAN

    def _format_taint(
        self, node: ast.Call, func: ast.Attribute, receiver: Taint, taints: Sequence[Taint]
    ) -> Taint:
        """Return the taint of ``template.format(...)``: only the arguments the template uses."""
        template = self._template(func.value)
        names = used_fields(template) if template is not None else None
        if names is None or _has_spread(node) or func.attr == "format_map":
            used = [*taints, *(self._containers.peek(keyword.value) for keyword in node.keywords)]
        else:
            values = self._values_by_name(node, taints)
            used = [values.get(name, CLEAN) for name in names]
        return self._fill_template(template, "{", receiver, [(None, join(*used))])

    def _values_by_name(self, node: ast.Call, taints: Sequence[Taint]) -> dict[str, Taint]:
        """Return the taints of arguments by name, positional ones by position."""
        values = dict(zip(map(str, range(len(taints))), taints, strict=False))
        for keyword in node.keywords:
            if keyword.arg is not None:
                values[keyword.arg] = self._containers.peek(keyword.value)
        return values

    def _template(self, node: ast.expr) -> str | None:
        """Return the text of a template, if it is constant."""
        text = self._names.text_of(node)
        constant = self._folder.constant(node) if text is None else None
        return constant.value if constant is not None and isinstance(constant.value, str) else text

    def _pieces(self, node: ast.expr, whole: Taint) -> list[tuple[str | None, Taint]]:
        """Return the elements of a list of strings, if they are known."""
        container = self._known.container(node)
        entries = container.entries if container is not None else None
        if not isinstance(entries, list):
            return [("", CLEAN), (None, whole)]
        texts = [entry.known.value if isinstance(entry.known, KnownConstant) else None for entry in entries]
        pairs = zip(texts, entries, strict=True)
        return [(text if isinstance(text, str) else None, value.value) for text, value in pairs]

    def _substitute_taint(self, node: ast.Call, func: ast.Attribute, whole: Taint) -> Taint:
        """Return the taint of ``Template(text).substitute(...)``: only the keywords the text uses."""
        value = func.value
        text = self._template(value.args[0]) if isinstance(value, ast.Call) and value.args else None
        if text is None or node.args or spreads_keywords(node):
            return whole
        used = [k.value for k in node.keywords if f"${k.arg}" in text or f"${{{k.arg}}}" in text]
        values = [(None, self._containers.peek(argument)) for argument in used]
        return self.concatenate([(text.partition("$")[0], CLEAN), *values, (text, CLEAN)])


def _is_address_fixed(parts: Sequence[tuple[str | None, Taint]]) -> bool:
    """Return True if the start of a string determines the site of a URL."""
    first, carried = parts[0]
    addresses = SinkKind.REDIRECT | SinkKind.URL
    if first is None and not any(kinds & addresses for kinds in carried.values()):
        return True
    start = "".join(text or "" for text, _ in leading(parts))
    return sanitizers.FIXED_ADDRESS.search(start) is not None


def _page_taint(value: Taint, kind: SinkKind) -> Taint:
    """Return the taint of a value that is a part of a page if it harms a sink of a kind."""
    return {origin: kinds | SinkKind.PAGE if kinds & kind else kinds for origin, kinds in value.items()}


def _has_spread(call: ast.Call) -> bool:
    return spreads_keywords(call) or any(isinstance(argument, ast.Starred) for argument in call.args)
