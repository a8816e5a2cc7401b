"""ruff: how it is called and read."""

from __future__ import annotations

import io
import tokenize
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache, lru_cache, partial
from pathlib import Path

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Edit, RawResult, Severity, Span, SuggestedFix
from wardround.late import LatePattern
from wardround.tools.output import RAN, decoded, one_line, relative
from wardround.tools.tool import Invocation, Tool, install_line
from wardround_python.environment import PROJECT_FILES
from wardround_python.tools.doubts import DOUBTED, equality_of, is_harmless
from wardround_python.tools.ruff_config import (
    ruff_config_closure,
    ruff_config_overlay,
    ruff_fallback_config,
    selected_by_project,
    text_in,
)
from wardround_python.tools.statuses import asks_for_status


class RuffPlace(msgspec.Struct):
    row: int
    column: int


class RuffEdit(msgspec.Struct):
    content: str | None
    location: RuffPlace
    end_location: RuffPlace


class RuffFix(msgspec.Struct):
    applicability: str
    edits: list[RuffEdit]
    message: str | None = None


class RuffResult(msgspec.Struct):
    filename: str
    location: RuffPlace
    end_location: RuffPlace
    message: str
    code: str | None = None
    url: str | None = None
    fix: RuffFix | None = None


def ruff_command(run: Invocation) -> Sequence[str]:
    return [
        str(run.program), "check", "--no-cache", "--no-fix", "--quiet", "--force-exclude",
        "--no-respect-gitignore", "--output-format", "json", "--", *run.files,
    ]  # fmt: skip


_LOOKED_INTO = DOUBTED | {"PLW1510", "PLW1641", "F821"}
"""The codes that are true of some of the places they are said of, or of another place."""


def parse_ruff(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``ruff check --output-format json``."""
    found = []
    text_of = cache(partial(text_in, run.root))
    is_chosen = cache(partial(selected_by_project, run.root))
    for result in decoded(output, list[RuffResult]):
        code = result.code or "invalid-syntax"
        if code == "E902":
            raise ToolOutputError(f"ruff could not read {Path(result.filename).name}: {result.message}")
        file = relative(result.filename, run)
        span = _place(result.location, result.end_location)
        text = text_of(file) if code in _LOOKED_INTO else None
        chosen = (text is not None or code.startswith("S")) and is_chosen(file, code)
        if text is not None and not chosen and _is_in_vain(file, text, code, span):
            continue
        if code == "PLW1641" and text is not None:
            span = equality_of(file, text, span)
        fix = _ruff_fix(file, result.fix) if result.fix else None
        is_weak = code == "F821" and text is not None and _is_in_string(text, span)
        severity = Severity.WARN if is_weak else None
        found.append(
            RawResult(
                code, file, span, one_line(result.message), result.url, fix, severity=severity, chosen=chosen
            )
        )
    return found


def _is_in_vain(file: str, text: str, code: str, span: Span) -> bool:
    """Whether the rest of a module tells that what a code warns of cannot happen there."""
    if code == "PLW1510":
        return asks_for_status(text, span)
    return code in DOUBTED and is_harmless(file, text, code, span)


_F_STRING = LatePattern(r"[rR]?[fF]")


def _is_in_string(text: str, span: Span) -> bool:
    """Whether a place is inside a string: a name in a quoted annotation is looked up late, or never."""
    try:
        strings = _strings(text)
    except (SyntaxError, tokenize.TokenError):
        return False
    place = (span.line, span.column - 1)
    before = bisect_left(strings, (place, place)) - 1
    return before >= 0 and place < strings[before][1]


@lru_cache(maxsize=4)
def _strings(text: str) -> Sequence[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the strings of a module begin and end, in order; those are left out whose names are looked up."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(t.start, t.end) for t in tokens if t.type == tokenize.STRING and not _F_STRING.match(t.string)]


def _ruff_fix(file: str, fix: RuffFix) -> SuggestedFix:
    edits = tuple(Edit(file, _place(e.location, e.end_location), e.content or "") for e in fix.edits)
    return SuggestedFix(fix.message or "apply ruff's fix", fix.applicability == "safe", edits)


def _place(start: RuffPlace, end: RuffPlace) -> Span:
    if (end.row, end.column) < (start.row, start.column):
        end = start
    return Span(start.row, start.column, end.row, end.column)


def _takes(path: str, text: str) -> bool:
    """Whether a file is Python: a specialist that borrows ruff claims files of other kinds too."""
    from wardround_python.specialist import specialist

    return specialist().claims(path, text)


RUFF = Tool(
    name="ruff",
    program="ruff",
    command=ruff_command,
    parse=parse_ruff,
    clean=RAN,
    install=install_line(),
    distribution="ruff",
    takes=_takes,
    config_names=("pyproject.toml", "ruff.toml", ".ruff.toml"),
    config_closure=ruff_config_closure,
    config_overlay=ruff_config_overlay,
    fallback_config=ruff_fallback_config,
    project_files=PROJECT_FILES,
)
