"""The functions of a module that a change rewrote, each with its old version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode, PythonModule, named_functions
from wardround.languages.python.tree import cached_parse

Pair = tuple[FunctionNode, FunctionNode]
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def rewritten_functions(source: SourceFile, module: PythonModule) -> Sequence[Pair]:
    """Yield each function whose text changed under the same name: the old and the new version."""
    retained = module.notes.get("rewritten")
    if not isinstance(retained, tuple):
        retained = module.notes["rewritten"] = tuple(_find_rewritten_functions(source, module))
    return retained


def _find_rewritten_functions(source: SourceFile, module: PythonModule) -> Iterator[Pair]:
    base = source.base_text
    if base is None or base == source.text:
        return
    try:
        tree = cached_parse(base)
    except _UNREADABLE:
        return
    before = dict(named_functions(tree.body))
    old, new = base.split("\n"), source.text.split("\n")
    for name, current in named_functions(module.tree.body):
        previous = before.get(name)
        if previous is not None and _lines(previous, old) != _lines(current, new):
            yield previous, current


def _lines(node: FunctionNode, lines: Sequence[str]) -> Sequence[str]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return lines[first - 1 : node.end_lineno]
