"""Enum values that a Python migration adds, and their uses in its code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import callee_name
from wardround_sql.frontends.string_assembly import AssembledText, SqlAssembler

_ADDED = LazyPattern(r"(?i)\badd\s+value\s+(?:if\s+not\s+exists\s+)?'([^']+)'")


def enum_uses(module: SqlModule) -> Iterator[AssembledText]:
    """Yield a statement that uses an added value, at each later location where the code has that value."""
    added = set(_ADDED.findall(module.text))
    if not added:
        return
    functions = {n.name: n for n in walk(module.tree) if isinstance(n, ast.FunctionDef)}
    upgrade = functions.get("upgrade")
    if upgrade is not None:
        yield from _uses_of_values(module, upgrade, added)
    for item in module.classes:
        yield from _run_by_django(module, item, functions, added)


def _uses_of_values(module: SqlModule, function: ast.FunctionDef, added: set[str]) -> Iterator[AssembledText]:
    for node in walk(function):
        if isinstance(node, ast.Constant) and node.value in added:
            yield _statement(str(node.value), *module.place(node))


def _run_by_django(
    module: SqlModule, entry: ast.ClassDef, functions: dict[str, ast.FunctionDef], added: set[str]
) -> Iterator[AssembledText]:
    settings = {s.targets[0].id: s.value for s in entry.body
                if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)}  # fmt: skip
    commits = getattr(settings.get("atomic"), "value", None) is False
    for operation in getattr(settings.get("operations"), "elts", []):
        if not isinstance(operation, ast.Call):
            continue
        start, end = module.place(operation)
        for value in _used_values(operation, functions, added):
            yield _statement(value, start, start + len(unparse(operation.func)))
        if commits:
            writer = SqlAssembler()
            writer.add("COMMIT", end, 1)
            yield writer.text()


def _used_values(operation: ast.Call, functions: dict[str, ast.FunctionDef], added: set[str]) -> list[str]:
    """Return the added values in the function of a RunPython operation."""
    if callee_name(operation) != "RunPython":
        return []
    arguments = operation.args[:1]
    if not arguments:
        arguments = [keyword.value for keyword in operation.keywords if keyword.arg == "code"]
    function = functions.get(getattr(arguments[0], "id", "")) if arguments else None
    if function is None:
        return []
    constants = {node.value for node in walk(function) if isinstance(node, ast.Constant)}
    return sorted(str(value) for value in constants & added)


def _statement(value: str, start: int, end: int) -> AssembledText:
    writer = SqlAssembler()
    writer.add("SELECT '" + value.replace("'", "''") + "'", start, max(end - start, 1))
    return writer.text()
