"""semgrep, with the taint rules of one kind of code: how it is called and read.

The rules stand in ``<package>/<folder>/semgrep/*.yml`` in semgrep's own syntax, with our ``metadata``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding, Span
from wardround.rules.declarative import rules_digest, rules_folder
from wardround.rules.model import RULES_PACKAGE
from wardround.tools.parsing import RAN, collapse_whitespace, decoded, relative
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, install_line


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


def parse_semgrep(output: bytes, run: Invocation) -> list[RawFinding]:
    """Read ``semgrep scan --json``; a file it was given and did not scan is a failure."""
    answer = decoded(output, SemgrepOutput)
    if answer.errors:
        raise ToolOutputError(f"semgrep reported {collapse_whitespace(str(answer.errors[0]))[:200]}")
    left_out = sorted(set(run.files) - {relative(path, run) for path in answer.paths.scanned})
    if left_out:
        raise ToolOutputError(f"semgrep did not scan {left_out[0]} ({len(left_out)} of {len(run.files)})")
    found = []
    for result in answer.results:
        span = Span(result.start.line, result.start.col, result.end.line, result.end.col)
        code = result.check_id.rpartition(".")[2]
        found.append(
            RawFinding(code, relative(result.path, run), span, collapse_whitespace(result.extra.message))
        )
    return found


def semgrep(
    folder: str,
    *,
    takes: Callable[[str, str], bool] | None = None,
    declines: Callable[[str, str], str] | None = None,
    package: str = RULES_PACKAGE,
    probe: Probe | None = None,
    endings: tuple[str, ...] = (),
) -> Tool:
    """Semgrep with the rules of ``folder``, as a specialist brings it; it takes too long for a commit."""

    def command(run: Invocation) -> Sequence[str]:
        rules = rules_folder(folder, package) / "semgrep"
        return [
            str(run.program), "scan", "--experimental", "--metrics=off", "--disable-version-check",
            "--json", "-q", "--scan-unknown-extensions", "--config", str(rules), "--", *run.files,
        ]  # fmt: skip

    return Tool(
        name="semgrep",
        probe=probe,
        version_options=("--experimental", "--version"),  # the other one loads all of its Python
        program="semgrep",
        command=command,
        parse=parse_semgrep,
        success_codes=RAN,
        typical_s=3.0,
        install=install_line("ci"),
        profiles=frozenset({Profile.CI}),
        columns=Columns.UTF8,
        timeout_s=120.0,
        distribution="semgrep",
        accepts=takes,
        declines=declines,
        endings=endings,
        identity=lambda: rules_digest(folder, "semgrep", package),
        variables={"SEMGREP_ENABLE_VERSION_CHECK": "0", "SEMGREP_SEND_METRICS": "off"},
    )
