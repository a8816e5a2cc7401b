"""pyright: how it is called and read."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawResult, Span
from wardround.tools.output import RAN, decoded, map_of, one_line, relative, selection
from wardround.tools.tool import Columns, Invocation, Profile, Scope, Tool, install_line
from wardround_python.environment import PROJECT_FILES


class PyrightPlace(msgspec.Struct):
    line: int
    character: int


class PyrightRange(msgspec.Struct):
    start: PyrightPlace
    end: PyrightPlace


class PyrightResult(msgspec.Struct):
    file: str
    severity: str
    message: str
    range: PyrightRange | None = None
    rule: str | None = None


class PyrightSummary(msgspec.Struct, rename="camel"):
    files_analyzed: int


class PyrightOutput(msgspec.Struct, rename="camel"):
    general_diagnostics: list[PyrightResult]
    summary: PyrightSummary


def pyright_command(run: Invocation) -> Sequence[str]:
    argv = [str(run.program), "--outputjson", "--level", "error"]
    if run.environment is not None:
        argv += ["--pythonpath", str(run.environment / "bin" / "python")]
    return [*argv, *(f"./{file}" for file in run.files)]


def parse_pyright(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``pyright --outputjson``, whose places are 0-based."""
    answer = decoded(output, PyrightOutput)
    if answer.summary.files_analyzed < 1:
        raise ToolOutputError("pyright looked at no file")
    found = []
    for result in answer.general_diagnostics:
        if result.range is None or result.severity == "information":
            continue
        start, end = result.range.start, result.range.end
        span = Span(start.line + 1, start.character + 1, end.line + 1, end.character + 1)
        code = result.rule or "syntax-error"
        file = relative(result.file, run)
        if not map_of("pyright").is_silent(code, file):
            found.append(RawResult(code, file, span, one_line(result.message)))
    return found


PYRIGHT = Tool(
    name="pyright",
    program="pyright",
    command=pyright_command,
    parse=parse_pyright,
    clean=RAN,
    typical_s=3.0,
    install=install_line("ci"),
    profiles=frozenset({Profile.CI}),
    scope=Scope.PROJECT,
    identity=lambda: selection("pyright"),
    columns=Columns.UTF16,
    timeout_s=300.0,
    distribution="pyright",
    config_names=("pyproject.toml", "pyrightconfig.json"),
    project_files=PROJECT_FILES,
    variables={"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYRIGHT_PYTHON_NODE_ENV": "wheel"},
)
