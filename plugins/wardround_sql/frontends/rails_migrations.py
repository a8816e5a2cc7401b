"""Rails migrations as the SQL that they run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from wardround.lazy import LazyPattern
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    join_columns,
    quote_identifier,
)

_TYPES = {"string": "text", "text": "text", "citext": "text", "integer": "integer", "bigint": "bigint",
"float": "double precision",
          "double": "double precision", "real": "real", "decimal": "numeric", "numeric": "numeric",
          "money": "money", "boolean": "boolean",
          "datetime": "timestamptz", "timestamp": "timestamptz", "timestamptz": "timestamptz", "date": "date",
          "uuid": "uuid", "json": "json", "jsonb": "jsonb", "references": "bigint", "belongs_to": "bigint",
          "binary": "bytea", "column": "text", "inet": "inet", "virtual": "text"}  # fmt: skip
_BLOCK = LazyPattern(
    r"^(?P<indent>[ "
    r"\t]*)(?P<kind>create_table|change_table|create_join_table)\b\s*\(?\s*[:\"'](?P<table>[\w.]+)[\"']?"
    r"(?P<rest>[^\n]*?)\bdo\s*\|(?P<name>\w+)\|[^\n]*\n(?P<body>.*?)^(?P=indent)end\b",
    re.MULTILINE | re.DOTALL,
)
_LINE = LazyPattern(
    r"^[ \t]*(?:safety_assured\s*\{\s*|[A-Z%(\[][^\n|]*\.each\s*(?:do|\{)\s*\|[^|"
    r"\n]*\|\s*)?(?P<call>[a-z_]+)\b"
    r"(?:\s*\(\s*|[ \t]+)(?P<arguments>(?:[:\"']|[a-z_]\w*[ \t]*,)(?:,[ \t]*(?:\#[^\n]*)?\n\s*|[^\n])*)",
    re.MULTILINE,
)
_OPTION = LazyPattern(
    r"(?:\b(?P<key>\w+):|:(?P<old>\w+)\s*=>)\s*(?P<value>\{[^}]*\}|\[[^\]]*\]|\"[^\"]*\"|'[^']*'|[^,\s)]+)"
)
_NAME = LazyPattern(r"\s*(?::\"?|[\"']|(?=[a-z_]))(?P<name>[\w.]+)[\"']?\s*(?:,|$|\)|\})")
_LIST = LazyPattern(r"\s*(?:%[iw][\[(](?P<words>[^\])]*)[\])]|\[(?P<items>[^\]]*)\])\s*(?:,|$|\))")


def table_of(model: str) -> str:
    """Return the table of a model by Rails conventions, for regular plural endings."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model.split("::")[-1]).lower()
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")


class _Line:
    """One call of a migration with its arguments."""

    def __init__(self, arguments: str) -> None:
        arguments = re.sub(r"\s#\s[^\n]*", "", arguments)
        self.arguments = arguments
        offset = 0
        self.names: list[list[str]] = []
        while True:
            name, several = _NAME.match(arguments, offset), _LIST.match(arguments, offset)
            if name and not re.match(r"\s*[\"']?\w+[\"']?:\s", arguments[offset:]):
                self.names.append([name["name"]])
                offset = name.end()
            elif several:
                inside = several["words"] if several["words"] is not None else several["items"]
                self.names.append(re.findall(r"\w+", inside))
                offset = several.end()
            else:
                break
        rest = arguments[offset:]
        self.options = {m["key"] or m["old"]: m["value"] for m in _OPTION.finditer(rest)}

    def name(self, number: int) -> str:
        return self.names[number][0] if number < len(self.names) and self.names[number] else ""

    def is_off(self, key: str) -> bool:
        return self.options.get(key) in ("false", "nil")

    @property
    def is_concurrent(self) -> bool:
        return "concurrently" in self.options.get("algorithm", "")


_PROVEN = LazyPattern(r"\b(?:validate|remove)_check_constraint\b")
"""Marks a check constraint that already excludes NULL, so that PostgreSQL does not scan the table."""


def migration_operations(text: str) -> Iterator[AssembledText]:
    blocks = list(_BLOCK.finditer(text))
    for block in blocks:
        yield from _block(text, block)
    for match in _LINE.finditer(text):
        if any(block.start("body") <= match.start() < block.end("body") for block in blocks):
            continue
        sql = _sql(match["call"], _Line(match["arguments"]))
        if sql and not (match["call"] == "change_column_null" and _PROVEN.search(text)):
            writer = SqlAssembler()
            offset = match.start("call")
            writer.add(sql, offset, len(match["call"]))
            yield writer.text()


def _block(text: str, block: re.Match[str]) -> Iterator[AssembledText]:
    table, new = quote_identifier(block["table"]), block["kind"] != "change_table"
    writer, count = SqlAssembler(), 0
    start, width = block.start("kind"), len(block["kind"])
    writer.add(f"CREATE TABLE {table} (", start, width)
    after: list[tuple[str, int, int]] = []
    if "id: false" not in block["rest"] and "primary_key" not in block["rest"]:
        writer.add("id bigint PRIMARY KEY", start, width)
        count = 1
    step = re.compile(
        rf"^[ \t]*{block['name']}\.(?P<call>\w+)\b\s*\(?\s*(?P<arguments>(?:,[ \t]*\n\s*|[^\n])*)",
        re.MULTILINE,
    )
    for match in step.finditer(text, block.start("body"), block.end("body")):
        line, offset = (
            _Line(match["arguments"]),
            match.start() + len(match.group()) - len(match.group().lstrip()),
        )
        wide = len(match.group().strip().split("\n", 1)[0])
        for column in _columns(match["call"], line):
            if new:
                writer.add((", " if count else "") + column, offset, wide)
                count += 1
            else:
                after.append((f"ALTER TABLE {table} ADD COLUMN {column}", offset, wide))
        after += [(sql, offset, wide) for sql in _inside(match["call"], line, table)]
    writer.add(")", start, width)
    if not new:
        writer = SqlAssembler()
    for number, (sql, offset, wide) in enumerate(after):
        writer.add(("; " if new or number else "") + sql, offset, wide)
    if count or after:
        yield writer.text()


def _columns(call: str, line: _Line) -> Iterator[str]:
    """Yield the columns that a line of a block creates."""
    if call not in _TYPES or not line.names:
        return
    if call == "column":
        kind = line.name(1) or "text"
        yield f"{quote_identifier(line.name(0))} {_TYPES.get(kind, 'text')}{_other_options(line)}"
        return
    for names in line.names:
        for name in names:
            if call in ("references", "belongs_to"):
                yield f"{quote_identifier(name + '_id')} bigint{_other_options(line)}{_target(name, line)}"
            else:
                yield f"{quote_identifier(name)} {_TYPES[call]}{_other_options(line)}"


def _target(name: str, line: _Line) -> str:
    text = line.options.get("foreign_key", "false")
    if text in ("false", "nil"):
        return ""
    named = re.search(r"to_table:\s*:?[\"']?(\w+)", text)
    validity = " NOT VALID" if re.search(r"validate:\s*false", text) else ""
    action = " ON DELETE CASCADE" if re.search(r"on_delete:\s*:cascade", text) else ""
    return (
        f" REFERENCES {quote_identifier(named[1] if named else table_of(name))}{action}"
        + validity.replace(" NOT VALID", "")
    )


def _other_options(line: _Line) -> str:
    sql = " NOT NULL" if line.options.get("null") == "false" else ""
    filled = "default" in line.options or "default_function" in line.options or "as" in line.options
    return sql + (" DEFAULT null" if filled else "")


def _inside(call: str, line: _Line, table: str) -> Iterator[str]:
    """Yield the SQL of a line of a block apart from new columns."""
    match call:
        case "references" | "belongs_to":
            yield from _reference_indexes(table, line)
        case "index" if line.names:
            yield f"CREATE INDEX {_concurrently(line)}ON {table} ({join_columns(line.names[0])})"
        case "remove":
            for names in line.names:
                yield f"ALTER TABLE {table} DROP COLUMN {quote_identifier(names[0])}"
        case "rename" if len(line.names) > 1:
            before, after = (quote_identifier(line.name(location)) for location in (0, 1))
            yield f"ALTER TABLE {table} RENAME COLUMN {before} TO {after}"
        case "change" if len(line.names) > 1:
            typed = _TYPES.get(line.name(1), "text")
            yield f"ALTER TABLE {table} ALTER COLUMN {quote_identifier(line.name(0))} TYPE {typed}"
        case "foreign_key" if line.names:
            yield _foreign_key(table, line, 0)
        case _ if call in _TYPES and _has_index(line):
            yield f"CREATE INDEX ON {table} ({quote_identifier(line.name(0))})"


def _has_index(line: _Line) -> bool:
    return line.options.get("index", "false") not in ("false", "nil")


def _reference_indexes(table: str, line: _Line) -> Iterator[str]:
    if line.is_off("index"):
        return
    is_concurrent = line.is_concurrent or "concurrently" in line.options.get("index", "")
    concurrently = "CONCURRENTLY " if is_concurrent else ""
    for names in line.names:
        for name in names:
            yield f"CREATE INDEX {concurrently}ON {table} ({quote_identifier(name + '_id')})"


def _foreign_key(table: str, line: _Line, number: int) -> str:
    target = line.name(number)
    column = line.options.get("column", "").strip(":\"'") or re.sub(r"s$", "", target) + "_id"
    validity = " NOT VALID" if line.is_off("validate") else ""
    action = " ON DELETE CASCADE" if line.options.get("on_delete") == ":cascade" else ""
    key = f"FOREIGN KEY ({quote_identifier(column)}) REFERENCES {quote_identifier(target)}"
    return f"ALTER TABLE {table} ADD {key}{action}{validity}"


def _sql(call: str, line: _Line) -> str:
    """Return the SQL of a call outside blocks; empty if no rule inspects it."""
    if not line.name(0):
        return ""
    operation = _OPERATIONS.get(call)
    if operation is None or len(line.names) < operation[0]:
        return ""
    return operation[1](quote_identifier(line.name(0)), line)


def _concurrently(line: _Line) -> str:
    return "CONCURRENTLY " if line.is_concurrent else ""


def _rename_table(table: str, line: _Line) -> str:
    return f"ALTER TABLE {table} RENAME TO {quote_identifier(line.name(1))}" if line.name(1) else ""


def _remove_column(table: str, line: _Line) -> str:
    return f"ALTER TABLE {table} DROP COLUMN {quote_identifier(line.name(1))}" if line.name(1) else ""


def _rename_column(table: str, line: _Line) -> str:
    before, after = (quote_identifier(line.name(location)) for location in (1, 2))
    return f"ALTER TABLE {table} RENAME COLUMN {before} TO {after}"


def _add_column(table: str, line: _Line) -> str:
    typed = _TYPES.get(line.name(2), "text")
    return f"ALTER TABLE {table} ADD COLUMN {quote_identifier(line.name(1))} {typed}{_other_options(line)}"


def _change_column(table: str, line: _Line) -> str:
    typed = _TYPES.get(line.name(2), "text")
    typed = "varchar(1)" if typed == "text" and "limit" in line.options else typed
    return f"ALTER TABLE {table} ALTER COLUMN {quote_identifier(line.name(1))} TYPE {typed}"


def _require_column(table: str, line: _Line) -> str:
    if not line.name(1) or not re.search(r",\s*false\s*(?:,|\)|$)", line.arguments):
        return ""
    return f"ALTER TABLE {table} ALTER COLUMN {quote_identifier(line.name(1))} SET NOT NULL"


def _add_index(table: str, line: _Line) -> str:
    return f"CREATE INDEX {_concurrently(line)}ON {table} ({join_columns(line.names[1])})"


def _add_check(table: str, line: _Line) -> str:
    validity = " NOT VALID" if line.is_off("validate") else ""
    return f"ALTER TABLE {table} ADD CHECK (c > 0){validity}"


def _add_unique(table: str, line: _Line) -> str:
    return f"ALTER TABLE {table} ADD UNIQUE ({join_columns(line.names[1])})" if line.name(1) else ""


def _add_reference(table: str, line: _Line) -> str:
    return _reference(table, line.name(1), line) if line.name(1) else ""


def _add_foreign_key(table: str, line: _Line) -> str:
    return _foreign_key(table, line, 1) if line.name(1) else ""


_OPERATIONS: dict[str, tuple[int, Callable[[str, _Line], str]]] = {
    "drop_table": (0, lambda table, line: f"DROP TABLE {table}"),
    "rename_table": (0, _rename_table),
    "remove_column": (0, _remove_column),
    "remove_columns": (0, _remove_column),
    "rename_column": (3, _rename_column),
    "add_column": (3, _add_column),
    "change_column": (3, _change_column),
    "change_column_null": (0, _require_column),
    "add_index": (2, _add_index),
    "remove_index": (0, lambda table, line: f'DROP INDEX {_concurrently(line)}"index"'),
    "add_reference": (0, _add_reference),
    "add_belongs_to": (0, _add_reference),
    "add_foreign_key": (0, _add_foreign_key),
    "add_check_constraint": (0, _add_check),
    "add_unique_constraint": (0, _add_unique),
}
"""Operations of a migration: the number of arguments that each needs, and its SQL."""


def _reference(table: str, name: str, line: _Line) -> str:
    column = quote_identifier(name + "_id")
    text = line.options.get("index", "")
    sql = f"ALTER TABLE {table} ADD COLUMN {column} bigint{_other_options(line)}{_target(name, line)}"
    if text in ("false", "nil"):
        return sql
    how = "CONCURRENTLY " if "concurrently" in text else ""
    return f"{sql}; CREATE INDEX {how}ON {table} ({column})"
