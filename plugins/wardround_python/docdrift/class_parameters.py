"""Parameters that the docstring of a class documents, and that its ``__init__`` does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.semantics.docdrift.model import DocEntry
from wardround_python.docdrift.docstring_parser import comment_of_docstring
from wardround_python.docdrift.documented_functions import signature_of

_BY_OTHERS = frozenset({"__new__", "__call__"})
"""Methods whose parameters the docstring of a class may be about."""


def unknown_parameters(module: PythonModule) -> Iterator[tuple[ast.ClassDef, ast.Constant, DocEntry]]:
    """Yield the entries of the docstrings of classes that name no parameter of ``__init__``.

    Classes whose docstring names none of their parameters are skipped, since it describes something else, as
    are those that accept any keyword, are created by another method or declare the name as a field.
    """
    for node in module.nodes:
        if isinstance(node, ast.ClassDef) and not node.decorator_list:
            docstring, init = _docstring_node(node), _init(node)
            if docstring is not None and init is not None:
                for entry in _unknown_entries(node, docstring, init):
                    yield node, docstring, entry


def _docstring_node(node: ast.ClassDef) -> ast.Constant | None:
    first = node.body[0]
    value = first.value if isinstance(first, ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _init(node: ast.ClassDef) -> FunctionNode | None:
    """Return the only ``__init__`` of a class; None if it is decorated or another method creates objects."""
    methods = [
        statement for statement in node.body if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    created = [method for method in methods if method.name == "__init__"]
    if len(created) != 1 or created[0].decorator_list or any(method.name in _BY_OTHERS for method in methods):
        return None
    return created[0]


def _unknown_entries(node: ast.ClassDef, docstring: ast.Constant, init: FunctionNode) -> Iterator[DocEntry]:
    signature = signature_of(init)
    entries = comment_of_docstring(str(docstring.value)).parameters
    known = {*signature.names, *signature.collectors}
    if signature.collectors or known.isdisjoint(entry.name for entry in entries):
        return
    fields = {last_name(statement.target) for statement in node.body if isinstance(statement, ast.AnnAssign)}
    yield from (entry for entry in entries if entry.name.isidentifier() and entry.name not in known | fields)
