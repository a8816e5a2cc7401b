"""PY051."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.languages.python.tokens import TokenKind, tokens
from wardround_python.check import PythonCheck

_FEWEST = 3


class ImplicitStringConcatenation(PythonCheck):
    """A comma is missing between two texts of a list, so that they are one.

    Python joins texts that stand beside each other: the list is one entry short and holds one that nobody
    wrote. Put the comma in; where one long text is meant, put it in parentheses.
    """

    ID = "PY051"
    NAME = "implicit-string-concatenation"
    PREFILTER = "wardround_python.prefilters:has_text_on_two_lines"
    DEFECT_CLASS = "joined-strings"
    VALID = [
        code("""
            x = [
                'a',
                'b',
                'c',
            ]
        """),
        code("""
            x = [
                'a',
                ('b'
                'c'),
                'd',
            ]
        """),
    ]
    INVALID = [
        code("""
            x = [
                'a',
                «'b'
                'c'»,
                'd',
            ]
        """),
        code("""
            class A:
                fields = (
                    'id',
                    'name',
                    «'mail'
                    'phone'»,
                )
        """),
    ]

    def visit_List(self, node: ast.List) -> None:
        self._look_at(node.elts)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        self._look_at(node.elts)

    def visit_Set(self, node: ast.Set) -> None:
        self._look_at(node.elts)

    def _look_at(self, elements: Sequence[ast.expr]) -> None:
        texts = [e for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        long = [e for e in texts if e.end_lineno != e.lineno]
        if len(texts) != len(elements) or len(texts) < _FEWEST or len(long) != 1 or " " in str(long[0].value):
            return
        if len({e.lineno for e in texts}) != len(texts) or not self._is_bare(long[0]):
            return
        pieces = " ".join(self.source.lines[long[0].lineno - 1 : long[0].end_lineno]).split()
        self.report(
            self.module.span(long[0]), f"{' '.join(pieces).rstrip(',')} is one text: a comma is missing"
        )

    def _is_bare(self, node: ast.Constant) -> bool:
        """Whether a text is of pieces, one a line, and not in parentheses of its own."""
        lines = self.source.lines[node.lineno - 1 : node.end_lineno]
        if lines[0][: node.col_offset].strip() or "'''" in lines[0] or '"""' in lines[0]:
            return False
        try:
            found = list(tokens("(" + "\n".join(lines) + "\n)"))
        except SyntaxError:
            return False
        return sum(token.kind is TokenKind.STRING for token in found) == len(lines)
