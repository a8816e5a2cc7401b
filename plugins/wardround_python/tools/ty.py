"""ty: how it is called and read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import RawResult, Span
from wardround.late import LatePattern
from wardround.tools.output import RAN, decoded, map_of, one_line, relative, selection
from wardround.tools.tool import Invocation, Scope, Tool, install_line
from wardround_python.environment import PROJECT_FILES


class GitlabPlace(msgspec.Struct):
    line: int
    column: int


class GitlabPositions(msgspec.Struct):
    begin: GitlabPlace
    end: GitlabPlace


class GitlabLocation(msgspec.Struct):
    path: str
    positions: GitlabPositions


class GitlabResult(msgspec.Struct):
    check_name: str
    description: str
    severity: str
    location: GitlabLocation


_TY_CONFIGS = ("pyproject.toml", "ty.toml")


# What a rule that is off says where the types are those of literals and functions in the text: no missing
# dependency, loose annotation or None that a condition ruled out can make it say that.
_FUNCTION = r"`(?:bound method|def|function|Overload)\b"
_PLAIN = {
    "redundant-condition": LatePattern(r"Did you mean to call|\(has type `GeneratorType"),
    "unsupported-operator": LatePattern(rf"(?:type|and) {_FUNCTION}"),
    "invalid-assignment": LatePattern(
        r"a subscript on an object of type `(?:tuple\[)?Literal|on object of type `_Environ"
    ),
    "invalid-argument-type": LatePattern(
        r"`(?:isinstance|issubclass)` .*found `(?:list|set|Literal)\["
        r"|`str\.(?:startswith|endswith)` .*found `(?:list|set|dict)\[|`range\.__new__` .*found `float`"
    ),
    "not-subscriptable": LatePattern(rf"type {_FUNCTION}"),
    "not-callable": LatePattern(r"type `(?:list|dict|tuple|set|Literal)\["),
    "invalid-raise": LatePattern(r"type `Literal\["),
    "no-matching-overload": LatePattern(r"`gather`"),
    "missing-attribute": LatePattern(r"type `\w+(?:Error|Exception)` has no attribute `message`"),
}


def is_plain(code: str, message: str) -> bool:
    """Whether a rule that is off speaks of types which stand in the text itself."""
    pattern = _PLAIN.get(code)
    return pattern is not None and pattern.search(message) is not None


def ty_command(run: Invocation) -> Sequence[str]:
    argv = [str(run.program), "check", "--output-format", "gitlab", "--no-progress"]
    if run.environment is not None:
        argv += ["--python", str(run.environment)]
    else:  # what is installed is not known, so nothing can be said about imports
        argv += ["--ignore", "import-not-found"]
    return [*argv, "--", *run.files]


def parse_ty(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``ty check --output-format gitlab``."""
    found = []
    for result in decoded(output, list[GitlabResult]):
        begin, end = result.location.positions.begin, result.location.positions.end
        if result.check_name == "io":
            raise ToolOutputError(f"ty could not read a file: {result.description}")
        if PurePosixPath(result.location.path).name in ("", *_TY_CONFIGS):
            continue  # about the configuration, not about a file under review
        span = Span(begin.line, begin.column, end.line, end.column)
        message = one_line(result.description.removeprefix(f"{result.check_name}: "))
        file = relative(result.location.path, run)
        if not map_of("ty").is_silent(result.check_name, file) or is_plain(result.check_name, message):
            found.append(RawResult(result.check_name, file, span, message))
    return found


TY = Tool(
    name="ty",
    program="ty",
    command=ty_command,
    parse=parse_ty,
    clean=RAN,
    typical_s=0.1,
    install=install_line(),
    scope=Scope.PROJECT,
    distribution="ty",
    config_names=_TY_CONFIGS,
    project_files=PROJECT_FILES,
    identity=lambda: selection("ty"),
)
