from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck

_HEADER = LazyPattern(r"^[ \t]*#[ \t]*(?:async )?def (test_?\w+)\([^()\n]*\)(?: -> \w+)?:[ \t]*$")


class CommentedOutTest(PythonTestCheck):
    """A test is commented out, so it no longer runs and no report shows it.

    Reports count it neither as skipped nor as missing, and it becomes outdated. Restore it, delete it (the
    history has it), or skip it with a reason.
    """

    ID = "TE039"
    NAME = "commented-out-test"
    DEFECT_CLASS = "skipped-test"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            # def test_a() is in test_b.py
            def test_b():
                assert b()
        """),
        code("""
            def test_b():
                # test_a(1):
                assert b()
        """),
    ]
    INVALID = [
        code("""
            «# def test_a():»
            #     assert a()
            def test_b():
                assert b()
        """),
        code("""
            class TestA:
                «# async def test_a(self, box) -> None:»
                #     assert await box.a()
                def test_b(self):
                    assert b()
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return "def test" in source.text and "#" in source.text and _is_in(source.text)

    def visit_Module(self, node: ast.Module) -> None:
        lines = self.source.lines
        for number, line in enumerate(lines[:-1], 1):
            match = _HEADER.match(line)
            if match is None or not self._is_comment(number + 1):
                continue
            is_explained = number > 1 and self._is_comment(number - 1)
            if is_explained or number in self._string_lines:
                continue
            column = len(line) - len(line.lstrip()) + 1
            text = f'"{match[1]}" is commented out; restore, delete or skip it with a reason'
            self.report(Span(number, column, number, len(line) + 1), text)

    @cached_property
    def _string_lines(self) -> set[int]:
        """The lines of strings and other constants."""
        numbers: set[int] = set()
        for node in self.module.nodes:
            if isinstance(node, (ast.Constant, ast.JoinedStr)):
                numbers.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        return numbers

    def _is_comment(self, number: int) -> bool:
        return self.source.lines[number - 1].lstrip().startswith("#")


def _is_in(text: str) -> bool:
    words = ("# def test", "#def test", "# async def test", "#async def test")
    return any(word in text for word in words)
