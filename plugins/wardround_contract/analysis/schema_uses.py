"""The uses of a removed table, column or model that remain at the head."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.source import ChangeView
from wardround.lazy import LazyPattern
from wardround_contract.analysis.dbt_models import column_use
from wardround_contract.analysis.schema_removals import SchemaRemoval
from wardround_contract.analysis.text_search import TextSearch
from wardround_contract.analysis.uses import RemainingUse

_HISTORY = LazyPattern(
    r"(?i)(^|/)(migrations?|versions|alembic|changelogs?|upgrades?|flyway)/|[/_.]down\.sql$|(^|/)seeds?/"
    r"|migrat[^/]*$"
)
"""Migrations, and files about them by their name: they use the schema of earlier releases."""
_CODE = ("*.py", "*.ts", "*.tsx", "*.js", "*.mjs", "*.go", "*.rb", "*.java", "*.kt", "*.php")
_STATEMENT = LazyPattern(
    r"(?is)\b(?:select\b[^;\"'`]*?\bfrom|insert\s+into|update|delete\s+from)\b[^;\"`]*?(?=[;\"`]|'''|\Z)"
)
_LONGEST_STATEMENT = 4_000
_ORM_WINDOW = 80


class SchemaUses:
    """Finds uses in SQL files, in SQL strings, in models of dbt and in mappings."""

    def __init__(self, change: ChangeView, search: TextSearch) -> None:
        self._change = change
        self._search = search

    def of(self, removal: SchemaRemoval) -> list[RemainingUse]:
        """Return the uses of what a change removes, outside of the file that removes it."""
        if removal.is_model:
            found = set(self._model_uses(removal))
        elif removal.file.path.endswith(".prisma"):
            found = set(self._prisma_uses(removal))
        else:
            found = set(self._statement_uses(removal)) | set(self._mapping_uses(removal))
        return sorted(found)

    def _statement_uses(self, removal: SchemaRemoval) -> Iterator[RemainingUse]:
        owner = r"(?:\w+[\"`\]]?\.[\"`\[]?)?"
        table = re.compile(
            rf"(?i)\b(?:from|join|into|update|table)\s+(?:only\s+)?[\"`\[]?{owner}{re.escape(removal.table)}\b"
            r"(?:[\"`\]]?\s+(?:as\s+)?(\w+))?"
        )
        name = re.escape(removal.column or removal.table)
        word = re.compile(rf"(?i)(?:\b(\w+)[\"`\]]?\.)?[\"`\[]?(?<!\w){name}(?!\w)")
        for path in self._search.files([removal.column or removal.table], (*_CODE, "*.sql")):
            if path == removal.file.path or _HISTORY.search(path):
                continue
            text = self._search.text(path)
            for statement in _statements(path, text):
                part = text[statement[0] : statement[1]]
                named = table.search(part)
                if named is None:
                    continue
                at = _named_at(part, word, removal, named) if removal.column else named.start()
                if at is not None:
                    yield RemainingUse(path, text.count("\n", 0, statement[0] + at) + 1)
                    break

    def _mapping_uses(self, removal: SchemaRemoval) -> Iterator[RemainingUse]:
        """Yield the classes and tables of object-relational mappings that have the column."""
        if not removal.column:
            return
        name, column = re.escape(removal.table), re.escape(removal.column)
        mapped = re.compile(
            rf"(?:__tablename__\s*=\s*|db_table\s*=\s*|(?:pg|mysql|sqlite)Table\(\s*|@(?:Entity|Table)\(\s*)['\"]{name}['\"]"
        )
        field = re.compile(rf"^\s+{column}\s*[:=]|['\"]{column}['\"]", re.MULTILINE)
        for path in self._search.files([removal.column], _CODE):
            text = self._search.text(path)
            match = mapped.search(text)
            if match is None or _HISTORY.search(path):
                continue
            window = "\n".join(text[match.start() :].split("\n")[:_ORM_WINDOW])
            end = re.search(r"\n(?:class |export |const )", window)
            found = field.search(window[: end.start()] if end is not None else window)
            if found is not None:
                at = match.start() + found.end() - 1
                yield RemainingUse(path, text.count("\n", 0, at) + 1)

    def _model_uses(self, removal: SchemaRemoval) -> Iterator[RemainingUse]:
        """Yield the references of dbt to a model, or to a column of it where no other model has the name."""
        reference = re.compile(rf"\bref\(\s*(?:['\"]\w+['\"]\s*,\s*)?['\"]{re.escape(removal.table)}['\"]")
        word = removal.column or removal.table
        has_other = self._change.project.paths(
            (f"*/{removal.table}.sql", f"*/{removal.table}.csv", f"*/{removal.table}.py")
        )
        if not removal.column and has_other:
            return
        for path in self._search.files([word], ("*.sql", "*.yml", "*.yaml")):
            text = self._search.text(path)
            match = reference.search(text)
            if match is None or path == removal.file.path:
                continue
            if not removal.column:
                yield RemainingUse(path, text.count("\n", 0, match.start()) + 1)
            elif path.endswith(".sql"):
                at = column_use(text, removal.table, removal.column)
                if at is not None:
                    yield RemainingUse(path, text.count("\n", 0, at) + 1)

    def _prisma_uses(self, removal: SchemaRemoval) -> Iterator[RemainingUse]:
        """Yield the queries of a client that name a removed field of the same model."""
        client = removal.table[:1].lower() + removal.table[1:]
        field = re.compile(rf"(?<![\w.])(?:['\"])?{re.escape(removal.column)}(?:['\"])?\s*[:,}}]")
        called = re.compile(rf"\b(?:prisma|db|tx|client)\.{re.escape(client)}\.\w+\(")
        for path in self._search.files([removal.column], ("*.ts", "*.tsx", "*.js", "*.mjs")):
            text = self._search.text(path)
            for match in called.finditer(text):
                end = _closing_bracket(text, match.end() - 1)
                found = field.search(text, match.end(), end)
                if found is not None and _depth(text, match.end(), found.start()) <= 2:
                    yield RemainingUse(path, text.count("\n", 0, found.start()) + 1)
                    break


def _statements(path: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of statements: those of an SQL file, or strings that begin like a statement."""
    if path.endswith(".sql"):
        start = 0
        for part in text.split(";"):
            yield start, start + len(part)
            start += len(part) + 1
        return
    for match in _STATEMENT.finditer(text):
        if match.end() - match.start() <= _LONGEST_STATEMENT:
            yield match.start(), match.end()


def _named_at(part: str, word: re.Pattern[str], removal: SchemaRemoval, named: re.Match[str]) -> int | None:
    """Return the offset of a column that is not qualified by another table."""
    owners = {removal.table.lower(), (named[1] or "").lower()}
    others = len(set(re.findall(r"(?i)\b(?:from|join)\s+[\"`\[]?([\w.]+)", part))) > 1
    for match in word.finditer(part):
        owner = (match[1] or "").lower()
        if owner in owners if owner else not others:
            return match.start()
    return None


def _closing_bracket(text: str, opening: int) -> int:
    """Return the offset after the bracket that closes the one at an offset."""
    depth = 0
    for at in range(opening, min(len(text), opening + _LONGEST_STATEMENT)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at + 1
    return opening


def _depth(text: str, start: int, end: int) -> int:
    part = text[start:end]
    return sum(part.count(bracket) for bracket in "({[") - sum(part.count(bracket) for bracket in ")}]")
