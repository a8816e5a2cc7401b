"""Schemas built with knex, TypeORM and Sequelize migrations, as the SQL that they run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround_sql.frontends.script_brackets import closing
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    join_columns,
    quote_identifier,
)

_BLOCK = LazyPattern(
    r"\.(?P<kind>createTable|createTableIfNotExists|alterTable|table)\(\s*"
    r"(?:['\"`](?P<table>[\w.]+)['\"`]|(?P<variable>[A-Za-z_$][\w$.]*))\s*,\s*"
    r"(?:async\s+)?(?:function\s*\w*\s*)?\(?\s*(?P<name>\w+)\s*(?::\s*[\w.]+)?\s*\)?\s*(?:=>)?\s*\{?"
)
_STEP = LazyPattern(r"(?:^|[^\w.])(?P<owner>\w+)\s*\.(?P<call>\w+)\(")
_KNEX_TYPES = {"string": "text", "text": "text", "integer": "integer", "bigInteger": "bigint",
"float": "real",
               "double": "double precision", "decimal": "numeric", "boolean": "boolean", "uuid": "uuid",
               "json": "json", "jsonb": "jsonb", "date": "date", "enum": "text", "enu": "text",
               "timestamp": "timestamptz", "datetime": "timestamptz", "dateTime": "timestamptz",
               "specificType": "text",
               "binary": "bytea", "increments": "serial", "bigIncrements": "bigserial"}  # fmt: skip
_QUERY_INTERFACE = LazyPattern(
    r"\b(?P<owner>\w+)\s*\.(?P<call>addColumns?|addIndex|createIndex|createIndices|dropColumns?|"
    r"removeColumn|renameColumn|"
    r"renameTable|dropTable|createForeignKeys?|addConstraint|createUniqueConstraint|removeIndex|"
    r"dropIndex|changeColumn)\(\s*"
    r"(?:['\"`](?P<table>[\w.]+)['\"`]|(?P<variable>[A-Za-z_$][\w$.]*))"
)
_RUNNER = LazyPattern(
    r"\b(\w+)\s*:\s*(?:QueryRunner|QueryInterface)\b|\bup\b[^\n(]{0,30}\(\s*(\w+)\s*,\s*(?:\w*Sequelize|"
    r"DataTypes)\b|"
    r"\bcontext\s*:\s*(\w+)"
)
_RUNNERS = frozenset({"queryInterface", "queryRunner", "qi"})
_HELD = LazyPattern(
    r"(?:\b(?:const|let|var|readonly|private|static)\s+)+(?P<name>\w+)\s*(?::\s*[\w<>\[\].]+\s*)?=\s*"
    r"(?=new\s+\w+\s*\(|[{\['\"`])"
)
_STEP_HELPER = LazyPattern(
    r"(?:\bfunction\s+(?P<name>\w+)\s*|\b(?:const|"
    r"let)\s+(?P<held>\w+)\s*=\s*)\(\s*(?P<first>\w+)\b(?P<rest>[^()]*)\)"
    r"\s*(?::\s*[\w.<>]+\s*)?(?:=>\s*)?(?:\{\s*return\s+)?(?P<body>(?P=first)\s*\.\w+\()"
)
_STRING = LazyPattern(r"['\"`]([\w.]+)['\"`]")


def built_schema(text: str) -> Iterator[AssembledText]:
    """Yield the SQL of the calls that build a schema."""
    if not any(
        word in text for word in ("Table", "queryInterface", "ueryRunner", ".table(", "QueryInterface")
    ):
        return
    values = _NamedValues(text)
    for match in _BLOCK.finditer(text):
        end = closing(text, text.index("(", match.start()))
        yield from _table(values, match, end)
    for match in _QUERY_INTERFACE.finditer(text):
        if match["owner"] in values.runners:
            end = closing(text, text.index("(", match.start()))
            yield from _operations(values, match, end)
    for match in re.finditer(
        r"\.(?:dropTable|dropTableIfExists|renameTable)\(\s*['\"`](\w+)['\"`](?:\s*,\s*['\"`](\w+)['\"`])?",
        text,
    ):
        if re.search(r"schema\s*$", text[: match.start()]):
            writer = SqlAssembler()
            sql = (
                f"ALTER TABLE {quote_identifier(match[1])} RENAME TO {quote_identifier(match[2])}"
                if match[2]
                else f"DROP TABLE {quote_identifier(match[1])}"
            )
            writer.add(sql, match.start() + 1, match.end() - match.start() - 1)
            yield writer.text()


class _NamedValues:
    """Named values of a file: runners of its migrations, objects, and functions that create a column."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.runners = _RUNNERS | {name for m in _RUNNER.finditer(text) for name in m.groups() if name}
        self.values = {match["name"]: match.end() for match in _HELD.finditer(text)}
        self.helpers = {result["name"] or result["held"]: result for result in _STEP_HELPER.finditer(text)}

    def of(self, name: str) -> tuple[str, int] | None:
        """Return the text bound to a name, including ``this.name``, and its start."""
        offset = self.values.get(name.removeprefix("this."))
        if offset is None:
            return None
        first = self.text[offset]
        if first in "'\"`":
            end = self.text.find(first, offset + 1)
            return (self.text[offset + 1 : end], offset + 1) if end > 0 else None
        opened = offset if first in "{[" else self.text.index("(", offset)
        return self.text[offset : closing(self.text, opened) + 1], offset

    def table(self, match: re.Match[str]) -> str:
        """Return the table of a call, if the file states it."""
        if match["table"]:
            return match["table"]
        values = self.of(match["variable"])
        return values[0] if values is not None and re.fullmatch(r"[\w.]+", values[0]) else "the table"

    def helper_step(self, name: str, arguments: str) -> tuple[str, str] | None:
        """Return the builder step in a function of the file that takes the builder as its parameter: the
        call, and its chain.
        """
        helper = self.helpers.get(name)
        if helper is None:
            return None
        begin = helper.start("body")
        body = self.text[begin : _statement_end(self.text, begin, len(self.text))]
        names = [item.split(":")[0].split("=")[0].strip(" ?") for item in helper["rest"].split(",")[1:]]
        values = [entry.strip() for entry in arguments.split(",")[1:]]
        for parameter, value in zip(names, values, strict=False):
            if parameter:
                body = re.sub(rf"\b{re.escape(parameter)}\b", value.replace("\\", r"\\"), body)
        call = re.match(r"\w+\s*\.(\w+)\(", body)
        return (call[1], body) if call else None


def _steps(values: _NamedValues, block: re.Match[str], end: int) -> Iterator[tuple[int, str, str, int]]:
    """Yield the steps of a block, also through functions of the file: location, call, chain, width."""
    text = values.text
    for step in _STEP.finditer(text, block.end(), end):
        if step["owner"] == block["name"]:
            offset = step.start("owner")
            chain = text[offset : _statement_end(text, offset, end)]
            named = re.search(r"['\"`]\w+['\"`]\s*,\s*(\w+)\s*\)", chain)
            value = values.of(named[1]) if named else None
            yield offset, step["call"], chain + (f" /* {value[0]} */" if value else ""), _line(chain)
    for name in sorted(values.helpers):
        for used in re.finditer(rf"\b{name}\(\s*{re.escape(block['name'])}\b", text[block.end() : end]):
            offset = block.end() + used.start()
            close = closing(text, text.index("(", offset))
            created = values.helper_step(name, text[text.index("(", offset) + 1 : close])
            rest = text[close + 1 : _statement_end(text, offset, end)]
            if created is not None:
                yield offset, created[0], created[1] + rest, _line(text[offset:end])


def _table(values: _NamedValues, block: re.Match[str], end: int) -> Iterator[AssembledText]:
    table, new = quote_identifier(values.table(block)), block["kind"].startswith("create")
    writer, count, after = SqlAssembler(), 0, []
    start, width = block.start() + 1, len(block["kind"])
    writer.add(f"CREATE TABLE {table} (", start, width)
    for offset, call, chain, wide in sorted(_steps(values, block, end)):
        column = _column(call, chain)
        if column:
            if new:
                writer.add((", " if count else "") + column, offset, wide)
                count += 1
            elif ".alter(" in chain:
                name, typed = column.split(" ", 1)
                if not re.search(r"alter\(\s*\{[^}]*alterType:\s*false", chain):
                    after.append(
                        (f"ALTER TABLE {table} ALTER COLUMN {name} TYPE {_bare(typed)}", offset, wide)
                    )
            else:
                after.append((f"ALTER TABLE {table} ADD COLUMN {column}", offset, wide))
        if re.search(r"\.(?:index|unique)\(\s*\)", chain) and column:
            after.append((f"CREATE INDEX ON {table} ({column.split(' ', 1)[0]})", offset, wide))
        sql = _operation(call, chain, table)
        if sql:
            after.append((sql, offset, wide))
    writer.add(")", start, width)
    if not new:
        writer = SqlAssembler()
    for number, (sql, offset, long) in enumerate(after):
        writer.add(("; " if new or number else "") + sql, offset, long)
    created = writer.text()
    if created.parts and (count or after):
        yield created


_WITHOUT_ZONE = LazyPattern(r"useTz:\s*false|\w\(\s*['\"`]\w+['\"`]\s*,\s*true")
_IN_TABLE = LazyPattern(r"\.references\(\s*['\"`]\w+['\"`]\s*\)\s*\.inTable\(\s*['\"`](\w+)")
_QUALIFIED_REFERENCE = LazyPattern(r"\.references\(\s*['\"`](\w+)\.")


def _column(call: str, chain: str) -> str:
    """Return a column as SQL; empty if the call creates none."""
    named = re.match(r"\w+\s*\.\w+\(\s*['\"`](\w+)['\"`]", chain)
    if call not in _KNEX_TYPES or named is None:
        return ""
    sql = f"{quote_identifier(named[1])} {_column_type(call, chain)}"
    if ".notNullable(" in chain:
        sql += " NOT NULL"
    if ".defaultTo(" in chain:
        sql += " DEFAULT null"
    if ".primary(" in chain:
        sql += " PRIMARY KEY"
    elif ".unique(" in chain:
        sql += " UNIQUE"
    return sql + _column_reference(chain)


def _column_type(call: str, chain: str) -> str:
    if call in ("timestamp", "datetime", "dateTime") and _WITHOUT_ZONE.search(chain):
        return "timestamp"
    return _KNEX_TYPES[call]


def _column_reference(chain: str) -> str:
    target = _IN_TABLE.search(chain) or _QUALIFIED_REFERENCE.search(chain)
    return f" REFERENCES {quote_identifier(target[1])}{_on_delete(chain)}" if target else ""


def _on_delete(text: str) -> str:
    return " ON DELETE CASCADE" if re.search(r"onDelete(?:\(|:)\s*['\"`]cascade['\"`]", text, re.I) else ""


def _bare(typed: str) -> str:
    return re.split(r" (?:NOT NULL|DEFAULT|PRIMARY|UNIQUE|REFERENCES)", typed)[0]


def _operation(call: str, chain: str, table: str) -> str:
    names = _STRING.findall(chain.partition("(")[2].partition(")")[0])
    if not names:
        return ""
    if call == "index":
        return f"CREATE INDEX ON {table} ({join_columns(names[:1])})"
    if call == "unique":
        return f"ALTER TABLE {table} ADD UNIQUE ({join_columns(names[:1])})"
    if call == "foreign":
        return _foreign_key(chain, table, names[0])
    if call in ("dropColumn", "dropColumns"):
        return f"ALTER TABLE {table} DROP COLUMN {quote_identifier(names[0])}"
    if call == "renameColumn" and len(names) > 1:
        return (
            f"ALTER TABLE {table} RENAME COLUMN {quote_identifier(names[0])} TO {quote_identifier(names[1])}"
        )
    if call == "dropNullable":
        return f"ALTER TABLE {table} ALTER COLUMN {quote_identifier(names[0])} SET NOT NULL"
    return 'DROP INDEX "index"' if call == "dropIndex" else ""


def _foreign_key(chain: str, table: str, column: str) -> str:
    target = re.search(r"\.inTable\(\s*['\"`](\w+)|\.references\(\s*['\"`](\w+)\.", chain)
    if target is None:
        return ""
    key = f"ALTER TABLE {table} ADD FOREIGN KEY ({join_columns([column])})"
    return f"{key} REFERENCES {quote_identifier(target[1] or target[2])}{_on_delete(chain)}"


def _operations(values: _NamedValues, match: re.Match[str], end: int) -> Iterator[AssembledText]:
    """Yield the SQL of one call; several columns or keys each at their own location."""
    table = values.table(match)
    arguments = _OperationArguments(values, match.end(), end)
    call = _SINGULAR.get(match["call"], match["call"])
    if call != match["call"] and not arguments.parts:
        arguments.split_objects()
    for part, position in arguments.parts or [(arguments.text, 0)]:
        sql = _call_sql(call, table, part if part == arguments.text else ", " + part)
        if not sql:
            continue
        writer = SqlAssembler()
        named = re.search(r"\bname:", part) if position and call == "addColumn" else None
        if named is not None:
            writer.add(sql, position + named.start(), _line(part[named.start() :]))
        else:
            writer.add(sql, match.start(), match.end() - match.start())
        yield writer.text()


_SINGULAR = {"addColumns": "addColumn", "createForeignKeys": "createForeignKey",
             "createIndices": "createIndex", "dropColumns": "dropColumn"}  # fmt: skip
_PASSED_NAME = LazyPattern(r"(?<![\w.'\"`])((?:this\.)?[A-Za-z_]\w*)\s*(?=[,\])]|$)")


class _OperationArguments:
    """Arguments of a call, with the passed names replaced by their values.

    Attributes:
        text: the arguments; the elements of a list variable if one is passed.
        parts: the objects that names are bound to, with their offsets in the file.
    """

    def __init__(self, values: _NamedValues, start: int, end: int) -> None:
        self.text = written = values.text[start:end]
        self.parts: list[tuple[str, int]] = []
        self._start = start
        for name in _PASSED_NAME.finditer(written):
            value = values.of(name[1])
            if value is None:
                continue
            if value[0].startswith("["):
                self.text, self._start = ", " + value[0], value[1] - 2
            else:
                self.parts.append(value)

    def split_objects(self) -> None:
        """Split the source at its top-level objects."""
        self.parts = [(part, self._start + offset) for part, offset in _objects(self.text)]


def _objects(rest: str) -> Iterator[tuple[str, int]]:
    """Yield the objects of a list, each with its location."""
    for match in re.finditer(r"new\s+\w+\s*\(|(?<=[\[,])\s*\{", rest):
        opened = match.end() - 1
        yield rest[match.start() : closing(rest, opened) + 1], match.start()


def _call_sql(call: str, table: str, rest: str) -> str:
    """Return the SQL of a call in TypeORM or Sequelize migrations."""
    name, names = quote_identifier(table), _STRING.findall(rest)
    if call == "addColumn":
        return _added_column_sql(name, rest)
    if call in ("addIndex", "createIndex"):
        how = "CONCURRENTLY " if re.search(r"concurrently:\s*true|isConcurrent:\s*true", rest) else ""
        return f"CREATE INDEX {how}ON {name} (c)"
    if call == "dropTable":
        return f"DROP TABLE {name}"
    if call == "changeColumn":
        return _changed_column_sql(name, rest)
    if call in ("dropColumn", "removeColumn", "renameColumn", "renameTable"):
        return _column_rename_or_drop_sql(call, name, names)
    is_key = call == "addConstraint" and re.search(r"foreign key", rest, re.IGNORECASE) is not None
    return _added_key_sql(name, rest) if call == "createForeignKey" or is_key else ""


def _column_rename_or_drop_sql(call: str, table: str, names: list[str]) -> str:
    if call == "renameColumn" and len(names) > 1:
        return (
            f"ALTER TABLE {table} RENAME COLUMN {quote_identifier(names[0])} TO {quote_identifier(names[1])}"
        )
    if call == "renameTable" and names:
        return f"ALTER TABLE {table} RENAME TO {quote_identifier(names[0])}"
    is_drop = call in ("dropColumn", "removeColumn") and bool(names)
    return f"ALTER TABLE {table} DROP COLUMN {quote_identifier(names[0])}" if is_drop else ""


def _added_column_sql(table: str, rest: str) -> str:
    named = re.search(r"\bname:\s*['\"`](\w+)", rest) or re.match(r"\s*,\s*['\"`](\w+)", rest)
    typed = re.search(r"\btype:\s*['\"`]?([\w. ]+)", rest)
    if named is None or typed is None:
        return ""
    required = re.search(r"allowNull:\s*false|isNullable:\s*false", rest) or (
        "TableColumn" in rest and "isNullable" not in rest
    )
    filled = re.search(
        r"\bdefault(?:Value)?:|isGenerated|generationStrategy|autoIncrement|asExpression", rest
    )
    sql = f"ALTER TABLE {table} ADD COLUMN {quote_identifier(named[1])} {_type(typed[1])}"
    return sql + (" NOT NULL" if required else "") + (" DEFAULT null" if filled else "")


def _changed_column_sql(table: str, rest: str) -> str:
    typed = re.search(r"\btype:\s*['\"`]?([\w. ]+)", rest)
    named = re.match(r"\s*,\s*['\"`](\w+)", rest)
    if typed is None or named is None:
        return ""
    return f"ALTER TABLE {table} ALTER COLUMN {quote_identifier(named[1])} TYPE {_type(typed[1])}"


def _added_key_sql(table: str, rest: str) -> str:
    local = re.search(r"(?:columnNames|fields):\s*\[\s*['\"`](\w+)", rest)
    target = re.search(r"(?:referencedTableName|\btable):\s*['\"`](\w+)", rest)
    if local is None or target is None:
        return ""
    key = f"ALTER TABLE {table} ADD FOREIGN KEY ({quote_identifier(local[1])})"
    return f"{key} REFERENCES {quote_identifier(target[1])}{_on_delete(rest)}"


def _type(words: str) -> str:
    plain = words.strip().rpartition(".")[2].lower()
    known = {"float": "double precision", "double": "double precision", "real": "real",
    "double precision": "double precision",
             "timestamp": "timestamp", "datetime": "timestamp", "timestamp without time zone": "timestamp",
             "integer": "integer", "int": "integer", "bigint": "bigint", "numeric": "numeric",
             "decimal": "numeric"}  # fmt: skip
    return "timestamptz" if plain == "date" and "." in words else known.get(plain, "text")


def _line(chain: str) -> int:
    return max(len(chain.split("\n", 1)[0].rstrip()), 1)


def _statement_end(text: str, at: int, limit: int) -> int:
    """Return the end of a chain of calls: a semicolon, or a line without a continuing dot."""
    while at < limit:
        char = text[at]
        if char in "([{":
            at = closing(text, at)
        elif char in ";}" or (char == "\n" and not text[at:].lstrip().startswith((".", "//"))):
            return at
        at += 1
    return limit
