"""SQL in shell scripts: quoted arguments or here-documents of a database client."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround_sql.frontends.sql_text import STARTS, fill_table_names, is_sql
from wardround_sql.frontends.string_assembly import AssembledText, CallNames, SqlAssembler
from wardround_sql.parsing.statements import SqlFragment
from wardround_sql.project.migration_files import is_migration

_HERE = LazyPattern(
    r"(?P<head>^[^\n]*)<<-?\s*(?P<quote>\\?['\"]?)(?P<mark>[\w.-]+)['\"]?[^\n]*\n(?P<body>.*?)^\s*(?P=mark)\s*$",
    re.MULTILINE | re.DOTALL,
)
_STRING = LazyPattern(r"\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)'", re.DOTALL)
_VARIABLE = LazyPattern(r"\$\{(?P<braced>\w+)[^}]*\}|\$(?P<plain>\w+)|\$\((?P<run>[^()]*)\)")
_CLIENT = LazyPattern(r"\b(?:psql|mysql|mariadb|sqlite3|cockroach|usql)\b|\$\{?\w*(?:PSQL|DB)\w*\}?")
_COMMENT = LazyPattern(r"^[ \t]*#")


def shell_calls(path: str, text: str) -> CallNames:
    """Return the SQL of a shell script."""
    result: list[SqlFragment] = []
    for entry in _assembled_strings(text):
        named = fill_table_names(entry)
        if STARTS.match(named.text) and is_sql(named):
            result.append(named.fragment(migrates=is_migration(path)))
    return CallNames(tuple(sorted(result, key=lambda item: item.offset)))


def _assembled_strings(text: str) -> Iterator[AssembledText]:
    used: list[tuple[int, int]] = []
    for here in _HERE.finditer(text):
        used.append(here.span("body"))
        if _CLIENT.search(here["head"]):
            yield _fill_variables(here["body"], here.start("body"), expands=not here["quote"])
    for result in _STRING.finditer(text):
        line = text[text.rfind("\n", 0, result.start()) + 1 : result.start()]
        inside = any(first <= result.start() < last for first, last in used)
        group = "double" if result["double"] is not None else "single"
        if not inside and not _COMMENT.match(line) and STARTS.match(result[group]):
            yield _fill_variables(result[group], result.start(group), expands=group == "double")


def _fill_variables(body: str, begin: int, *, expands: bool) -> AssembledText:
    """Return a text with a hole for each shell variable."""
    writer, offset = SqlAssembler(), 0
    for hole in _VARIABLE.finditer(body) if expands else ():
        if body[hole.start() - 1 : hole.start()] == "\\":
            continue
        writer.add(body[offset : hole.start()], begin + offset)
        writer.hole(hole["braced"] or hole["plain"] or hole["run"] or "", begin + hole.start(), safe=True)
        offset = hole.end()
    writer.add(body[offset:], begin + offset)
    return writer.text()
