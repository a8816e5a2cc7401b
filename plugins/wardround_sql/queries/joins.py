"""Tables joined without a condition that connects them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wardround_sql.document import SqlDocument
from wardround_sql.parsing.pg_nodes import (
    Node,
    column_name,
    content,
    is_constant_true,
    kinds,
    texts,
    unwrap,
)
from wardround_sql.parsing.statements import Statement
from wardround_sql.queries.fact_types import CrossJoin
from wardround_sql.queries.facts import facts_of
from wardround_sql.queries.selects import conjuncts, parameters_of, roots

_Aliased = tuple[Node, str]


def cross_joins(script: SqlDocument) -> Iterator[CrossJoin]:
    """Yield comma-separated tables that no condition connects."""
    if not script.is_postgres:
        yield from facts_of(script, CrossJoin)
    for statement in roots(script):
        named = {cte.get("ctename") for cte in statement.kinds("CommonTableExpr")}
        for select in statement.selects:
            parts = _split_by_connection(select, named)
            if parts is None:
                continue
            clusters = [[alias for _table, alias in part] for part in parts]
            if not _picks_rows(statement, select, clusters):
                first, second = parts[0][0][0], parts[1][0][0]
                names = (first.get("relname", ""), second.get("relname", ""))
                location = script.locations.span(statement, second.get("location"))
                yield CrossJoin(location, "", statement, names)


def unconnected_joins(script: SqlDocument) -> Iterator[CrossJoin]:
    """Yield joins whose condition concerns only one table, so that it connects nothing."""
    for statement in roots(script):
        for select in statement.selects:
            for source in select.get("fromClause", []):
                for join in joins_of(source):
                    loose = _unconnected_tables(join, select.get("whereClause"))
                    clusters = (list(names_of(join.get("larg"))), list(names_of(join.get("rarg"))))
                    if loose is not None and not _picks_rows(statement, select, clusters):
                        yield CrossJoin(script.locations.span(statement, loose[2]), "", statement, loose[:2])


def _picks_rows(statement: Statement, select: Node, clusters: Sequence[Sequence[str]]) -> bool:
    """Return True if conditions select the rows of unconnected tables by value: an intended product. ``...
    JOIN p ON p.key IN ('a', 'b') WHERE r.name = 'admin'``. An INSERT may store a list of pairs: it is
    sufficient if the rows of one table are selected.
    """
    conditions = list(conjuncts(select.get("whereClause")))
    for source in select.get("fromClause", []):
        conditions += [part for join in joins_of(source) for part in conjuncts(join.get("quals"))]
    picked = {alias for condition in conditions for alias in _picked_tables(condition)}
    result = [not picked.isdisjoint(cluster) for cluster in clusters]
    return any(result) if statement.kind == "InsertStmt" else all(result)


def _picked_tables(condition: object) -> Iterator[str]:
    """Return the table of a column that a condition equates with a value, or with one of several."""
    expression = content(condition, "A_Expr") or {}
    if texts(expression.get("name")) != ["="]:
        return
    for side, other in (("lexpr", "rexpr"), ("rexpr", "lexpr")):
        column = column_name(expression.get(side))
        if len(column) > 1 and not any(True for _ in kinds(expression.get(other), "ColumnRef")):
            yield column[-2]


def joins_of(node: object) -> Iterator[Node]:
    """Yield the joins of one item of FROM, without those of subqueries."""
    join = content(node, "JoinExpr")
    if join is not None:
        yield from joins_of(join.get("larg"))
        yield from joins_of(join.get("rarg"))
        yield join


def names_of(node: object) -> dict[str, str]:
    """Return the aliases of tables, subqueries and functions in one item of FROM, with their nodes."""
    kind, inside = unwrap(node)
    if kind == "JoinExpr":
        return {**names_of(inside.get("larg")), **names_of(inside.get("rarg"))}
    name = (inside.get("alias") or {}).get("aliasname") or inside.get("relname", "")
    return {name: inside.get("relname", name)} if kind else {}


def _unconnected_tables(join: Node, where: object) -> tuple[str, str, int] | None:
    """Return the unconnected tables of a join, and its location; None if a condition connects them.

    A condition about one row of the right table is skipped if WHERE connects it, and so is a condition on
    constants, or with a subquery.
    """
    condition, right = join.get("quals"), join.get("rarg")
    table = content(right, "RangeVar")
    if condition is None or table is None or next(kinds(condition, "SubLink"), None) is not None:
        return None
    own, others = names_of(right), names_of(join.get("larg"))
    used = _used_tables(condition)
    if not used or not used <= own.keys() | others.keys() or _connects_tables(used, own, others):
        return None
    for part in conjuncts(where):
        owners = _used_tables(part)
        if owners is None or _connects_tables(owners, own, others):
            return None
    first = next(iter(others.values()), "")
    return first, table.get("relname", ""), table.get("location", 0)


def _connects_tables(used: set[str], own: Iterable[str], others: Iterable[str]) -> bool:
    return not used.isdisjoint(own) and not used.isdisjoint(others)


def _split_by_connection(select: Node, named: set[object]) -> tuple[list[_Aliased], list[_Aliased]] | None:
    """Return the tables connected with the first one, and the others, each with its alias.

    None if there are no others, or it is uncertain.
    """
    tables = _plain_tables(select, named)
    if len(tables) < 2:
        return None
    aliases = [_alias(table) for table in tables]
    joined = _connections(select.get("whereClause"), aliases)
    if joined is None:
        return None
    reached = _reachable(aliases[0], joined)
    pairs = list(zip(tables, aliases, strict=True))
    connected = [(table, alias) for table, alias in pairs if alias in reached]
    loose = [(table, alias) for table, alias in pairs if alias not in reached]
    return (connected, loose) if loose else None


def _plain_tables(select: Node, named: set[object]) -> list[Node]:
    """Return the tables of FROM; none if anything else is among them."""
    tables = []
    for item in select.get("fromClause", []):
        table = content(item, "RangeVar")
        if table is None or table.get("relname") in named:
            return []
        tables.append(table)
    return tables


def _alias(table: Node) -> str:
    return str((table.get("alias") or {}).get("aliasname") or table.get("relname", ""))


def _reachable(first: str, joined: list[set[str]]) -> set[str]:
    reached, waiting = set[str](), [first]
    while waiting:
        alias = waiting.pop()
        if alias not in reached:
            reached.add(alias)
            waiting += [other for pair in joined if alias in pair for other in pair]
    return reached


def _connections(
    where: object, aliases: list[str], parameters: frozenset[str] = frozenset()
) -> list[set[str]] | None:
    """Return the sets of tables that parts of the conditions connect; None if a column's table is unknown.

    Args:
        parameters: names that are not columns.
    """
    connections = []
    for part in conjuncts(where):
        used = _used_tables(part, parameters)
        if used is None or (not used and any(True for _ in kinds(part, "ParamRef"))):
            return None
        connections.append(
            (used if _is_complete_condition(part) else _tables_in_all_branches(part)) & set(aliases)
        )
    return connections


def _used_tables(part: object, parameters: frozenset[str] = frozenset()) -> set[str] | None:
    """Return the aliases in a condition; None if a column has none."""
    used = set()
    for reference in kinds(part, "ColumnRef"):
        name = column_name({"ColumnRef": reference})
        if len(name) > 1:
            used.add(name[-2])
        elif not parameters.intersection(name):
            return None
    return used


def _is_complete_condition(part: object) -> bool:
    return (content(part, "BoolExpr") or {}).get("boolop") != "OR_EXPR"


def _tables_in_all_branches(part: object) -> set[str]:
    """Return the tables that every branch of an OR connects."""
    common: set[str] | None = None
    for branch in (content(part, "BoolExpr") or {}).get("args", []):
        joined: set[str] = set()
        for conjunct in conjuncts(branch):
            owners = {
                column_name({"ColumnRef": reference})[-2:][0] for reference in kinds(conjunct, "ColumnRef")
            }
            joined |= owners if len(owners) > 1 else set()
        common = joined if common is None else common & joined
    return common or set()


def loose_updates(script: SqlDocument) -> Iterator[CrossJoin]:
    """Yield each UPDATE with a table in FROM that no condition connects with the updated one.

    The other table may have one row, such as a table of settings; therefore only tables with known keys are
    reported, unless WHERE restricts a complete key.
    """
    for statement in roots(script):
        node = statement.node
        sources = node.get("fromClause", []) if statement.kind == "UpdateStmt" else []
        other = content(sources[0], "RangeVar") if len(sources) == 1 else None
        if other is None or "withClause" in node:
            continue
        target = node.get("relation", {})
        names = [_alias(target), _alias(other)]
        pairs = _connections(node.get("whereClause"), names, parameters_of(statement))
        if pairs is not None and max(map(len, pairs), default=0) < 2 and _may_match_many(script, node, other):
            location = script.locations.span(statement, other.get("location"))
            yield CrossJoin(location, "", statement, (target.get("relname", ""), other.get("relname", "")))


def _may_match_many(script: SqlDocument, node: Node, other: Node) -> bool:
    """Return True if a table has known keys, and WHERE restricts none of them completely."""
    known = script.known_table(script.name_of(other))
    if known is None or not known.keys:
        return False
    equated = set(_equated_columns(node.get("whereClause"), _alias(other)))
    return not any(set(key) <= equated for key in known.keys)


def _equated_columns(where: object, alias: str) -> Iterator[str]:
    """Return the columns of a table that a condition equates with something."""
    for part in conjuncts(where):
        expression = content(part, "A_Expr") or {}
        for side in ("lexpr", "rexpr") if texts(expression.get("name")) == ["="] else ():
            name = column_name(expression.get(side))
            if name[-2:-1] == [alias]:
                yield name[-1]


def severed_joins(script: SqlDocument) -> Iterator[CrossJoin]:
    """Yield plain tables joined ``ON true`` that later joins use, but never with a preceding table."""
    for statement in roots(script):
        for select in statement.selects:
            sources = select.get("fromClause", [])
            joins = list(joins_of(sources[0])) if len(sources) == 1 else []
            for join in joins:
                table = content(join.get("rarg"), "RangeVar")
                if table is None or not is_constant_true(join.get("quals")):
                    continue
                if _is_severed(select, join, joins):
                    first = next(iter(names_of(join.get("larg")).values()), "")
                    location = script.locations.span(statement, table.get("location"))
                    yield CrossJoin(location, "", statement, (first, table.get("relname", "")))


def _is_severed(select: Node, join: Node, joins: list[Node]) -> bool:
    """Return True if conditions connect a join's table only with later ones."""
    pairs = []
    for condition in (select.get("whereClause"), *(other.get("quals") for other in joins)):
        for part in conjuncts(condition):
            tables = _used_tables(part)
            if tables is None:
                return False
            pairs.append(tables)
    (name,) = names_of(join.get("rarg"))
    reached = _reachable(name, pairs)
    return len(reached) > 1 and reached.isdisjoint(names_of(join.get("larg")))
