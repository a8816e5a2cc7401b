"""The syntax trees of Python: reading them, and walking them as specialists do hundreds of times a file."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from functools import lru_cache

from wardround.late import LatePattern

_OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
_PARAMETERS_SINCE = (3, 12)
_PARAMETERS = LatePattern(r"^[ \t]*(?:(?:async[ \t]+)?def|class|type)[ \t]+\w+[ \t]*(\[)", re.MULTILINE)
_BRACKETS = LatePattern(r"[\[\]]")
_ALIAS = LatePattern(r"^([ \t]*)type([ \t])(?=[ \t]*[^\W\d]\w*[ \t]*=[^=])", re.MULTILINE)
_NO_NODES = frozenset({"ctx", "id", "attr", "kind", "type_comment", "module", "level", "asname"})
"""Fields that hold no node, or (the first) one that says where its parent stands and nothing else."""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of a kind of node in which others may be."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        named = () if kind is ast.Constant else kind._fields
        found = self[kind] = tuple(name for name in named if name not in _NO_NODES)
        return found


_FIELDS = _Fields()


def parse(text: str) -> ast.Module:
    """Parse Python source without printing its warnings.

    An interpreter older than type parameters (``def first[T](...)``, ``type Pair[T] = ...``) reads the text
    without them.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python this interpreter can read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError as cause:
            trouble = cause
        bare = _without_type_parameters(text) if sys.version_info < _PARAMETERS_SINCE else text
        if bare != text:
            try:
                return ast.parse(bare)
            except SyntaxError as cause:  # there is something else
                trouble = cause
    trouble.msg = f"{trouble.msg} (to Python {_OWN}: run wardround on the Python that the code is for)"
    raise trouble


@lru_cache(maxsize=2)
def shared_tree(text: str) -> ast.Module:
    """The tree of a text that several specialists read one after another; nobody may change it."""
    return parse(text)


def _without_type_parameters(text: str) -> str:
    """The same text with blanks in place of type parameters, and assignments in place of type aliases.

    What is left stands at the same line and column.
    """
    parts, done = [], 0
    for match in _PARAMETERS.finditer(text):
        start = match.start(1)
        end = _closing(text, start)
        if start < done or end is None:
            continue
        blanked = "".join(c if c == "\n" else " " for c in text[start : end + 1])
        parts += [text[done:start], blanked.replace("\n", "\\\n")]  # a line that goes on says so
        done = end + 1
    return _ALIAS.sub(r"\1pass;", "".join([*parts, text[done:]]))


def _closing(text: str, start: int) -> int | None:
    """Where the bracket that opens at a place closes; None if it does not."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        depth += 1 if match.group() == "[" else -1
        if depth == 0:
            return match.start()
    return None


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and every one below it but contexts, in the order of ``ast.walk``, in a third of its time."""
    found = [node]
    fields, add = _FIELDS, found.append
    for one in found:
        yield one
        for name in fields[one.__class__]:
            value = getattr(one, name, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        add(item)
            elif isinstance(value, ast.AST):
                add(value)


def written(node: ast.AST) -> str:
    """A node as ``ast.unparse`` writes it, of which a dotted name takes next to no time."""
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        return ast.unparse(node)
    return ".".join([inner.id, *reversed(parts)])


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below one but its context, in the order of ``ast.iter_child_nodes``."""
    for name in _FIELDS[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            yield value
