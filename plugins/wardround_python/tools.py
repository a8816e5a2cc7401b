"""The static tools of the Python specialist: how each is called and read."""

from __future__ import annotations

import hashlib
import io
import os
import re
import tokenize
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import msgspec

from wardround.errors import ToolOutputError
from wardround.findings import Edit, RawResult, Severity, Span, SuggestedFix
from wardround.rules import RULES_PACKAGE, ToolMapFile, declared, load_tool_map
from wardround.tools.tool import Columns, Invocation, Profile, Scope, Tool

_CI = "pip install 'wardround[ci]'"
Decoded = TypeVar("Decoded")
_BASE = "pip install --force-reinstall wardround"


# ruff


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


def parse_ruff(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``ruff check --output-format json``."""
    found = []
    for result in _decoded(output, list[RuffResult]):
        code = result.code or "invalid-syntax"
        if code == "E902":
            raise ToolOutputError(f"ruff could not read {Path(result.filename).name}: {result.message}")
        file = _relative(result.filename, run)
        span = _span(result.location, result.end_location)
        fix = _ruff_fix(file, result.fix) if result.fix else None
        severity = Severity.WARN if code == "F821" and _is_in_string(run.root / file, span) else None
        found.append(
            RawResult(code, file, span, _one_line(result.message), result.url, fix, severity=severity)
        )
    return found


_F_STRING = re.compile(r"[rR]?[fF]")


def _is_in_string(file: Path, span: Span) -> bool:
    """Whether a place is inside a string: a name in a quoted annotation is looked up late, or never."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(file.read_text("utf-8-sig")).readline))
    except (OSError, UnicodeDecodeError, SyntaxError, tokenize.TokenError):
        return False
    place = (span.line, span.column - 1)
    strings = (t for t in tokens if t.type == tokenize.STRING and not _F_STRING.match(t.string))
    return any(token.start < place < token.end for token in strings)


def _span(start: RuffPlace, end: RuffPlace) -> Span:
    if (end.row, end.column) < (start.row, start.column):
        end = start
    return Span(start.row, start.column, end.row, end.column)


def _ruff_fix(file: str, fix: RuffFix) -> SuggestedFix:
    edits = tuple(Edit(file, _span(e.location, e.end_location), e.content or "") for e in fix.edits)
    return SuggestedFix(fix.message or "apply ruff's fix", fix.applicability == "safe", edits)


@cache
def _map_of(tool: str) -> ToolMapFile:
    return load_tool_map(tool).content


def ruff_fallback_config(read: Callable[[str], str | None]) -> tuple[str, str]:
    """The selection for projects that have no ruff configuration of their own."""
    tool_map = _map_of("ruff")
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
    tool_map = _map_of("ruff")
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
            table: Any = tomllib.loads(configs.get(current, ""))
        except tomllib.TOMLDecodeError:
            return []  # ruff itself will complain about the file
        if current.endswith("pyproject.toml"):
            table = table.get("tool", {}).get("ruff")
        if not isinstance(table, dict):
            continue
        lint = table.get("lint")
        chain.append({**table, **(lint if isinstance(lint, dict) else {})})
        waiting += ruff_config_closure(current, configs.get(current, ""))
    return chain


def _ruff_per_file() -> str:
    tool_map = _map_of("ruff")
    return "".join(
        f"{_toml(pattern)} = {_toml(codes)}\n" for pattern, codes in sorted(tool_map.ignore_in.items())
    )


def _target_version(pyproject: str) -> str:
    """The oldest Python a project supports, as ruff's setting; ruff reads it only beside its own tables."""
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
        table: Any = tomllib.loads(text)
        if path.endswith("pyproject.toml"):
            table = table.get("tool", {}).get("ruff", {})
        extended = table.get("extend")
    except (tomllib.TOMLDecodeError, AttributeError):
        return []  # ruff itself will complain about the file
    if not isinstance(extended, str) or extended.startswith(("/", "~")):
        return []
    target = os.path.normpath(PurePosixPath(path).parent / extended)
    return [] if target.startswith("..") else [target]


# ty


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
    for result in _decoded(output, list[GitlabResult]):
        begin, end = result.location.positions.begin, result.location.positions.end
        if result.check_name == "io":
            raise ToolOutputError(f"ty could not read a file: {result.description}")
        if PurePosixPath(result.location.path).name in ("", *_TY_CONFIGS):
            continue  # about the configuration, not about a file under review
        span = _span(RuffPlace(begin.line, begin.column), RuffPlace(end.line, end.column))
        message = _one_line(result.description.removeprefix(f"{result.check_name}: "))
        file = _relative(result.location.path, run)
        if not _map_of("ty").is_silent(result.check_name, file):
            found.append(RawResult(result.check_name, file, span, message))
    return found


# pyright


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
    answer = _decoded(output, PyrightOutput)
    if answer.summary.files_analyzed < 1:
        raise ToolOutputError("pyright looked at no file")
    found = []
    for result in answer.general_diagnostics:
        if result.range is None or result.severity == "information":
            continue
        start, end = result.range.start, result.range.end
        span = Span(start.line + 1, start.character + 1, end.line + 1, end.character + 1)
        code = result.rule or "syntax-error"
        file = _relative(result.file, run)
        if not _map_of("pyright").is_silent(code, file):
            found.append(RawResult(code, file, span, _one_line(result.message)))
    return found


# ast-grep


class AstGrepPlace(msgspec.Struct):
    line: int
    column: int


class AstGrepRange(msgspec.Struct):
    start: AstGrepPlace
    end: AstGrepPlace


class AstGrepResult(msgspec.Struct, rename="camel"):
    file: str
    rule_id: str
    message: str
    range: AstGrepRange


def ast_grep_command(run: Invocation) -> Sequence[str]:
    config = _rules_folder() / "sgconfig.yml"
    return [str(run.program), "scan", "-c", str(config), "--json=compact", "--no-ignore", "hidden",
            "--", *run.files]  # fmt: skip


def parse_ast_grep(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``ast-grep scan --json=compact``, whose places are 0-based.

    The compact form prints an empty list where there is nothing to say; the streaming form prints nothing,
    as a program does that never ran.
    """
    found = []
    for result in _decoded(output, list[AstGrepResult]):
        start, end = result.range.start, result.range.end
        span = Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        found.append(RawResult(result.rule_id, _relative(result.file, run), span, _one_line(result.message)))
    return found


# semgrep


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
        "--json", "-q", "--config", str(_rules_folder() / "semgrep"), "--", *run.files,
    ]  # fmt: skip


def parse_semgrep(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``semgrep scan --json``; a file it was given and did not scan is a failure."""
    answer = _decoded(output, SemgrepOutput)
    if answer.errors:
        raise ToolOutputError(f"semgrep reported {_one_line(str(answer.errors[0]))[:200]}")
    left_out = sorted(set(run.files) - {_relative(path, run) for path in answer.paths.scanned})
    if left_out:
        raise ToolOutputError(f"semgrep did not scan {left_out[0]} ({len(left_out)} of {len(run.files)})")
    found = []
    for result in answer.results:
        span = Span(result.start.line, result.start.col, result.end.line, result.end.col)
        code = result.check_id.rpartition(".")[2]
        found.append(RawResult(code, _relative(result.path, run), span, _one_line(result.extra.message)))
    return found


# shared


def _decoded(output: bytes, kind: type[Decoded]) -> Decoded:
    """JSON as the values a tool's output consists of.

    Raises:
        ToolOutputError: it is nested without end.
        msgspec.MsgspecError: it is not what the tool is known to print.
    """
    try:
        return msgspec.json.decode(output, type=kind)
    except RecursionError as cause:
        raise ToolOutputError("its output is nested without end") from cause


def _relative(path: str, run: Invocation) -> str:
    """A path a tool named, relative to the snapshot's root.

    Raises:
        ToolOutputError: it is none of the files the tool was given.
    """
    relative = os.path.normpath(os.path.relpath(path, run.root) if os.path.isabs(path) else path)
    if relative not in run.files:
        raise ToolOutputError(f"it named {path!r}, which it was not given")
    return relative


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _selection(tool: str) -> str:
    """What is switched off of a tool, as part of what its answers depend on."""
    tool_map = _map_of(tool)
    return repr((tool_map.ignore, sorted(tool_map.ignore_in.items())))


@cache
def _rules_folder() -> Path:
    return Path(str(resources.files(RULES_PACKAGE) / "python"))


@cache
def _ast_grep_needs() -> re.Pattern[str]:
    """What a file must hold for one of the ast-grep rules to match; anything, if a rule cannot say."""
    needs = [rule.metadata.needs for rule in declared("python", "ast-grep")]
    words = {word for some in needs for word in some}
    return re.compile("|".join(map(re.escape, sorted(words))) if all(needs) else "")


def rules_digest(engine: str) -> str:
    """A digest of the declarative rules of one engine, part of what its answers depend on."""
    digest = hashlib.sha256()
    for file in sorted((_rules_folder() / engine).glob("*.yml")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


_FILES = frozenset({0, 1})
_PROJECT_FILES = ("*.py", "*.pyi", "py.typed")

RUFF = Tool(
    name="ruff",
    program="ruff",
    command=ruff_command,
    parse=parse_ruff,
    clean=_FILES,
    install=_BASE,
    distribution="ruff",
    config_names=("pyproject.toml", "ruff.toml", ".ruff.toml"),
    config_closure=ruff_config_closure,
    config_overlay=ruff_config_overlay,
    fallback_config=ruff_fallback_config,
    project_files=_PROJECT_FILES,
)

TY = Tool(
    name="ty",
    program="ty",
    command=ty_command,
    parse=parse_ty,
    clean=_FILES,
    install=_BASE,
    scope=Scope.PROJECT,
    distribution="ty",
    config_names=_TY_CONFIGS,
    project_files=_PROJECT_FILES,
    identity=lambda: _selection("ty"),
)

AST_GREP = Tool(
    name="ast-grep",
    program="ast-grep",
    command=ast_grep_command,
    parse=parse_ast_grep,
    clean=_FILES,
    install=_BASE,
    distribution="ast-grep-cli",
    can_match=lambda text: _ast_grep_needs().search(text) is not None,
    identity=lambda: rules_digest("ast-grep"),
)

PYRIGHT = Tool(
    name="pyright",
    program="pyright",
    command=pyright_command,
    parse=parse_pyright,
    clean=_FILES,
    install=_CI,
    profiles=frozenset({Profile.CI}),
    scope=Scope.PROJECT,
    identity=lambda: _selection("pyright"),
    columns=Columns.UTF16,
    timeout_s=300.0,
    distribution="pyright",
    config_names=("pyproject.toml", "pyrightconfig.json"),
    project_files=_PROJECT_FILES,
    variables={"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "PYRIGHT_PYTHON_NODE_ENV": "wheel"},
)

SEMGREP = Tool(
    name="semgrep",
    program="semgrep",
    command=semgrep_command,
    parse=parse_semgrep,
    clean=_FILES,
    install=_CI,
    profiles=frozenset({Profile.CI}),
    columns=Columns.UTF8,
    timeout_s=120.0,
    distribution="semgrep",
    identity=lambda: rules_digest("semgrep"),
    variables={"SEMGREP_ENABLE_VERSION_CHECK": "0", "SEMGREP_SEND_METRICS": "off"},
)
