"""PY481: copy paste field."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround.semantics.semdiff.copy_paste import RowField, entry_of, forgotten_edits
from wardround_python.check import PythonCheck

_Row = list[tuple[str, ast.expr]]
_MIN_ENTRIES = 4


class CopyPasteField(PythonCheck):
    """One entry of a copied row still reads the value that belongs to the original row.

    Three lines read ``home_...`` and the fourth ``work_...``: the value has the right type, so nothing
    fails, and the wrong street is printed. Correct the remaining line.
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
        rows = [row for node in self.module.nodes for row in _rows(node) if len(row) >= _MIN_ENTRIES]
        if not any(map(self._adds_to, rows)):
            return
        entries = [[entry_of(name, unparse(value)) for name, value in row] for row in rows]
        for row, fields in zip(rows, entries, strict=True):
            if self._adds_to(row):
                self._check_row(row, fields, entries)

    def _adds_to(self, row: _Row) -> bool:
        return any(self.adds(value) for _, value in row)

    def _check_row(
        self, row: _Row, fields: list[RowField | None], entries: list[list[RowField | None]]
    ) -> None:
        mismatch = forgotten_edits(fields, entries, self._exists)
        if mismatch is not None:
            name, value = row[mismatch.place]
            message = (
                f'"{name}" reads {unparse(value)}, but the entries around it suggest "{mismatch.wanted}"'
            )
            self.report(self.module.span(value), message)

    def _exists(self, name: str) -> bool:
        """Return True if the project has a field of the name."""
        if f"{name}" in self.source.text:
            return True
        return bool(self.source.project.files_with_word([name], ["*.py"]))


def _rows(node: ast.AST) -> Iterator[_Row]:
    """Yield the rows of named values that a node holds."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield [(k.value, v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    elif isinstance(node, ast.Call):
        yield [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.With, ast.For)):
        yield from _assigned(node.body)


def _assigned(body: Sequence[ast.stmt]) -> Iterator[_Row]:
    """Yield the runs of consecutive assignments to fields of one object."""
    row: _Row = []
    row_owner = ""
    for statement in [*body, ast.Pass()]:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        owner = unparse(target.value) if isinstance(target, ast.Attribute) else ""
        owner = "=" if isinstance(target, ast.Name) else owner
        if row and owner != row_owner:
            yield row
            row = []
        if isinstance(statement, ast.Assign) and isinstance(target, (ast.Attribute, ast.Name)):
            row.append((target.attr if isinstance(target, ast.Attribute) else target.id, statement.value))
            row_owner = owner
