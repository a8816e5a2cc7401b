"""PY036."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_python.check import PythonCheck

_WAY_OUT = LatePattern(r"\n([ \t]+)(?:return|raise|continue|break)\b[^\n]*")
_GOES_ON = (")", "]", "}")
_NEXT_PART = ("elif", "else", "except", "finally", "case")
_LINES_LOOKED_AT = 80
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
# What may stand behind a way out for a reader, a type checker, or to make a generator.
_HARMLESS = (ast.Return, ast.Raise, ast.Pass, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class UnreachableStatement(PythonCheck):
    """A statement stands behind one that always leaves.

    What follows ``return``, ``raise``, ``break`` or ``continue`` in its block never runs: a log line that
    never comes, a lock that is never given back. Put it before, or take it out.
    """

    ID = "PY036"
    NAME = "unreachable-statement"
    WORDS = ("return", "raise", "continue", "break")
    DEFECT_CLASS = "unreachable"
    TRIED_ON = "twenty-three trees of 600,000 lines, tests left out: 1, code left behind a raise: right"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def f(x):\n    if x:\n        return 1\n    return 2\n",
        "def f():\n    return\n    yield\n",
        "def f():\n    raise ValueError\n    return None\n",
        "def f():\n    raise NotImplementedError\n    '''Later.'''\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def f(x):\n    if x:\n        raise ValueError(x)\n        log.warning(x)\n    g()\n",
            line=4,
            column=9,
        ),
        Invalid("def f(x):\n    return x\n    x.close()\n", line=3, column=5),
        Invalid("for x in y:\n    if x:\n        continue\n        n += 1\n", line=4, column=9),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        text = source.text
        return any(_has_code_behind(text, way.end(), len(way[1])) for way in _WAY_OUT.finditer(text))

    def visit_Return(self, node: ast.Return) -> None:
        self._look_behind(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._look_behind(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._look_behind(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._look_behind(node)

    def _look_behind(self, node: ast.stmt) -> None:
        parent = self.module.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                behind = block[block.index(node) + 1 :]
                if behind and not any(isinstance(one, _LEAVES) for one in block[: block.index(node)]):
                    self._look_at(node, behind)

    def _look_at(self, node: ast.stmt, behind: Sequence[ast.stmt]) -> None:
        first = next((one for one in behind if not _is_harmless(one)), None)
        if first is not None:
            left = type(node).__name__.lower()
            self.report(
                self.module.span(first), f"this never runs: line {node.lineno} always {left}s before it"
            )


def _has_code_behind(text: str, at: int, depth: int) -> bool:
    """Whether code as deep as a statement seems to stand right behind it, going by indentation."""
    for _ in range(_LINES_LOOKED_AT):
        end = text.find("\n", at + 1)
        line = text[at + 1 : end if end >= 0 else len(text)]
        code = line.lstrip()
        inside = len(line) - len(code)
        if code and not code.startswith(("#", *_GOES_ON)) and inside <= depth:
            return inside == depth and not code.startswith(_NEXT_PART)
        if end < 0:
            return False
        at = end
    return True


def _is_harmless(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, (ast.Constant, ast.Yield, ast.YieldFrom))
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, (ast.Constant, ast.Call))
    return isinstance(statement, _HARMLESS)
