"""PY065: copy paste attribute."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_MIN_ALIKE = 2
"""Fewest entries of a row that are named like the attribute they read."""
_PAIRS = frozenset(
    frozenset(pair.split())
    for pair in (
        "width height", "x y", "start end", "first last", "min max", "left right", "top bottom", "lat lng",
        "lat lon", "latitude longitude", "source target", "created_at updated_at", "first_name last_name",
        "username email", "city country", "lower upper", "begin end", "old new", "src dst", "host port",
    )
)  # fmt: skip

_Entry = tuple[str, ast.expr]
"""A named value of a row: ``"id": user.id``."""


class CopyPasteAttribute(PythonCheck):
    """One entry of a row of same-named attributes reads another entry's attribute.

    The line was copied and only half edited: ``height=image.width``. Read the attribute that the entry is
    named after.
    """

    ID = "PY065"
    NAME = "copy-paste-attribute"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "copied-value"
    PREFILTER = "wardround_python.prefilters:takes_an_attribute_twice"
    VALID = [
        code("""
            x = {'id': u.id, 'name': u.name, 'email': u.email, 'pk': u.id}
        """),
        code("""
            x = {'id': u.id, 'name': u.name, 'email': u.email, 'user_id': u.id}
        """),
    ]
    INVALID = [
        code("""
            x = {'width': i.width, 'height': «i.width»}
        """),
        code("""
            x = Box(depth=i.depth, width=i.width, height=«i.width»)
        """),
    ]

    def visit_Dict(self, node: ast.Dict) -> None:
        pairs = zip(node.keys, node.values, strict=True)
        self._check([(str(key.value), v) for key, v in pairs if isinstance(key, ast.Constant)])

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.keywords) > 1:
            self._check([(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_block(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_block(node.body)

    def _check_block(self, body: Sequence[ast.stmt]) -> None:
        """Check the rows of assignments: ``session["id"] = context.id``, ``self.id = row.id``."""
        row: list[_Entry] = []
        row_owner = ""
        for statement in [*body, ast.Pass()]:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            name, owner = _assigned_to(target)
            if row and (not name or owner != row_owner):
                self._check(row)
                row = []
            if name and isinstance(statement, ast.Assign):
                row.append((name, statement.value))
                row_owner = owner

    def _check(self, row: Sequence[_Entry]) -> None:
        alike = [v for name, v in row if isinstance(v, ast.Attribute) and v.attr == name]
        for name, value in row if alike else ():
            if isinstance(value, ast.Attribute) and self._is_copied(name, value, alike):
                owner = unparse(value.value)
                self.report(
                    self.module.span(value),
                    f'"{name}" and "{value.attr}" both read {owner}.{value.attr}; use {owner}.{name}',
                )
                return

    def _is_copied(self, name: str, value: ast.Attribute, alike: Sequence[ast.Attribute]) -> bool:
        """Return True if an entry reads the attribute of another entry and its own attribute exists."""
        if name == value.attr or not self.adds(value):
            return False
        owner = unparse(value.value)
        same_owner = [other for other in alike if unparse(other.value) == owner]
        if owner == "self" or value.attr not in {other.attr for other in same_owner}:
            return False
        is_pair = frozenset({name, value.attr}) in _PAIRS
        return is_pair or (len(same_owner) > _MIN_ALIKE and self._has_attribute(owner, name))

    def _has_attribute(self, owner: str, name: str) -> bool:
        """Return True if the object that the values are read from has an attribute of the name."""
        owner_name = owner.rpartition(".")[2]
        if re.search(rf"\b{re.escape(owner_name)}\.{re.escape(name)}\b", self.source.text):
            return True
        project = self.source.project
        suffix = owner_name.strip("_").rpartition("_")[2]
        for path in project.files_with_word([name], ["*.py"]):
            text = project.read(path) or ""
            if _defines(text, suffix, name):
                return True
        return False


def _defines(text: str, suffix: str, name: str) -> bool:
    """Return True if a class whose name ends with the word has the attribute."""
    is_of_kind = False
    for line in text.split("\n"):
        if line.startswith("class "):
            is_of_kind = re.match(rf"(?i)class \w*{re.escape(suffix)}\b", line) is not None
        elif is_of_kind and re.match(rf"\s+(?:self\.)?{re.escape(name)}\s*[:=]", line):
            return True
    return False


def _assigned_to(target: ast.expr | None) -> tuple[str, str]:
    """Return the name of the assigned entry or attribute, and its owner."""
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value), unparse(target.value)
    if isinstance(target, ast.Attribute):
        return target.attr, unparse(target.value)
    return "", ""
