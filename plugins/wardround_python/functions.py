"""The documented functions of a module whose code a change touched, before and after it.

Functions are found by the text, not by parsing the whole of both versions: only what differs is parsed. That
makes a commit review cost next to nothing, and years of history minutes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from wardround.drift.documented import Code, DocumentedChange, Parameter, Signature
from wardround.drift.rows import Compared
from wardround.late import LatePattern
from wardround_python.docstrings import words_of
from wardround_python.module import SCOPES, FunctionNode, nodes_run_by, parse

_DEFINITION = LatePattern(r"\n([ \t]*)(async[ \t]+def|def|class)[ \t]+([^\W\d]\w*)")
_OPENS = LatePattern("[#'\"]")
_SHORT_STRING = LatePattern(r""""[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'""")
_LONG_QUOTES = ('"""', "'''")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_TEXTS_KEPT = 64
"""Of a history, the text before one commit is the text after another."""


@dataclass(frozen=True, slots=True)
class FunctionText:
    """One function as it is written.

    Attributes:
        name: qualified within the module.
        line: of its first decorator or its ``def``, 1-based.
        text: whole lines, from there to its end.
    """

    name: str
    indent: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Read:
    """One version of a function, read.

    Attributes:
        words_line: where its docstring starts, counted in its own text from 1.
    """

    code: Code
    docstring: str | None
    words_line: int


@lru_cache(maxsize=2)
def compared(old_text: str, new_text: str) -> Sequence[Compared]:
    """The functions of a module with a docstring before the change whose code differs, in the new order.

    Comments, formatting and type annotations are no code. Functions in functions are part of those; of a
    name that is bound more than once, the versions are matched by their order if there are as many as before.
    """
    old = _by_name(function_texts(old_text))
    found = []
    for name, versions in _by_name(function_texts(new_text)).items():
        if len(old.get(name, ())) == len(versions):
            pairs = zip(old[name], versions, strict=True)
            found += [one for a, b in pairs if a.text != b.text for one in _compare(a, b, new_text)]
    return tuple(sorted(found, key=lambda one: one.line))


def _by_name(functions: Sequence[FunctionText]) -> dict[str, list[FunctionText]]:
    found: dict[str, list[FunctionText]] = {}
    for function in functions:
        found.setdefault(function.name, []).append(function)
    return found


@lru_cache(maxsize=_TEXTS_KEPT)
def function_texts(text: str) -> Sequence[FunctionText]:
    """The functions and methods of a module, those in other functions left out, in the order of the text."""
    text = "\n" + text
    masked = _without_long_strings(text)
    stack: list[tuple[int, str, bool]] = []
    found = []
    line, counted_to = 0, 0
    for match in _DEFINITION.finditer(masked):
        while stack and stack[-1][0] <= match.start():
            stack.pop()
        if stack and stack[-1][2]:
            continue
        name = f"{stack[-1][1]}.{match[3]}" if stack else match[3]
        end = _block_end(masked, match)
        is_class = match[2] == "class"
        stack.append((end, name, not is_class))
        if not is_class:
            start = _first_decorator(masked, match.start() + 1, len(match[1]))
            line += text.count("\n", counted_to, start)
            counted_to = start
            found.append(FunctionText(name, len(match[1]), line, text[start:end].rstrip()))
    return tuple(found)


def _without_long_strings(text: str) -> str:
    """The text with spaces in triple-quoted strings, so that nothing in them is taken for code."""
    pieces, place = [], 0
    following = dict.fromkeys(_LONG_QUOTES, -1)
    while True:
        for quote, at in following.items():
            if at < place:
                found = text.find(quote, place)
                following[quote] = found if found >= 0 else len(text)
        start = min(following.values())
        if start == len(text):
            return "".join((*pieces, text[place:]))
        if _is_opaque(text, start):
            pieces.append(text[place : start + 3])
            place = start + 3
            continue
        end = _string_end(text, start)
        blank = "\n".join([" " * len(line) for line in text[start + 1 : end].split("\n")])
        pieces += [text[place : start + 1], blank]
        place = end


def _is_opaque(text: str, place: int) -> bool:
    """Whether a place is in a comment or in a string of one line."""
    before = text[text.rfind("\n", 0, place) + 1 : place]
    return _OPENS.search(before) is not None and _OPENS.search(_SHORT_STRING.sub("", before)) is not None


def _string_end(text: str, start: int) -> int:
    quote = text[start : start + 3]
    end = text.find(quote, start + 3)
    while end >= 0 and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(quote, end + 1)
    return end + 3 if end >= 0 else len(text)


@lru_cache(maxsize=64)
def _dedent(indent: int) -> re.Pattern[str]:
    """The start of a line that ends a block; a closing bracket and a comment do not."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}[^\s)\]}}#]")


def _block_end(masked: str, definition: re.Match[str]) -> int:
    match = _dedent(len(definition[1])).search(masked, definition.end())
    return match.start() if match else len(masked)


def _first_decorator(masked: str, start: int, indent: int) -> int:
    """Where the decorators of a definition begin, those that take several lines included."""
    place = start
    while place > 1:
        above = masked.rfind("\n", 0, place - 1) + 1
        line = masked[above : place - 1]
        bare = line.lstrip()
        depth = len(line) - len(bare)
        if depth == indent and bare.startswith("@"):
            start = above
        elif not bare or not (depth > indent or bare[0] in ")]}#"):
            break
        place = above
    return start


def _compare(old: FunctionText, new: FunctionText, new_text: str) -> Iterator[Compared]:
    """What a pair comes to: nothing where there was no docstring or only formatting differs."""
    if not any(quote in old.text for quote in _LONG_QUOTES):
        return
    try:
        before = _read(old)
        after = _read(new) if before.docstring is not None else before
    except _UNREADABLE:
        return
    if before.docstring is None or before.code.lines == after.code.lines:
        return
    change = DocumentedChange(new.name, words_of(before.docstring), before.code, after.code, new_text)
    words_line = new.line + after.words_line - 1
    yield Compared(change, before.docstring, after.docstring, new.line, words_line)


def _read(function: FunctionText) -> _Read:
    """Parse one function.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: its text is not a whole function.
    """
    wrapped = function.indent > 0
    tree = parse(f"if 1:\n{function.text}" if wrapped else function.text)
    top = tree.body[0]
    node = top.body[0] if wrapped and isinstance(top, ast.If) else top
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise SyntaxError("no function")
    docstring, line = _take_docstring(node)
    return _Read(code_of(node), docstring, line - wrapped)


def _take_docstring(node: FunctionNode) -> tuple[str | None, int]:
    """Cut the docstring off a function; what it was and the line it began on."""
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        value = first.value.value
        if isinstance(value, str):
            node.body = node.body[1:] or [ast.Pass()]
            return value, first.lineno
    return None, node.lineno


def code_of(node: FunctionNode) -> Code:
    """A function without its docstring as comparable code; its annotations are cut off, in place."""
    signature = signature_of(node)
    wrappers = tuple(ast.unparse(one) for one in node.decorator_list)
    _cut_annotations(node)
    returns, raises = [], []
    for statement in _own_statements(node.body):
        if isinstance(statement, ast.Return):
            returns.append("" if statement.value is None else ast.unparse(statement.value))
        elif isinstance(statement, ast.Raise) and statement.exc is not None:
            raises.append(_last_name(statement.exc))
    lines = tuple(line.strip() for line in ast.unparse(node).split("\n"))
    yields = any("yield" in line for line in lines) and any(
        isinstance(part, (ast.Yield, ast.YieldFrom)) for part in nodes_run_by(node.body)
    )
    return Code(lines, signature, tuple(returns), yields, tuple(filter(None, raises)), wrappers)


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def _own_statements(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The statements below a block, those of functions and classes in it left out."""
    for node in block:
        yield node
        if not isinstance(node, SCOPES):
            for name in _BLOCKS:
                yield from _own_statements(getattr(node, name, ()))


def _cut_annotations(node: ast.AST) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node.returns = None
        arguments = node.args
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            one.annotation = None
        for collector in (arguments.vararg, arguments.kwarg):
            if collector is not None:
                collector.annotation = None
    for name in _BLOCKS:
        block: list[ast.AST] = getattr(node, name, [])
        for place, below in enumerate(block):
            if isinstance(below, ast.AnnAssign):
                block[place] = _plain_assignment(below)
            else:
                _cut_annotations(below)


def _plain_assignment(node: ast.AnnAssign) -> ast.stmt:
    if node.value is None:
        return ast.Pass(lineno=node.lineno)
    return ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno)


def signature_of(node: FunctionNode) -> Signature:
    """What a function declares, without the receiver of a method."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    by_keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    pairs = [*zip(plain, defaults, strict=True), *by_keyword]
    if pairs and pairs[0][0].arg in ("self", "cls", "mcs"):
        pairs = pairs[1:]
    return Signature(
        tuple(Parameter(a.arg, None if value is None else ast.unparse(value)) for a, value in pairs),
        arguments.kwarg is not None,
        tuple(one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None),
    )


def _last_name(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
