"""PY353: csv injection."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import given_once
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_WRITING = frozenset({"writerow", "writerows"})
_MAKERS = frozenset({"csv.writer", "csv.DictWriter", "unicodecsv.writer"})
# Fields with user input.
_TYPED = LazyPattern(
    r"(?i)(^|_)(name|title|comments?|notes?|message|description|subject|body|text|feedback|company|remarks?|"
    r"reason|bio|label|question|answer|review|summary|nickname|address|memo)$"
)
_SENT = LazyPattern(
    r"(?i)text/csv|attachment|HttpResponse|StreamingResponse|make_response|send_file|Response\("
)
_DEFUSED = LazyPattern(
    r"(?i)formula|startswith\(\s*\(?\s*['\"][=+@-]|lstrip\(['\"][=+@-]|"
    r"[=+@-]['\"]\s*,\s*['\"][=+@-]|\[0\] in |\[:1\] in |defusedcsv|=\+"
)
_MAKING_SAFE = LazyPattern(r"(?i)escape|sanit|safe|clean|neutral|guard|defus|quote|cell|strip_|plain")


class CsvInjection(PythonCheck):
    """User input is written into a CSV or spreadsheet file without neutralising formulas.

    A spreadsheet evaluates a cell that starts with ``=``, ``+``, ``-`` or ``@`` when the file is opened, and
    a formula can send the other cells to an attacker. Prefix such text with an apostrophe.
    """

    ID = "PY353"
    NAME = "csv-injection"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "csv-injection"
    WORDS = ("writerow", "openpyxl")
    VALID = [
        code("""
            import csv
            def export(request):
                response = HttpResponse(content_type='text/csv')
                writer = csv.writer(response)
                for one in Sale.objects.all():
                    writer.writerow([one.pk, one.total])
                return response
        """),
        code("""
            import csv
            def export(request):
                response = HttpResponse(content_type='text/csv')
                writer = csv.writer(response)
                for one in Note.objects.all():
                    writer.writerow([one.pk, cell(one.comment)])
                return response
        """),
    ]
    INVALID = [
        code("""
            import csv
            def export(request):
                response = HttpResponse(content_type='text/csv')
                writer = csv.writer(response)
                for one in Note.objects.all():
                    «writer.writerow([one.pk, one.comment])»
                return response
        """),
        code("""
            import csv, io
            def export():
                out = io.StringIO()
                writer = csv.DictWriter(out, ['id', 'note'])
                «writer.writerows({'id': n.id, 'note': n.note} for n in Note.query)»
                return Response(out.getvalue(), mimetype='text/csv')
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        is_web = "request" in source.text or "Response" in source.text
        return super().wants(source) and is_web and not _DEFUSED.search(source.text)

    def visit_Call(self, node: ast.Call) -> None:
        if (
            isinstance(node.func, ast.Attribute)
            and node.args
            and (
                (node.func.attr in _WRITING and self._is_table(node.func.value))
                or (node.func.attr == "append" and self._is_sheet(node))
            )
        ):
            row = node.args[0]
            is_sent = "request." in unparse(row) or self._is_downloaded(node)
            if is_sent and any(map(self._is_typed, self._cells(row))):
                self.report(
                    self.module.span(node),
                    "a cell that starts with = is evaluated as a formula; "
                    "prefix user input with an apostrophe",
                )

    def _is_table(self, node: ast.expr) -> bool:
        value = node if isinstance(node, ast.Call) else given_once(self.module, node)
        return isinstance(value, ast.Call) and self.module.dotted(value.func) in _MAKERS

    def _is_sheet(self, node: ast.Call) -> bool:
        """Return True for a row of an openpyxl sheet, where ``=`` also starts a formula."""
        roots = {name.partition(".")[0] for name in self.module.imported.values()}
        on = unparse(node.func).lower()
        return "openpyxl" in roots and on.startswith(("ws", "sheet", "worksheet", "work_sheet", "wb."))

    def _is_downloaded(self, node: ast.AST) -> bool:
        around = [inner for inner in self.module.ancestors(node) if isinstance(inner, FunctionNode)]
        return bool(around) and _SENT.search(unparse(around[-1])) is not None

    def _cells(self, row: ast.expr) -> list[ast.expr]:
        if isinstance(row, ast.Name):
            value = given_once(self.module, row)
            return self._cells(value) if value is not None else []
        if isinstance(row, (ast.GeneratorExp, ast.ListComp)):
            return self._cells(row.elt)
        if isinstance(row, ast.Dict):
            return row.values
        return list(row.elts) if isinstance(row, (ast.List, ast.Tuple)) else []

    def _is_typed(self, cell: ast.expr) -> bool:
        """Return True if a cell holds unmodified user input."""
        if isinstance(cell, ast.Call) and not isinstance(cell.func, ast.Attribute):
            called = getattr(cell.func, "id", "")
            return called == "str" and bool(cell.args) and self._is_typed(cell.args[0])
        text = unparse(cell)
        if _MAKING_SAFE.search(text):
            return False
        if text.startswith("request."):
            return True
        return isinstance(cell, ast.Attribute) and _TYPED.search(cell.attr) is not None
