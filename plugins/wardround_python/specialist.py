"""The Python specialist: its files, tools and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from wardround.change.encoding import lower_suffix
from wardround.checks.base import ChangeCheck, Check
from wardround.checks.line_ends import run_by_lines
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding, Span
from wardround.lazy import LazySequence
from wardround.rules.declarative import declarative_rules
from wardround.rules.model import Rule
from wardround.specialists import Comment, Specialist, StatementOf, SyntaxCheck
from wardround.text.line_index import has_lone_returns
from wardround.tools.ignore_comments import CommentForm, IgnoreComment
from wardround.tools.tool import Tool
from wardround.tools.type_checker import TypeChecker
from wardround_python.environment import project_environment
from wardround_python.options import PythonOptions
from wardround_python.syntax import host_adapter

PYTHON = CommentForm(("*.py", "*.pyi", "*.pyw"))
"""The form of ignore comments in Python."""
_VALUE_DEPENDENT = frozenset(
    {"sql-injection", "shell-injection", "code-injection", "insecure-deserialisation"}
)
"""Defect classes that require untrusted data."""
_GUARDED = {"path-traversal": "PATH", "open-redirect": "REDIRECT"}
"""Defect classes that require an unguarded sink, and the kind of the sink."""


_CYTHON = "Cython is not reviewed, except for secrets; leave it out with exclude"
_UNREAD = {
    ".ipynb": "notebooks are not reviewed, except for secrets; leave them out with exclude",
    ".pyx": _CYTHON,
    ".pxd": _CYTHON,
    ".pxi": _CYTHON,
}
"""Suffixes of files with Python that no tool here can read, and the resulting note."""


class PythonSpecialist(Specialist):
    """Reviews Python modules, stubs and scripts."""

    name = "python"
    planes = frozenset(Plane) - {Plane.TESTS}
    further_planes = frozenset({Plane.TESTS})
    change_planes = frozenset()
    patterns = ("*.py", "*.pyi", "*.pyw", *(f"*{suffix}" for suffix in _UNREAD))
    interpreters = (r"python[0-9.]*w?", r"pypy[0-9.]*", "uv")
    tools = LazySequence[Tool]("wardround_python.tools:TOOLS")
    type_checkers = LazySequence[TypeChecker]("wardround_python.type_inference:TYPE_CHECKERS")
    checks = CheckRegistry[type[Check]]("wardround_python.checks")
    change_checks = CheckRegistry[type[ChangeCheck]]("wardround_python.checks", "change")
    options = PythonOptions
    models = ("new-parameters",)
    ignore_comments = (IgnoreComment(r"#\s*nosec\b", ("nosec",), after_reason="nosec"),)

    def run_checks(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        from wardround_python.check import run_python_checks  # needed by the parser alone

        return run_by_lines(partial(run_python_checks, checks), source)

    def rules(self) -> Sequence[Rule]:
        return declarative_rules("python", "ast-grep")

    def declines(self, path: str, text: str) -> str:
        return _UNREAD.get(lower_suffix(path)[path.rfind(".") :], "")

    def comments(self, text: str) -> Iterable[Comment]:
        return host_adapter.comments(text)

    def statement_locator(self, text: str) -> StatementOf:
        return host_adapter.statements(text)

    def syntax_check(self, path: str, text: str) -> SyntaxCheck:
        return host_adapter.complaint

    def needs_utf8(self, content: bytes) -> bool:
        return host_adapter.needs_utf8(content)

    def environment(self, root: Path, options: PythonOptions) -> Path | None:
        return project_environment(root, options)

    def refutes(
        self, path: str, text: str, defect_class: str, span: Span, read: Callable[[str], str | None]
    ) -> bool:
        if defect_class not in _GUARDED and defect_class not in _VALUE_DEPENDENT:
            return False
        if has_lone_returns(text):  # spans refer to other lines
            return False
        if defect_class in _VALUE_DEPENDENT:
            from wardround_python.dataflow.known_values import is_known  # only for such findings

            return is_known(path, text, span, read)
        from wardround_python.dataflow.domain import SinkKind
        from wardround_python.dataflow.guarded_sinks import is_guarded

        return is_guarded(path, text, SinkKind[_GUARDED[defect_class]], span)
