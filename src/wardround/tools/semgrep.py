"""semgrep, with the taint rules of one kind of code.

The rules are in ``<package>/<folder>/semgrep/*.yml`` in semgrep's own syntax, with our ``metadata``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawFinding, Span
from wardround.rules.declarative import rules_digest, rules_folder
from wardround.rules.model import RULES_PACKAGE
from wardround.tools.parsing import RAN, collapse_whitespace, decoded, relative
from wardround.tools.tool import Columns, Invocation, Probe, Profile, Tool, install_line


class SemgrepPosition(msgspec.Struct):
    line: int
    col: int


class SemgrepExtra(msgspec.Struct):
    message: str


class SemgrepResult(msgspec.Struct):
    check_id: str
    path: str
    start: SemgrepPosition
    end: SemgrepPosition
    extra: SemgrepExtra


class SemgrepPaths(msgspec.Struct):
    scanned: list[str]


class SemgrepOutput(msgspec.Struct):
    results: list[SemgrepResult]
    errors: list[Any]
    paths: SemgrepPaths


def parse_semgrep(output: bytes, run: Invocation) -> list[RawFinding]:
    """Read ``semgrep scan --json``; a file it did not scan is a failure."""
    report = decoded(output, SemgrepOutput)
    if report.errors:
        raise ToolOutputError(f"semgrep reported {collapse_whitespace(str(report.errors[0]))[:200]}")
    left_out = sorted(set(run.files) - {relative(path, run) for path in report.paths.scanned})
    if left_out:
        raise ToolOutputError(f"semgrep did not scan {left_out[0]} ({len(left_out)} of {len(run.files)})")
    found = []
    for result in report.results:
        span = Span(result.start.line, result.start.col, result.end.line, result.end.col)
        code = result.check_id.rpartition(".")[2]
        found.append(
            RawFinding(code, relative(result.path, run), span, collapse_whitespace(result.extra.message))
        )
    return found


class Semgrep(Tool):
    """Semgrep with the rules of a folder; it takes too long for a commit.

    Args:
        accepts: (path, text) -> True for those of the specialist's files that the rules are for.
        declines: (path, text) -> the reason why it cannot read such a file; empty where it can.
        package: the package that holds the folder.
    """

    name = "semgrep"
    program = "semgrep"
    success_codes = RAN
    install = install_line("ci")
    distribution = "semgrep"
    version_options = ("--experimental", "--version")  # the default one loads all of its Python
    profiles = frozenset({Profile.CI})
    columns = Columns.UTF8
    typical_s = 3.0
    timeout_s = 120.0
    variables = MappingProxyType({"SEMGREP_ENABLE_VERSION_CHECK": "0", "SEMGREP_SEND_METRICS": "off"})

    def __init__(
        self,
        folder: str,
        *,
        accepts: Callable[[str, str], bool] = lambda path, text: True,
        declines: Callable[[str, str], str] = lambda path, text: "",
        package: str = RULES_PACKAGE,
        probe: Probe | None = None,
        endings: tuple[str, ...] = (),
    ) -> None:
        self._folder = folder
        self._package = package
        self._accepts = accepts
        self._declines = declines
        self.probe = probe
        self.endings = endings

    def command(self, run: Invocation) -> Sequence[str]:
        rules = rules_folder(self._folder, self._package) / "semgrep"
        return [
            str(run.program), "scan", "--experimental", "--metrics=off", "--disable-version-check",
            "--json", "-q", "--scan-unknown-extensions", "--config", str(rules), "--", *run.files,
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        return parse_semgrep(output, run)

    def accepts(self, path: str, text: str) -> bool:
        return self._accepts(path, text)

    def declines(self, path: str, text: str) -> str:
        return self._declines(path, text)

    def identity(self) -> str:
        return rules_digest(self._folder, "semgrep", self._package)
