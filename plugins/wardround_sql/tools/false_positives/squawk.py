"""Results of squawk that the other statements or the settings of a migration refute."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from wardround.lazy import LazyPattern
from wardround_sql.project.migration_transactions import disables_transaction


class SquawkResult(msgspec.Struct):
    file: str
    line: int
    column: int
    message: str
    rule_name: str
    line_end: int
    column_end: int
    help: str | None = None


def is_false_positive(file: Path, result: SquawkResult, *, is_configured: bool) -> bool:
    """Return True if a result is not valid.

    Args:
        is_configured: the project configures squawk, and so states whether it runs files in transactions.
    """
    rule = result.rule_name
    if rule == _IN_TRANSACTION and not is_configured and not _opens_transaction(file):
        return True
    depends_on_transaction = rule == _IN_TRANSACTION or "same transaction" in result.message
    if depends_on_transaction and _is_untransacted(file):
        return True
    if rule in _ABOUT and _concerns_created_table(file, result):
        return True
    return any(refutes(file, result) for refutes in _REFUTED_BY.get(rule, ()))


def message_of(file: Path, result: SquawkResult) -> str:
    """Return the message of a result; squawk calls each column with a default a generated one."""
    if result.rule_name == _DEFAULT and not _GENERATED.search(_statement(file, result)[1]):
        return f"{_VOLATILE} {result.help or ''}"
    return f"{result.message} {result.help or ''}"


_IN_TRANSACTION = "ban-concurrent-index-creation-in-transaction"
_BEGIN = LazyPattern(
    r"^\s*(?:begin(?:\s+(?:work|transaction)\b[^;]*)?\s*;|start\s+transaction\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""The beginning of a transaction, not of a block of a routine."""


def _opens_transaction(file: Path) -> bool:
    """Return True if a migration opens a transaction itself."""
    return _BEGIN.search(file.read_text("utf-8")) is not None


def _is_untransacted(file: Path) -> bool:
    return disables_transaction(file.read_text("utf-8", "replace")) and not _opens_transaction(file)


_CHAR = "ban-char-field"
_SHORT = LazyPattern(r"(?i)\bchar(?:acter)?\s*\(\s*[1-3]\s*\)")
"""Codes of countries, languages and currencies, whose length is fixed."""


def _line(file: Path, number: int) -> str:
    lines = file.read_text("utf-8", "replace").split("\n")
    return lines[number] if number < len(lines) else ""


def _is_code(file: Path, result: SquawkResult) -> bool:
    return _SHORT.search(_line(file, result.line)) is not None


_SYNTAX = "syntax-error"
_VARIABLE = LazyPattern(r"(?<!:):(?:'[^']*'|\"[^\"]*\"|[A-Za-z_]\w*)")
"""A variable of psql or a parameter of a driver, which is replaced before PostgreSQL reads the statement."""


def _is_variable(file: Path, result: SquawkResult) -> bool:
    """Return True if the position of a result is inside a variable; squawk reports each part of one."""
    line = _line(file, result.line)
    return any(match.start() <= result.column <= match.end() for match in _VARIABLE.finditer(line))


_NOT_NULL = "adding-not-nullable-field"
_SET_NOT_NULL = LazyPattern(r'(?i)\balter\s+(?:column\s+)?"?(\w+)"?\s+set\s+not\s+null')
_NEIGHBOURS = 400


def _is_proven(file: Path, result: SquawkResult) -> bool:
    """Return True if a check constraint of this file or an earlier one of its folder excludes NULL."""
    lines = file.read_text("utf-8", "replace").split("\n")
    match = _SET_NOT_NULL.search("\n".join(lines[result.line : result.line_end + 1]))
    if match is None:
        return False
    if re.search(r"(?i)\bdrop\s+constraint\b", "\n".join(lines[result.line_end :])):
        return True  # the check that proved it is dropped again
    texts = [*_neighbours(file), "\n".join(lines[: result.line_end + 1])]
    validated = {None, *(name.lower() for text in texts for name in _VALIDATED.findall(text))}
    proof = re.compile(
        rf'(?i)(?:\bconstraint\s+"?(?P<name>\w+)"?\s+)?'
        rf'\bcheck\s*\(\s*\(?\s*"?{match[1]}"?\s+is\s+not\s+null(?P<rest>[^;,]*)'
    )
    return any(
        not _NOT_VALID.search(check["rest"]) or (check["name"] and check["name"].lower()) in validated
        for text in texts
        for check in proof.finditer(text)
    )


def _neighbours(file: Path) -> list[str]:
    """Return the contents of the last other SQL files of a folder."""
    paths = sorted(file.parent.glob("*.sql"))[-_NEIGHBOURS:]
    return [path.read_text("utf-8", "replace") for path in paths if path.is_file() and path != file]


_NOT_VALID = LazyPattern(r"(?i)\bnot\s+valid\b")
_VALIDATED = LazyPattern(r'(?i)\bvalidate\s+constraint\s+"?(\w+)')


_CONSTRAINT = "constraint-missing-not-valid"
_INDEXED = LazyPattern(r"(?i)^[^;]*?\badd\s+(?:constraint\s+\S+\s+)?(?:unique|primary\s+key|exclude)\b")
"""Constraints by an index, which cannot be NOT VALID."""


def _is_by_index(file: Path, result: SquawkResult) -> bool:
    """Return True for a constraint that cannot be NOT VALID."""
    return _INDEXED.search(_statement(file, result)[1]) is not None


_DEFAULT = "adding-field-with-default"
_STABLE = LazyPattern(
    r"(?i)\bdefault\s+\(?\s*(?:[-+]\s*\d|(?:current_\w+|localtime(?:stamp)?|session_user|user)\b(?!\s*\())"
)
"""Defaults that PostgreSQL computes once for all rows."""


def _is_stable(file: Path, result: SquawkResult) -> bool:
    """Return True for a default that is not computed for each row."""
    return _STABLE.search(_statement(file, result)[1]) is not None


_GENERATED = LazyPattern(r"(?i)\bgenerated\s+always\b")
_VOLATILE = "A volatile default requires a table rewrite with an ACCESS EXCLUSIVE lock."


_NAME = r'([\w."]+)'
_ALTER_TABLE = LazyPattern(rf"(?i)\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?{_NAME}")
_FOREIGN_KEY = "adding-foreign-key-constraint"
_SCANS = (
    _DEFAULT,
    _CONSTRAINT,
    _NOT_NULL,
    _FOREIGN_KEY,
    "disallowed-unique-constraint",
    "adding-serial-primary-key-field",
)
"""Rules about statements that read all rows."""
_ABOUT = {
    **dict.fromkeys((*_SCANS, "ban-drop-column", "ban-drop-not-null", "renaming-column"), _ALTER_TABLE),
    "require-concurrent-reindex": LazyPattern(rf"(?i)\breindex\s+(?:\([^)]*\)\s*)?table\s+{_NAME}"),
    "ban-drop-table": LazyPattern(rf"\bdrop\s+table\s+(?:if\s+exists\s+)?{_NAME}", re.IGNORECASE),
    "renaming-table": LazyPattern(
        rf"\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?{_NAME}\s+rename\s+to\b", re.IGNORECASE
    ),
    "require-concurrent-index-creation": LazyPattern(
        rf"\bcreate\s+(?:unique\s+)?index\b[^;]*?\son\s+(?:only\s+)?{_NAME}", re.IGNORECASE
    ),
}
"""Rules about a table in use, with the position of its name in their statements."""
_MADE = LazyPattern(
    rf"^\s*create\s+(?:\w+\s+){{0,2}}?(?:table|view)\s+(?:if\s+not\s+exists\s+)?{_NAME}",
    re.IGNORECASE | re.MULTILINE,
)


def _is_of_empty_column(file: Path, result: SquawkResult) -> bool:
    """Return True for a foreign key that is declared with a new column of NULL, which needs no scan."""
    _, text, after = _statement(file, result)
    action = _ADD.split(text + after.partition(";")[0].partition("\n")[0])[-1]
    return not _SCANNED.search(action)


_ADD = LazyPattern(r"(?i)\badd\b")
_SCANNED = LazyPattern(r"(?i)^\s*constraint\b|\bforeign\s+key\b|\bdefault\b")


def _is_of_dropped_constraint(file: Path, result: SquawkResult) -> bool:
    """Return True if the index belongs to a constraint that the file drops before it."""
    before, text, _ = _statement(file, result)
    index = _DROPPED_INDEX.search(text)
    return index is not None and _plain(index[1]) in _names(_DROPPED_KEY, before)


_DROPPED_INDEX = LazyPattern(rf"(?i)\bdrop\s+index\s+(?:if\s+exists\s+)?{_NAME}")
_DROPPED_KEY = LazyPattern(rf"(?i)\bdrop\s+constraint\s+(?:if\s+exists\s+)?{_NAME}")
_EMPTIED = LazyPattern(rf"(?i)^\s*truncate\s+(?:table\s+)?(?:only\s+)?{_NAME}", re.MULTILINE)
_READ = LazyPattern(rf"(?i)\bfrom\s+(?:only\s+)?{_NAME}")
_RENAMED = LazyPattern(rf"(?i)\brename\s+to\s+{_NAME}")


def _concerns_created_table(file: Path, result: SquawkResult) -> bool:
    """Return True if a statement concerns a table or view that the file creates, or empties, before it."""
    before, text, _ = _statement(file, result)
    about = _ABOUT[result.rule_name].search(text)
    known = _created_names(before)
    if result.rule_name in _SCANS:
        known |= _names(_EMPTIED, before)
    return about is not None and _plain(about[1]) in known


def _is_replaced(file: Path, result: SquawkResult) -> bool:
    """Return True if the file creates a table or view of the same name after a statement."""
    _, text, after = _statement(file, result)
    about = _ABOUT[result.rule_name].search(text)
    return about is not None and _plain(about[1]) in _names(_MADE, after)


def _is_rebuilt(file: Path, result: SquawkResult) -> bool:
    """Return True if the file reads a table, drops it and creates it again, so that its rows are saved."""
    before, text, _ = _statement(file, result)
    about = _ABOUT[result.rule_name].search(text)
    is_read = about is not None and _plain(about[1]) in _names(_READ, before)
    return is_read and _is_replaced(file, result)


def _is_added_again(file: Path, result: SquawkResult) -> bool:
    """Return True if the file adds a column of the same name after it drops one."""
    _, text, after = _statement(file, result)
    dropped = _DROPPED_COLUMN.findall(text)
    return bool(dropped) and dropped[-1].lower() in {name.lower() for name in _ADDED_COLUMN.findall(after)}


_DROPPED_COLUMN = LazyPattern(r'(?i)\bdrop\s+(?:column\s+)?(?:if\s+exists\s+)?"?(\w+)')
_ADDED_COLUMN = LazyPattern(r'(?i)\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?"?(\w+)')


def _statement(file: Path, result: SquawkResult) -> tuple[str, str, str]:
    """Return the text before a statement, the statement up to the last line of a result, and the rest."""
    lines = file.read_bytes().split(b"\n")
    before = b"\n".join(
        [*lines[: result.line], *(line[: result.column] for line in lines[result.line :][:1])]
    )
    start = before.rfind(b";") + 1
    end = len(b"\n".join([*lines[: result.line_end], *(b for b in lines[result.line_end :][:1])]))
    content = b"\n".join(lines)
    parts = (content[:start], content[start:end], content[end:])
    first, second, third = (part.decode("utf-8", "replace") for part in parts)
    return first, second, third


def _created_names(text: str) -> frozenset[str]:
    """Return the plain names of the tables and views that statements create or rename to."""
    return _names(_MADE, text) | _names(_RENAMED, text)


def _names(pattern: LazyPattern, text: str) -> frozenset[str]:
    return frozenset(_plain(name) for name in pattern.findall(text))


def _plain(name: str) -> str:
    """Return a name without quotes and case."""
    return name.replace('"', "").lower().removeprefix("public.")


_REFUTED_BY: Mapping[str, tuple[Callable[[Path, SquawkResult], bool], ...]] = {
    _SYNTAX: (_is_variable,),
    _CHAR: (_is_code,),
    _NOT_NULL: (_is_proven,),
    _CONSTRAINT: (_is_by_index,),
    _DEFAULT: (_is_stable,),
    _FOREIGN_KEY: (_is_of_empty_column,),
    "require-concurrent-index-deletion": (_is_of_dropped_constraint,),
    "renaming-table": (_is_replaced,),
    "ban-drop-table": (_is_rebuilt,),
    "ban-drop-column": (_is_added_again,),
}
"""The reasons by which the results of a rule do not hold."""
