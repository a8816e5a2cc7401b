"""The Python specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from wardround.change.encoding import with_lower_suffix
from wardround.checks.base import Check
from wardround.checks.lazy import LazySequence
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.findings import RawFinding, Span
from wardround.rules.declarative import declarative_rules
from wardround.rules.model import Rule
from wardround.specialists import Specialist
from wardround.text.line_ends import run_by_lines
from wardround.text.line_index import has_lone_returns
from wardround_python.environment import project_environment
from wardround_python.options import PythonOptions
from wardround_python.syntax import host_adapter

_ABOUT_VALUES = frozenset({"sql-injection", "shell-injection", "code-injection", "insecure-deserialisation"})
"""What is wrong only where a value may come from outside."""
_GUARDED = {"path-traversal": "PATH", "open-redirect": "REDIRECT"}
"""What is wrong only where nothing guards the place, and the danger the place has."""


_CYTHON = "Cython is not reviewed, except for secrets; leave it out with exclude"
_UNREAD = {
    ".ipynb": "notebooks are not reviewed, except for secrets; leave them out with exclude",
    ".pyx": _CYTHON,
    ".pxd": _CYTHON,
    ".pxi": _CYTHON,
}
"""Suffixes of files with Python in them that nothing here can read, and what is to be done about them."""


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="python",
        patterns=("*.py", "*.pyi", "*.pyw", *(f"*{suffix}" for suffix in _UNREAD)),
        interpreters=(r"python[0-9.]*w?", r"pypy[0-9.]*", "uv"),
        tools=LazySequence("wardround_python.tools:TOOLS"),
        checks=CheckRegistry("wardround_python.checks"),
        change_checks=CheckRegistry("wardround_python.checks", "change"),
        run_checks=_run_checks,
        rules=_declared,
        statement_locator=host_adapter.statements,
        comments=host_adapter.comments,
        syntax_error_of=host_adapter.complaint,
        needs_utf8=host_adapter.needs_utf8,
        refutes=_refutes,
        options=PythonOptions,
        environment=project_environment,
        models=("new-parameters",),
        declines=_declines,
    )


def _run_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    from wardround_python.check import run_python_checks  # the parser's part: not needed to start the tools

    return run_by_lines(partial(run_python_checks, checks), source)


def _declines(path: str, text: str) -> str:
    return _UNREAD.get(with_lower_suffix(path)[path.rfind(".") :], "")


def _refutes(path: str, text: str, defect_class: str, span: Span, read: Callable[[str], str | None]) -> bool:
    if has_lone_returns(text):  # whose spans are by other lines
        return False
    if defect_class in _ABOUT_VALUES:
        from wardround_python.dataflow.known_values import is_known  # only where somebody complains

        return is_known(path, text, span, read)
    if defect_class in _GUARDED:
        from wardround_python.dataflow.domain import SinkKind
        from wardround_python.dataflow.guarded_sinks import is_guarded

        return is_guarded(path, text, SinkKind[_GUARDED[defect_class]], span)
    return False


def _declared() -> Sequence[Rule]:
    return [*declarative_rules("python", "ast-grep"), *declarative_rules("python", "semgrep")]
