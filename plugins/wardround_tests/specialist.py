"""The tests specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from wardround_python.syntax import host_adapter

from wardround.checks.base import Check
from wardround.checks.lazy import LazySequence
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.findings import RawFinding
from wardround.rules.declarative import declarative_rules
from wardround.rules.model import Rule
from wardround.specialists import Specialist
from wardround.text.line_ends import run_by_lines
from wardround_tests.file_kinds import PATTERNS


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="tests",
        patterns=PATTERNS,
        tools=LazySequence("wardround_tests.tools:TOOLS"),
        borrowed_tools=LazySequence("wardround_tests.tools:BORROWED"),
        checks=CheckRegistry("wardround_tests.checks"),
        change_checks=CheckRegistry("wardround_tests.checks", "change"),
        run_checks=_run_checks,
        rules=_declared,
        statement_locator=host_adapter.statements,
    )


def _run_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    from wardround_tests.check import run_test_checks  # the parser's part: not needed to start the tools

    return run_by_lines(partial(run_test_checks, checks), source)


def _declared() -> Sequence[Rule]:
    return declarative_rules("tests", "ast-grep")
