"""SQL in the strings of Python, JavaScript, TypeScript and Ruby, where the call around makes it certain."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from wardround.late import LatePattern
from wardround_sql.places import is_migration
from wardround_sql.statements import Fragment

_CALLS = frozenset({"execute", "executemany", "exec_driver_sql", "executescript", "fetch", "fetchrow",
                    "fetchval", "fetch_all", "fetch_one", "mogrify", "raw", "text", "RunSQL", "read_sql",
                    "read_sql_query", "exec"})  # fmt: skip
_STARTS = LatePattern(
    r"\s*(?:--[^\n]*\n\s*)*(?:SELECT\s.*\bFROM\b|INSERT\s+INTO\s|UPDATE\s.*\bSET\b|DELETE\s+FROM\s|"
    r"WITH\s.*\bAS\s*\(|CREATE\s+(?:OR\s+REPLACE\s+)?(?:UNIQUE\s+)?(?:TABLE|INDEX|VIEW|MATERIALIZED|FUNCTION|"
    r"POLICY|TYPE|TRIGGER|SCHEMA|EXTENSION)\b|ALTER\s+(?:TABLE|TYPE|VIEW|FUNCTION|POLICY)\b|"
    r"DROP\s+(?:TABLE|INDEX|VIEW|TYPE)\b|GRANT\s|REVOKE\s|TRUNCATE\s)",
    re.IGNORECASE | re.DOTALL,
)
_JS = LatePattern(
    r"""(?x)
      \b(?:sql|SQL|pgsql|\$?queryRaw|\$?executeRaw)(?:<[^<>()`\n]*>)?\s*\(?\s*`(?P<tag>(?:[^`\\]|\\.)*+)`
    | \.(?:query|execute|unsafe|raw|\$?queryRawUnsafe|\$?executeRawUnsafe|exec|prepare|one|none|many|
        manyOrNone|oneOrNone|any|runSql)(?:<[^<>()`\n]*>)?\(\s*
        (?:`(?P<tick>(?:[^`\\]|\\.)*+)`|'(?P<single>(?:[^'\\\n]|\\.)*+)'|"(?P<double>(?:[^"\\\n]|\\.)*+)")
        \s*[,)]
    """,
    re.DOTALL,
)
_HOLE = LatePattern(r"\$\{[^{}`]*+\}")
_RUBY = LatePattern(
    r"""(?x)\bexecute\b\s*\(?\s*(?:<<[~-]['"]?(?P<mark>\w+)['"]?\)?[^\n]*\n(?P<here>.*?)^\s*(?P=mark)\b
    |"(?P<double>[^"\\\#\n]*)"|'(?P<single>[^'\\\n]*)')""",
    re.DOTALL | re.MULTILINE,
)


def fragments(path: str, text: str) -> list[Fragment]:
    """The SQL in a file of another language, in order; none if it cannot be read."""
    if path.endswith(".py"):
        return list(_python(path, text))
    if path.endswith(".rb"):
        return [f for f in _ruby(path, text) if _STARTS.match(f.text)]
    return [f for f in _script(text, migrates=is_migration(path)) if _STARTS.match(f.text)]


# Python


def _python(path: str, text: str) -> Iterator[Fragment]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # what reviews Python says so
    lines = _LineStarts(text)
    migrates = is_migration(path)
    nodes = list(ast.walk(tree))
    backwards = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == "downgrade"]
    down = {id(node) for function in backwards for node in ast.walk(function)}
    calls = [n for n in nodes if isinstance(n, ast.Call) and id(n) not in down]
    for call in sorted(calls, key=lambda n: (n.lineno, n.col_offset)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in _CALLS and call.args:
            found = _literal(call.args[0], text, lines, migrates=migrates or name == "RunSQL")
            if found is not None and _STARTS.match(found.text):
                yield found
        elif migrates and _is_operation(call.func):
            yield from _operation(call, name, lines)


def _literal(node: ast.expr, text: str, lines: _LineStarts, *, migrates: bool) -> Fragment | None:
    """The SQL of a string, exact where the source has it as it is."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    start, end = (
        lines.offset(node.lineno, node.col_offset),
        lines.offset(node.end_lineno or 1, node.end_col_offset or 0),
    )
    written = text[start:end]
    at = written.find(node.value)
    if at >= 0 and node.value:
        return Fragment(node.value, start + at, None, migrates)
    return Fragment(node.value, start, max(len(written.split("\n", 1)[0]), 1), migrates)


class _LineStarts:
    """Offsets in code points of places that ``ast`` gives as lines and UTF-8 columns."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def offset(self, line: int, column: int) -> int:
        written = self._lines[line - 1]
        inside = column if written.isascii() else len(written.encode()[:column].decode("utf-8", "replace"))
        return self._starts[line - 1] + inside


# Alembic's operations, written as the SQL they run


def _is_operation(function: ast.expr) -> bool:
    owner = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in ("op", "batch_op")


def _operation(call: ast.Call, name: str, lines: _LineStarts) -> Iterator[Fragment]:
    """The SQL an Alembic operation runs, for those whose SQL has something to be said about."""
    words = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    sql = ""
    if name == "add_column" and len(call.args) >= 2 and words:
        sql = _added_column(words[0], call.args[1])
    elif name == "create_index" and len(call.args) >= 3 and len(words) >= 2:
        sql = _index(words[-1], call)
    elif name == "create_table" and words:
        sql = _table(words[0], call.args[1:])
    if sql:
        start = lines.offset(call.lineno, call.col_offset)
        yield Fragment(sql, start, len(f"op.{name}"), migrates=True)


def _added_column(table: str, column: ast.expr) -> str:
    declared = _column(column)
    return f'ALTER TABLE "{table}" ADD COLUMN {declared}' if declared else ""


def _index(table: str, call: ast.Call) -> str:
    columns = call.args[2]
    values = [e.value for e in getattr(columns, "elts", []) if isinstance(e, ast.Constant)]
    names = [value for value in values if isinstance(value, str)]
    if not names or len(names) < len(values):
        return ""
    keywords = {k.arg: getattr(k.value, "value", None) for k in call.keywords}
    unique = "UNIQUE " if keywords.get("unique") else ""
    how = "CONCURRENTLY " if keywords.get("postgresql_concurrently") else ""
    listed = ", ".join(f'"{name}"' for name in names)
    return f'CREATE {unique}INDEX {how}ON "{table}" ({listed})'


def _table(table: str, parts: list[ast.expr]) -> str:
    columns = [declared for part in parts if (declared := _column(part))]
    return f'CREATE TABLE "{table}" ({", ".join(columns)})' if columns else ""


_TYPES = {"Integer": "integer", "BigInteger": "bigint", "String": "text", "Text": "text", "Float": "real",
          "Boolean": "boolean", "DateTime": "timestamp", "Date": "date", "Numeric": "numeric", "JSON": "json",
          "JSONB": "jsonb", "UUID": "uuid", "TIMESTAMP": "timestamp"}  # fmt: skip


def _column(node: ast.expr) -> str:
    """A column as SQL; nothing where it is no plain column."""
    if not isinstance(node, ast.Call) or getattr(node.func, "attr", getattr(node.func, "id", "")) != "Column":
        return ""
    name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
    if not isinstance(name, str) or not name or '"' in name or len(node.args) < 2:
        return ""
    keywords = {k.arg: k.value for k in node.keywords}
    required = getattr(keywords.get("nullable"), "value", True) is False
    default = " DEFAULT 0" if "server_default" in keywords or "autoincrement" in keywords else ""
    key = " PRIMARY KEY" if getattr(keywords.get("primary_key"), "value", False) is True else ""
    return f'"{name}" {_type(node.args[1])}{" NOT NULL" if required else ""}{default}{key}'


def _type(node: ast.expr) -> str:
    call = node if isinstance(node, ast.Call) else None
    function = call.func if call else node
    name = getattr(function, "attr", getattr(function, "id", ""))
    zoned = call and any(k.arg == "timezone" and getattr(k.value, "value", 0) is True for k in call.keywords)
    return "timestamptz" if zoned else _TYPES.get(name, "text")


# JavaScript, TypeScript and Ruby


def _script(text: str, *, migrates: bool) -> Iterator[Fragment]:
    for found in _JS.finditer(text):
        group = next(g for g in ("tag", "tick", "single", "double") if found[g] is not None)
        written = found[group]
        sql = _without_holes(written) if group in ("tag", "tick") else written
        if sql is not None and "\\" not in sql and not _in_comment(text, found.start()):
            yield Fragment(sql, found.start(group), None, migrates)


def _in_comment(text: str, at: int) -> bool:
    """Whether a place stands behind ``//``, or on a line of a block comment."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line.lstrip().startswith(("*", "/*")) or re.search(r"(?<!:)//", line) is not None


def _without_holes(template: str) -> str | None:
    """A template with each ``${...}`` as a placeholder of its length; None where one stands inside a name."""
    if "${" not in template:
        return template
    filled = _HOLE.sub(
        lambda hole: "$1".ljust(len(hole.group())) if "\n" not in hole.group() else hole.group(), template
    )
    return None if "${" in filled else filled


def _ruby(path: str, text: str) -> Iterator[Fragment]:
    for found in _RUBY.finditer(text):
        group = next(g for g in ("here", "double", "single") if found[g] is not None)
        if "#{" not in found[group]:
            yield Fragment(found[group], found.start(group), None, is_migration(path))
