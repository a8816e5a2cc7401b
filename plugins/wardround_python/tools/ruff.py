"""ruff: how it is called, configured and read."""

from __future__ import annotations

import io
import os
import re
import tokenize
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from wardround.digests import sha256
from wardround.errors import ToolOutputError
from wardround.findings import Edit, RawResult, Severity, Span, SuggestedFix
from wardround.kept import kept
from wardround.late import LatePattern
from wardround.tools.output import RAN, decoded, map_of, one_line, relative
from wardround.tools.tool import Invocation, Tool, install_line
from wardround_python.environment import PROJECT_FILES
from wardround_python.tools.doubts import DOUBTED, equality_of, is_harmless
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
    text_of = cache(partial(_text, run.root))
    for result in decoded(output, list[RuffResult]):
        code = result.code or "invalid-syntax"
        if code == "E902":
            raise ToolOutputError(f"ruff could not read {Path(result.filename).name}: {result.message}")
        file = relative(result.filename, run)
        span = _place(result.location, result.end_location)
        text = text_of(file) if code in _LOOKED_INTO else None
        if code == "PLW1510" and text is not None and asks_for_status(text, span):
            continue
        if code in DOUBTED and text is not None and is_harmless(file, text, code, span):
            continue
        if code == "PLW1641" and text is not None:
            span = equality_of(file, text, span)
        fix = _ruff_fix(file, result.fix) if result.fix else None
        severity = (
            Severity.WARN if code == "F821" and text is not None and _is_in_string(text, span) else None
        )
        found.append(
            RawResult(code, file, span, one_line(result.message), result.url, fix, severity=severity)
        )
    return found


_F_STRING = LatePattern(r"[rR]?[fF]")


def _text(root: Path, file: str) -> str | None:
    """What a file says; None where it cannot be read."""
    try:
        return (root / file).read_text("utf-8-sig")
    except (OSError, ValueError):
        return None


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


def ruff_fallback_config(read: Callable[[str], str | None]) -> tuple[str, str]:
    """The selection for projects that have no ruff configuration of their own."""
    tool_map = map_of("ruff")
    target = _target_version(read("pyproject.toml") or "")
    return "ruff.toml", (
        f"{target}[lint]\nselect = {_toml(tool_map.select)}\nignore = {_toml(tool_map.ignore)}\n"
        f"[lint.per-file-ignores]\n{_ruff_per_file()}"
    )


def ruff_config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Our selection on top of a ruff configuration that chooses no rules.

    What ruff selects by itself changes from version to version, so a project that sets a line length has not
    asked for it. Its other settings count, its ignores and additional selections too.
    """
    stem = f"{folder}/" if folder else ""
    name = next((n for n in (".ruff.toml", "ruff.toml", "pyproject.toml") if stem + n in configs), None)
    if name is None:
        return {}
    chain = _ruff_chain(stem + name, configs)
    if not chain or any("select" in table for table in chain):
        return {}
    tool_map = map_of("ruff")
    added = [code for table in chain for code in table.get("extend-select", [])]
    ignored = [code for table in chain for key in ("ignore", "extend-ignore") for code in table.get(key, [])]
    extended = name
    files = {}
    if name == ".ruff.toml":  # the name the overlay needs
        extended = ".ruff-of-project.toml"
        files[stem + extended] = configs[stem + name]
    files[f"{stem}.ruff.toml"] = (
        f"extend = {_toml(extended)}\n[lint]\nselect = {_toml([*tool_map.select, *added])}\n"
        f"ignore = {_toml([*tool_map.ignore, *ignored])}\n[lint.extend-per-file-ignores]\n{_ruff_per_file()}"
    )
    return files


def _ruff_chain(path: str, configs: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rule selections of a configuration and of those it extends; none if it is not about ruff."""
    chain = []
    waiting = [path]
    while waiting:
        current = waiting.pop()
        try:
            table = _ruff_table(current, configs.get(current, ""))
        except (ValueError, AttributeError):
            return []  # ruff itself will complain about the file
        if not isinstance(table, dict):
            continue
        lint = table.get("lint")
        chain.append({**table, **(lint if isinstance(lint, dict) else {})})
        waiting += ruff_config_closure(current, configs.get(current, ""))
    return chain


def _ruff_table(path: str, text: str) -> Any:
    """What a file says to ruff, if that is a table; None if it says nothing.

    Raises:
        ValueError: it is no TOML.
        AttributeError: what should be a table around ruff's is none.
    """
    is_shared = path.endswith("pyproject.toml")
    if is_shared and "ruff" not in text:
        return None  # as in most projects, and without reading it
    import tomllib

    table = tomllib.loads(text)
    return table.get("tool", {}).get("ruff") if is_shared else table


def _ruff_per_file() -> str:
    tool_map = map_of("ruff")
    return "".join(
        f"{_toml(pattern)} = {_toml(codes)}\n" for pattern, codes in sorted(tool_map.ignore_in.items())
    )


def _target_version(pyproject: str) -> str:
    """The oldest Python a project supports, as ruff's setting; ruff reads it only beside its own tables."""
    if "requires-python" not in pyproject:
        return ""
    name = sha256(pyproject.encode("utf-8", "surrogateescape")).hexdigest()
    return kept("target-version", name, lambda: _read_target_version(pyproject), str)


def _read_target_version(pyproject: str) -> str:
    import tomllib

    try:
        wanted = tomllib.loads(pyproject).get("project", {}).get("requires-python", "")
        oldest = re.search(r"(?:>=|~=|==)\s*3\.(\d+)", wanted)
    except (tomllib.TOMLDecodeError, AttributeError, TypeError):
        return ""
    return f'target-version = "py3{max(7, int(oldest[1]))}"\n' if oldest else ""


def _toml(value: str | list[str]) -> str:
    return msgspec.json.encode(value).decode()


def ruff_config_closure(path: str, text: str) -> list[str]:
    """The configuration a ruff configuration extends, relative to the repository root."""
    try:
        table = _ruff_table(path, text) or {}
        extended = table.get("extend")
    except (ValueError, AttributeError):
        return []  # ruff itself will complain about the file
    if not isinstance(extended, str) or extended.startswith(("/", "~")):
        return []
    target = os.path.normpath(PurePosixPath(path).parent / extended)
    return [] if target.startswith("..") else [target]


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
