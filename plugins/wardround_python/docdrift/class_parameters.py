"""Parameters that the docstring of a class documents, and that its ``__init__`` does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.semantics.docdrift.model import DocEntry
from wardround_python.docdrift.docstring_parser import words_of
from wardround_python.docdrift.documented_functions import signature_of

_BY_OTHERS = frozenset({"__new__", "__call__"})
"""Methods whose parameters the docstring of a class may be about."""


def unknown_parameters(module: PythonModule) -> Iterator[tuple[ast.ClassDef, ast.Constant, DocEntry]]:
    """Yield the entries of the docstrings of classes that name no parameter of ``__init__``.

    Classes whose docstring names none of its parameters are left out, since it is about something else, and
    those that accept any keyword, are created by another method or declare the name as a field.
    """
    for node in module.nodes:
        if isinstance(node, ast.ClassDef) and not node.decorator_list:
            docstring, init = _docstring(node), _init(node)
            if docstring is not None and init is not None:
                for entry in _unknown(node, docstring, init):
                    yield node, docstring, entry


def _docstring(node: ast.ClassDef) -> ast.Constant | None:
    first = node.body[0]
    value = first.value if isinstance(first, ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _init(node: ast.ClassDef) -> FunctionNode | None:
    """Return the only ``__init__`` of a class; None if it is decorated or another method creates objects."""
    methods = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    made = [one for one in methods if one.name == "__init__"]
    if len(made) != 1 or made[0].decorator_list or any(one.name in _BY_OTHERS for one in methods):
        return None
    return made[0]


def _unknown(node: ast.ClassDef, docstring: ast.Constant, init: FunctionNode) -> Iterator[DocEntry]:
    signature = signature_of(init)
    entries = words_of(str(docstring.value)).parameters
    known = {*signature.names, *signature.collectors}
    if signature.collectors or known.isdisjoint(entry.name for entry in entries):
        return
    fields = {last_name(one.target) for one in node.body if isinstance(one, ast.AnnAssign)}
    yield from (entry for entry in entries if entry.name.isidentifier() and entry.name not in known | fields)
