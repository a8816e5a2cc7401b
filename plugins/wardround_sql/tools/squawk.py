"""squawk: command and output.

It reports the effects of a migration on a database in use, so it only reviews migrations for PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from wardround.change.repository_view import RepositoryView
from wardround.findings import Plane, RawFinding, Span
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN, collapse_whitespace, decode_output, relative
from wardround.tools.tool import Columns, Invocation, Probe, Tool, install_line
from wardround_sql.options import SqlOptions
from wardround_sql.parsing.jinja import is_template
from wardround_sql.project.file_dialect import file_dialect
from wardround_sql.project.migration_files import is_down, is_migration
from wardround_sql.specialist import SQL
from wardround_sql.tools.false_positives.squawk import SquawkResult, is_false_positive, message_of

CONFIG = ".squawk.toml"


def declines(path: str, text: str) -> str:
    """Return the reason why squawk cannot read a migration; empty if it can."""
    if not is_template(text):
        return ""
    return "it is a template, not SQL; review what it is rendered to, or leave it out with exclude"


def command(run: Invocation) -> Sequence[str]:
    """Return the command, with opt-in rules of squawk enabled, so that wardround can select them."""
    return [str(run.program), f"--include={_ON_REQUEST}", "--reporter", "json", "--", *run.files]


_ON_REQUEST = "require-table-schema"


def parse(output: bytes, run: Invocation) -> list[RawFinding]:
    """Parse ``squawk --reporter json``, whose lines and columns are 0-based and count bytes."""
    findings = []
    is_configured = (run.root / CONFIG).is_file()
    down = cache(_lines_down)
    for result in decode_output(output, list[SquawkResult]):
        file = relative(result.file, run)
        path = run.root / file
        if result.line + 1 in down(path) or is_false_positive(path, result, is_configured=is_configured):
            continue
        start = (result.line + 1, result.column + 1)
        end = max(start, (result.line_end + 1, result.column_end + 1))
        message = collapse_whitespace(message_of(path, result).replace("`", "")).strip()
        findings.append(RawFinding(result.rule_name, file, Span(*start, *end), message))
    return findings


def _lines_down(file: Path) -> frozenset[int]:
    from wardround_sql.parsing.statements import lines_down  # imports the lexer, which the tool does not need

    return lines_down(file.read_text("utf-8", "replace"))


def fallback_config(read: Callable[[str], str | None]) -> tuple[str, str]:
    """Return the configuration for a project without its own.

    Most migration tools run a file as one transaction; without that setting, squawk assumes that a table
    created by the same file is in use.
    """
    return CONFIG, "assume_in_transaction = true\n"


class Squawk(Tool):
    """squawk, over migrations for PostgreSQL."""

    name = "squawk"
    planes = frozenset({Plane.CONTRACT, Plane.SEMANTIC, Plane.PERF})
    ignore_comments = (
        IgnoreComment(
            r"\bsquawk-ignore",
            ("ignore",),
            ((SQL, r"(?:--|/\*)\s*(squawk-ignore(?:-file)?\b)"),),
            region=r"squawk-ignore-file",
        ),
    )
    probe = Probe("probe.sql", "DROP TABLE orders;\n", "ban-drop-table")
    program = "squawk"
    success_codes = RAN
    install = install_line()
    columns = Columns.UTF8
    distribution = "squawk-cli"
    config_names = (CONFIG,)
    config_at_root = True

    def command(self, run: Invocation) -> Sequence[str]:
        return command(run)

    def parse(self, output: bytes, run: Invocation) -> Sequence[RawFinding]:
        return parse(output, run)

    def is_enabled(self, options: SqlOptions | None, path: str, text: str) -> bool:
        """Return True if a file is a forward migration."""
        more = options.migrations if options is not None else ()
        return path.endswith(".sql") and is_migration(path, more) and not is_down(path)

    def suits(self, options: SqlOptions | None, path: str, text: str, project: RepositoryView) -> bool:
        """Return True if nothing in the project indicates another database."""
        return file_dialect(path, text, options or SqlOptions(), project).is_certainly_postgres

    def declines(self, path: str, text: str) -> str:
        return declines(path, text)

    def fallback_config(self, read: Callable[[str], str | None]) -> tuple[str, str] | None:
        return fallback_config(read)


SQUAWK = Squawk()
