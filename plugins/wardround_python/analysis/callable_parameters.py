"""The parameters that positional arguments of functions and classes bind to."""

from __future__ import annotations

import ast

import msgspec

from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse

_SAME_SIGNATURE = frozenset(
    """
    abstractmethod asynccontextmanager cache classmethod contextmanager final lru_cache override staticmethod
    """.split()  # noqa: SIM905
)


class Callee(msgspec.Struct, frozen=True):
    """A function or class a call reaches.

    Attributes:
        parameters: the names that positional arguments bind to, in order, without the receiver.
        place: the path of the file that defines it.
    """

    name: str
    parameters: tuple[str, ...]
    place: str


def callee_of(node: ast.AST, path: str, is_method: bool = False) -> Callee | None:
    """Return a function or class as a callee; None if its parameters are unknown."""
    if isinstance(node, ast.ClassDef):
        parameters = _parameters_of_class(node)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parameters = _parameters(node, is_method)
    else:
        return None
    name: str = getattr(node, "name", "")
    return None if parameters is None else Callee(name, parameters, path)


def decorator_names(node: FunctionNode | ast.ClassDef) -> set[str]:
    """Return the last names of the decorators."""
    calls = [
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    ]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "?") for call in calls}


def _parameters(function: FunctionNode, is_method: bool) -> tuple[str, ...] | None:
    decorators = decorator_names(function)
    if not decorators <= _SAME_SIGNATURE or function.args.vararg is not None:
        return None
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    if is_method and "staticmethod" not in decorators:
        names = names[1:]
    return tuple(names)


def _parameters_of_class(node: ast.ClassDef) -> tuple[str, ...] | None:
    """Return the parameters of a class: those of ``__init__``, or the fields of a dataclass."""
    if node.keywords:
        return None
    methods = {n.name: n for n in node.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
    if "__new__" in methods:
        return None
    if "__init__" in methods:
        return _parameters(methods["__init__"], is_method=True)
    return _plain_fields(node) if _is_field_class(node) else None


def _is_field_class(node: ast.ClassDef) -> bool:
    """Return True for a dataclass or a named tuple whose parameters are its fields in their order."""
    bases = {last_name(base) or "?" for base in node.bases}
    is_dataclass = decorator_names(node) == {"dataclass"} and not bases
    if not is_dataclass and bases != {"NamedTuple"}:
        return False
    dump = ast.dump(node)
    return "kw_only" not in dump and "InitVar" not in dump and "init=" not in unparse(node)


def _plain_fields(node: ast.ClassDef) -> tuple[str, ...]:
    fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
    return tuple(
        field.target.id
        for field in fields
        if isinstance(field.target, ast.Name) and "ClassVar" not in ast.dump(field)
    )
