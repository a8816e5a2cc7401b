"""The base of docstring checks: the functions a change touched without their docstring."""

from __future__ import annotations

import ast
import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Span
from wardround.languages.python.function_text import differing
from wardround.languages.python.module import FunctionNode
from wardround_python.check import PythonCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair

_FUNCTIONS_AT_MOST = 15
"""A change that touches more documented functions of a file is a sweep, which means little for each."""


def untold(source: SourceFile) -> Sequence[DocumentedPair]:
    """Yield the documented functions whose code the change touched, and whose docstring it did not."""
    if source.base_text is None or not differing(source.base_text, source.text):
        return ()
    from wardround_python.docdrift.documented_functions import (
        documented_pairs,  # most changes end at the test above
    )

    result = documented_pairs(source.base_text, source.text)
    return (
        [item for item in result if not item.is_documentation_changed]
        if len(result) <= _FUNCTIONS_AT_MOST
        else ()
    )


class DocstringCheck(PythonCheck):
    """A check of functions whose code changed under their docstring; ``look_at`` receives each."""

    PLANE: ClassVar[Plane] = Plane.CONTRACT
    WORDS = ('"""', "'''")
    PREFILTER = "wardround_python.prefilters:changes_a_documented_function"

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and any(cls.may_speak(item, source) for item in untold(source))

    @classmethod
    @abstractmethod
    def may_speak(cls, pair: DocumentedPair, source: SourceFile) -> bool:
        """Return True if a function can have a finding; called before the module is parsed."""

    @abstractmethod
    def look_at(self, pair: DocumentedPair) -> None:
        """Report the findings of one function."""

    def visit_Module(self, node: ast.Module) -> None:  # noqa: N802  (named after the class it visits)
        for item in untold(self.source):
            self.look_at(item)

    def function_of_change(self, pair: DocumentedPair) -> FunctionNode:
        """Return the definition in the tree of the module after the change."""
        definitions = [n for n in self.module.nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return next(n for n in definitions if n.name == pair.change.simple_name and n.lineno >= pair.line)

    def words_span(self, pair: DocumentedPair, token: str, line: int, column: int = 0) -> Span:
        """Return the position in the file of a token of the docstring; otherwise that of the function's name.

        Args:
            line, column: the position of the token in the docstring, counted from 0.
        """
        start = column if line else 0  # the first line of the docstring follows the quotes
        span = self.token_span(pair.words_line + line, token, start)
        return span or self.module.name_span(self.function_of_change(pair))

    def token_span(self, number: int, token: str, start: int = 0) -> Span | None:
        """Return the position of a word in a line of the file, from a 0-based column on, or None."""
        lines = self.source.lines
        written = lines[number - 1] if number <= len(lines) else ""
        match = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)").search(written, start)
        return None if match is None else Span(number, match.start() + 1, number, match.end() + 1)
