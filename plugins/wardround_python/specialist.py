"""The Python specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from wardround.checks import Check, Source
from wardround.findings import RawResult, Span
from wardround.late import Late, LateEach
from wardround.rules import Rule, declarative_rules
from wardround.specialists import Specialist
from wardround_python import syntax
from wardround_python.environment import project_environment
from wardround_python.options import PythonOptions

_ABOUT_VALUES = frozenset({"sql-injection", "shell-injection", "code-injection", "insecure-deserialisation"})
"""What is wrong only where a value may come from outside."""


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="python",
        patterns=("*.py", "*.pyi", "*.pyw"),
        interpreters=(r"python[0-9.]*w?", r"pypy[0-9.]*", "uv"),
        tools=Late("wardround_python.tools:TOOLS"),
        checks=LateEach("wardround_python.checks.table:TABLE"),
        change_checks=LateEach("wardround_python.changes.table:TABLE"),
        run_checks=_run_checks,
        rules=_declared,
        statements=syntax.statements,
        comments=syntax.comments,
        complaint=syntax.complaint,
        refutes=_refutes,
        options=PythonOptions,
        environment=project_environment,
        models=("new-parameters",),
    )


def _run_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    from wardround_python.check import run_python_checks  # the parser's part: not needed to start the tools

    return run_python_checks(checks, source)


def _refutes(path: str, text: str, defect_class: str, span: Span, read: Callable[[str], str | None]) -> bool:
    if defect_class not in _ABOUT_VALUES:
        return False
    from wardround_python.taint.certain import is_known  # only where somebody complains

    return is_known(path, text, span, read)


def _declared() -> Sequence[Rule]:
    return [*declarative_rules("python", "ast-grep"), *declarative_rules("python", "semgrep")]
