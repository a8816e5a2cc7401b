"""Queries built with SQLAlchemy's select(), delete() and session.query(), as far as rules inspect them.

The result is not a translation: it is the shortest statement that triggers the same rules as the built query.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import unparse, walk
from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import CallSite, PythonScope, callee_name
from wardround_sql.frontends.sqlalchemy_chains import (
    FILTERS,
    NESTING_CALLS,
    ROOTS,
    RUNNERS,
    BuiltQuery,
    ChainReader,
    root_of,
)
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    cross_join,
    every_row,
    limited_query,
    not_in_query,
    undone_join_query,
)
from wardround_sql.queries.row_intent import is_shown, requests_specific_row

_JOINS = frozenset({"join", "outerjoin", "join_from", "outerjoin_from"})
_OPEN = frozenset(
    {"select_from", "from_statement", "correlate", "correlate_except", "from_self", "with_only_columns",
     "add_columns"}
)  # fmt: skip


def built_queries(module: SqlModule) -> Iterator[AssembledText]:
    """Yield the statements that represent the queries a module builds."""
    if not any(
        name.split(".")[0] in ("sqlalchemy", "sqlmodel", "flask_sqlalchemy") for name in module.imports
    ):
        return
    chains = ChainReader(module).read()
    for item in chains:
        yield from _cross_join(module, item)
        yield from _filtered_joins(module, item)
        yield from _paged_queries(module, item)
        yield from _unfiltered_writes(module, item)
    yield from _exclusions(module, {id(chain.root): chain for chain in chains})


# Facts


def _say(module: SqlModule, node: ast.expr, sql: str, width: int = 0) -> AssembledText:
    writer = SqlAssembler()
    start, end = module.place(node)
    line = module.text[start:end].split("\n", 1)[0]
    writer.add(sql, start, width or max(len(line), 1))
    return writer.text()


def _locate_step(module: SqlModule, step: ast.Call, sql: str) -> AssembledText:
    """Return a statement located at the name of a step of a chain."""
    function = step.func
    assert isinstance(function, ast.Attribute)
    line, column = function.end_lineno or 1, (function.end_col_offset or 0) - len(function.attr)
    writer = SqlAssembler()
    writer.add(sql, module.place_of(line, column), len(function.attr))
    return writer.text()


def _cross_join(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    if built_query.kind not in ("select", "query") or not built_query.is_executed:
        return
    if built_query.steps_named(*_JOINS, *_OPEN):
        return
    conditions = list(_conditions(module, built_query))
    known_conditions = [condition for condition in conditions if condition is not None]
    shown = _owners(built_query.root.args)
    if not shown or len(known_conditions) < len(conditions):
        return
    reached = _reachable(min(shown), [_owners([condition]) for condition in known_conditions])
    loose = sorted((shown | _owners(known_conditions)) - reached)
    if loose:
        first = min(reached & shown)
        yield _say(module, built_query.root, cross_join(first, loose[0]))


def _conditions(module: SqlModule, built_query: BuiltQuery) -> Iterator[ast.expr | None]:
    """Yield the conditions of a query, with None for unknown ones."""
    for argument in built_query.filters:
        yield from _resolve_conditions(module, argument, built_query.scope)


def _reachable(first: str, groups: list[set[str]]) -> set[str]:
    reached = {first}
    for _ in groups:
        reached |= {name for group in groups if group & reached for name in group}
    return reached


def _resolve_conditions(
    module: SqlModule, argument: ast.expr, scope: PythonScope
) -> Iterator[ast.expr | None]:
    """Yield the conditions of an argument, with None for unknown ones."""
    node: ast.expr | None = argument.value if isinstance(argument, ast.Starred) else argument
    if isinstance(node, ast.Name):
        node = _only_value(module, node.id, scope)
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _resolve_conditions(module, part, scope)
        case ast.Call(args=parts) if callee_name(node) == "and_":
            for part in parts:
                yield from _resolve_conditions(module, part, scope)
        case ast.expr() if not _has_query(node):
            yield node
        case _:
            yield None


def _only_value(module: SqlModule, name: str, scope: PythonScope) -> ast.expr | None:
    """Return the value of a name that is bound once, and to which nothing is appended."""
    if name in scope.unknown:
        return None
    values = scope.names.get(name, [])
    calls = (call for call in module.calls if call.scope is scope)
    if len(values) != 1 or any(_is_grown(module, name, call) for call in calls):
        return None
    return values[0]


def _has_query(expression: ast.expr) -> bool:
    calls = (node for node in walk(expression) if isinstance(node, ast.Call))
    return any(callee_name(call) in NESTING_CALLS or callee_name(call) in ROOTS for call in calls)


def _is_grown(module: SqlModule, name: str, call: CallSite) -> bool:
    owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    return call.name in ("append", "extend", "insert") and isinstance(owner, ast.Name) and owner.id == name


def _owners(nodes: list[ast.expr]) -> set[str]:
    """Return the classes in expressions, including the owners of attributes."""
    result: set[str] = set()
    for expression in nodes:
        if isinstance(expression, ast.Name) and _is_class(expression.id):
            result.add(expression.id)
        for node in walk(expression):
            match node:
                case ast.Attribute(value=ast.Name(id=name)) if _is_class(name):
                    result.add(name)
    return result


def _is_class(name: str) -> bool:
    return name[:1].isupper() and not name.isupper() and name not in ("String", "Integer", "Decimal", "JSON")


def _filtered_joins(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    """Yield comparisons in WHERE with a class of an outer join."""
    for join in built_query.steps_named("outerjoin", "join"):
        target = join.args[0] if join.args else None
        if not _is_outer(join) or not isinstance(target, ast.Name) or not _is_class(target.id):
            continue
        for condition in _conditions(module, built_query):
            if condition is not None and _compares_class(condition, target.id):
                yield _say(module, condition, undone_join_query(target.id))
                return


def _is_outer(join: ast.Call) -> bool:
    keywords = {keyword.arg: keyword.value for keyword in join.keywords}
    return callee_name(join) == "outerjoin" or getattr(keywords.get("isouter"), "value", False) is True


def _compares_class(condition: ast.expr, name: str) -> bool:
    """Return True if a condition compares an attribute of a class with a value other than None."""
    match condition:
        case ast.Compare(left=ast.Attribute(value=ast.Name(id=owner))) if owner == name:
            operator, value = condition.ops[0], condition.comparators[0]
        case _:
            return False
    if not isinstance(operator, (ast.Eq, ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return False
    is_none = isinstance(value, ast.Constant) and value.value is None
    return not is_none and not _owners([value])


def _paged_queries(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    if built_query.kind not in ("select", "query"):
        return
    for step in built_query.steps_named("offset"):
        if step.args and not isinstance(step.args[0], ast.Constant):
            yield _locate_step(module, step, "SELECT 1 FROM t ORDER BY 1 OFFSET $1")
    yield from _limits(module, built_query)
    if built_query.kind != "query" or built_query.steps_named("order_by") or _filters_by_key(built_query):
        return
    for step in built_query.steps_named("first"):
        if requests_specific_row(module.text, module.place(step)[0]):
            yield _locate_step(module, step, limited_query(single=True))


def _limits(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    """Yield ``limit()`` of an executed query without an order, if the choice of rows is visible."""
    limits = [step for step in built_query.steps_named("limit") if step.args]
    if not limits or not built_query.is_executed:
        return
    if built_query.steps_named("order_by", *_OPEN) or _filters_by_key(built_query):
        return
    limit = limits[0]
    single = _is_number_one(limit.args[0])
    words = " ".join(map(unparse, built_query.steps))
    shows_rows = not single and is_shown(unparse(limit.args[0]), words)
    if shows_rows or requests_specific_row(module.text, module.place(limit)[0]):
        yield _locate_step(module, limit, limited_query(single=single))


def _is_number_one(count: ast.expr) -> bool:
    return isinstance(count, ast.Constant) and count.value == 1


def _filters_by_key(built_query: BuiltQuery) -> bool:
    attributes = {n.attr for f in built_query.filters for n in walk(f) if isinstance(n, ast.Attribute)}
    named = {k.arg for step in built_query.steps_named("filter_by") for k in step.keywords}
    return bool((attributes | named) & {"id", "uuid", "pk", "slug", "email", "key", "token"})


def _unfiltered_writes(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    """Yield delete() and update() that are bound to a name, and executed without a condition."""
    if built_query.kind not in ("delete", "update") or not built_query.is_executed:
        return
    if built_query.steps_named(*FILTERS, "filter_by"):
        return
    root = built_query.root
    parent = module.parents.get(id(root))
    if isinstance(parent, ast.Call) and callee_name(parent) in RUNNERS:
        return  # whole_table_writes reports it
    bound = (value for values in built_query.scope.names.values() for value in values)
    if any(root_of(value) is root for value in bound):
        yield _say(module, root, every_row(built_query.kind, unparse(root.args[0]), ["?"]))


def _exclusions(module: SqlModule, known: dict[int, BuiltQuery]) -> Iterator[AssembledText]:
    """Yield ``column.not_in(select(Other.column))`` where the column may be NULL."""
    for call in module.calls:
        if not _is_not_in(module, call) or not call.node.args:
            continue
        select = _select_of(module, call.node.args[0], call.scope)
        subquery = known.get(id(select)) if select is not None else None
        if subquery is None or len(subquery.root.args) != 1 or _excludes_null(subquery):
            continue
        owner, attribute = _attribute_of(subquery.root.args[0])
        if owner and _may_be_null(module, owner, attribute):
            yield _say(module, call.node, not_in_query(attribute, owner))


def _is_not_in(module: SqlModule, call: CallSite) -> bool:
    """Return True for ``not_in()``, and for ``~column.in_()``."""
    if call.name == "in_":
        return _is_negated(module, call.node)
    return call.name in ("not_in", "notin_")


def _attribute_of(node: ast.expr) -> tuple[str, str]:
    """Return the owner and the attribute of ``Owner.attribute``; empty for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    return "", ""


def _is_negated(module: SqlModule, node: ast.Call) -> bool:
    return id(node) in module.inverted


def _select_of(module: SqlModule, node: ast.expr, scope: PythonScope, depth: int = 0) -> ast.Call | None:
    """Return the select() of an expression: through a variable, or a function of the file that returns it."""
    if isinstance(node, ast.Name):
        values = scope.names.get(node.id, [])
        if len(values) != 1 or depth >= _MOST_VARIABLES:
            return None
        return _select_of(module, values[0], scope, depth + 1)
    if not isinstance(node, ast.Call):
        return None
    return root_of(node) or _select_of_function(module, callee_name(node))


_MOST_VARIABLES = 4
"""Variables through which a select() is followed."""


def _select_of_function(module: SqlModule, name: str) -> ast.Call | None:
    """Return the select() that a function of the file returns, if it has a single ``return``."""
    for function in module.tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == name:
            values = [node.value for node in walk(function) if isinstance(node, ast.Return)]
            if len(values) != 1 or values[0] is None:
                return None
            return root_of(values[0])
    return None


def _excludes_null(built_query: BuiltQuery) -> bool:
    text = " ".join(unparse(f) for f in built_query.filters)
    return any(word in text for word in ("is_not(None)", "isnot(None)", "!= None", ".is_not(null"))


def _may_be_null(module: SqlModule, owner: str, column: str) -> bool:
    """Return True if a class of the file declares a column as nullable."""
    for item in module.classes:
        if item.name != owner:
            continue
        for statement in item.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)) if name == column:
                    return _is_optional(statement)
                case ast.Assign(targets=[ast.Name(id=name), *_]) if name == column:
                    return _is_nullable_column(unparse(statement.value))
    return False


def _is_optional(declaration: ast.AnnAssign) -> bool:
    annotation = unparse(declaration.annotation)
    if "None" in annotation or "Optional" in annotation:
        return True
    return declaration.value is not None and "nullable=True" in unparse(declaration.value)


def _is_nullable_column(code: str) -> bool:
    return "Column(" in code and "nullable=False" not in code and "primary_key" not in code
