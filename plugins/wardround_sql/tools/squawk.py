"""squawk: how it is called and read.

It judges what a migration does to a database in use, so it sees migrations only, and only those for Postgres.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import msgspec

from wardround.findings import RawResult, Span
from wardround.tools.output import RAN, decoded, map_of, one_line, relative
from wardround.tools.tool import Columns, Invocation, Tool, install_line
from wardround_sql.dialects import POSTGRES, dialect_of
from wardround_sql.places import is_down, is_migration
from wardround_sql.templates import is_template


class SquawkResult(msgspec.Struct):
    file: str
    line: int
    column: int
    message: str
    rule_name: str
    line_end: int
    column_end: int
    help: str | None = None


def takes(path: str, text: str) -> bool:
    """Whether a file is a migration forwards, for Postgres and without holes."""
    if not path.endswith(".sql") or not is_migration(path) or is_down(path):
        return False
    return not is_template(text) and dialect_of(path, text) == POSTGRES


def command(run: Invocation) -> Sequence[str]:
    return [str(run.program), "--reporter", "json", "--", *run.files]


def parse(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``squawk --reporter json``, whose lines and columns are 0-based and count bytes."""
    found = []
    for result in decoded(output, list[SquawkResult]):
        start = (result.line + 1, result.column + 1)
        end = max(start, (result.line_end + 1, result.column_end + 1))
        message = one_line(f"{result.message} {result.help or ''}".replace("`", "")).strip()
        found.append(RawResult(result.rule_name, relative(result.file, run), Span(*start, *end), message))
    return found


def fallback_config(read: Callable[[str], str | None]) -> tuple[str, str]:
    """What counts where a project has no configuration of its own: everything but what is noise to most."""
    return ".squawk.toml", f"excluded_rules = {json.dumps(map_of('squawk').ignore)}\n"


SQUAWK = Tool(
    name="squawk",
    program="squawk",
    command=command,
    parse=parse,
    clean=RAN,
    install=install_line(),
    columns=Columns.UTF8,
    distribution="squawk-cli",
    config_names=(".squawk.toml",),
    config_at_root=True,
    fallback_config=fallback_config,
    takes=takes,
)
