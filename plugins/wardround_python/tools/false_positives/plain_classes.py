"""The ancestors of a class, and classes whose arguments are determined by their bodies only."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from typing import NamedTuple

from wardround.languages.python.cache import cached_module
from wardround.languages.python.module import PythonModule
from wardround_python.analysis.call_resolution import CallResolver, FunctionDefinition, ProjectFiles
from wardround_python.tools.false_positives.snapshot_classes import SnapshotClasses, method_of

_DECORATORS = frozenset(
    {
        "dataclasses.dataclass", "functools.total_ordering", "typing.final", "typing.runtime_checkable",
        "typing_extensions.final", "typing_extensions.runtime_checkable", "enum.unique",
    }
)  # fmt: skip
"""Decorators that do not change a class for ty."""
_METACLASSES = frozenset({"abc.ABCMeta", "type", "enum.EnumMeta", "enum.EnumType"})
_ENFORCING = frozenset(
    {"abc.ABC", "abc.ABCMeta", "pydantic.BaseModel", "typing.Protocol", "typing_extensions.Protocol"}
)
"""Bases and metaclasses that reject objects of a class with abstract methods."""
_ENFORCING_MODULES = ("collections.abc.", "typing.", "io.", "importlib.abc.", "numbers.")
_MOST_CLASSES = 20


class Ancestor(NamedTuple):
    """A class of the repository, and the dotted names of its bases outside of the repository."""

    module: PythonModule
    node: ast.ClassDef
    external: tuple[str, ...]


def ancestors(definition: FunctionDefinition, files: ProjectFiles) -> Iterator[Ancestor]:
    """Yield a class and its ancestors in the repository, twenty at most; none for a function."""
    pending = [definition]
    for _ in range(_MOST_CLASSES):
        if not pending:
            return
        current = pending.pop()
        if isinstance(current.node, ast.ClassDef):
            module = cached_module(current.path, files.read(current.path) or "")
            own, external = _bases_of(current.node, module, files)
            pending += own
            yield Ancestor(module, current.node, external)


def _bases_of(
    node: ast.ClassDef, module: PythonModule, files: ProjectFiles
) -> tuple[list[FunctionDefinition], tuple[str, ...]]:
    """Return the bases of a class in the repository, and the names of the others."""
    resolver = CallResolver(module, files)
    own, external = [], []
    for base in node.bases:
        name = base.value if isinstance(base, ast.Subscript) else base
        definition = resolver.definition_of(ast.Call(name, [], []))
        if definition is not None:
            own.append(definition)
        else:
            external.append(module.qualified_name(name) or "?")
    return own, tuple(external)


def is_plain(definition: FunctionDefinition, files: ProjectFiles, known_bases: frozenset[str]) -> bool:
    """Return True for a class whose ancestors, decorators and metaclass are all known.

    Args:
        known_bases: dotted names of bases outside of the repository that count as known.
    """
    classes = list(ancestors(definition, files))
    return 0 < len(classes) < _MOST_CLASSES and all(
        _is_plain_itself(class_.module, class_.node)
        and all(base in known_bases or _is_standard(base) for base in class_.external)
        for class_ in classes
    )


def may_have_abstract_methods(definition: FunctionDefinition, files: SnapshotClasses) -> bool:
    """Return True if objects of a class can be created although it has abstract methods.

    Only the metaclass of ``abc`` rejects them, and an ancestor may add methods to its subclasses. Bases from
    packages rarely have that metaclass; one with the name of a class of the repository may have it.
    """
    classes = list(ancestors(definition, files))
    if any(method_of(class_.node, "__init_subclass__") for class_ in classes):
        return True
    return bool(classes) and not any(_may_refuse_objects(class_, files) for class_ in classes)


def _may_refuse_objects(class_: Ancestor, files: SnapshotClasses) -> bool:
    """Return True if a base from elsewhere or the metaclass of a class may be that of ``abc``."""
    if any(_may_be_abstract(base, files) for base in class_.external):
        return True
    return any(_is_abstract_base(name) or not _is_standard(name) for name in _metaclasses(class_))


def _metaclasses(class_: Ancestor) -> Iterator[str]:
    """Yield the names of what a class statement passes by keyword; ``?`` for one without a name."""
    for keyword in class_.node.keywords:
        yield class_.module.qualified_name(keyword.value) or "?"


def _may_be_abstract(base: str, files: SnapshotClasses) -> bool:
    return _is_abstract_base(base) or (not _is_standard(base) and bool(files.named(_last(base))))


def _is_abstract_base(name: str) -> bool:
    """Return True for a base or metaclass of ``abc``."""
    return name in _ENFORCING or name.startswith(_ENFORCING_MODULES)


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def _is_standard(dotted: str) -> bool:
    return dotted.partition(".")[0] in sys.stdlib_module_names or hasattr(builtins, dotted)


def _is_plain_itself(module: PythonModule, node: ast.ClassDef) -> bool:
    """Return True if neither a decorator nor a keyword of the class statement can change its arguments."""
    decorators = (
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    )
    return all(module.qualified_name(decorator) in _DECORATORS for decorator in decorators) and all(
        keyword.arg == "metaclass" and module.qualified_name(keyword.value) in _METACLASSES
        for keyword in node.keywords
    )
