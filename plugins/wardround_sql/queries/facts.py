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
    unwrapped,
    walk,
)
from wardround_sql.parsing.statements import Statement
from wardround_sql.project import migration_files
from wardround_sql.queries.fact_types import (
    AnyFact,
    Exclusion,
    Limit,
    MoneyCast,
    NullCompared,
    TypeChange,
    TypedColumn,
    ViewStar,
)
from wardround_sql.queries.selects import is_one_row, roots, visible_selects
from wardround_sql.schema.model import Name


def not_ins(script: SqlDocument) -> Iterator[Exclusion]:
    """Yield ``NOT IN`` over a subquery that may return NULL."""
    if not script.is_postgres:
        yield from facts_of(script, Exclusion)
    for statement in roots(script):
        for link in _excluding(statement.node):
            for possible_null in _possible_nulls(script, content(link.get("subselect"), "SelectStmt") or {}):
                place = script.locations.span(statement, link.get("location"))
                yield Exclusion(place, "", statement, *possible_null)


def _excluding(node: Node) -> Iterator[Node]:
    """Yield the subqueries of NOT IN, and of ``<> ALL``, which is equivalent."""
    for negation in kinds(node, "BoolExpr"):
        link = content(negation["args"][0], "SubLink") if negation.get("boolop") == "NOT_EXPR" else None
        if link and link.get("subLinkType") == "ANY_SUBLINK" and not link.get("operName"):
            yield link
    for link in kinds(node, "SubLink"):
        if link.get("subLinkType") == "ALL_SUBLINK" and pg_nodes.texts(link.get("operName")) == ["<>"]:
            yield link


def _possible_nulls(script: SqlDocument, select: Node) -> Iterator[tuple[str, Name | None]]:
    """Yield the columns of a subquery that may be NULL, for each operand of a UNION."""
    if select.get("op") == "SETOP_UNION":
        for side in ("larg", "rarg"):
            arm = select.get(side, {})
            yield from _possible_nulls(script, content(arm, "SelectStmt") or arm)
        return
    result = _possible_null(script, select)
    if result is not None:
        yield result


def _possible_null(script: SqlDocument, select: Node) -> tuple[str, Name | None] | None:
    """Return the column of a subquery and its table, unless it certainly returns no NULL."""
    targets = select.get("targetList", [])
    if len(targets) != 1 or select.get("op") != "SETOP_NONE":
        return None
    name = column_name((content(targets[0], "ResTarget") or {}).get("val"))
    if not name or name[-1] == "*" or _excludes_null(select, name):
        return None
    tables = [content(node, "RangeVar") for node in select.get("fromClause", [])]
    plain = tables[0] if len(tables) == 1 else None
    return name[-1], script.name_of(plain) if plain else None


def _excludes_null(select: Node, name: list[str]) -> bool:
    return any(
        test.get("nulltesttype") == "IS_NOT_NULL" and column_name(test.get("arg"))[-1:] == name[-1:]
        for test in kinds(select.get("whereClause", {}), "NullTest")
    )


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
                    place = script.locations.span(statement, when.get("location"))
                    yield NullCompared(place, "", statement, "this")


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


def bare_limits(script: SqlDocument) -> Iterator[Limit]:
    """Yield LIMIT without ORDER BY where the choice of rows is visible."""
    if not script.is_postgres:
        yield from (fact for fact in facts_of(script, Limit) if not fact.parameter)
    for statement in roots(script):
        for select in visible_selects(statement):
            count = select.get("limitCount")
            if count is None or _is_deterministic(select):
                continue
            constant = content(count, "A_Const")
            number = constant.get("ival", {}).get("ival", 0) if constant and "ival" in constant else None
            if (constant is not None and number is None) or number in (0, 1):
                continue
            inside = constant or unwrapped(count)[1]
            yield Limit(script.locations.span(statement, inside.get("location")), "", statement, number)


def _is_deterministic(select: Node) -> bool:
    """Return True if a LIMIT is ordered, locks the rows as a queue does, or applies to one row."""
    return "sortClause" in select or "lockingClause" in select or is_one_row(select)


def offsets(script: SqlDocument) -> Iterator[Limit]:
    """Yield OFFSET with a number from the caller."""
    if not script.is_postgres:
        yield from (fact for fact in facts_of(script, Limit) if fact.parameter)
    for statement in roots(script):
        for node in statement.selects:
            offset = node.get("limitOffset")
            if offset is not None and content(offset, "A_Const") is None:
                child = next((n["location"] for n in walk(offset) if "location" in n), None)
                yield Limit(script.locations.span(statement, child), "", statement, None, True)


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
        operands = (select.get("larg", {}), select.get("rarg", {}))
        locations = (_star(content(operand, "SelectStmt") or operand, outer) for operand in operands)
        return next((place for place in locations if place is not None), None)
    ctes = list(kinds(select.get("withClause", {}).get("ctes", []), "CommonTableExpr"))
    known = {**outer, **{c.get("ctename", ""): content(c.get("ctequery"), "SelectStmt") or {} for c in ctes}}
    sources = [leaf for item in select.get("fromClause", []) for leaf in _leaves(item)]
    for target in select.get("targetList", []):
        reference = content((content(target, "ResTarget") or {}).get("val"), "ColumnRef")
        name = column_name({"ColumnRef": reference}) if reference else []
        for source in sources if name[-1:] == ["*"] else ():
            place = _star_of_source(reference or {}, name, source, known)
            if place is not None:
                return place
    return None


def _star_of_source(
    reference: Node, name: list[str], source: tuple[str, Node], known: dict[str, Node]
) -> int | None:
    """Return the location of a star that includes the columns of one table or subquery."""
    kind, inside = source
    alias = (inside.get("alias") or {}).get("aliasname") or inside.get("relname", "")
    if len(name) > 1 and name[-2] != alias:
        return None
    cte = inside.get("relname", "") if "schemaname" not in inside else ""
    if kind == "RangeVar" and cte not in known:
        return int(reference.get("location", 0))
    subquery = content(inside.get("subquery"), "SelectStmt") or {}
    query = known.get(cte, {}) if kind == "RangeVar" else subquery
    return _star(query, {key: value for key, value in known.items() if key != cte})


def _leaves(item: object) -> Iterator[tuple[str, Node]]:
    """Yield the tables and subqueries of one item of FROM."""
    kind, inside = unwrapped(item)
    if kind == "JoinExpr":
        yield from _leaves(inside.get("larg"))
        yield from _leaves(inside.get("rarg"))
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
                place = script.locations.span(statement, typed.get("location"))
                yield TypedColumn(
                    place, "", statement, table, column.get("colname", ""), pg_nodes.type_name(typed)
                )


def facts_of(script: SqlDocument, kind: type[AnyFact]) -> Iterator[AnyFact]:
    """Return facts of one type, as read by sqlglot."""
    from wardround_sql.queries.sqlglot_facts import facts

    return (fact for fact in facts(script) if isinstance(fact, kind))


def type_changes(script: SqlDocument) -> Iterator[TypeChange]:
    """Return changes of a column's type, in dialects other than PostgreSQL."""
    return facts_of(script, TypeChange)


def old_type(script: SqlDocument, table: str, column: str) -> str | None:
    """Return the previous type of a column from the other files of its set; None if it is unknown."""
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
