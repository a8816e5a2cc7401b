from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, column_name, content, is_select, kinds, texts, walk
from wardround_sql.parsing.statements import CONDITION, Statement
from wardround_sql.schema.model import Name

_TRIGGER = ("old", "new")


class NullUnsafeComparison(SqlCheck):
    """Comparison that silently excludes rows with NULL.

    ``a <> b`` is unknown if either is NULL: a trigger that compares OLD and NEW misses a value that is set or
    cleared, ``WHERE a <> 'x'`` excludes rows where a is NULL, and ``WHERE a = $1`` matches nothing if NULL is
    passed. Use ``IS DISTINCT FROM`` and ``IS NOT DISTINCT FROM``, or test for NULL as well.
    """

    ID = "SQ038"
    NAME = "null-unsafe-comparison"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "null-unsafe-comparison"
    WORDS = ("<>", "!=", "not in", "not like", "not ilike", "=")

    VALID = [
        code("""
            create table notes (a text not null);
            select a from notes where a <> 'x';
        """),
        code("""
            create table notes (a text);
            select a from notes where a <> 'x' or a is null;
        """),
    ]
    INVALID = [
        code("""
            create table notes (a text);
            select a from notes n where «n.a» <> 'x';
        """),
        code("""
            create table notes (a text, b int);
            select a from notes where b = 1 and «a» not in ('x', 'y');
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        if not self.script.is_postgres:
            self._other_dialects()
            return
        for statement in self.script.queries:
            if statement.kind in (CONDITION, "CreateTrigStmt"):
                self._trigger(statement)
            elif statement.kind not in ("CreateFunctionStmt", "DoStmt"):
                self._filters(statement)
        self._arguments()

    # Triggers

    def _trigger(self, statement: Statement) -> None:
        is_condition = statement.kind == CONDITION
        condition = statement.node if is_condition else statement.node.get("whenClause", {})
        tested = {tuple(column_name(test.get("arg"))) for test in kinds(condition, "NullTest")}
        for expression in kinds(condition, "A_Expr"):
            column = _changed_column(expression, tested)
            required = self._is_required(statement, column) if column else None
            if column and required is not True and column != "id":
                text = f"<> misses a change of {column} to or from NULL; use IS DISTINCT FROM"
                level = Severity.WARN if required is False else None
                self.report_at(statement, text, _location(expression.get("lexpr")), level)
                return

    def _is_required(self, statement: Statement, column: str) -> bool | None:
        """Return True if a column of the trigger's table is NOT NULL; None if it is unknown."""
        if statement.kind == CONDITION:
            name = texts((statement.outer.node if statement.outer else {}).get("funcname"))[-1:]
            triggers = [
                s for s in self.script.of("CreateTrigStmt") if texts(s.node.get("funcname"))[-1:] == name
            ]
        else:
            triggers = [statement]
        for item in triggers:
            table = self.script.known_table(self.script.name_of(item.node.get("relation", {})))
            if table is not None and column in table.columns:
                return table.columns[column].required
        return None

    # Filters

    def _filters(self, statement: Statement) -> None:
        for select in statement.nodes:
            where = select.get("whereClause")
            if where is not None and (is_select(select) or "relation" in select):
                for column in self._excluding_columns(select, where):
                    text = (
                        f"condition also excludes rows where {column_name(column)[-1]} is NULL; "
                        "test for NULL, or use IS DISTINCT FROM"
                    )
                    self.report_at(statement, text, _location(column))

    def _excluding_columns(self, select: Node, where: object) -> Iterator[object]:
        """Yield the nullable columns that a condition compares without a test for NULL."""
        tables = self._tables(select)
        tested = {tuple(column_name(test.get("arg"))[-1:]) for test in kinds(where, "NullTest")}
        for part in _conjuncts(where):
            column = _excluded_column(part)
            name = column_name(column) if column else []
            if name and tuple(name[-1:]) not in tested and self._may_be_null(name, tables):
                yield column

    def _tables(self, select: Node) -> dict[str, Name]:
        result = {}
        sources = [*select.get("fromClause", []), *select.get("usingClause", [])]
        if "relation" in select:
            sources.append({"RangeVar": select["relation"]})
        for source in sources:
            relation = content(source, "RangeVar")
            if relation is None:
                return {}
            alias = (relation.get("alias") or {}).get("aliasname") or relation.get("relname", "")
            result[alias] = self.script.name_of(relation)
        return result

    def _may_be_null(self, name: list[str], tables: dict[str, Name]) -> bool:
        """Return True if a column is known to be nullable."""
        owner = (
            tables.get(name[-2])
            if len(name) > 1
            else next(iter(tables.values()), None)
            if len(tables) == 1
            else None
        )
        table = self.script.known_table(owner) if owner else None
        return table is not None and name[-1] in table.columns and not table.columns[name[-1]].required

    # Arguments

    def _arguments(self) -> None:
        """Report ``column = $1`` if the surrounding code declares the value as nullable."""
        for statement in self.script.queries:
            nullable = statement.fragment.maybe_null
            if not nullable:
                continue
            for select in statement.nodes:
                where = select.get("whereClause") if isinstance(select, dict) else None
                for conjunct in _conjuncts(where):
                    expression = content(conjunct, "A_Expr") or {}
                    if expression.get("kind") != "AEXPR_OP" or texts(expression.get("name")) != ["="]:
                        continue
                    self._check_argument(statement, expression, nullable)

    def _check_argument(self, statement: Statement, equal: Node, nullable: tuple[int, ...]) -> None:
        column, value = equal.get("lexpr"), equal.get("rexpr")
        name = column_name(column)
        if not name or not set(value or {}) <= {"ParamRef", "A_Const", "TypeCast"}:
            return
        locations = [node["location"] for node in walk(value) if isinstance(node.get("location"), int)]
        if {statement.offset + statement.point(location) for location in locations} & set(nullable):
            text = f"condition matches no row if NULL is passed for {name[-1]}; use IS NOT DISTINCT FROM"
            self.report_at(statement, text, _location(column))

    # Other dialects

    def _other_dialects(self) -> None:
        from wardround_sql.queries.null_comparisons import excluded_nulls

        for span, column, note in excluded_nulls(self.script):
            self.report(span, f"condition also excludes rows where {column} is NULL; test for NULL{note}")


def _location(node: object) -> int | None:
    return next((child["location"] for child in walk(node) if "location" in child), None)


def _changed_column(expression: Node, tested: set[tuple[str, ...]]) -> str:
    """Return the column of ``OLD.a <> NEW.a``, unless a test for NULL accompanies it; else empty."""
    if expression.get("kind") != "AEXPR_OP" or texts(expression.get("name")) != ["<>"]:
        return ""
    left, right = (column_name(expression.get(operand)) for operand in ("lexpr", "rexpr"))
    if not len(left) == len(right) == 2 or left[1] != right[1]:
        return ""
    is_pair = {left[0].lower(), right[0].lower()} == set(_TRIGGER)
    return left[1] if is_pair and not {tuple(left), tuple(right)} & tested else ""


def _conjuncts(where: object) -> Iterator[object]:
    junction = content(where, "BoolExpr")
    if junction and junction.get("boolop") == "AND_EXPR":
        for part in junction["args"]:
            yield from _conjuncts(part)
    elif where:
        yield where


_NEGATABLE = ("AEXPR_IN", "AEXPR_LIKE", "AEXPR_ILIKE")


def _excluded_column(part: object) -> object:
    """Return the column that ``<>``, ``NOT IN`` or ``NOT LIKE`` compares with constants, else None."""
    expression = content(part, "A_Expr")
    if expression is None:
        return _negated_column(part)
    if expression.get("kind") not in ("AEXPR_OP", *_NEGATABLE):
        return None
    if texts(expression.get("name")) not in (["<>"], ["!~~"], ["!~~*"]):
        return None
    value = content(expression.get("rexpr"), "A_Const") or {}
    is_constant = bool(value) or expression.get("kind") == "AEXPR_IN"
    return expression.get("lexpr") if is_constant and not _is_empty(value) else None


def _negated_column(part: object) -> object:
    negation = content(part, "BoolExpr")
    if not negation or negation.get("boolop") != "NOT_EXPR":
        return None
    inside = content(negation["args"][0], "A_Expr")
    return inside.get("lexpr") if inside and inside.get("kind") in _NEGATABLE else None


def _is_empty(value: Node) -> bool:
    return bool(value.get("isnull") or ("sval" in value and not value["sval"].get("sval")))
