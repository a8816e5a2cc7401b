"""sqlfluff: command, configuration and output.

It is slow, so it runs only if a project enables it, on a limited number of lines. The project's configuration
applies, except for settings that load code.
"""

from __future__ import annotations

import configparser
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from wardround.errors import ToolFailed, ToolOutputError
from wardround.findings import Edit, Plane, RawFinding, Span, SuggestedFix
from wardround.lazy import LazyPattern
from wardround.storage.digest import sha256
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, map_of, selection, span_of
from wardround.tools.tool import Invocation, Probe, Tool, install_line
from wardround_sql.options import SqlOptions
from wardround_sql.parsing.dialects import POSTGRES, canonical, detected_dialect
from wardround_sql.parsing.jinja import is_template
from wardround_sql.specialist import SQL

CONFIG = ".sqlfluff"
SHARED = "pyproject.toml"
OWN = ".wardround.toml"
LINES = 2_000
"""Maximum number of lines per run: sqlfluff takes about a second for 250."""
_TIMEOUT_S = 30.0
_NAMES = {"spark": "sparksql", "presto": "trino"}
_KNOWN = (
    *("ansi", "athena", "bigquery", "clickhouse", "databricks", "db2", "doris", "duckdb", "exasol", "flink"),
    *("greenplum", "hive", "impala", "mariadb", "materialize", "mysql", "oracle", "postgres", "redshift"),
    *("snowflake", "soql", "sparksql", "sqlite", "starrocks", "teradata", "trino", "tsql", "vertica"),
)
_CODE = LazyPattern(r"[A-Z]{2}\d\d")
_INLINE = LazyPattern(r"^(--\s*)sqlfluff(?=:)", re.MULTILINE)
_UNREADABLE = "(its configuration cannot be read)"
_TROUBLE = ("PRS", "LXR", "TMP")


class FluffEdit(msgspec.Struct):
    edit: str
    start_line_no: int
    start_line_pos: int
    end_line_no: int
    end_line_pos: int


class FluffResult(msgspec.Struct):
    start_line_no: int
    start_line_pos: int
    code: str
    description: str
    fixes: list[FluffEdit] = []
    end_line_no: int | None = None
    end_line_pos: int | None = None


class FluffFile(msgspec.Struct):
    filepath: str
    violations: list[FluffResult]


# Configuration

Sections = dict[str, dict[str, str]]
_HARMLESS = LazyPattern(
    r"sqlfluff:(?:rules(?::.*)?|layout(?::.*)?|indentation|templater:(?:jinja:(?:context|macros)|placeholder))"
)
_HARMLESS_KEYS = frozenset(
    ("dialect", "templater", "rules", "exclude_rules", "max_line_length", "ignore_templated_areas")
)
_NAME = LazyPattern(r"[\w.:-]+(?: [\w.:-]+)*")
_TEMPLATERS = frozenset(("raw", "jinja", "placeholder"))


def _dialect_table(table: object) -> str:
    """Return the dialect of wardround's own options, for files without signs of another dialect."""
    sql = table.get("sql", {}) if isinstance(table, dict) else {}
    dialect = sql.get("dialect") if isinstance(sql, dict) else None
    return f"[tool.wardround.sql]\ndialect = {msgspec.json.encode(dialect).decode()}\n" if dialect else ""


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}  # the host rejects it, since its own settings are in there too


def _ini(text: str) -> Sections:
    """Return the sections of an INI file; an invalid one gets an unknown dialect, so that the run fails."""
    parser = configparser.ConfigParser(delimiters="=", interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return {"sqlfluff": {"dialect": _UNREADABLE}}
    return {name: dict(parser[name]) for name in parser.sections()}


def _flat(table: object, name: str = "sqlfluff") -> Iterator[tuple[str, dict[str, str]]]:
    """Return TOML tables as sqlfluff's sections: ``core`` is the section without a name."""
    if not isinstance(table, dict):
        return
    values = {
        key: ",".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in table.items()
        if not isinstance(value, dict)
    }
    if values:
        yield name, values
    for key, value in table.items():
        inner = name if key == "core" and name == "sqlfluff" else f"{name}:{key}"
        yield from _flat(value, inner)


def _harmless(sections: Sections) -> Sections:
    retained: Sections = {}
    for name, values in sections.items():
        if name == "sqlfluff":
            retained[name] = {key: value for key, value in values.items() if key in _HARMLESS_KEYS}
            if retained[name].get("templater", "jinja") not in _TEMPLATERS:
                retained[name]["templater"] = "jinja"
        elif _HARMLESS.fullmatch(name):
            retained[name] = values
    return retained


def _join_value_lines(values: Mapping[str, str]) -> dict[str, str]:
    """Return settings whose values have plain line breaks only, which are indented when they are written."""
    return {name: "\n".join(value.splitlines()) for name, value in values.items() if _NAME.fullmatch(name)}


def _merge_sections(below: Sections, above: Sections) -> Sections:
    return {name: below.get(name, {}) | above.get(name, {}) for name in (*below, *above)}


def _write_sections(sections: Sections) -> str:
    """Return an INI file; without names that would end their line, and open a section of their own."""
    parser = configparser.ConfigParser(delimiters="=", interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_dict(
        {name: _join_value_lines(values) for name, values in sections.items() if _NAME.fullmatch(name)}
    )
    out = io.StringIO()
    parser.write(out)
    return out.getvalue()


# One run


class _Copy(Struct, frozen=True):
    """File in the folder that sqlfluff reads, together with others of the same settings."""

    file: str
    target: Path
    config: str
    text: str


def _plan(run: Invocation) -> tuple[list[_Copy], dict[str, str]]:
    """Return the files to read, and the others with the reason; deterministic for the same files."""
    name = sha256("\0".join((str(run.root), *run.files)).encode()).hexdigest()[:16]
    copies: list[_Copy] = []
    over: dict[str, str] = {}
    room, left = run.scratch / f"sqlfluff-{name}", LINES
    for file in run.files:
        text = (run.root / file).read_text("utf-8-sig", errors="replace")
        lines = text.count("\n") + 1
        if lines > left:
            over[file] = f"sqlfluff is slow: {lines} lines exceed the limit of {LINES} per review"
            continue
        left -= lines
        config = _settings(run.root, file, text, run.requested)
        group = sha256(config.encode()).hexdigest()[:8]
        copies.append(_Copy(file, room / group / file, config, _INLINE.sub(r"\1sqlfl_ff", text)))
    return copies, over


def _settings(root: Path, file: str, text: str, requested: Sequence[str] = ()) -> str:
    """Return the effective sqlfluff configuration of a file: the project's, else ours."""
    sections: Sections = {}
    usual = POSTGRES
    folders = [root / parent for parent in reversed(Path(file).parents)]
    for folder in folders:
        if (folder / CONFIG).is_file():
            sections = _merge_sections(sections, _ini((folder / CONFIG).read_text("utf-8")))
        for name in (SHARED, OWN):
            if (folder / name).is_file():
                tool = _toml((folder / name).read_text("utf-8")).get("tool", {})
                usual = tool.get("wardround", {}).get("sql", {}).get("dialect", usual)
    detected = detected_dialect(file, text, usual) or canonical(usual)
    detected = _NAMES.get(detected, detected)
    chosen = [code for code in map_of("sqlfluff").select if _CODE.fullmatch(code)]
    ours = {
        "dialect": detected if detected in _KNOWN else "ansi",
        "rules": ",".join(chosen),
        "large_file_skip_byte_limit": "0",
    }
    merged = _merge_sections({"sqlfluff": ours}, sections)
    if merged["sqlfluff"]["dialect"] not in _KNOWN:
        raise ToolFailed(
            f"sqlfluff does not support the dialect {merged['sqlfluff']['dialect']}; see {CONFIG}"
        )
    if requested:
        rules = "all" if "*" in requested else ",".join([merged["sqlfluff"]["rules"], *requested])
        merged["sqlfluff"]["rules"] = rules
    return _write_sections(merged)


def command(run: Invocation) -> Sequence[str]:
    copies, _ = _plan(run)
    if not copies:  # without a file argument it would read all files
        return [str(run.program), "--version"]
    for copy in copies:
        copy.target.parent.mkdir(parents=True, exist_ok=True)
        copy.target.write_text(copy.text, encoding="utf-8", newline="")
        settings = copy.target.parents[copy.file.count("/")] / CONFIG
        settings.write_text(copy.config, encoding="utf-8")
    return [
        str(run.program), "lint", "--format", "json", "--nocolor", "--disable-progress-bar",
        "--library-path", "none", "--disregard-sqlfluffignores", "--encoding", "utf-8", "--processes", "1",
        "--", *(str(copy.target) for copy in copies),
    ]  # fmt: skip


def parse(output: bytes, run: Invocation) -> list[RawFinding]:
    """Parse ``sqlfluff lint --format json``; every input file must be in it."""
    copies = {str(copy.target): copy for copy in _plan(run)[0]}
    found: list[RawFinding] = []
    results = decode_output(output, list[FluffFile])
    for entry in results:
        if entry.filepath not in copies:
            raise ToolOutputError(f"output names {Path(entry.filepath).name!r}, which was not an input")
        found += _results(entry, copies[entry.filepath])
    silent = copies.keys() - {entry.filepath for entry in results}
    if silent:
        raise ToolOutputError(f"output lacks {copies[min(silent)].file}")
    return found


def _results(file: FluffFile, copy: _Copy) -> Iterator[RawFinding]:
    """Return the results of a file; only the first of each kind of parse error."""
    fixable = not is_template(copy.text)
    seen: set[str] = set()
    for result in file.violations:
        if result.code in _TROUBLE and result.code in seen:
            continue
        seen.add(result.code)
        start = (max(result.start_line_no, 1), max(result.start_line_pos, 1))
        location = span_of(*start, result.end_line_no, result.end_line_pos)
        if result.code in _TROUBLE:
            location = Span(*start, *start)
        fix = _fix(copy.file, result) if fixable and result.fixes else None
        yield RawFinding(result.code, copy.file, location, _message(result), fix=fix)


_NOISE = LazyPattern(r"^Line \d+, Position \d+: |\s*Expected: .*$", re.DOTALL)


def _message(result: FluffResult) -> str:
    text = _NOISE.sub("", result.description) if result.code in _TROUBLE else result.description
    return collapse_whitespace(text)[:300]


def _fix(file: str, result: FluffResult) -> SuggestedFix:
    edits = tuple(
        Edit(file, span_of(e.start_line_no, e.start_line_pos, e.end_line_no, e.end_line_pos), e.edit)
        for e in result.fixes
    )
    return SuggestedFix("apply sqlfluff's fix", False, edits)


class Sqlfluff(Tool):
    """sqlfluff, over copies of the files, each with its dialect."""

    name = "sqlfluff"
    planes = frozenset({Plane.SEMANTIC})
    ignore_comments = (
        IgnoreComment(
            r"(?:--|/\*)\s*noqa\b",
            ("noqa",),
            ((SQL, r"(?:--|/\*)\s*((?i:noqa)\b)"),),
            region=r"noqa\s*:\s*disable",
            region_end=r"noqa\s*:\s*enable",
        ),
        IgnoreComment(
            r"--\s*sqlfluff\s*:",
            ("sqlfluff",),
            ((SQL, r"(?:--|/\*)\s*(sqlfluff\s*:)"),),
            region=r"sqlfluff\s*:",
        ),
    )
    probe = Probe("probe.sql", "SELECT a, b FROM t UNION ALL SELECT a FROM s;\n", "AM07")
    program = "sqlfluff"
    success_codes = RAN
    typical_s = 1.0
    install = install_line("sql")
    timeout_s = _TIMEOUT_S
    distribution = "sqlfluff"
    config_names = (CONFIG, SHARED, OWN)
    opt_in = True

    def command(self, run: Invocation) -> Sequence[str]:
        return command(run)

    def parse(self, output: bytes, run: Invocation) -> Sequence[RawFinding]:
        return parse(output, run)

    def skipped_files(self, errors: bytes, run: Invocation) -> Mapping[str, str]:
        """Return the files that there was no time to check."""
        return _plan(run)[1]

    def is_enabled(self, options: SqlOptions | None, path: str, text: str) -> bool:
        return options is not None and options.sqlfluff and path.endswith(".sql")

    def identity(self) -> str:
        return selection("sqlfluff")

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        """The configuration of a folder without the settings that make sqlfluff load Python or other files.

        Code is loaded by ``library_path``, macro and search paths, plugins, and the dbt and Python
        templaters; only settings known to be harmless remain.
        """
        stem = f"{folder}/" if folder else ""
        found: dict[str, str] = {}
        if stem + CONFIG in configs:
            found[stem + CONFIG] = _write_sections(_harmless(_ini(configs[stem + CONFIG])))
        if stem + SHARED in configs:
            table = _toml(configs[stem + SHARED]).get("tool", {})
            sections = _harmless(dict(_flat(table.get("sqlfluff", {}))))
            if sections:
                base = _ini(found.get(stem + CONFIG, ""))
                found[stem + CONFIG] = _write_sections(_merge_sections(base, sections))
            found[stem + SHARED] = _dialect_table(table.get("wardround", {}))
        if stem + OWN in configs:
            found[stem + OWN] = _dialect_table(_toml(configs[stem + OWN]))
        return found


SQLFLUFF = Sqlfluff()
