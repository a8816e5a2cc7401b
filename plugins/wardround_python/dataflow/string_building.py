"""Taint of text that is built of parts."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.semantics.dataflow.domain import join, without
from wardround_python.dataflow import sanitizers
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_python.dataflow.evaluation import Evaluator, Transfers
from wardround_python.dataflow.expression_shapes import (
    constant_text,
    fields_used,
    holes_of,
    leading,
    names_used,
    operands,
)
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import KnownConstant
from wardround_python.dataflow.scope import NameScope
from wardround_python.dataflow.value_tracking import KnownValues


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

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        names: NameScope,
        folder: ConstantFolder,
        containers: ContainerLookup,
        known: KnownValues,
    ) -> None:
        self._state = state
        self._evaluator = evaluator
        self._names = names
        self._folder = folder
        self._containers = containers
        self._known = known

    def transfers(self) -> Transfers:
        """Return the transfer functions by kind of node."""
        return {ast.BinOp: self._binary, ast.JoinedStr: self._f_string}

    def concatenate(self, parts: Sequence[tuple[str | None, Taint]]) -> Taint:
        """Return the taint of a text of parts: (the constant, no taint) or (None, its taint)."""
        value = join(*(carried for _, carried in parts))
        if not value:
            return CLEAN
        text, carried = parts[0]
        start = "".join(text or "" for text, _ in leading(parts))
        leads = any(left & (SinkKind.REDIRECT | SinkKind.URL) for left in carried.values())
        if (text is None and not leads) or sanitizers.FIXED_ADDRESS.search(start):
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

    def fill(
        self, node: ast.Call, func: ast.Attribute, receiver: Taint, taints: Sequence[Taint], every: Taint
    ) -> Taint | None:
        """Return the taint of text built from a template or from pieces; None for other methods."""
        if func.attr in {"format", "format_map"} and last_name(getattr(func.value, "func", func)) == "Markup":
            return without(every, SinkKind.HTML | SinkKind.PAGE)
        if func.attr in {"format", "format_map"}:
            return self._formatted(node, func, receiver, taints)
        if func.attr == "join" and len(node.args) == 1 and not receiver and taints[0]:
            return self.concatenate(self._pieces(node.args[0], taints[0]))
        if func.attr in {"substitute", "safe_substitute"}:
            return self._substituted(node, func, join(receiver, every))
        return None

    def raw_parts(self, node: ast.expr) -> Taint:
        """Return the taint of a text that may be split into its parts again."""
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
        template = self._names.text_of(node.left)
        if template is None:
            constant = self._folder.constant(node.left)
            template = constant.value if constant is not None and isinstance(constant.value, str) else None
        left = self._evaluator.value(node.left)
        if isinstance(node.right, ast.Tuple):
            holes = holes_of(template) if template is not None else []
            taints = [
                self._evaluator.value(one)
                for at, one in enumerate(node.right.elts)
                if len(holes) != len(node.right.elts) or holes[at] not in "difouxXeEgG"
            ]
        else:
            holes = holes_of(template) if template is not None else []
            are_numbers = bool(holes) and set(holes) <= set("difouxX")
            taints = [] if are_numbers else [self._by_name(template, node.right)]
        if isinstance(node.left, ast.Call) and last_name(node.left.func) == "Markup":
            taints = [without(taint, SinkKind.HTML | SinkKind.PAGE) for taint in taints]
        start = template.partition("%")[0] if template is not None else None
        rest = template[len(start) :] if template is not None and start is not None else None
        parts: list[tuple[str | None, Taint]] = [(start, left)] if start != "" else []
        return self.concatenate([*parts, *((None, item) for item in taints), (rest, CLEAN)])

    def _by_name(self, template: str | None, node: ast.expr) -> Taint:
        """Return the taint of what ``template % mapping`` reads from the mapping."""
        names = names_used(template) if template is not None else None
        if not names or not isinstance(node, ast.Dict):
            return self._evaluator.value(node)
        pairs = zip(node.keys, node.values, strict=True)
        each = [
            (key.value if isinstance(key, ast.Constant) else None, self._evaluator.value(one))
            for key, one in pairs
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

    def _formatted(
        self, node: ast.Call, func: ast.Attribute, receiver: Taint, taints: Sequence[Taint]
    ) -> Taint:
        """Return the taint of ``template.format(...)``: only the arguments the template uses."""
        template = self._template(func.value)
        values = dict(zip(map(str, range(len(taints))), taints, strict=False))
        values.update({k.arg: self._containers.peek(k.value) for k in node.keywords if k.arg is not None})
        asked = fields_used(template) if template is not None else None
        is_spread = any(k.arg is None for k in node.keywords) or func.attr == "format_map"
        if asked is None or is_spread or any(isinstance(argument, ast.Starred) for argument in node.args):
            every = [*taints, *(self._containers.peek(k.value) for k in node.keywords)]
        else:
            every = [values.get(name, CLEAN) for name in asked]
        start = template.partition("{")[0] if template is not None else None
        rest = template[len(start) :] if template is not None and start is not None else None
        parts: list[tuple[str | None, Taint]] = [(start, receiver)] if start != "" else []
        return self.concatenate([*parts, (None, join(*every)), (rest, CLEAN)])

    def _template(self, node: ast.expr) -> str | None:
        """Return the text of a template, if it is constant."""
        text = self._names.text_of(node)
        constant = self._folder.constant(node) if text is None else None
        return constant.value if constant is not None and isinstance(constant.value, str) else text

    def _pieces(self, node: ast.expr, whole: Taint) -> list[tuple[str | None, Taint]]:
        """Return the parts of a list of texts, if its entries are known."""
        container = self._known.container(node)
        entries = container.entries if container is not None else None
        if not isinstance(entries, list):
            return [("", CLEAN), (None, whole)]
        texts = [entry.known.value if isinstance(entry.known, KnownConstant) else None for entry in entries]
        pairs = zip(texts, entries, strict=True)
        return [(text if isinstance(text, str) else None, one.value) for text, one in pairs]

    def _substituted(self, node: ast.Call, func: ast.Attribute, whole: Taint) -> Taint:
        """Return the taint of ``Template(text).substitute(...)``: only the keywords the text uses."""
        value = func.value
        text = self._template(value.args[0]) if isinstance(value, ast.Call) and value.args else None
        if text is None or node.args or any(k.arg is None for k in node.keywords):
            return whole
        asked = [k for k in node.keywords if f"${k.arg}" in text or f"${{{k.arg}}}" in text]
        start = text.partition("$")[0]
        return self.concatenate(
            [(start, CLEAN), *((None, self._containers.peek(k.value)) for k in asked), (text, CLEAN)]
        )
