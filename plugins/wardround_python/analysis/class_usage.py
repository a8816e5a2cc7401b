"""The classes of a module that others extend, and where the module uses them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern

_ABSTRACT_BASES = frozenset({"ABC", "ABCMeta", "Protocol", "Interface"})
BASE_CLASS_NAME = LazyPattern(
    r"^_?(Base|Abstract|Null|Noop|NoOp|Dummy|Fake|Mock|Empty)|(Base|Mixin|Protocol|Interface|Error"
    r"|Exception)$"
)
_DECLARATIONS = (ast.ClassDef, ast.arg, ast.AnnAssign, ast.Subscript)


class ClassUsage:
    """The uses of the classes of one module."""

    def __init__(self, source: SourceFile, module: PythonModule) -> None:
        self._source = source
        self._module = module

    def line_of_use(self, owner: ast.ClassDef) -> int | None:
        """Return the line of a use of a class outside it, except as base or annotation."""
        own_lines = range(owner.lineno, (owner.end_lineno or owner.lineno) + 1)
        for node in self._module.nodes:
            if not isinstance(node, ast.Name) or node.id != owner.name or node.lineno in own_lines:
                continue
            is_declared = isinstance(self._module.parents[node], _DECLARATIONS)
            if isinstance(node.ctx, ast.Load) and not is_declared:
                return node.lineno
        return None

    def has_subclasses(self, owner: ast.ClassDef) -> bool:
        """Return True if a file of the project extends a class of this name."""
        subclass = bounded_pattern(rf"^\s*class \w+\([^)]*\b{owner.name}\b", re.MULTILINE)
        project = self._source.project
        others = (project.read(path) for path in project.files_with_word([owner.name], ["*.py"]))
        return any(subclass.search(text) for text in (self._source.text, *others) if text)

    def is_abstract(self, owner: ast.ClassDef) -> bool:
        """Return True if the bases or the name of a class mark it as abstract."""
        bases = [*owner.bases, *(keyword.value for keyword in owner.keywords)]
        names = {name.rpartition(".")[2] for name in self._names_of(bases)}
        return bool(names & _ABSTRACT_BASES) or BASE_CLASS_NAME.search(owner.name) is not None

    def extends_abstract(self, owner: ast.ClassDef) -> bool:
        """Return True if a class extends an abstract class of the module."""
        return not self._abstract_names.isdisjoint(self._names_of(owner.bases))

    def is_overridden(self, owner: ast.ClassDef, name: str) -> bool:
        """Return True if a subclass in the module defines a method too."""
        classes = [node for node in walk(self._module.tree) if isinstance(node, ast.ClassDef)]
        subclasses = [
            other for other in classes if owner.name in map(self._module.qualified_name, other.bases)
        ]
        members = (getattr(member, "name", None) for subclass in subclasses for member in subclass.body)
        return name in members

    @cached_property
    def _abstract_names(self) -> set[str]:
        """Classes of the module that leave methods to subclasses."""
        classes = [node for node in self._module.nodes if isinstance(node, ast.ClassDef)]
        return {
            owner.name for owner in classes if self.is_abstract(owner) or "abstractmethod" in unparse(owner)
        }

    def _names_of(self, bases: list[ast.expr]) -> Iterator[str]:
        for base in bases:
            name = base.value if isinstance(base, ast.Subscript) else base
            yield self._module.qualified_name(name) or ""


def chooses_class(owner: ast.ClassDef) -> bool:
    """Return True if ``__new__`` of a class returns objects of others, so that it may have none itself."""
    makers = [node for node in owner.body if isinstance(node, FunctionNode) and node.name == "__new__"]
    return any(_returns_new_object(node) for maker in makers for node in walk(maker))


def _returns_new_object(node: ast.AST) -> bool:
    """Return True for ``return Other()``."""
    match node:
        case ast.Return(value=ast.Call(func=ast.Name(id=name))):
            return name[:1].isupper()
    return False
