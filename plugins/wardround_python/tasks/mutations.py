"""Mutations that break Python code, one line at a time: located by the syntax tree, applied to the source.

Classes come in pairs of inverses (a condition dropped and one too many, a statement missing and one too
many), so that neither the longer nor the shorter version is always the broken one.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wardround.languages.python.tree import parse, walk
from wardround.training_tasks import Mutation

CLASSES = (
    "off-by-one", "operator", "negation", "condition", "swapped", "variable", "attribute", "constant",
    "exception", "statement", "await",
)  # fmt: skip
_LONGEST_FUNCTION = 120
_FEWEST_LINES = 3
_PER_FUNCTION = 3
_LONGEST_TEXT = 30
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">", ast.Gt: "<", ast.LtE: ">=", ast.GtE: "<=", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_NEXT: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_WRITTEN: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*",
    ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.And: "and", ast.Or: "or",
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "%", ast.Mod: "//",
}  # fmt: skip
_EXCEPTIONS = (
    "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "RuntimeError", "OSError",
    "LookupError", "NotImplementedError", "StopIteration", "ImportError", "UnicodeError",
)  # fmt: skip
_NEVER_REPLACED = frozenset({"self", "cls", "True", "False", "None", "super"})
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _LineEdit:
    """Characters ``start`` to ``end`` of one line, 1-based, and their replacement."""

    kind: str
    line: int
    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class _Function:
    """A function with the parts that a mutation can misplace."""

    node: FunctionNode
    lines: Sequence[str]
    names: tuple[str, ...]
    attributes: tuple[str, ...]
    texts: tuple[str, ...]


def inject(path: str, text: str, seed: int) -> Iterator[Mutation]:
    """Break each function of a file in up to three ways, of different classes if possible."""
    try:
        module = parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.split("\n")
    for node in walk(module):
        if isinstance(node, FunctionNode) and _is_mutation_candidate(node, lines):
            description = random.Random(f"{seed}:{path}:{node.name}:{node.lineno}")  # noqa: S311  (repeatable)
            yield from _break_function(_describe_function(node, lines), description)


def _is_mutation_candidate(node: FunctionNode, lines: Sequence[str]) -> bool:
    last = node.end_lineno or node.lineno
    ascii_only = all(line.isascii() and "\t" not in line for line in lines[node.lineno - 1 : last])
    return ascii_only and _FEWEST_LINES <= last - node.lineno + 1 <= _LONGEST_FUNCTION


def _describe_function(node: FunctionNode, lines: Sequence[str]) -> _Function:
    """Return the parts of a function; names are those it binds itself, since others are seldom confused."""
    names = {inner.arg for inner in walk(node.args) if isinstance(inner, ast.arg)}
    attributes: set[str] = set()
    texts: set[str] = set()
    inside: set[int] = set()
    for part in _body(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Attribute(attr=name):
                attributes.add(name)
            case ast.JoinedStr():
                inside.update(map(id, walk(part)))
            case ast.Constant() if id(part) not in inside and _is_short_string(part):
                texts.add(lines[part.lineno - 1][part.col_offset : _end(part)])
    local = tuple(sorted(names - _NEVER_REPLACED))
    return _Function(node, lines, local, tuple(sorted(attributes)), tuple(sorted(texts)))


def _is_short_string(constant: ast.Constant) -> bool:
    return (
        isinstance(constant.value, str)
        and 0 < len(constant.value) <= _LONGEST_TEXT
        and constant.lineno == constant.end_lineno
    )


def _body(node: FunctionNode) -> Iterator[ast.AST]:
    """Yield everything in a function except its signature."""
    for statement in node.body:
        yield from walk(statement)


def _break_function(function: _Function, told: random.Random) -> Iterator[Mutation]:
    cuts: dict[str, list[_LineEdit | Mutation]] = {}
    for node in (function.node, *_body(function.node)):
        for maker in _MAKERS.get(type(node), ()):
            for cut in maker(node, function, told):
                cuts.setdefault(cut.kind, []).append(cut)
    for kind in told.sample(sorted(cuts), min(_PER_FUNCTION, len(cuts))):
        value = _complete_lines(told.choice(cuts[kind]), function)
        if value is not None:
            yield value


def _complete_lines(cut: _LineEdit | Mutation, function: _Function) -> Mutation | None:
    """Return an edit as complete lines; None if the function no longer parses, or is unchanged."""
    if isinstance(cut, _LineEdit):
        line = function.lines[cut.line - 1]
        wrong = line[: cut.start] + cut.new + line[cut.end :]
        cut = Mutation(cut.kind, cut.line, (line,), (wrong,), 0, 0)
    first, last = function.node.lineno, function.node.end_lineno or function.node.lineno
    before = list(function.lines[first - 1 : cut.line - 1])
    after = list(function.lines[cut.line - 1 + len(cut.right) : last])
    if cut.right == cut.wrong or not _is_parsable([*before, *cut.wrong, *after]):
        return None
    return Mutation(cut.kind, cut.line, cut.right, cut.wrong, first, last)


def _is_parsable(lines: Sequence[str]) -> bool:
    indent = len(lines[0]) - len(lines[0].lstrip())
    source = "\n".join(lines)
    try:
        parse(f"if True:\n{source}" if indent else source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


# --- one line is changed

_Made = Iterator[_LineEdit | Mutation]
_Tested = ast.If | ast.While | ast.IfExp | ast.Assert


def _between(left: ast.expr, right: ast.expr, old: str, new: str, kind: str, function: _Function) -> _Made:
    """Replace the operator between two operands on one line."""
    if left.end_lineno != right.lineno:
        return
    line = function.lines[right.lineno - 1]
    at = line.find(old, left.end_col_offset, right.col_offset)
    if at >= 0:
        yield _LineEdit(kind, right.lineno, at, at + len(old), new)


def _compare(node: ast.Compare, function: _Function, told: random.Random) -> _Made:
    if len(node.ops) != 1:
        return
    operator, left, right = node.ops[0], node.left, node.comparators[0]
    old = _WRITTEN[type(operator)]
    yield from _between(left, right, old, _COMPARED[type(operator)], "operator", function)
    if type(operator) in _NEXT:
        yield from _between(left, right, old, _NEXT[type(operator)], "off-by-one", function)


def _replace_operator(node: ast.BinOp, function: _Function, told: random.Random) -> _Made:
    new = _COMPUTED.get(type(node.op))
    if new is None or (isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
        return
    yield from _between(node.left, node.right, _WRITTEN[type(node.op)], new, "operator", function)
    if isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod):
        yield from _exchange(node.left, node.right, function)


def _replace_bool_operator(node: ast.BoolOp, function: _Function, told: random.Random) -> _Made:
    old = _WRITTEN[type(node.op)]
    left, right = node.values[-2:]
    yield from _between(left, right, f" {old} ", " or " if old == "and" else " and ", "operator", function)
    if left.end_lineno == right.lineno == right.end_lineno:
        yield _LineEdit("condition", right.lineno, _end(left), _end(right), "")


def _replace_test(node: _Tested, function: _Function, told: random.Random) -> _Made:
    test = node.test
    if test.lineno != test.end_lineno:
        return
    text = function.lines[test.lineno - 1][test.col_offset : _end(test)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield _LineEdit("negation", test.lineno, test.col_offset, test.operand.col_offset, "")
    else:
        plain = isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        new = f"not {text}" if plain else f"not ({text})"
        yield _LineEdit("negation", test.lineno, test.col_offset, _end(test), new)
    others = [name for name in function.names if name not in text]
    if others and not isinstance(node, ast.Assert):
        more = f"{text} {told.choice(['and', 'or'])} {told.choice(others)}"
        yield _LineEdit("condition", test.lineno, test.col_offset, _end(test), more)


def _swap_arguments(node: ast.Call, function: _Function, told: random.Random) -> _Made:
    plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
    for left, right in pairwise(plain):
        yield from _exchange(left, right, function)


def _exchange(left: ast.expr, right: ast.expr, function: _Function) -> _Made:
    """Swap two operands or arguments on one line."""
    if len({left.lineno, left.end_lineno, right.lineno, right.end_lineno}) > 1:
        return
    line = function.lines[left.lineno - 1]
    item, other = line[left.col_offset : _end(left)], line[right.col_offset : _end(right)]
    between = line[_end(left) : right.col_offset]
    if item != other:
        yield _LineEdit("swapped", left.lineno, left.col_offset, _end(right), f"{other}{between}{item}")


def _replace_name(node: ast.Name, function: _Function, told: random.Random) -> _Made:
    if not isinstance(node.ctx, ast.Load) or node.id in _NEVER_REPLACED:
        return
    others = [name for name in function.names if name != node.id and name.islower() == node.id.islower()]
    if others:
        yield _LineEdit("variable", node.lineno, node.col_offset, _end(node), told.choice(others))


def _attribute(node: ast.Attribute, function: _Function, told: random.Random) -> _Made:
    others = [name for name in function.attributes if name != node.attr]
    end = _end(node)
    if others and node.end_lineno == node.value.end_lineno:
        yield _LineEdit("attribute", node.end_lineno or 0, end - len(node.attr), end, told.choice(others))


def _mutate_constant(node: ast.Constant, function: _Function, told: random.Random) -> _Made:
    if node.lineno != node.end_lineno:
        return
    start, end = node.col_offset, _end(node)
    match node.value:
        case bool() as value:
            yield _LineEdit("constant", node.lineno, start, end, str(not value))
        case int() as value if abs(value) < 100:
            near = value + told.choice([-1, 1]) if value > 0 else value + 1
            yield _LineEdit("off-by-one", node.lineno, start, end, str(near))
        case int() as value:
            yield _LineEdit("constant", node.lineno, start, end, str(value * 10))
        case str():
            others = _other_texts(function.lines[node.lineno - 1][start:end], function.texts)
            if others:
                yield _LineEdit("constant", node.lineno, start, end, told.choice(others))


def _other_texts(own: str, texts: Sequence[str]) -> list[str]:
    """Return the other texts of a function, if a text is one of them."""
    return [text for text in texts if text != own] if own in texts else []


def _handler(node: ast.ExceptHandler, function: _Function, told: random.Random) -> _Made:
    if isinstance(node.type, ast.Name) and node.type.id in _EXCEPTIONS:
        yield _other_exception(node.type, told)


def _replace_exception(node: ast.Raise, function: _Function, told: random.Random) -> _Made:
    name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if isinstance(name, ast.Name) and name.id in _EXCEPTIONS:
        yield _other_exception(name, told)


def _other_exception(name: ast.Name, told: random.Random) -> _LineEdit:
    other = told.choice([item for item in _EXCEPTIONS if item != name.id])
    return _LineEdit("exception", name.lineno, name.col_offset, _end(name), other)


def _remove_await(node: ast.Await, function: _Function, told: random.Random) -> _Made:
    if node.lineno == node.value.lineno:
        yield _LineEdit("await", node.lineno, node.col_offset, node.value.col_offset, "")


# --- a statement is missing, or one is added


def _statements(node: ast.AST, function: _Function, told: random.Random) -> _Made:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield from _mutations_of_block(block, function, told)


def _mutations_of_block(block: Sequence[ast.stmt], function: _Function, told: random.Random) -> _Made:
    for at, statement in enumerate(block):
        lines = _lines_of(statement, function)
        if lines is None:
            continue
        if len(block) > 1 and not (at == 0 and isinstance(statement, ast.Expr | ast.Import | ast.ImportFrom)):
            yield Mutation("statement", statement.lineno, lines, (), 0, 0)
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        extra = _spurious(function, told)
        if extra and extra != lines[0].strip():
            yield Mutation("statement", statement.lineno, (), (indent + extra,), 0, 0)


def _lines_of(statement: ast.stmt, function: _Function) -> tuple[str, ...] | None:
    """Return the lines of a statement, or a guard of two lines; None for everything else."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    is_guard = (
        isinstance(statement, ast.If)
        and not statement.orelse
        and last - first <= 1
        and isinstance(statement.body[-1], ast.Return | ast.Raise | ast.Continue)
    )
    simple = isinstance(
        statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.Raise | ast.Assert
    )
    if not (is_guard or (simple and first == last)):
        return None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return None
    return tuple(function.lines[first - 1 : last])


def _spurious(function: _Function, told: random.Random) -> str:
    """Return a simple statement from elsewhere in the function."""
    results = [
        lines[0].strip()
        for node in walk(function.node)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Return)
        and (lines := _lines_of(node, function)) is not None
    ]
    return told.choice(results) if results else ""


def _end(node: ast.expr | ast.ExceptHandler) -> int:
    return node.end_col_offset or 0


_MAKERS: dict[type[ast.AST], tuple[Callable[..., _Made], ...]] = {
    ast.Compare: (_compare,),
    ast.BinOp: (_replace_operator,),
    ast.BoolOp: (_replace_bool_operator,),
    ast.If: (_replace_test, _statements),
    ast.While: (_replace_test, _statements),
    ast.IfExp: (_replace_test,),
    ast.Assert: (_replace_test,),
    ast.Call: (_swap_arguments,),
    ast.Name: (_replace_name,),
    ast.Attribute: (_attribute,),
    ast.Constant: (_mutate_constant,),
    ast.ExceptHandler: (_handler, _statements),
    ast.Raise: (_replace_exception,),
    ast.Await: (_remove_await,),
    ast.FunctionDef: (_statements,),
    ast.AsyncFunctionDef: (_statements,),
    ast.For: (_statements,),
    ast.AsyncFor: (_statements,),
    ast.With: (_statements,),
    ast.AsyncWith: (_statements,),
    ast.Try: (_statements,),
}
