"""Schemas as knex, TypeORM and Sequelize build them in migrations, as the SQL they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.late import LatePattern
from wardround_sql.written import Text, Writer, listed, quoted

_BLOCK = LatePattern(
    r"\.(?P<kind>createTable|createTableIfNotExists|alterTable|table)\(\s*['\"`](?P<table>[\w.]+)['\"`]\s*,\s*"
    r"(?:async\s+)?(?:function\s*\w*\s*)?\(?\s*(?P<name>\w+)\s*(?::\s*[\w.]+)?\s*\)?\s*(?:=>)?\s*\{?"
)
_STEP = LatePattern(r"(?:^|[^\w.])(?P<owner>\w+)\s*\.(?P<call>\w+)\(")
_KNEX_TYPES = {"string": "text", "text": "text", "integer": "integer", "bigInteger": "bigint",
"float": "real",
               "double": "double precision", "decimal": "numeric", "boolean": "boolean", "uuid": "uuid",
               "json": "json", "jsonb": "jsonb", "date": "date", "enum": "text", "enu": "text",
               "timestamp": "timestamptz", "datetime": "timestamptz", "dateTime": "timestamptz",
               "specificType": "text",
               "binary": "bytea", "increments": "serial", "bigIncrements": "bigserial"}  # fmt: skip
_QUERY_INTERFACE = LatePattern(
    r"\b(?:queryInterface|queryRunner|qi)\s*\.(?P<call>addColumn|addIndex|createIndex|dropColumn|removeColumn|renameColumn|"
    r"renameTable|dropTable|createForeignKey|addConstraint|createUniqueConstraint|removeIndex|dropIndex|changeColumn)\(\s*"
    r"['\"`](?P<table>[\w.]+)['\"`]"
)
_STRING = LatePattern(r"['\"`]([\w.]+)['\"`]")


def built_schema(text: str) -> Iterator[Text]:
    """The SQL of the calls that build a schema."""
    if (
        "Table" not in text
        and "queryInterface" not in text
        and "queryRunner" not in text
        and ".table(" not in text
    ):
        return
    for found in _BLOCK.finditer(text):
        end = _closing(text, text.index("(", found.start()))
        yield from _table(text, found, end)
    for found in _QUERY_INTERFACE.finditer(text):
        end = _closing(text, text.index("(", found.start()))
        sql = _called(found["call"], found["table"], text[found.end() : end])
        if sql:
            writer = Writer()
            writer.add(sql, found.start(), found.end() - found.start())
            yield writer.text()
    for found in re.finditer(
        r"\.(?:dropTable|dropTableIfExists|renameTable)\(\s*['\"`](\w+)['\"`](?:\s*,\s*['\"`](\w+)['\"`])?",
        text,
    ):
        if re.search(r"schema\s*$", text[: found.start()]):
            writer = Writer()
            sql = (
                f"ALTER TABLE {quoted(found[1])} RENAME TO {quoted(found[2])}"
                if found[2]
                else f"DROP TABLE {quoted(found[1])}"
            )
            writer.add(sql, found.start() + 1, found.end() - found.start() - 1)
            yield writer.text()


def _table(text: str, block: re.Match[str], end: int) -> Iterator[Text]:
    table, new = quoted(block["table"]), block["kind"].startswith("create")
    steps = [
        (step, _statement_end(text, step.start("owner"), end))
        for step in _STEP.finditer(text, block.end(), end)
        if step["owner"] == block["name"]
    ]
    writer, count, after = Writer(), 0, []
    start, width = block.start() + 1, len(block["kind"])
    writer.add(f"CREATE TABLE {table} (", start, width)
    for step, stop in steps:
        at = step.start("owner")
        chain = text[at:stop]
        column = _column(step["call"], chain)
        if column:
            if new:
                writer.add((", " if count else "") + column, at, _line(chain))
                count += 1
            elif ".alter(" in chain:
                name, typed = column.split(" ", 1)
                if not re.search(r"alter\(\s*\{[^}]*alterType:\s*false", chain):
                    after.append(
                        (f"ALTER TABLE {table} ALTER COLUMN {name} TYPE {_bare(typed)}", at, _line(chain))
                    )
            else:
                after.append((f"ALTER TABLE {table} ADD COLUMN {column}", at, _line(chain)))
        if re.search(r"\.(?:index|unique)\(\s*\)", chain) and column:
            after.append((f"CREATE INDEX ON {table} ({column.split(' ', 1)[0]})", at, _line(chain)))
        sql = _operation(step["call"], chain, table)
        if sql:
            after.append((sql, at, _line(chain)))
    writer.add(")", start, width)
    if not new:
        writer = Writer()
    for number, (sql, at, long) in enumerate(after):
        writer.add(("; " if new or number else "") + sql, at, long)
    made = writer.text()
    if made.parts and (count or after):
        yield made


def _column(call: str, chain: str) -> str:
    """A column as SQL; nothing where the call makes none."""
    named = re.match(r"\w+\s*\.\w+\(\s*['\"`](\w+)['\"`]", chain)
    if call not in _KNEX_TYPES or named is None:
        return ""
    typed = _KNEX_TYPES[call]
    if call in ("timestamp", "datetime", "dateTime") and re.search(
        r"useTz:\s*false|\w\(\s*['\"`]\w+['\"`]\s*,\s*true", chain
    ):
        typed = "timestamp"
    target = re.search(r"\.references\(\s*['\"`]\w+['\"`]\s*\)\s*\.inTable\(\s*['\"`](\w+)", chain)
    pointed = target or re.search(r"\.references\(\s*['\"`](\w+)\.", chain)
    sql = f"{quoted(named[1])} {typed}"
    sql += " NOT NULL" if ".notNullable(" in chain else ""
    sql += " DEFAULT null" if ".defaultTo(" in chain else ""
    sql += " PRIMARY KEY" if ".primary(" in chain else " UNIQUE" if ".unique(" in chain else ""
    return sql + (f" REFERENCES {quoted(pointed[1])}" if pointed else "")


def _bare(typed: str) -> str:
    return re.split(r" (?:NOT NULL|DEFAULT|PRIMARY|UNIQUE|REFERENCES)", typed)[0]


def _operation(call: str, chain: str, table: str) -> str:
    names = _STRING.findall(chain.partition("(")[2].partition(")")[0])
    if not names:
        return ""
    match call:
        case "index":
            return f"CREATE INDEX ON {table} ({listed(names[:1])})"
        case "unique":
            return f"ALTER TABLE {table} ADD UNIQUE ({listed(names[:1])})"
        case "foreign":
            target = re.search(r"\.inTable\(\s*['\"`](\w+)|\.references\(\s*['\"`](\w+)\.", chain)
            return (
                f"ALTER TABLE {table} ADD FOREIGN KEY ({listed(names[:1])}) REFERENCES "
                f"{quoted(target[1] or target[2])}"
                if target
                else ""
            )
        case "dropColumn" | "dropColumns":
            return f"ALTER TABLE {table} DROP COLUMN {quoted(names[0])}"
        case "renameColumn" if len(names) > 1:
            return f"ALTER TABLE {table} RENAME COLUMN {quoted(names[0])} TO {quoted(names[1])}"
        case "dropIndex":
            return 'DROP INDEX "index"'
        case "setNullable" | "dropNullable":
            return (
                f"ALTER TABLE {table} ALTER COLUMN {quoted(names[0])} SET NOT NULL"
                if call == "dropNullable"
                else ""
            )
    return ""


def _called(call: str, table: str, rest: str) -> str:
    """The SQL of a call of TypeORM's or Sequelize's migrations."""
    at, names = quoted(table), _STRING.findall(rest)
    match call:
        case "addColumn":
            named = re.search(r"\bname:\s*['\"`](\w+)", rest) or re.match(r"\s*,\s*['\"`](\w+)", rest)
            typed = re.search(r"\btype:\s*['\"`]?([\w. ]+)", rest)
            required = re.search(r"allowNull:\s*false|isNullable:\s*false", rest) or (
                "TableColumn" in rest and "isNullable" not in rest
            )
            filled = re.search(
                r"\bdefault(?:Value)?:|isGenerated|generationStrategy|autoIncrement|asExpression", rest
            )
            if named is None or typed is None:
                return ""
            sql = f"ALTER TABLE {at} ADD COLUMN {quoted(named[1])} {_type(typed[1])}"
            return sql + (" NOT NULL" if required else "") + (" DEFAULT null" if filled else "")
        case "addIndex" | "createIndex":
            how = "CONCURRENTLY " if re.search(r"concurrently:\s*true|isConcurrent:\s*true", rest) else ""
            return f"CREATE INDEX {how}ON {at} (c)"
        case "dropColumn" | "removeColumn" if names:
            return f"ALTER TABLE {at} DROP COLUMN {quoted(names[0])}"
        case "renameColumn" if len(names) > 1:
            return f"ALTER TABLE {at} RENAME COLUMN {quoted(names[0])} TO {quoted(names[1])}"
        case "renameTable" if names:
            return f"ALTER TABLE {at} RENAME TO {quoted(names[0])}"
        case "dropTable":
            return f"DROP TABLE {at}"
        case "changeColumn":
            typed = re.search(r"\btype:\s*['\"`]?([\w. ]+)", rest)
            named = re.match(r"\s*,\s*['\"`](\w+)", rest)
            return (
                f"ALTER TABLE {at} ALTER COLUMN {quoted(named[1])} TYPE {_type(typed[1])}"
                if typed and named
                else ""
            )
        case "createForeignKey" | "addConstraint" if call == "createForeignKey" or re.search(
            r"foreign key", rest, re.I
        ):
            local = re.search(r"(?:columnNames|fields):\s*\[\s*['\"`](\w+)", rest)
            target = re.search(r"(?:referencedTableName|\btable):\s*['\"`](\w+)", rest)
            return (
                f"ALTER TABLE {at} ADD FOREIGN KEY ({quoted(local[1])}) REFERENCES {quoted(target[1])}"
                if local and target
                else ""
            )
    return ""


def _type(said: str) -> str:
    plain = said.strip().rpartition(".")[2].lower()
    known = {"float": "double precision", "double": "double precision", "real": "real",
    "double precision": "double precision",
             "timestamp": "timestamp", "datetime": "timestamp", "timestamp without time zone": "timestamp",
             "integer": "integer", "int": "integer", "bigint": "bigint", "numeric": "numeric",
             "decimal": "numeric"}  # fmt: skip
    return "timestamptz" if plain == "date" and "." in said else known.get(plain, "text")


def _line(chain: str) -> int:
    return max(len(chain.split("\n", 1)[0].rstrip()), 1)


def _closing(text: str, at: int) -> int:
    """Where the bracket at a place is closed."""
    depth, quote = 0, ""
    while at < len(text):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return at


def _statement_end(text: str, at: int, limit: int) -> int:
    """Where a chain of calls ends: at a semicolon, or at a line that does not go on with a dot."""
    while at < limit:
        char = text[at]
        if char in "([{":
            at = _closing(text, at)
        elif char in ";}" or (char == "\n" and not text[at:].lstrip().startswith((".", "//"))):
            return at
        at += 1
    return limit
