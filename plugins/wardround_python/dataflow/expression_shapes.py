"""What an expression looks like: how a place is called, what a template leaves open."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from string import Formatter

from wardround.languages.python.module import FunctionNode, last_name
from wardround.semantics.dataflow.domain import PARAMETER, join, only
from wardround_python.dataflow.domain import CLEAN, ENCODED, NOTHING, SinkKind, Taint, encoded


def key_of(node: ast.expr) -> str | None:
    """What a place for a value is called: a name, attributes of one, a constant subscript of these."""
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
    """``a + b + c`` as [a, b, c], however long."""
    found: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and type(left.op) is type(node.op):
        found.append(left.right)
        left = left.left
    return [left, *reversed(found)]


def constant_text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def holes_of(template: str) -> list[str]:
    """The conversion letters of a ``%`` template, in order."""
    found = []
    pieces = template.replace("%%", "").split("%")[1:]
    for piece in pieces:
        rest = piece.partition(")")[2] if piece.startswith("(") else piece
        found.append(rest.lstrip("#0- +123456789.*")[:1] or "s")
    return found


def chain(call: ast.Call) -> Iterable[ast.Call]:
    """A call, the call it is made on the answer of, and so on: ``a(x).b(y).c()``."""
    node: ast.expr = call
    while True:
        if isinstance(node, ast.Call):
            yield node
            node = node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        else:
            return


def is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1


def bound_arguments(
    function: FunctionNode,
    node: ast.Call,
    given: Sequence[Taint],
    named: Sequence[tuple[ast.keyword, Taint]],
    skips: bool,
) -> dict[str, Taint]:
    """Which parameter gets which value; ``skips``: the first is the object it is called on."""
    arguments = function.args
    positional = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    if skips:
        positional = positional[1:]
    bound: dict[str, Taint] = {}
    for at, (argument, value) in enumerate(zip(node.args, given, strict=True)):
        if isinstance(argument, ast.Starred):
            bound.update({name: join(bound.get(name, CLEAN), value) for name in positional[at:]})
        elif at < len(positional):
            bound[positional[at]] = value
        elif arguments.vararg is not None:
            name = arguments.vararg.arg
            bound[name] = join(bound.get(name, CLEAN), value)
    known = {one.arg for one in (*arguments.args, *arguments.kwonlyargs)}
    for keyword, value in named:
        if keyword.arg is None or keyword.arg not in known:
            if arguments.kwarg is not None:
                bound[arguments.kwarg.arg] = join(bound.get(arguments.kwarg.arg, CLEAN), value)
        else:
            bound[keyword.arg] = value
    return bound


def substituted_parameters(value: Taint, bound: Mapping[str, Taint]) -> Taint:
    """What a value in terms of parameters is where these are bound."""
    answer: list[Taint] = [{o: left for o, left in value.items() if PARAMETER not in o}]
    for origin, left in value.items():
        if origin.startswith(ENCODED + PARAMETER):
            answer.append(encoded(only(bound.get(origin.removeprefix(ENCODED + PARAMETER), CLEAN), left)))
        if origin.startswith(PARAMETER):
            passed = bound.get(origin.removeprefix(PARAMETER), CLEAN)
            answer.append(
                {
                    o: (mask & left) | (left & SinkKind.PAGE if mask & SinkKind.HTML else NOTHING)
                    for o, mask in passed.items()
                    if mask & left
                }
            )
    return join(*answer)


def fields_used(template: str) -> list[str] | None:
    """The arguments a template of ``str.format`` asks for, by name or place; None if it can't be told."""
    found: list[str] = []
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
        found.append(stem or str(len(found)))
    return found


def names_used(template: str) -> list[str] | None:
    """The entries that ``%(name)s`` of a template ask for; None where it asks by place."""
    pieces = template.replace("%%", "").split("%")[1:]
    named = [piece[1:].partition(")")[0] for piece in pieces if piece.startswith("(")]
    return named if len(named) == len(pieces) else None
