"""PY096: getter with side effect."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.checks import said_of_name, stale_reader_names
from wardround_python.check import PythonCheck


class GetterWithSideEffect(PythonCheck):
    """A function whose name promises to read modifies or writes something since this change.

    Callers that call ``get_basket`` twice, or only to read, do not expect the second call to return
    nothing. Rename it after its effect, such as ``take_basket``.
    """

    ID = "PY096"
    NAME = "getter-with-side-effect"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "reader-that-changes"
    PREFILTER = "wardround_python.prefilters:brings_a_word_of_changing"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("def ",)
    VALID = [
        code(
            """
            class Baskets:
                def take_basket(self, visitor):
                    return self._redis.getdel(visitor)
            """,
            base="""
            class Baskets:
                def take_basket(self, visitor):
                    return self._redis.get(visitor)
            """,
        ),
        code(
            """
            class Baskets:
                def get_basket(self, visitor):
                    return self._redis.hget(visitor)
            """,
            base="""
            class Baskets:
                def get_basket(self, visitor):
                    return self._redis.get(visitor)
            """,
        ),
    ]
    INVALID = [
        code(
            """
            class Baskets:
                def «get_basket»(self, visitor):
                    return self._redis.getdel(visitor)
            """,
            base="""
            class Baskets:
                def get_basket(self, visitor):
                    return self._redis.get(visitor)
            """,
        ),
        code(
            """
            class Baskets:
                def «load_basket»(self, visitor):
                    return self._redis.pop(visitor)
            """,
            base="""
            class Baskets:
                def load_basket(self, visitor):
                    return self._redis.get(visitor)
            """,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        from wardround.semantics.docdrift.comment_lines import PYTHON  # not needed where nothing changed

        return bool(stale_reader_names(source, PYTHON))

    def visit_Module(self, node: ast.Module) -> None:
        from wardround.semantics.docdrift.comment_lines import PYTHON

        for item in stale_reader_names(self.source, PYTHON):
            self.report(*said_of_name(item))
