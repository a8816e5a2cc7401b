"""The shapes of expressions: keys of names and attributes, holes of templates, arguments of calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from string import Formatter
from typing import TypeGuard

from wardround.languages.python.module import FunctionNode, last_name
from wardround.semantics.dataflow.domain import PARAMETER, join, only
from wardround_python.dataflow.domain import CLEAN, ENCODED, NOTHING, SinkKind, Taint, encode_taint


def key_of(node: ast.expr) -> str | None:
    """Return the key of a name, an attribute of one, or a constant subscript of these."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        stem = key_of(node.value)
        return f"{stem}.{node.attr}" if stem else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        stem = key_of(node.value)
        return f"{stem}[{node.slice.value!r}]" if stem else None
    return None


def leading(parts: Sequence[tuple[str | None, Taint]]) -> Iterable[tuple[str | None, Taint]]:
    for text, carried in parts:
        if text is None or carried:
            return
        yield text, carried


def operands(node: ast.BinOp) -> list[ast.expr]:
    """Return the operands of ``a + b + c`` as [a, b, c], for any length."""
    results: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and type(left.op) is type(node.op):
        results.append(left.right)
        left = left.left
    return [left, *reversed(results)]


def constant_text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def holes_of(template: str) -> list[str]:
    """Return the conversion letters of a ``%`` template, in order."""
    results = []
    pieces = template.replace("%%", "").split("%")[1:]
    for piece in pieces:
        rest = piece.partition(")")[2] if piece.startswith("(") else piece
        results.append(rest.lstrip("#0- +123456789.*")[:1] or "s")
    return results


def chain(call: ast.Call) -> Iterable[ast.Call]:
    """Yield a call and the calls of its receivers: ``a(x).b(y).c()``."""
    node: ast.expr = call
    while True:
        if isinstance(node, ast.Call):
            yield node
            node = node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        else:
            return


def is_length(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1


def bound_arguments(
    function: FunctionNode,
    node: ast.Call,
    taints: Sequence[Taint],
    named: Sequence[tuple[ast.keyword, Taint]],
    skips: bool,
) -> dict[str, Taint]:
    """Map parameters to their arguments; ``skips``: the first parameter is the receiver."""
    arguments = function.args
    positional = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
    if skips:
        positional = positional[1:]
    bound: dict[str, Taint] = {}
    for at, (argument, value) in enumerate(zip(node.args, taints, strict=True)):
        if isinstance(argument, ast.Starred):
            bound.update({name: join(bound.get(name, CLEAN), value) for name in positional[at:]})
        elif at < len(positional):
            bound[positional[at]] = value
        elif arguments.vararg is not None:
            name = arguments.vararg.arg
            bound[name] = join(bound.get(name, CLEAN), value)
    known = {item.arg for item in (*arguments.args, *arguments.kwonlyargs)}
    for keyword, value in named:
        if keyword.arg is None or keyword.arg not in known:
            if arguments.kwarg is not None:
                bound[arguments.kwarg.arg] = join(bound.get(arguments.kwarg.arg, CLEAN), value)
        else:
            bound[keyword.arg] = value
    return bound


def substituted_parameters(value: Taint, bound: Mapping[str, Taint]) -> Taint:
    """Return a taint in terms of parameters with the taints these are bound to."""
    result: list[Taint] = [{o: left for o, left in value.items() if PARAMETER not in o}]
    for origin, left in value.items():
        if origin.startswith(ENCODED + PARAMETER):
            result.append(
                encode_taint(only(bound.get(origin.removeprefix(ENCODED + PARAMETER), CLEAN), left))
            )
        if origin.startswith(PARAMETER):
            passed = bound.get(origin.removeprefix(PARAMETER), CLEAN)
            result.append(
                {
                    o: (mask & left) | (left & SinkKind.PAGE if mask & SinkKind.HTML else NOTHING)
                    for o, mask in passed.items()
                    if mask & left
                }
            )
    return join(*result)


def used_fields(template: str) -> list[str] | None:
    """Return the arguments a template of ``str.format`` uses, by name or position; None if unknown."""
    results: list[str] = []
    try:
        parsed = list(Formatter().parse(template))
    except ValueError:
        return None
    for _, name, spec, _ in parsed:
        if name is None:
            continue
        if "{" in (spec or ""):
            return None
        stem = re.split(r"[.\[]", name, maxsplit=1)[0]
        results.append(stem or str(len(results)))
    return results


def used_entry_names(template: str) -> list[str] | None:
    """Return the entries that ``%(name)s`` of a template uses; None if it uses positions."""
    pieces = template.replace("%%", "").split("%")[1:]
    named = [piece[1:].partition(")")[0] for piece in pieces if piece.startswith("(")]
    return named if len(named) == len(pieces) else None
