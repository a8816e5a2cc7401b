"""Cheap tests by which checks are chosen before they are imported."""

from __future__ import annotations

import re

from wardround.checks.registry import BeforeAfter
from wardround.languages.python.function_text import changed_functions

_DEFINED = re.compile(
    r"(?:\b(?:def|class|function\*?|interface|type|const|let|var|enum|get|set|async|static|readonly|public"
    r"|private|protected)\s+|^\s*)(?:['\"#]?)([^\W\d]\w*)['\"]?\s*\??\s*[=:(<,]|\bclass\s+(\w+)",
    re.MULTILINE,
)


def removes_a_name(file: BeforeAfter) -> bool:
    """Return True if a file loses a line that seems to define a name which no line of the new text does."""
    base, text = file.base_text, file.text
    if base is None or text is None or base == text:
        return False
    lost = _defined_names("\n".join(_lost_lines(file)))
    return bool(lost) and not lost <= _defined_names(text)


def _defined_names(text: str) -> set[str]:
    return {match[1] or match[2] for match in _DEFINED.finditer(text)}


def changes_a_python_function(file: BeforeAfter) -> bool:
    """Return True if the text of a function of a Python file differs."""
    base, text = file.base_text, file.text
    return base is not None and text is not None and "def " in text and bool(changed_functions(base, text))


def changes_a_script(file: BeforeAfter) -> bool:
    """Return True if a script exists at base and head and differs."""
    return file.base_text is not None and file.text is not None and file.base_text != file.text


def removes_a_path(file: BeforeAfter) -> bool:
    """Return True if a file is deleted, or may be moved: its old path is not known here."""
    return file.text is None or getattr(file, "base_path", file.path) != file.path


_FIELD = re.compile(
    r"^    \w+.*=\s*(?:models\.|\w*\.?Column|mapped_column|\w*Field|\w*ForeignKey)", re.MULTILINE
)
_SCHEMA = re.compile(r"(?i)\b(?:drop|rename|create)\b|drop_column|drop_table|^model ", re.MULTILINE)


def alters_a_schema(file: BeforeAfter) -> bool:
    """Return True if a file may remove a table or a column, or is a model of dbt."""
    if file.path.endswith(".py"):
        return _is_dropping_migration(file) or _may_remove_field(file)
    if not file.path.endswith((".sql", ".prisma")):
        return False
    return "models/" in file.path or bool(_SCHEMA.search(f"{file.base_text}\n{file.text}"))


def _is_dropping_migration(file: BeforeAfter) -> bool:
    return file.base_text is None and "drop_" in (file.text or "")


def _may_remove_field(file: BeforeAfter) -> bool:
    return loses_a_line(file) and bool(_FIELD.search(file.base_text or ""))


_ROUTE = re.compile(r"\bname\s*=\s*['\"]|\.(?:get|post|put|patch|delete|all|route|websocket)\(\s*['\"`]/")
_FILE_ROUTES = re.compile(r"(?:^|/)(?:app|pages)/.*\.(?:tsx?|jsx?)$")


def removes_a_route(file: BeforeAfter) -> bool:
    """Return True if a file loses a line that may declare a route, or is the file of one."""
    base_path = getattr(file, "base_path", None)
    if base_path is None:
        return False
    is_moved = file.text is None or base_path != file.path
    if is_moved and _FILE_ROUTES.search(base_path):
        return True
    return _ROUTE.search("\n".join(_lost_lines(file))) is not None


def loses_a_line(file: BeforeAfter) -> bool:
    """Return True if a file has a line before that it has not any more."""
    return bool(_lost_lines(file))


def _lost_lines(file: BeforeAfter) -> list[str]:
    """Return the lines of the base that the new text does not have."""
    base, text = file.base_text or "", file.text or ""
    if base.endswith("\n") and text.startswith(base):
        return []
    head = set(text.split("\n"))
    return [line for line in base.split("\n") if line not in head]
