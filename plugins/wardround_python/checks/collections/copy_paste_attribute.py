"""PY065."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_ALIKE_AT_LEAST = 2
"""Entries of a row whose name is that of the attribute they take."""
_PAIRS = frozenset(
    frozenset(pair.split())
    for pair in (
        "width height", "x y", "start end", "first last", "min max", "left right", "top bottom", "lat lng",
        "lat lon", "latitude longitude", "source target", "created_at updated_at", "first_name last_name",
        "username email", "city country", "lower upper", "begin end", "old new", "src dst", "host port",
    )
)  # fmt: skip

_Entry = tuple[str, ast.expr]
"""A value that a row gives a name to: ``"id": user.id``."""


class CopyPasteAttribute(PythonCheck):
    """In a row of entries that take the attribute of their name, one takes another's a second time.

    The line was copied and only half of it changed: ``height=image.width``.
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
        self._look_at([(str(key.value), v) for key, v in pairs if isinstance(key, ast.Constant)])

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.keywords) > 1:
            self._look_at([(one.arg, one.value) for one in node.keywords if one.arg])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._look_at_block(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at_block(node.body)

    def _look_at_block(self, body: Sequence[ast.stmt]) -> None:
        """The rows of assignments: ``session["id"] = context.id``, ``self.id = row.id``."""
        row: list[_Entry] = []
        of = ""
        for statement in [*body, ast.Pass()]:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            name, owner = _given(target)
            if row and (not name or owner != of):
                self._look_at(row)
                row = []
            if name and isinstance(statement, ast.Assign):
                row.append((name, statement.value))
                of = owner

    def _look_at(self, row: Sequence[_Entry]) -> None:
        alike = [v for name, v in row if isinstance(v, ast.Attribute) and v.attr == name]
        for name, value in row if alike else ():
            if not isinstance(value, ast.Attribute) or name == value.attr or not self.adds(value):
                continue
            owner, taken = ast.unparse(value.value), value.attr
            of_it = [one for one in alike if ast.unparse(one.value) == owner]
            if owner == "self" or taken not in {one.attr for one in of_it}:
                continue
            is_pair = frozenset({name, taken}) in _PAIRS
            if is_pair or (len(of_it) > _ALIKE_AT_LEAST and self._has(owner, name)):
                self.report(self.module.span(value), f'"{name}" is given {owner}.{taken}, as "{taken}" is')
                return

    def _has(self, owner: str, name: str) -> bool:
        """Whether what the values are taken from has an attribute of the name."""
        last = owner.rpartition(".")[2]
        if re.search(rf"\b{re.escape(last)}\.{re.escape(name)}\b", self.source.text):
            return True
        project = self.source.project
        kind = last.strip("_").rpartition("_")[2]
        for path in project.files_with_word([name], ["*.py"]):
            text = project.read(path) or ""
            if _defines(text, kind, name):
                return True
        return False


def _defines(text: str, kind: str, name: str) -> bool:
    """Whether a class whose name ends with a word has an attribute."""
    is_of_kind = False
    for line in text.split("\n"):
        if line.startswith("class "):
            is_of_kind = re.match(rf"(?i)class \w*{re.escape(kind)}\b", line) is not None
        elif is_of_kind and re.match(rf"\s+(?:self\.)?{re.escape(name)}\s*[:=]", line):
            return True
    return False


def _given(target: ast.expr | None) -> tuple[str, str]:
    """The name of an entry or attribute that is given a value, and what it is of."""
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return str(target.slice.value), ast.unparse(target.value)
    if isinstance(target, ast.Attribute):
        return target.attr, ast.unparse(target.value)
    return "", ""
