"""Comparisons that exclude NULL, in other dialects, where the same file declares the table."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from wardround.findings import Span
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.sqlglot_trees import trees


def excluded_nulls(script: SqlDocument) -> Iterator[tuple[Span, str, str]]:
    """Yield location and name of nullable columns that are compared with ``<>`` or ``NOT IN``."""
    known: dict[tuple[str, str], bool] = {}
    for tree in trees(script):
        if isinstance(tree.expression, exp.Create) and tree.expression.kind == "TABLE":
            known.update(_required_columns(tree.expression))
    for tree in trees(script) if known else ():
        for select in tree.expression.find_all(exp.Select):
            tables = _tables(select)
            for column in _untested_columns(select):
                if known.get((_table_of(column, tables), column.name.lower())) is False:
                    yield tree.span(column), column.name, tree.note


def _tables(select: exp.Select) -> dict[str, str]:
    """Return the tables of a query in lower case, by alias."""
    first = select.args.get("from_") or select.args.get("from")
    if not isinstance(first, exp.From):
        return {}
    sources = [first.this, *(join.this for join in select.args.get("joins") or [])]
    return {source.alias_or_name: source.name.lower() for source in sources if isinstance(source, exp.Table)}


def _untested_columns(select: exp.Select) -> Iterator[exp.Column]:
    """Yield the columns of excluding comparisons that WHERE does not test for NULL."""
    where = select.args.get("where")
    if not isinstance(where, exp.Where):
        return
    tested = {column.name for test in where.find_all(exp.Is) for column in test.find_all(exp.Column)}
    for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        column = _excluded_column(part)
        if column is not None and column.name not in tested:
            yield column


def _table_of(column: exp.Column, tables: dict[str, str]) -> str:
    if column.table:
        return tables.get(column.table, "")
    return next(iter(tables.values())) if len(tables) == 1 else ""


def _required_columns(create: exp.Create) -> dict[tuple[str, str], bool]:
    """Return, for each column of a table, whether it is required."""
    table = create.find(exp.Table)
    name = table.name.lower() if table is not None else ""
    keys = {c.name.lower() for key in create.find_all(exp.PrimaryKey) for c in key.find_all(exp.Identifier)}
    result = {}
    for column in create.find_all(exp.ColumnDef):
        kinds = [constraint.kind for constraint in column.constraints]
        required = any(
            isinstance(k, exp.PrimaryKeyColumnConstraint)
            or (isinstance(k, exp.NotNullColumnConstraint) and not k.args.get("allow_null"))
            for k in kinds
        )
        result[name, column.name.lower()] = required or column.name.lower() in keys
    return result


def _excluded_column(part: exp.Expr) -> exp.Column | None:
    if (
        isinstance(part, exp.NEQ)
        and isinstance(part.this, exp.Column)
        and isinstance(part.expression, exp.Literal)
    ):
        return part.this
    inside = part.this if isinstance(part, exp.Not) else None
    listed = isinstance(inside, exp.In) and bool(inside.expressions)
    if (
        (listed or isinstance(inside, exp.Like))
        and isinstance(inside, exp.Expr)
        and isinstance(inside.this, exp.Column)
    ):
        return inside.this
    return None
