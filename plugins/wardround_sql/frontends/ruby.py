"""SQL in Ruby: strings passed to a database, and Rails migrations as the SQL that they run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wardround.lazy import LazyPattern
from wardround_sql.frontends.rails_migrations import migration_operations, table_of
from wardround_sql.frontends.sql_text import STARTS
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    CallNames,
    SqlAssembler,
    every_row,
)
from wardround_sql.project.migration_files import is_migration

_STRINGS = LazyPattern(
    r"""(?x)\b(?:execute|exec_query|select_all|select_rows|select_value|select_values|find_by_sql|exec_update|exec_delete|
    safety_assured\s*\{\s*execute)\b\s*\(?\s*
    (?:<<[~-]['"]?(?P<mark>\w+)['"]?(?:\.\w+)*\)?[^\n]*\n(?P<here>.*?)^\s*(?P=mark)\b
    |"(?P<double>[^"\\\n]*)"|'(?P<single>[^'\\\n]*)')""",
    re.DOTALL | re.MULTILINE,
)
_CONDITIONS = LazyPattern(
    r"\.(?:where|having|find_by|exists\?|delete_by|destroy_by|update_all|joins|reorder|"
    r"order)\b\s*\(?\s*\"(?P<double>[^\"\\\n]*)\""
)
_HOLE = LazyPattern(r"\#\{(?P<code>[^{}]*)\}")
_DOWN = LazyPattern(
    r"^(?P<indent>[ \t]*)def\s+(?:self\.)?down\b.*?^(?P=indent)end\b", re.MULTILINE | re.DOTALL
)
_REVERSED = LazyPattern(r"\bdir\.down\s*(?:\{[^}]*\}|do\b.*?\bend\b)", re.DOTALL)
_COMMENT = LazyPattern(r"^[ \t]*#")
_EVERY_ROW = LazyPattern(
    r"(?<![\w.:])(?P<model>[A-Z]\w*(?:::\w+)*)(?:\.(?:unscoped|all))*\.(?P<call>update_all|delete_all|"
    r"destroy_all)\b(?P<rest>[^\n]*)"
)


def ruby_calls(path: str, text: str) -> CallNames:
    """Return the SQL of a Ruby file."""
    migrates = is_migration(path)
    statements = [string for string in _strings(text) if STARTS.match(string.text)]
    fragments = [statement.fragment(migrates=migrates) for statement in statements if not statement.holes]
    fragments += [model.fragment(migrates=migrates, modelled=True) for model in _models(text, migrates)]
    distinct = {(fragment.offset, fragment.text): fragment for fragment in fragments}
    down = _reverted_sections(text) if migrates else []
    retained = [fragment for fragment in distinct.values() if not _is_within(fragment.offset, down)]
    in_order = sorted(retained, key=lambda fragment: fragment.offset)
    return CallNames(
        tuple(in_order), (*_assemble_strings(_strings(text, _CONDITIONS)), *_assemble_strings(statements))
    )


def _models(text: str, migrates: bool) -> Iterator[AssembledText]:
    """Yield SQL statements equivalent to the effects of migrations and models."""
    if migrates:
        yield from migration_operations(text)
    yield from _every_row(text)


def _assemble_strings(strings: Iterable[AssembledText]) -> Iterator[AssembledText]:
    return (string for string in strings if string.holes)


def _reverted_sections(text: str) -> list[range]:
    """Return the parts of a migration that run only when it is reverted."""
    return [range(*match.span()) for pattern in (_DOWN, _REVERSED) for match in pattern.finditer(text)]


def _is_within(offset: int, sections: list[range]) -> bool:
    return any(offset in section for section in sections)


def _strings(text: str, pattern: LazyPattern = _STRINGS) -> Iterator[AssembledText]:
    for match in pattern.finditer(text):
        group = next(name for name in ("here", "double", "single") if match.groupdict().get(name) is not None)
        writer, offset, inside = SqlAssembler(), 0, match[group]
        begin = match.start(group)
        for hole in _HOLE.finditer(inside) if group != "single" else ():
            writer.add(inside[offset : hole.start()], begin + offset)
            code = hole["code"].strip()
            writer.hole(code, begin + hole.start("code"), safe=_is_safe(code))
            offset = hole.end()
        writer.add(inside[offset:], begin + offset)
        yield writer.text()


def _is_safe(code: str) -> bool:
    """Return True if the code of a hole is not a plain name, or a name for a part of the statement."""
    if not re.fullmatch(r"[a-z_@][\w.\[\]:@]*", code):
        return True
    return re.search(r"quote|table|column|to_i|ids?\b|name|limit", code) is not None


def _every_row(text: str) -> Iterator[AssembledText]:
    for result in _EVERY_ROW.finditer(text):
        line = text[text.rfind("\n", 0, result.start()) + 1 : result.start()]
        if _COMMENT.match(line) or result["model"] in ("ActiveRecord", "File", "Dir"):
            continue
        writer = SqlAssembler()
        columns = re.findall(r"\b(\w+):", result["rest"]) or re.findall(r"[\"'](\w+)\s*=", result["rest"])
        verb = "update" if result["call"] == "update_all" else "delete"
        sql = every_row(verb, table_of(result["model"]), columns)
        writer.add(sql, result.start(), result.end("call") - result.start())
        yield writer.text()
