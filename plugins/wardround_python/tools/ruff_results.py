"""The results of ruff, without false positives, as findings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache, lru_cache, partial
from pathlib import Path

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Edit, RawFinding, Severity, Span, SuggestedFix
from wardround.languages.python.tokens import TokenKind, tokens, tokens_within
from wardround.text.line_index import LineIndex, with_newlines
from wardround.tools.parsing import collapse_whitespace, decode_output, relative
from wardround.tools.tool import Invocation
from wardround_python.target_version import read_note, required_version
from wardround_python.tools.false_positives.exit_status import tests_exit_status
from wardround_python.tools.false_positives.refuted_facts import refuter
from wardround_python.tools.false_positives.ruff import DOUBTED, equality_of, is_harmless
from wardround_python.tools.ruff_config import (
    FALLBACK,
    read_snapshot_file,
    selected_by_project,
    states_target,
)


class RuffPosition(msgspec.Struct):
    row: int
    column: int


class RuffEdit(msgspec.Struct):
    content: str | None
    location: RuffPosition
    end_location: RuffPosition


class RuffFix(msgspec.Struct):
    applicability: str
    edits: list[RuffEdit]
    message: str | None = None


class RuffResult(msgspec.Struct):
    filename: str
    location: RuffPosition
    end_location: RuffPosition
    message: str
    code: str | None = None
    url: str | None = None
    fix: RuffFix | None = None
    name: str | None = None

    @property
    def is_syntax_error(self) -> bool:
        """Return True for a syntax error from ruff's parser; versions that do not name results give it no
        code.
        """
        return self.code is None and self.name in (None, _SYNTAX_ERROR)


_SYNTAX_ERROR = "invalid-syntax"
_CRASH = "panic"
"""The name of a result by which ruff reports that it failed on a file."""


_LOOKED_INTO = DOUBTED | {"PLW1510", "PLW1641", "F821"}
"""Codes that are right for some of their positions only, or for another position."""


_OF_A_VERSION = frozenset({"CPY001", "RUF100"})
"""Codes that depend on the version of ruff that the project runs, so that its selection does not suffice:
suppressions that another version needs, and a code that ``ALL`` selects in newer versions only.
"""


def _is_newer(root: Path, file: str, message: str) -> bool:
    """Return True for syntax that only the older of a project's Python versions reject.

    If the project's ruff configuration sets a version, that is used.
    """
    needed = required_version(message)
    if needed is None or states_target(root, file):
        return False
    return read_note(read_snapshot_file(root.parent, FALLBACK) or "").supports(needed)


_OUTDATED_BLOCK = "UP036"
"""Code under a condition for a Python version that the project does not support."""
_ASSUMED = 10
"""The oldest minor version that ruff assumes where neither its settings nor requires-python have one."""


def _knows_target(root: Path, file: str) -> bool:
    """Return True if ruff knows the oldest version that a project supports, or assumes no newer one."""
    if states_target(root, file) or "requires-python" in (read_snapshot_file(root, "pyproject.toml") or ""):
        return True
    oldest = read_note(read_snapshot_file(root.parent, FALLBACK) or "").oldest
    return oldest is not None and oldest >= _ASSUMED


def _is_in_vain(file: str, text: str, code: str, span: Span) -> bool:
    """Return True if the rest of a module shows that the reported problem cannot occur there."""
    if code == "PLW1510":
        return tests_exit_status(text, span)
    return code in DOUBTED and is_harmless(file, text, code, span)


def _is_in_string(text: str, span: Span) -> bool:
    """Return True if a position is inside a string: names in quoted annotations are resolved late."""
    try:
        strings = _strings(text)
    except SyntaxError:
        return False
    location_items = (span.line, span.column)
    before = bisect_left(strings, (location_items, location_items)) - 1
    return before >= 0 and location_items < strings[before][1]


@lru_cache(maxsize=4)
def _strings(text: str) -> Sequence[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the offsets of the strings of a module, in order, except those whose names are resolved."""
    lines = LineIndex(with_newlines(text))
    return [
        (lines.position(token.start), lines.position(token.end))
        for token in tokens_within(tokens(text))
        if token.kind is TokenKind.STRING and token.template is None
    ]


def _ruff_fix(file: str, fix: RuffFix) -> SuggestedFix:
    edits = tuple(Edit(file, _span_of(e.location, e.end_location), e.content or "") for e in fix.edits)
    return SuggestedFix(fix.message or "apply ruff's fix", fix.applicability == "safe", edits)


def _span_of(start: RuffPosition, end: RuffPosition) -> Span:
    if (end.row, end.column) < (start.row, start.column):
        end = start
    return Span(start.row, start.column, end.row, end.column)


def findings_of(output: bytes, run: Invocation) -> list[RawFinding]:
    """Return the findings in the output of ``ruff check --output-format json``."""
    results = []
    text_of = cache(partial(read_snapshot_file, run.root))
    is_chosen = cache(partial(selected_by_project, run.root))
    is_newer = cache(partial(_is_newer, run.root))
    knows_target = cache(partial(_knows_target, run.root))
    is_refuted = refuter(run.root)
    for result in decode_output(output, list[RuffResult]):
        code = _SYNTAX_ERROR if result.is_syntax_error else result.code
        if code == "E902" or (code is None and result.name == _CRASH):
            raise ToolOutputError(f"ruff could not read {Path(result.filename).name}: {result.message}")
        if code is None:
            continue  # a preview rule, which has a name but no code yet: our map knows rules by code
        file = relative(result.filename, run)
        span = _span_of(result.location, result.end_location)
        text = text_of(file) if code in _LOOKED_INTO else None
        chosen = code in run.requested
        chosen = chosen or ((text is not None or code.startswith("S")) and is_chosen(file, code))
        if text is not None and not chosen and _is_in_vain(file, text, code, span):
            continue
        if code == _OUTDATED_BLOCK and not knows_target(file):
            continue
        if is_refuted(file, code, span) or (code in _OF_A_VERSION and code not in run.requested):
            continue
        if code == "PLW1641" and text is not None:
            span = equality_of(file, text, span)
        fix = _ruff_fix(file, result.fix) if result.fix else None
        is_weak = code == "F821" and text is not None and _is_in_string(text, span)
        is_weak = is_weak or (code == _SYNTAX_ERROR and is_newer(file, result.message))
        severity = Severity.WARN if is_weak else None
        results.append(
            RawFinding(
                code,
                file,
                span,
                collapse_whitespace(result.message),
                result.url,
                fix,
                severity=severity,
                explicitly_enabled=chosen,
            )
        )
    return results
