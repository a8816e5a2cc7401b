"""Return values of trigger functions, and the timing of their triggers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct

from wardround.lazy import LazyPattern
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.masking import mask_code
from wardround_sql.parsing.pg_nodes import option, text_of, texts
from wardround_sql.parsing.statements import Statement, parsed_about

AFTER, BEFORE = 0, 2
"""libpg_query's codes of a trigger's timing."""
INSERT, DELETE, UPDATE = 4, 8, 16
"""libpg_query's bits of a trigger's events."""

_RETURNS = LazyPattern(r"(?i)\breturn\b\s*(?P<what>[^;]*?)\s*;")
_ASSIGNS = LazyPattern(
    r"(?i)(?:;|\bbegin|\bthen|\belse|\bloop)\s*(?P<set>new\s*\.\s*\"?\w+\"?\s*:?=)|"
    r"\binto\s+(?:strict\s+)?(?P<into>new\s*\.)"
)
_WORDS = LazyPattern(
    r"(?i)\bend\s+(?:if|case|loop)\b|\b(?P<open>begin|if(?!\s+(?:not\s+)?exists\s+[\w\"])|case|loop)\b|\bend\b"
)
_HANDLER = LazyPattern(r"(?i)\bexception\s+when\b")
_RAISES = LazyPattern(r"(?i)\braise\s+(?:exception\b|sqlstate\b|'|\w+\s*;|\w+\s+using\b)")
_ENDS = LazyPattern(r"(?i)\breturn\b|\braise\b")
_WRITES = LazyPattern(r"(?i)\b(?:insert\s+into|update|delete\s+from|execute)\s+(?P<name>[\w.\"]*)")
_TELLS = LazyPattern(r"(?i)\bperform\s+pg_notify\b|\braise\s+(?:notice|warning|info|log)\b")
_LOGS = LazyPattern(r"(?i)audit|(?:^|[._])(?:logs?|history|outbox|journal|changelog)(?:$|[._])")


_MOST = 20
"""Maximum number of functions to search for in other files; a file with more is a schema dump."""


class Trigger(Struct, frozen=True):
    """Row trigger: the statement that creates it, and its function."""

    statement: Statement
    function: str
    timing: int
    events: int


class TriggerBody(Struct, frozen=True):
    """Code of a trigger function: its text without strings and comments, and its start."""

    statement: Statement
    name: str
    code: str
    start: int

    @property
    def main(self) -> str:
        """Code without the exception handlers."""
        handler = _HANDLER.search(self.code)
        return self.code[: handler.start()] if handler is not None else self.code

    @property
    def returned(self) -> set[str]:
        """All values it may return, in lower case."""
        return {" ".join(match["what"].lower().split()) for match in _RETURNS.finditer(self.code)}

    @property
    def tests_operation(self) -> bool:
        """Return True if it tests the operation that fired it."""
        return "tg_op" in self.code.lower() or "tg_when" in self.code.lower()

    def last_return(self) -> re.Match[str] | None:
        """Return the unconditional RETURN at its end; None if there is none."""
        code = self.main
        last = None
        for match in _RETURNS.finditer(code):
            last = match
        return last if last is not None and _depth(code, last.start()) == 1 else None

    def raises(self) -> bool:
        return _RAISES.search(self.code) is not None

    def changes(self) -> list[int]:
        """Return the locations at which values of the new row are set."""
        matches = _ASSIGNS.finditer(self.main)
        return [max(item.start("set"), item.start("into")) for item in matches]

    def lacks_return(self) -> bool:
        """Return True if it unconditionally sets values of the new row last, and returns nothing."""
        last = self.changes()[-1:]
        after = self.code[last[0] :] if last else "return"
        return _depth(self.main, last[0] if last else 0) == 1 and not _ENDS.search(after)

    def loses_changes(self, offset: int) -> bool:
        """Return True if values of the new row are set before a location, and not returned in between."""
        retained = [
            match.start()
            for match in _RETURNS.finditer(self.main, 0, offset)
            if "new" in match["what"].lower()
        ]
        return any(
            not any(location > change for location in retained)
            for change in self.changes()
            if change < offset
        )

    def only_notifies(self) -> bool:
        """Return True if it only records the event or sends a notification."""
        writes = [match["name"].replace('"', "") for match in _WRITES.finditer(self.code)]
        if "new.*" in self.code.lower().replace(" ", ""):
            return False
        return all(_LOGS.search(write) for write in writes) and (
            bool(writes) or _TELLS.search(self.code) is not None
        )


def bodies(script: SqlDocument) -> Iterator[TriggerBody]:
    """Yield the trigger functions that a file creates."""
    for statement in script.of("CreateFunctionStmt"):
        result = body_of(statement)
        if result is not None:
            yield result


def body_of(statement: Statement) -> TriggerBody | None:
    node = statement.node
    returned = texts(node.get("returnType", {}).get("names"))[-1:]
    language = text_of(option(node.get("options"), "language")).lower()
    if statement.kind != "CreateFunctionStmt" or returned != ["trigger"] or language != "plpgsql":
        return None
    body = option(node.get("options"), "as")
    text = text_of(body["List"]["items"][0]) if isinstance(body, dict) and "List" in body else text_of(body)
    start = statement.text.find(text) if text else -1
    return (
        TriggerBody(statement, texts(node.get("funcname"))[-1], mask_code(text), start)
        if start >= 0
        else None
    )


def triggers_of(script: SqlDocument, functions: Collection[str]) -> dict[str, list[Trigger]]:
    """Return the row triggers of the migration set that call some functions, by function."""
    result: dict[tuple[str, str], Trigger] = {}
    for statement in _set_statements(script, functions):
        item = trigger_of(statement)
        node = statement.node
        if item is not None and item.function in functions:
            result[node.get("relation", {}).get("relname", ""), node.get("trigname", "")] = item
    called: dict[str, list[Trigger]] = {}
    for item in result.values():
        called.setdefault(item.function, []).append(item)
    return called


def trigger_of(statement: Statement) -> Trigger | None:
    node = statement.node
    if statement.kind != "CreateTrigStmt" or not node.get("row"):
        return None
    name = texts(node.get("funcname"))[-1:]
    return Trigger(statement, name[0] if name else "", node.get("timing", 0), node.get("events", 0))


def functions_of(script: SqlDocument, names: Collection[str]) -> dict[str, TriggerBody]:
    """Return the final versions of these functions in the migration set."""
    result = {}
    for statement in _set_statements(script, names):
        body = body_of(statement)
        if body is not None and body.name in names:
            result[body.name] = body
    return result


def _set_statements(script: SqlDocument, names: Collection[str]) -> Iterator[Statement]:
    """Yield the set's statements about some functions, this file's last; only these for many functions."""
    for path, text in script.siblings(sorted(names)) if 0 < len(names) <= _MOST else ():
        yield from parsed_about(text, path, tuple(sorted(names)))
    yield from script.statements


def _depth(code: str, offset: int) -> int:
    """Return the number of open blocks, IFs, CASEs and loops at a location."""
    depth = 0
    for match in _WORDS.finditer(code, 0, offset):
        depth += 1 if match["open"] else -1
    return depth
