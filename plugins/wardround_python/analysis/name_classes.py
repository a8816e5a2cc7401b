"""The classes of names and attributes, by annotation or construction."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import cached_property

from wardround.languages.python.module import PythonModule
from wardround.languages.python.tree import unparse

_OTHER = ast.Constant(...)


class NameClasses:
    """The classes of the names of one module, in any scope.

    Args:
        definitions: the functions and classes at the top of the module.
    """

    def __init__(self, module: PythonModule, definitions: Collection[str]) -> None:
        self._module = module
        self._definitions = definitions
        self._known: dict[str, ast.expr | None] = {}

    def only_class(self, name: str) -> ast.expr | None:
        """Return the only class that all bindings give a name; None if there is none."""
        if name not in self._known:
            kinds = self._classes.get(name, [])
            same = len({unparse(kind) for kind in kinds}) == 1
            self._known[name] = kinds[0] if same else None
        return self._known[name]

    @cached_property
    def _classes(self) -> dict[str, list[ast.expr]]:
        """Map a name or attribute of self to its classes; ``...`` for an unknown one."""
        classes: dict[str, list[ast.expr]] = {}
        for node in self._module.nodes:
            for name, class_name in self._bound_by(node):
                classes.setdefault(name, []).append(class_name)
        for name, candidates in list(classes.items()):
            origin = self._stored_parameter(name, candidates)
            if classes.get(origin):
                classes[name] = classes[origin]
        return classes

    def _bound_by(self, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
        match node:
            case ast.arg():
                yield node.arg, _annotated_class(node.annotation)
            case ast.AnnAssign():
                in_class = isinstance(self._module.parents[node], ast.ClassDef)
                yield ("self." if in_class else "") + unparse(node.target), _annotated_class(node.annotation)
            case ast.Assign():
                for target in node.targets:
                    yield unparse(target), _constructed_class(node.value)
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                yield unparse(node.target), _OTHER
            case ast.withitem(optional_vars=ast.expr() as target):
                yield unparse(target), _constructed_class(node.context_expr)

    def _stored_parameter(self, name: str, candidates: list[ast.expr]) -> str:
        """Return the parameter that an attribute of self is only assigned; empty if it is not."""
        if not name.startswith("self.") or len(candidates) != 1 or not isinstance(candidates[0], ast.Name):
            return ""
        origin = candidates[0].id
        return "" if origin in self._module.imported or origin in self._definitions else origin


def _annotated_class(annotation: ast.expr | None) -> ast.expr:
    """Return the class an annotation names: ``Mail``, ``"Mail"``, ``Mail | None``, ``Optional[Mail]``."""
    match annotation:
        case ast.Constant(value=str(name)):
            return ast.Name(name, ast.Load()) if name.isidentifier() else _OTHER
        case ast.BinOp(left=left, right=ast.Constant()):
            return left
        case ast.Subscript():
            return _argument_of(annotation)
        case ast.Name() | ast.Attribute():
            return annotation
    return _OTHER


def _argument_of(annotation: ast.Subscript) -> ast.expr:
    """Return the class in ``Optional[Mail]`` and ``Annotated[Mail, ...]``."""
    if unparse(annotation.value).rpartition(".")[2] not in ("Optional", "Annotated", "Final"):
        return _OTHER
    argument = annotation.slice
    return argument.elts[0] if isinstance(argument, ast.Tuple) and argument.elts else argument


def _constructed_class(value: ast.expr) -> ast.expr:
    """Return the class of a value, or the name under which it is re-exported."""
    creation = value.func if isinstance(value, ast.Call) else value
    return creation if isinstance(creation, (ast.Name, ast.Attribute)) else _OTHER
