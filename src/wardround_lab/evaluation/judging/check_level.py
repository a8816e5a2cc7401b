"""Edits of the level of a check in its Python source. Comments and layout stay."""

from __future__ import annotations

import ast
import re

from wardround.errors import UsageError
from wardround.findings import Severity
from wardround.languages.python.tree import unparse
from wardround.rules.earned_level import Level

_SEVERITY, _MATURITY = "SEVERITY", "MATURITY"
_IMPORTED = {
    _SEVERITY: ("wardround.findings", "Severity"),
    _MATURITY: ("wardround.rules.maturity", "Maturity"),
}


def set_check_level(text: str, code: str, level: Level) -> str:
    """Return the source of a module with the level of the check of this code; ruff sorts and wraps imports.

    Raises:
        UsageError: the module has no class with this ``ID``, or the check passes higher severities itself.
    """
    if level is Level.PREVIEW:
        return _set_attribute(text, code, _MATURITY, "Maturity.PREVIEW")
    _require_lower(text, code, level)
    changed = _set_attribute(text, code, _SEVERITY, f"Severity.{level.name}")
    return _remove_preview(changed, code)


def _require_lower(text: str, code: str, level: Level) -> None:
    """Reject a check that reports some of its findings with a higher severity than its new one."""
    _class_of(text, code)
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Attribute) or unparse(node.value) != "Severity":
            continue
        is_of_rule = re.match(r"\s+SEVERITY\b", lines[node.lineno - 1]) is not None
        higher = node.attr in Severity.__members__ and Severity[node.attr] > Severity.from_label(level)
        if higher and not is_of_rule:
            raise UsageError(f"line {node.lineno} of its check reports {node.attr.lower()} itself")


def _class_of(text: str, code: str) -> ast.ClassDef:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and any(
            name == "ID" and isinstance(value, ast.Constant) and value.value == code
            for name, value, _ in _attributes(node)
        ):
            return node
    raise UsageError(f"no class with ID {code}")


def _attributes(node: ast.ClassDef) -> list[tuple[str, ast.expr, ast.stmt]]:
    """Return the name, the value and the statement of each assignment in the body of a class."""
    found: list[tuple[str, ast.expr, ast.stmt]] = []
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            found.append((statement.targets[0].id, statement.value, statement))
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.value is not None
        ):
            found.append((statement.target.id, statement.value, statement))
    return found


def _set_attribute(text: str, code: str, name: str, value: str) -> str:
    attributes = {
        known: (known_value, attribute)
        for known, known_value, attribute in _attributes(_class_of(text, code))
    }
    lines = text.splitlines(keepends=True)
    if name in attributes:
        node = attributes[name][0]
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + value + line[node.end_col_offset :]
    else:
        after = attributes.get("NAME", attributes["ID"])[1]
        lines.insert(after.end_lineno or after.lineno, f"{' ' * after.col_offset}{name} = {value}\n")
    return _add_import("".join(lines), *_IMPORTED[name])


def _add_import(text: str, module: str, name: str) -> str:
    """Return a module that imports a name; the statement of the same module is extended, if it has one."""
    imports = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    same = next((node for node in imports if node.module == module), None)
    lines = text.splitlines(keepends=True)
    if same is None:
        before = [node for node in imports if (node.module or "") < module and node.module != "__future__"]
        location = (before or imports)[-1].end_lineno or 0
        return "".join([*lines[:location], f"from {module} import {name}\n", *lines[location:]])
    names = sorted({*(unparse(alias) for alias in same.names), name})
    statement = f"from {module} import {', '.join(names)}\n"
    return "".join([*lines[: same.lineno - 1], statement, *lines[same.end_lineno or same.lineno :]])


def _remove_preview(text: str, code: str) -> str:
    """Return a module whose check of this code is stable, without an import that nothing uses."""
    attributes = {name: attribute for name, _, attribute in _attributes(_class_of(text, code))}
    lines = text.splitlines(keepends=True)
    if _MATURITY not in attributes:
        return text
    node = attributes[_MATURITY]
    changed = "".join([*lines[: node.lineno - 1], *lines[node.end_lineno or node.lineno :]])
    module, name = _IMPORTED[_MATURITY]
    statement = f"from {module} import {name}\n"
    rest = changed.replace(statement, "")
    return changed if re.search(rf"\b{name}\b", rest) else rest
