"""The ancestors of a class, and classes whose arguments follow from their bodies alone."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from typing import NamedTuple

from wardround.languages.python.cache import parsed
from wardround.languages.python.module import PythonModule
from wardround_python.analysis.call_resolution import CallResolver, FunctionDefinition, ProjectFiles
from wardround_python.tools.false_positives.snapshot_classes import SnapshotClasses, method_of

_DECORATORS = frozenset(
    {
        "dataclasses.dataclass", "functools.total_ordering", "typing.final", "typing.runtime_checkable",
        "typing_extensions.final", "typing_extensions.runtime_checkable", "enum.unique",
    }
)  # fmt: skip
"""Decorators that leave a class as ty reads it."""
_METACLASSES = frozenset({"abc.ABCMeta", "type", "enum.EnumMeta", "enum.EnumType"})
_ENFORCING = frozenset(
    {"abc.ABC", "abc.ABCMeta", "pydantic.BaseModel", "typing.Protocol", "typing_extensions.Protocol"}
)
"""Bases and metaclasses that refuse objects of a class with abstract methods."""
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
        one = pending.pop()
        if isinstance(one.node, ast.ClassDef):
            module = parsed(one.path, files.read(one.path) or "")
            resolver = CallResolver(module, files)
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in one.node.bases]
            found = [resolver.definition_of(ast.Call(base, [], [])) for base in bases]
            pending += [base for base in found if base is not None]
            external = [module.dotted(base) or "?" for base, own in zip(bases, found, strict=True) if not own]
            yield Ancestor(module, one.node, tuple(external))


def is_plain(definition: FunctionDefinition, files: ProjectFiles, known_bases: frozenset[str]) -> bool:
    """Return True for a class whose ancestors, decorators and metaclass are all known.

    Args:
        known_bases: dotted names of bases outside of the repository that count as known.
    """
    classes = list(ancestors(definition, files))
    return 0 < len(classes) < _MOST_CLASSES and all(
        _is_plain_itself(one.module, one.node)
        and all(base in known_bases or _is_standard(base) for base in one.external)
        for one in classes
    )


def may_have_abstract_methods(definition: FunctionDefinition, files: SnapshotClasses) -> bool:
    """Return True if objects of a class can be created although it has abstract methods.

    Only the metaclass of ``abc`` refuses them, and an ancestor may add methods to its subclasses. Bases
    from packages seldom have that metaclass; one with the name of a class of the repository may be it.
    """
    classes = list(ancestors(definition, files))
    if any(method_of(one.node, "__init_subclass__") for one in classes):
        return True
    bases = [base for one in classes for base in one.external]
    metaclasses = [
        one.module.dotted(keyword.value) or "?" for one in classes for keyword in one.node.keywords
    ]
    return bool(classes) and not (
        any(_enforces(one) or (not _is_standard(one) and files.named(_last(one))) for one in bases)
        or any(_enforces(one) or not _is_standard(one) for one in metaclasses)
    )


def _enforces(name: str) -> bool:
    """Return True for a base or metaclass of ``abc``."""
    return name in _ENFORCING or name.startswith(_ENFORCING_MODULES)


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def _is_standard(dotted: str) -> bool:
    return dotted.partition(".")[0] in sys.stdlib_module_names or hasattr(builtins, dotted)


def _is_plain_itself(module: PythonModule, node: ast.ClassDef) -> bool:
    """Return True if neither a decorator nor a keyword of the class statement can change its arguments."""
    decorators = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return all(module.dotted(one) in _DECORATORS for one in decorators) and all(
        keyword.arg == "metaclass" and module.dotted(keyword.value) in _METACLASSES
        for keyword in node.keywords
    )
