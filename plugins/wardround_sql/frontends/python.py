"""SQL in Python: strings passed to a database, operations of migrations, and statements of ORMs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from msgspec.structs import replace

from wardround.lazy import LazyPattern
from wardround_sql.frontends.alembic import AlembicReader
from wardround_sql.frontends.discarded_queries import discarded_narrowing
from wardround_sql.frontends.django import django_migration, django_models
from wardround_sql.frontends.nullable_arguments import may_be_none
from wardround_sql.frontends.python_code import SqlModule, parsed_module
from wardround_sql.frontends.python_scopes import CallSite, PythonScope
from wardround_sql.frontends.sql_text import STARTS, fill_table_names, is_plainly_sql, is_sql
from wardround_sql.frontends.sqlalchemy_models import annotation_types, full_table_writes, models
from wardround_sql.frontends.sqlalchemy_queries import built_queries
from wardround_sql.frontends.string_assembly import AssembledText, CallNames, SqlAssembler, quote_identifier
from wardround_sql.parsing.statements import SqlFragment
from wardround_sql.project.enum_usage import enum_uses
from wardround_sql.project.migration_files import is_migration

_CALLS = frozenset({"execute", "executemany", "exec_driver_sql", "executescript", "execute_async",
"fetch", "fetchrow",
                    "fetchval", "fetch_all", "fetch_one", "fetch_val", "mogrify", "raw", "text",
                    "RunSQL", "RawSQL",
                    "read_sql", "read_sql_query", "exec", "query", "sql", "iterate", "execute_sql", "run_sql",
                    "execute_values", "scalar", "scalars", "run_query", "from_statement",
                    "SQL", "literal_column"})  # fmt: skip
_LATER = ("execute_values", "execute_batch")
_NAMED = LazyPattern(r"(?i)(?:^|_)(?:sql|query|stmt|statement|ddl|view|select|insert|update|delete)(?:_|s?$)")
_KEYWORDS = ("sql", "query", "statement", "operation")


def python_calls(path: str, text: str) -> CallNames:
    """Return the SQL of a Python file; empty if it cannot be parsed."""
    module = parsed_module(text)
    if module is None:
        return CallNames()
    result = _Found(module, is_migration(path))
    result.read()
    order = sorted(result.fragments.values(), key=lambda item: item.offset)
    return CallNames(tuple(order), tuple(result.built.values()), tuple(discarded_narrowing(module)))


_DRIVERS = LazyPattern(
    r"(?:sqlite3|aiosqlite|psycopg2?|asyncpg|aiopg|pymysql|MySQLdb|mysql|aiomysql|sqlalchemy|django\.db|"
    r"databases|duckdb|"
    r"pyodbc|cx_Oracle|oracledb|snowflake|google\.cloud\.bigquery|clickhouse\w*|trino|redshift_connector)\b"
)


class _Found:
    def __init__(self, module: SqlModule, migrates: bool) -> None:
        self.module = module
        self.migrates = migrates
        self.fragments: dict[tuple[int, str], SqlFragment] = {}
        self.built: dict[tuple[int, str], AssembledText] = {}

    def read(self) -> None:
        module = self.module
        alembic = AlembicReader(module)
        for call in (call for call in module.calls if not call.scope.down):
            self._call(call)
            if self.migrates:
                self._add_texts(alembic.operation(call), migrates=True)
        if self.migrates:
            self._add_texts(alembic.commits(), migrates=True)
            self._add_texts(enum_uses(module), migrates=True)
            self._add_texts(django_migration(module), migrates=True)
        self._add_texts(full_table_writes(module), migrates=self.migrates)
        if not self.migrates:
            for text in built_queries(module):
                fragment = text.fragment(migrates=False, modelled="LEFT JOIN" not in text.text)
                self.fragments.setdefault((fragment.offset, fragment.text), fragment)
            self._add_texts(models(module), migrates=False)
            self._add_texts(annotation_types(module), migrates=False)
            self._add_texts(django_models(module), migrates=False)
        self._constants()
        self._add_concatenated_strings()

    def _call(self, call: CallSite) -> None:
        if call.name in _CALLS:
            self._read_text_call(call)
        elif call.name in ("PGView", "PGMaterializedView"):
            self._view(call)
        elif call.name == "extra":
            self._extra(call)
        elif call.name == "append" and self.queries and call.node.args:
            self._piece(call.node.args[0], call.scope)

    def _add_texts(self, texts: Iterator[AssembledText], *, migrates: bool) -> None:
        for text in texts:
            fragment = text.fragment(migrates=migrates, modelled=True)
            self.fragments.setdefault((fragment.offset, fragment.text), fragment)

    def _read_text_call(self, call: CallSite) -> None:
        argument = _sql_argument(call.node, call.name)
        if argument is None:
            return
        migrates = self.migrates or call.name == "RunSQL"
        for text in self.module.values(argument, call.scope):
            self._add_text(text, migrates=migrates, nullable=may_be_none(self.module, call, text.text))
            if text.holes:
                self.built.setdefault((text.holes[0].offset, text.text), text)

    def _view(self, call: CallSite) -> None:
        """Add a view declared for alembic_utils."""
        arguments = dict(zip(("schema", "signature", "definition"), call.node.args, strict=False))
        arguments |= {keyword.arg: keyword.value for keyword in call.node.keywords if keyword.arg}
        name, query = arguments.get("signature"), arguments.get("definition")
        if query is None or not isinstance(name, ast.Constant):
            return
        kind = "MATERIALIZED VIEW" if "Mat" in call.name else "VIEW"
        for text in self.module.values(query, call.scope):
            writer = SqlAssembler()
            writer.add(
                f"CREATE {kind} {quote_identifier(str(name.value))} AS ", self.module.place(call.node)[0], 6
            )
            writer.take(text)
            self._add_text(writer.text(), migrates=True)

    @cached_property
    def queries(self) -> bool:
        """Return True if the file itself accesses a database."""
        return any(_DRIVERS.match(name) for name in self.module.imports)

    def _extra(self, call: CallSite) -> None:
        """Add conditions and columns of Django's ``extra()``."""
        arguments = {keyword.arg: keyword.value for keyword in call.node.keywords}
        parts = [
            *getattr(arguments.get("where"), "elts", []),
            *getattr(arguments.get("select"), "values", []),
        ]
        for part in parts:
            self._piece(part, call.scope)

    def _piece(self, node: ast.expr, scope: PythonScope) -> None:
        """Add a part of a query that is assembled elsewhere."""
        text = self.module.value(node, scope)
        if text is not None and text.holes:
            self.built.setdefault((text.holes[0].offset, text.text), text)

    def _add_text(self, text: AssembledText, *, migrates: bool, nullable: tuple[int, ...] = ()) -> None:
        text = fill_table_names(text)
        if is_sql(text):
            fragment = text.fragment(migrates=migrates)
            known = self.fragments.setdefault((fragment.offset, ""), fragment)
            if nullable and not known.maybe_null:
                self.fragments[fragment.offset, ""] = replace(known, maybe_null=nullable)

    def _constants(self) -> None:
        """Add strings of a module bound to a name that indicates SQL."""
        for holder in (self.module.scope.names, self.module.members):
            for name, values in holder.items():
                if len(values) == 1:
                    self._read_constant(name, values[0])

    def _read_constant(self, name: str, value: ast.expr) -> None:
        if isinstance(value, ast.Starred):
            return
        is_named = _NAMED.search(name) is not None
        if not is_named and not isinstance(value, (ast.Constant, ast.JoinedStr, ast.BinOp)):
            return
        for text in self.module.values(value, self.module.scope):
            if is_named or is_plainly_sql(text):
                self._add_text(text, migrates=self.migrates)

    def _add_concatenated_strings(self) -> None:
        """Add strings with holes that are appended to a string passed to a database."""
        arguments: set[tuple[int, str]] = set()
        for call in self.module.calls:
            argument = _sql_argument(call.node, call.name) if call.name in _CALLS else None
            if isinstance(argument, ast.Name):
                arguments.add((id(call.scope), argument.id))
        for add, scope in self.module.adds:
            if isinstance(add.target, ast.Name) and (id(scope), add.target.id) in arguments:
                self._built_before(add.target.id, scope)
                text = self.module.value(add.value, scope)
                if text is not None and text.holes:
                    self.built.setdefault((text.holes[0].offset, text.text), text)

    def _built_before(self, name: str, scope: PythonScope) -> None:
        for value in scope.names.get(name, []):
            text = self.module.value(value, scope)
            if text is not None and text.holes and STARTS.match(text.text):
                self.built.setdefault((text.holes[0].offset, text.text), text)


def _sql_argument(call: ast.Call, name: str) -> ast.expr | None:
    """Return the SQL argument of a call."""
    position = 1 if name in _LATER else 0
    if len(call.args) > position:
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg in _KEYWORDS), None)
