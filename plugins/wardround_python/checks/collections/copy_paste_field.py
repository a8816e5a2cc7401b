"""PY481."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround.semantics.semdiff.copy_paste import RowField, entry_of, forgotten_edits
from wardround_python.check import PythonCheck

_Row = list[tuple[str, ast.expr]]
_AT_LEAST = 4


class CopyPasteField(PythonCheck):
    """In a row of entries copied from another, one still takes what belongs to that other.

    Three lines read ``home_...`` and the fourth ``work_...``: the value is of the right kind, so nothing
    fails, and the wrong street is printed. Change the line that was left.
    """

    ID = "PY481"
    NAME = "copy-paste-field"
    MATURITY = Maturity.PREVIEW
    PREFILTER = "wardround_python.prefilters:adds_an_entry"
    DEFECT_CLASS = "copied-value"
    VALID = [
        code("""
            a = {'zip': f.home_zip, 'city': f.home_city, 'street': f.home_street, 'land': f.home_land}
        """),
        code("""
            a = {'zip': f.home_zip, 'city': f.home_city, 'street': f.home_street, 'land': f.work_land}
        """),
    ]
    INVALID = [
        code("""
            a = {'zip': f.home_zip, 'city': «f.work_city», 'street': f.home_street, 'land': f.home_land}
            use(f.home_city)
        """),
        code("""
            def f(s, row):
                s.old_name = row.old_name
                s.old_mail = row.old_mail
                s.old_city = «row.new_city»
                s.old_land = row.old_land
                log(row.old_city)
        """),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        found = [row for one in self.module.nodes for row in _rows(one) if len(row) >= _AT_LEAST]
        if not any(self.adds(value) for row in found for _, value in row):
            return
        entries = [[entry_of(name, ast.unparse(value)) for name, value in row] for row in found]
        for row, made in zip(found, entries, strict=True):
            if any(self.adds(value) for _, value in row):
                self._judge(row, made, entries)

    def _judge(self, row: _Row, made: list[RowField | None], entries: list[list[RowField | None]]) -> None:
        left = forgotten_edits(made, entries, self._exists)
        if left is not None:
            name, value = row[left.place]
            told = f'"{name}" takes {ast.unparse(value)}, where all around it speaks for "{left.wanted}"'
            self.report(self.module.span(value), told)

    def _exists(self, name: str) -> bool:
        """Whether the project has a field of a name."""
        if f"{name}" in self.source.text:
            return True
        return bool(self.source.project.files_with_word([name], ["*.py"]))


def _rows(node: ast.AST) -> Iterator[_Row]:
    """The rows of named values that a node holds."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield [(k.value, v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    elif isinstance(node, ast.Call):
        yield [(one.arg, one.value) for one in node.keywords if one.arg]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.With, ast.For)):
        yield from _assigned(node.body)


def _assigned(body: Sequence[ast.stmt]) -> Iterator[_Row]:
    """The runs of assignments to fields of one thing."""
    row: _Row = []
    of = ""
    for statement in [*body, ast.Pass()]:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        owner = ast.unparse(target.value) if isinstance(target, ast.Attribute) else ""
        owner = "=" if isinstance(target, ast.Name) else owner
        if row and owner != of:
            yield row
            row = []
        if isinstance(statement, ast.Assign) and isinstance(target, (ast.Attribute, ast.Name)):
            row.append((target.attr if isinstance(target, ast.Attribute) else target.id, statement.value))
            of = owner
