"""What the checks of docstrings share: the functions a change touched while it left their docstring alone."""

from __future__ import annotations

import ast
import re
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Span
from wardround.languages.python.module import FunctionNode
from wardround_python.check import PythonCheck
from wardround_python.syntax.function_text import differing

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair

_FUNCTIONS_AT_MOST = 15
"""Where a change touches more documented functions of a file, it is a sweep and says little about each."""


def untold(source: SourceFile) -> Sequence[DocumentedPair]:
    """The documented functions whose code the change touched, and whose docstring it did not."""
    if source.base_text is None or not differing(source.base_text, source.text):
        return ()
    from wardround_python.docdrift.documented_functions import (
        compared,  # most changes need no more than the look above
    )

    found = compared(source.base_text, source.text)
    return [one for one in found if not one.is_told] if len(found) <= _FUNCTIONS_AT_MOST else ()


class DocstringCheck(PythonCheck):
    """A check of functions whose code changed under their docstring; ``look_at`` sees one after another."""

    PLANE: ClassVar[Plane] = Plane.CONTRACT
    WORDS = ('"""', "'''")
    PREFILTER = "wardround_python.prefilters:changes_a_documented_function"

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and any(cls.may_speak(one, source) for one in untold(source))

    @classmethod
    @abstractmethod
    def may_speak(cls, one: DocumentedPair, source: SourceFile) -> bool:
        """Whether there can be anything to say about a function; asked before the module is parsed."""

    @abstractmethod
    def look_at(self, one: DocumentedPair) -> None:
        """Report what is wrong with one function, if anything is."""

    def visit_Module(self, node: ast.Module) -> None:  # noqa: N802  (named after the class it visits)
        for one in untold(self.source):
            self.look_at(one)

    def function_of_change(self, one: DocumentedPair) -> FunctionNode:
        """The definition in the tree of the module after the change."""
        definitions = [n for n in self.module.nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return next(n for n in definitions if n.name == one.change.simple_name and n.lineno >= one.line)

    def words_span(self, one: DocumentedPair, token: str, line: int, column: int = 0) -> Span:
        """The place in the file of a token of the docstring; the function's name where it stands otherwise.

        Args:
            line, column: where the token stands in the words, counted from 0.
        """
        number = one.words_line + line
        lines = self.source.lines
        written = lines[number - 1] if number <= len(lines) else ""
        start = column if line else 0  # the first line of the words stands behind the quotes
        match = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)").search(written, start)
        if match is None:
            return self.module.name_span(self.function_of_change(one))
        return Span(number, match.start() + 1, number, match.end() + 1)
