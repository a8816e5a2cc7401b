"""Facts about queries in any dialect, each with a location, from the parser of the file's dialect."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from wardround_sql.document import SqlDocument
from wardround_sql.parsing import pg_nodes
from wardround_sql.parsing.pg_nodes import (
    Node,
    column_name,
    content,
    kinds,
    members,
    unwrap,
    walk,
)
from wardround_sql.parsing.statements import Statement
from wardround_sql.project import migration_files
from wardround_sql.queries.fact_types import (
    AnyFact,
    MoneyCast,
    NullCompared,
    TypeChange,
    TypedColumn,
    UnorderedLimit,
    ViewStar,
)
from wardround_sql.queries.selects import is_single_row, roots, visible_selects


def null_comparisons(script: SqlDocument) -> Iterator[NullCompared]:
    """Yield ``= NULL``, ``<> NULL``, ``IN (..., NULL)`` and ``CASE x WHEN NULL``."""
    if not script.is_postgres:
        yield from facts_of(script, NullCompared)
    for statement in roots(script):
        for expression in statement.kinds("A_Expr"):
            if _compares_with_null(expression):
                yield _null_fact(script, statement, expression, listed=False)
            elif _lists_null(expression):
                yield _null_fact(script, statement, expression, listed=True)
        for case in statement.kinds("CaseExpr"):
            for when in kinds(case.get("args", []), "CaseWhen") if "arg" in case else ():
                if _is_null(when.get("expr")):
                    location_items = script.locations.span(statement, when.get("location"))
                    yield NullCompared(location_items, "", statement, "this")


def _compares_with_null(expression: Node) -> bool:
    if expression.get("kind") != "AEXPR_OP":
        return False
    is_equality = pg_nodes.texts(expression.get("name")) in (["="], ["<>"])
    return is_equality and (_is_null(expression.get("rexpr")) or _is_null(expression.get("lexpr")))


def _lists_null(expression: Node) -> bool:
    values = pg_nodes.items(expression.get("rexpr")) if expression.get("kind") == "AEXPR_IN" else []
    return any(map(_is_null, values))


def _null_fact(script: SqlDocument, statement: Statement, node: Node, *, listed: bool) -> NullCompared:
    name = ".".join(column_name(node.get("lexpr"))) or "this"
    child = next((n["location"] for n in walk(node.get("lexpr")) if "location" in n), node.get("location"))
    return NullCompared(script.locations.span(statement, child), "", statement, name, listed)


def _is_null(node: object) -> bool:
    return (content(node, "A_Const") or {}).get("isnull") is True


def bare_limits(script: SqlDocument) -> Iterator[UnorderedLimit]:
    """Yield LIMIT without ORDER BY where the choice of rows is visible."""
    if not script.is_postgres:
        yield from (fact for fact in facts_of(script, UnorderedLimit) if not fact.parameter)
    for statement in roots(script):
        for select in visible_selects(statement):
            count = select.get("limitCount")
            if count is not None and not _is_deterministic(select):
                yield from _bare_limit(script, statement, count)


def _bare_limit(script: SqlDocument, statement: Statement, count: Node) -> Iterator[UnorderedLimit]:
    """Yield a LIMIT unless it is a constant other than a number of several rows."""
    constant = content(count, "A_Const")
    number = _integer(constant) if constant is not None else None
    if constant is not None and number in (None, 0, 1):
        return
    node = constant or unwrap(count)[1]
    yield UnorderedLimit(script.locations.span(statement, node.get("location")), "", statement, number)


def _integer(constant: Node) -> int | None:
    """Return the value of a constant; None if it is not an integer."""
    if "ival" not in constant:
        return None
    value: int = constant["ival"].get("ival", 0)
    return value


def _is_deterministic(select: Node) -> bool:
    """Return True if a LIMIT is ordered, locks rows as in a queue, or applies to one row."""
    return "sortClause" in select or "lockingClause" in select or is_single_row(select)


def offsets(script: SqlDocument) -> Iterator[UnorderedLimit]:
    """Yield OFFSET with a number from the caller."""
    if not script.is_postgres:
        yield from (fact for fact in facts_of(script, UnorderedLimit) if fact.parameter)
    for statement in roots(script):
        for node in statement.selects:
            offset = node.get("limitOffset")
            if offset is not None and content(offset, "A_Const") is None:
                location_items = script.locations.span(statement, _first_location(offset))
                yield UnorderedLimit(location_items, "", statement, None, True)


def _first_location(expression: object) -> int | None:
    for node in walk(expression):
        if "location" in node:
            location: int = node["location"]
            return location
    return None


def view_stars(script: SqlDocument) -> Iterator[ViewStar]:
    """Yield views whose columns are all columns of their tables."""
    if not script.is_postgres:
        yield from facts_of(script, ViewStar)
    for statement, view, select in _views(script):
        location = _star(select, {})
        if location is not None:
            yield ViewStar(script.locations.span(statement, location), "", statement, view)


def _views(script: SqlDocument) -> Iterator[tuple[Statement, str, Node]]:
    """Yield the views of a file: statement, name and query."""
    if migration_files.is_view(script.path):
        for statement in script.of("SelectStmt"):
            yield statement, migration_files.view_name(script.path), statement.node
    for statement in script.of("ViewStmt", "CreateTableAsStmt"):
        node = statement.node
        view = node.get("view") or node.get("into", {}).get("rel", {})
        if statement.kind == "ViewStmt" or node.get("objtype") == "OBJECT_MATVIEW":
            yield statement, str(script.name_of(view)), content(node.get("query"), "SelectStmt") or {}


def _star(select: Node, outer: dict[str, Node]) -> int | None:
    """Return the location of a star over the columns of a table, also through subqueries and WITH.

    Args:
        outer: queries of WITH in the enclosing queries, by name.
    """
    if select.get("op") not in (None, "SETOP_NONE"):
        locations = (_star(operand, outer) for operand in _operands(select))
        return next((location for location in locations if location is not None), None)
    known = outer | _queries_of_with(select)
    sources = [leaf for item in select.get("fromClause", []) for leaf in _table_leaves(item)]
    for reference, name in _stars(select):
        for source in sources:
            location = _star_of_source(reference, name, source, known)
            if location is not None:
                return location
    return None


def _operands(select: Node) -> Iterator[Node]:
    """Yield the two queries of a set operation."""
    for side in ("larg", "rarg"):
        operand = select.get(side, {})
        yield content(operand, "SelectStmt") or operand


def _queries_of_with(select: Node) -> dict[str, Node]:
    result = {}
    for cte in kinds(select.get("withClause", {}).get("ctes", []), "CommonTableExpr"):
        result[cte.get("ctename", "")] = content(cte.get("ctequery"), "SelectStmt") or {}
    return result


def _stars(select: Node) -> Iterator[tuple[Node, list[str]]]:
    """Yield the stars among the results of a query, with the parts of their names."""
    for target in select.get("targetList", []):
        value = (content(target, "ResTarget") or {}).get("val")
        reference = content(value, "ColumnRef")
        name = column_name({"ColumnRef": reference}) if reference else []
        if reference and name[-1:] == ["*"]:
            yield reference, name


def _star_of_source(
    reference: Node, name: list[str], source: tuple[str, Node], known: dict[str, Node]
) -> int | None:
    """Return the location of a star that includes the columns of one table or subquery."""
    kind, inside = source
    table = inside.get("relname", "")
    alias = (inside.get("alias") or {}).get("aliasname") or table
    if len(name) > 1 and name[-2] != alias:
        return None
    if kind != "RangeVar":
        return _star(content(inside.get("subquery"), "SelectStmt") or {}, known)
    if "schemaname" in inside or table not in known:
        return int(reference.get("location", 0))
    outer = dict(known)
    return _star(outer.pop(table), outer)


def _table_leaves(item: object) -> Iterator[tuple[str, Node]]:
    """Yield the tables and subqueries of one item of FROM."""
    kind, inside = unwrap(item)
    if kind == "JoinExpr":
        yield from _table_leaves(inside.get("larg"))
        yield from _table_leaves(inside.get("rarg"))
    elif kind in ("RangeVar", "RangeSubselect"):
        yield kind, inside


_TYPED: WeakKeyDictionary[SqlDocument, list[TypedColumn]] = WeakKeyDictionary()


def typed_columns(script: SqlDocument) -> list[TypedColumn]:
    """Return columns with their types, of new tables and added to existing ones."""
    if script not in _TYPED:
        _TYPED[script] = list(_typed_columns(script))
    return _TYPED[script]


def _typed_columns(script: SqlDocument) -> Iterator[TypedColumn]:
    if not script.is_postgres:
        yield from facts_of(script, TypedColumn)
    for statement in script.of("CreateStmt", "AlterTableStmt"):
        table = str(script.name_of(statement.node.get("relation", {})))
        parts = statement.node.get("tableElts") or [
            command.get("def") for command in members(statement.node.get("cmds"), "AlterTableCmd")
            if command.get("subtype") == "AT_AddColumn"
        ]  # fmt: skip
        for part in parts:
            column = content(part, "ColumnDef")
            if column and "typeName" in column:
                typed = column["typeName"]
                location_items = script.locations.span(statement, typed.get("location"))
                yield TypedColumn(
                    location_items, "", statement, table, column.get("colname", ""), pg_nodes.type_name(typed)
                )


def facts_of(script: SqlDocument, kind: type[AnyFact]) -> Iterator[AnyFact]:
    """Return facts of one type, extracted by sqlglot."""
    from wardround_sql.queries.sqlglot_facts import facts

    return (fact for fact in facts(script) if isinstance(fact, kind))


def type_changes(script: SqlDocument) -> Iterator[TypeChange]:
    """Return changes of a column's type, in dialects other than PostgreSQL."""
    return facts_of(script, TypeChange)


def old_type(script: SqlDocument, table: str, column: str) -> str | None:
    """Return the previous type of a column from the other files of its migration set; None if it is
    unknown.
    """
    from wardround_sql.queries.sqlglot_facts import declared_types

    result = None
    project = script.source.project
    own = migration_files.order(script.path)
    for path in sorted(
        project.files_with_word((table,), migration_files.set_patterns(script.path)),
        key=migration_files.order,
    ):
        text = project.read(path) if migration_files.order(path) < own else None
        if text is not None and not migration_files.is_down(path):
            result = declared_types(text, script.dialect).get((table, column), result)
    return result


def foreign_facts(script: SqlDocument, kind: type[AnyFact]) -> Iterator[AnyFact]:
    """Return facts of one type, only for dialects other than PostgreSQL."""
    if not script.is_postgres:
        yield from facts_of(script, kind)


def float_casts(script: SqlDocument) -> Iterator[MoneyCast]:
    """Yield casts to floating point in the select list of a dbt model or view."""
    from wardround_sql.parsing.sqlglot_trees import trees

    for tree in trees(script):
        for name, kind, node in tree.casts(views_only=not script.is_template):
            yield MoneyCast(tree.span(node), tree.note, None, name, kind)
