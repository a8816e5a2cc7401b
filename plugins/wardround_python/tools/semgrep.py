"""semgrep, with taint rules of ours: how it is called and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawResult, Span
from wardround.tools.tool import Columns, Invocation, Profile, Tool
from wardround_python.tools.output import (
    INSTALL_CI,
    RAN,
    decoded,
    one_line,
    relative,
    rules_digest,
    rules_folder,
)


class SemgrepPlace(msgspec.Struct):
    line: int
    col: int


class SemgrepExtra(msgspec.Struct):
    message: str


class SemgrepResult(msgspec.Struct):
    check_id: str
    path: str
    start: SemgrepPlace
    end: SemgrepPlace
    extra: SemgrepExtra


class SemgrepPaths(msgspec.Struct):
    scanned: list[str]


class SemgrepOutput(msgspec.Struct):
    results: list[SemgrepResult]
    errors: list[Any]
    paths: SemgrepPaths


def semgrep_command(run: Invocation) -> Sequence[str]:
    return [
        str(run.program), "scan", "--experimental", "--metrics=off", "--disable-version-check",
        "--json", "-q", "--config", str(rules_folder() / "semgrep"), "--", *run.files,
    ]  # fmt: skip


def parse_semgrep(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``semgrep scan --json``; a file it was given and did not scan is a failure."""
    answer = decoded(output, SemgrepOutput)
    if answer.errors:
        raise ToolOutputError(f"semgrep reported {one_line(str(answer.errors[0]))[:200]}")
    left_out = sorted(set(run.files) - {relative(path, run) for path in answer.paths.scanned})
    if left_out:
        raise ToolOutputError(f"semgrep did not scan {left_out[0]} ({len(left_out)} of {len(run.files)})")
    found = []
    for result in answer.results:
        span = Span(result.start.line, result.start.col, result.end.line, result.end.col)
        code = result.check_id.rpartition(".")[2]
        found.append(RawResult(code, relative(result.path, run), span, one_line(result.extra.message)))
    return found


SEMGREP = Tool(
    name="semgrep",
    program="semgrep",
    command=semgrep_command,
    parse=parse_semgrep,
    clean=RAN,
    install=INSTALL_CI,
    profiles=frozenset({Profile.CI}),
    columns=Columns.UTF8,
    timeout_s=120.0,
    distribution="semgrep",
    identity=lambda: rules_digest("semgrep"),
    variables={"SEMGREP_ENABLE_VERSION_CHECK": "0", "SEMGREP_SEND_METRICS": "off"},
)
