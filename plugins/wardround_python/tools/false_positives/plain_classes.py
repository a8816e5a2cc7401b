"""Classes whose arguments follow from their bodies alone."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator

from wardround.languages.python.cache import parsed
from wardround.languages.python.module import PythonModule
from wardround_python.analysis.call_resolution import CallResolver, FunctionDefinition, ProjectFiles

_DECORATORS = frozenset(
    {
        "dataclasses.dataclass", "functools.total_ordering", "typing.final", "typing.runtime_checkable",
        "typing_extensions.final", "typing_extensions.runtime_checkable", "enum.unique",
    }
)  # fmt: skip
"""Decorators that leave a class as ty reads it."""
_METACLASSES = frozenset({"abc.ABCMeta", "type", "enum.EnumMeta", "enum.EnumType"})
_CLASS_FACTORIES = frozenset({"typing.NamedTuple", "typing.Generic", "typing.Protocol", "abc.ABC"})
_MOST_BASES = 20


def is_plain(definition: FunctionDefinition, files: ProjectFiles, known_bases: frozenset[str]) -> bool:
    """Return True for a class whose ancestors, decorators and metaclass are all known.

    Args:
        known_bases: dotted names of bases outside of the repository that count as known.
    """
    pending = [definition]
    for _ in range(_MOST_BASES):
        if not pending:
            return True
        one = pending.pop()
        if not isinstance(one.node, ast.ClassDef):
            return False
        module = parsed(one.path, files.read(one.path) or "")
        if not _is_plain_itself(module, one.node):
            return False
        for base in _unknown_bases(module, one.node, known_bases):
            found = CallResolver(module, files).definition_of(ast.Call(base, [], []))
            if found is None:
                return False
            pending.append(found)
    return False


def _is_plain_itself(module: PythonModule, node: ast.ClassDef) -> bool:
    """Return True if neither a decorator nor a keyword of the class statement can change its arguments."""
    decorators = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return all(module.dotted(one) in _DECORATORS for one in decorators) and all(
        keyword.arg == "metaclass" and module.dotted(keyword.value) in _METACLASSES
        for keyword in node.keywords
    )


def _unknown_bases(module: PythonModule, node: ast.ClassDef, known: frozenset[str]) -> Iterator[ast.expr]:
    """Yield the bases that are neither of the standard library nor known."""
    for base in node.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        dotted = module.dotted(named) or ""
        is_standard = dotted.partition(".")[0] in sys.stdlib_module_names
        if not (is_standard or dotted in known or hasattr(builtins, dotted)):
            yield named
