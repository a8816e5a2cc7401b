"""Every regular expression of this project in its source, and how it is used."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "plugins", "rules")
_SEARCHES = {"search", "finditer", "findall", "sub", "subn", "split"}
_METHODS = _SEARCHES | {"match", "fullmatch"}
_BOUNDED = ("LazyPattern", "bounded")
_SAMPLE_NAME = "name"
"""Stands for a value of the reviewed code that is put into a pattern while a review runs."""


@dataclass(frozen=True, slots=True)
class UsedPattern:
    """A pattern at its position in the source.

    Attributes:
        searched: True if it is tried at every position of a string, and not only at one that the caller
            names.
        bounded: True if its unlimited repeats get a limit for a search.
    """

    position: str
    text: str
    flags: int
    searched: bool
    bounded: bool


class _Sample(str):
    """A placeholder for the value of a local variable: it has every attribute, and every call of it returns a
    word.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> _Sample:
        return self

    def __call__(self, *_: object, **__: object) -> _Sample:
        return self

    def __getitem__(self, _: object) -> _Sample:
        return self


class _Names(dict[str, Any]):
    """The names of a module; a local one is a sample."""

    def __missing__(self, name: str) -> Any:
        import builtins

        return getattr(builtins, name, _Sample(_SAMPLE_NAME))


@cache
def every_pattern() -> tuple[UsedPattern, ...]:
    """All patterns of the project, in the order of the files."""
    return tuple(pattern for path in _sources() for pattern in _patterns_in_file(path))


def _sources() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).rglob("*.py"))


def _patterns_in_file(path: Path) -> Iterator[UsedPattern]:
    source = path.read_text(encoding="utf-8")
    if not any(word in source for word in ("re.", *_BOUNDED)):
        return
    tree = ast.parse(source)
    names = _Names(vars(_module(path)))
    only_matched = _only_matched(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and (function := _function(node.func)):
            value = _evaluated(node.args[0], names)
            pattern = getattr(value, "pattern", value)
            flags = max((_flags(item, names) for item in _rest(node, function)), default=0)
            searched = function in _SEARCHES or (function == "compile" and id(node) not in only_matched)
            if isinstance(pattern, str) and not isinstance(value, re.Pattern):
                position = f"{path.relative_to(ROOT)}:{node.lineno}"
                bounded = isinstance(node.func, ast.Name)
                yield UsedPattern(position, str(pattern), flags, searched, bounded)


def _function(node: ast.expr) -> str:
    """``compile`` for a function that creates a pattern, the name of the function for one that uses its
    string.
    """
    if isinstance(node, ast.Name) and node.id in _BOUNDED:
        return "compile"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
        return node.attr if node.attr in _METHODS or node.attr == "compile" else ""
    return ""


def _rest(call: ast.Call, function: str) -> list[ast.expr]:
    given = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    return [*given, *call.args[1 if function == "compile" else 2 :]]


def _flags(node: ast.expr, names: dict[str, Any]) -> int:
    value = _evaluated(node, names)
    return int(value) if isinstance(value, re.RegexFlag) else 0


def _evaluated(node: ast.expr, names: dict[str, Any]) -> Any:
    code = compile(ast.Expression(node), "pattern", "eval")
    try:
        return eval(code, names)
    except (TypeError, KeyError, ValueError, AttributeError, IndexError):
        return None


def _only_matched(tree: ast.AST) -> set[int]:
    """The calls whose pattern a module names and never searches with."""
    created = {
        target.id: id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.startswith("_")
    }
    methods: dict[str, set[str]] = {}
    loads: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            methods.setdefault(node.value.id, set()).add(node.attr)
            loads[node.value.id] = loads.get(node.value.id, 0) - 1
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loads[node.id] = loads.get(node.id, 0) + 1
    return {
        call
        for name, call in created.items()
        if methods.get(name, {""}) <= {"match", "fullmatch", "pattern"} and loads.get(name, 1) == 0
    }


def _module(path: Path) -> ModuleType:
    parts = path.with_suffix("").relative_to(ROOT).parts[1:]
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return importlib.import_module(name)
