"""Queries built with SQLAlchemy's select(), delete() and session.query(), as far as rules inspect them.

The result is not a translation: it is the shortest statement that triggers the same rules as the built query.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct, field

from wardround.languages.python.tree import unparse, walk
from wardround_sql.frontends.python_code import CallSite, PythonScope, SqlModule, called
from wardround_sql.frontends.string_assembly import (
    AssembledText,
    SqlAssembler,
    cross_join,
    every_row,
    excluded,
    limited,
    undone,
)
from wardround_sql.queries.row_intent import is_shown, requests_specific_row

ROOTS = frozenset({"select", "query", "delete", "update"})
FILTERS = frozenset({"where", "filter", "having"})
_JOINS = frozenset({"join", "outerjoin", "join_from", "outerjoin_from"})
_OPEN = frozenset(
    {"select_from", "from_statement", "correlate", "correlate_except", "from_self", "with_only_columns",
     "add_columns"}
)  # fmt: skip
_INSIDE = frozenset(
    {"exists", "subquery", "scalar_subquery", "cte", "as_scalar", "lateral", "label", "union", "union_all",
     "any_", "all_", "in_", "not_in", "notin_", "select_from", "insert", "from_select"}
)  # fmt: skip
_RUNS = frozenset(
    {"execute", "scalars", "scalar", "stream", "stream_scalars", "fetch_all", "fetch_one", "exec"}
)
_ENDS = frozenset({"all", "first", "one", "one_or_none", "scalar", "count"})


class BuiltQuery(Struct):
    """Statement built by code: the calls of its chain, including those on its variable, in order."""

    kind: str
    root: ast.Call
    scope: PythonScope
    steps: list[ast.Call] = field(default_factory=list)
    runs: bool = False
    inside: bool = False

    def named(self, *names: str) -> list[ast.Call]:
        return [step for step in self.steps if called(step) in names]

    @property
    def filters(self) -> list[ast.expr]:
        return [argument for step in self.steps if called(step) in FILTERS for argument in step.args]


def built_queries(module: SqlModule) -> Iterator[AssembledText]:
    """Yield the statements that represent the queries a module builds."""
    if not any(
        name.split(".")[0] in ("sqlalchemy", "sqlmodel", "flask_sqlalchemy") for name in module.imports
    ):
        return
    chains = _chains(module)
    for item in chains:
        yield from _cross_join(module, item)
        yield from _filtered_joins(module, item)
        yield from _paged(module, item)
        yield from _unfiltered(module, item)
    yield from _excluded(module, {id(chain.root): chain for chain in chains})


def _chains(module: SqlModule) -> list[BuiltQuery]:
    result: list[BuiltQuery] = []
    entries: dict[tuple[int, str], BuiltQuery] = {}
    outer = _outermost(module)
    for call in module.calls:
        if call.name in ROOTS and is_root(call):
            steps = outer.get(id(call.node), [call.node])
            entry = BuiltQuery(call.name, call.node, call.scope, steps[1:])
            result.append(entry)
            _note_use(module, steps[-1], entry)
    names = {id(item.root): item for item in result}
    for scope in {id(c.scope): c.scope for c in module.calls}.values():
        for name, values in scope.names.items():
            root = next((r for v in values if (r := _root_of(v)) is not None and id(r) in names), None)
            if root is not None:
                entries[id(scope), name] = names[id(root)]
    for call in module.calls:
        _add_later(module, call, entries, outer)
    return result


def is_root(call: CallSite) -> bool:
    function = call.node.func
    if call.name in ("delete", "update"):
        return isinstance(function, ast.Name) and len(call.node.args) == 1
    if call.name == "query":
        return isinstance(function, ast.Attribute) and bool(call.node.args)
    owner = function.value if isinstance(function, ast.Attribute) else None
    plain = isinstance(function, ast.Name) or (
        isinstance(owner, ast.Name) and owner.id in ("sa", "sqlalchemy", "db")
    )
    return plain and bool(call.node.args)


def _outermost(module: SqlModule) -> dict[int, list[ast.Call]]:
    """Return, for the first call of each chain, the calls of the entire chain in order."""
    result: dict[int, list[ast.Call]] = {}
    for call in module.calls:
        steps, function = [call.node], call.node.func
        while isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
            steps.insert(0, function.value)
            function = function.value.func
        for number, step in enumerate(steps):
            if len(steps) - number > len(result.get(id(step), [])):
                result[id(step)] = steps[number:]
    return result


def _root_of(value: ast.expr) -> ast.Call | None:
    """Return the first call of a chain that begins with ``select`` or the like."""
    node: ast.expr = value
    first: ast.Call | None = None
    while isinstance(node, ast.Call):
        first = node
        if called(node) in ROOTS and not (
            isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
        ):
            return node
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return first if first is not None and called(first) in ROOTS else None


def _note_use(module: SqlModule, last: ast.Call, built_query: BuiltQuery) -> None:
    parent = module.parents.get(id(last))
    if isinstance(parent, ast.Call):
        built_query.runs |= called(parent) in _RUNS
        built_query.inside |= called(parent) not in (*_RUNS, "list", "len", "print", "set", "tuple", "iter")
    names = {called(step) for step in built_query.steps}
    built_query.inside |= bool(names & _INSIDE)
    built_query.runs |= built_query.kind == "query" and bool(names & _ENDS)


def _add_later(
    module: SqlModule,
    call: CallSite,
    values: dict[tuple[int, str], BuiltQuery],
    outer: dict[int, list[ast.Call]],
) -> None:
    """Add calls on the variable of a statement, and calls that receive it."""
    owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and (id(call.scope), owner.id) in values:
        result = values[id(call.scope), owner.id]
        steps = outer.get(id(call.node), [call.node])
        if called(call.node) in FILTERS and _is_dropped(module, steps[-1]):
            return
        result.steps += [step for step in steps if step not in result.steps]
        _note_use(module, steps[-1], result)
    for argument in call.node.args:
        inner = argument.value if isinstance(argument, ast.Starred) else argument
        if isinstance(inner, ast.Name) and (id(call.scope), inner.id) in values:
            result = values[id(call.scope), inner.id]
            result.runs |= call.name in _RUNS
            result.inside |= call.name not in (*_RUNS, "str", "print", "len", "repr")


def _is_dropped(module: SqlModule, call: ast.Call) -> bool:
    return any(item is call for item in module.bare)


# Facts


def _say(module: SqlModule, node: ast.expr, sql: str, width: int = 0) -> AssembledText:
    writer = SqlAssembler()
    start, end = module.place(node)
    line = module.text[start:end].split("\n", 1)[0]
    writer.add(sql, start, width or max(len(line), 1))
    return writer.text()


def _step_place(module: SqlModule, step: ast.Call, sql: str) -> AssembledText:
    """Return a statement located at the name of a step of a chain."""
    function = step.func
    assert isinstance(function, ast.Attribute)
    line, column = function.end_lineno or 1, (function.end_col_offset or 0) - len(function.attr)
    writer = SqlAssembler()
    writer.add(sql, module.place_of(line, column), len(function.attr))
    return writer.text()


def _cross_join(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    if built_query.kind not in ("select", "query") or built_query.inside or not built_query.runs:
        return
    if built_query.named(*_JOINS, *_OPEN) or len(built_query.root.args) < 1:
        return
    resolved = [part for item in built_query.filters for part in _resolved(module, item, built_query.scope)]
    filters = [part for part in resolved if part is not None]
    shown = _owners(built_query.root.args)
    named = sorted(shown | _owners(filters))
    if len(filters) < len(resolved) or len(named) < 2 or not shown:
        return
    reached = _reachable(min(shown), [_owners([part]) for part in filters])
    loose = [name for name in named if name not in reached]
    if loose:
        first = sorted(reached & shown)[0]
        yield _say(module, built_query.root, cross_join(first, loose[0]))


def _reachable(first: str, groups: list[set[str]]) -> set[str]:
    reached = {first}
    for _ in groups:
        reached |= {name for group in groups if group & reached for name in group}
    return reached


def _resolved(module: SqlModule, argument: ast.expr, scope: PythonScope) -> Iterator[ast.expr | None]:
    """Return the conditions of an argument, with None for unknown ones."""
    node = argument.value if isinstance(argument, ast.Starred) else argument
    if isinstance(node, ast.Name):
        values = scope.names.get(node.id, []) if node.id not in scope.unknown else []
        grown = any(_is_grown(module, node.id, call) for call in module.calls if call.scope is scope)
        if len(values) != 1 or grown:
            yield None
            return
        node = values[0]
    if isinstance(node, (ast.List, ast.Tuple)):
        for inner in node.elts:
            yield from _resolved(module, inner, scope)
    elif isinstance(node, ast.Call) and called(node) in ("and_",):
        for inner in node.args:
            yield from _resolved(module, inner, scope)
    elif any(isinstance(n, ast.Call) and called(n) in _INSIDE | ROOTS for n in walk(node)):
        yield None
    else:
        yield node


def _is_grown(module: SqlModule, name: str, call: CallSite) -> bool:
    owner = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    return call.name in ("append", "extend", "insert") and isinstance(owner, ast.Name) and owner.id == name


def _owners(nodes: list[ast.expr]) -> set[str]:
    """Return the classes in expressions, including the owners of attributes."""
    result: set[str] = set()
    for top in nodes:
        for node in walk(top):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and _is_class(node.value.id)
            ):
                result.add(node.value.id)
        if isinstance(top, ast.Name) and _is_class(top.id):
            result.add(top.id)
    return result


def _is_class(name: str) -> bool:
    return name[:1].isupper() and not name.isupper() and name not in ("String", "Integer", "Decimal", "JSON")


def _filtered_joins(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    """Yield comparisons in WHERE with a class of an outer join."""
    for join in built_query.named("outerjoin", "join"):
        target = join.args[0] if join.args else None
        if not _is_outer(join) or not isinstance(target, ast.Name) or not _is_class(target.id):
            continue
        conditions = (
            part for item in built_query.filters for part in _resolved(module, item, built_query.scope)
        )
        comparison = next((part for part in conditions if _compares_class(part, target.id)), None)
        if comparison is not None:
            yield _say(module, comparison, undone(target.id))
            return


def _is_outer(join: ast.Call) -> bool:
    keywords = {keyword.arg: keyword.value for keyword in join.keywords}
    return called(join) == "outerjoin" or getattr(keywords.get("isouter"), "value", False) is True


def _compares_class(node: ast.expr | None, name: str) -> bool:
    """Return True if a condition compares an attribute of a class with a value other than None."""
    if not isinstance(node, ast.Compare):
        return False
    if not isinstance(node.ops[0], (ast.Eq, ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return False
    value = node.comparators[0]
    is_none = isinstance(value, ast.Constant) and value.value is None
    owner = node.left.value if isinstance(node.left, ast.Attribute) else None
    is_own = isinstance(owner, ast.Name) and owner.id == name
    return is_own and not is_none and not _owners([value])


def _paged(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    if built_query.kind not in ("select", "query"):
        return
    for step in built_query.named("offset"):
        if step.args and not isinstance(step.args[0], ast.Constant):
            yield _step_place(module, step, "SELECT 1 FROM t ORDER BY 1 OFFSET $1")
    yield from _limits(module, built_query)
    if built_query.kind != "query" or built_query.named("order_by") or _by_key(built_query):
        return
    for step in built_query.named("first"):
        if requests_specific_row(module.text, module.place(step)[0]):
            yield _step_place(module, step, limited(single=True))


def _limits(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    """Yield ``limit()`` of an executed query without an order, if the choice of rows is visible."""
    limits = [step for step in built_query.named("limit") if step.args]
    if not limits or not built_query.runs or built_query.inside:
        return
    if built_query.named("order_by", *_OPEN) or _by_key(built_query):
        return
    count = limits[0].args[0]
    single = isinstance(count, ast.Constant) and count.value == 1
    words = " ".join(unparse(step) for step in built_query.steps)
    is_specific = requests_specific_row(module.text, module.place(limits[0])[0])
    if is_specific or (not single and is_shown(unparse(count), words)):
        yield _step_place(module, limits[0], limited(single=single))


def _by_key(built_query: BuiltQuery) -> bool:
    attributes = {n.attr for f in built_query.filters for n in walk(f) if isinstance(n, ast.Attribute)}
    named = {k.arg for step in built_query.named("filter_by") for k in step.keywords}
    return bool((attributes | named) & {"id", "uuid", "pk", "slug", "email", "key", "token"})


def _unfiltered(module: SqlModule, built_query: BuiltQuery) -> Iterator[AssembledText]:
    """Yield delete() and update() that are bound to a name, and executed without a condition."""
    if (
        built_query.kind not in ("delete", "update")
        or not built_query.runs
        or built_query.inside
        or built_query.named(*FILTERS, "filter_by")
    ):
        return
    parent = module.parents.get(id(built_query.root))
    if isinstance(parent, ast.Call) and called(parent) in _RUNS:
        return  # whole_table_writes reports it
    entries = any(
        _root_of(v) is built_query.root for values in built_query.scope.names.values() for v in values
    )
    if entries:
        yield _say(
            module,
            built_query.root,
            every_row(built_query.kind, unparse(built_query.root.args[0]), ["?"]),
        )


def _excluded(module: SqlModule, known: dict[int, BuiltQuery]) -> Iterator[AssembledText]:
    """Yield ``column.not_in(select(Other.column))`` where the column may be NULL."""
    for call in module.calls:
        negated = call.name in ("not_in", "notin_") or (call.name == "in_" and _is_negated(module, call.node))
        select = _select_of(module, call.node.args[0], call.scope) if negated and call.node.args else None
        subquery = known.get(id(select)) if select is not None else None
        if subquery is None or len(subquery.root.args) != 1 or _keeps_null_out(subquery):
            continue
        owner, attribute = _attribute_of(subquery.root.args[0])
        if owner and _may_be_null(module, owner, attribute):
            yield _say(module, call.node, excluded(attribute, owner))


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
        return _select_of(module, values[0], scope, depth + 1) if len(values) == 1 and depth < 4 else None
    if not isinstance(node, ast.Call):
        return None
    root = _root_of(node)
    if root is not None:
        return root
    function = next(
        (n for n in module.tree.body if isinstance(n, ast.FunctionDef) and n.name == called(node)), None
    )
    returns = [n.value for n in walk(function) if isinstance(n, ast.Return)] if function is not None else []
    return _root_of(returns[0]) if len(returns) == 1 and returns[0] is not None else None


def _keeps_null_out(built_query: BuiltQuery) -> bool:
    text = " ".join(unparse(f) for f in built_query.filters)
    return any(word in text for word in ("is_not(None)", "isnot(None)", "!= None", ".is_not(null"))


def _may_be_null(module: SqlModule, owner: str, column: str) -> bool:
    """Return True if a class of the file declares a column as nullable."""
    for item in module.classes:
        for statement in item.body if item.name == owner else ():
            if isinstance(statement, ast.AnnAssign) and getattr(statement.target, "id", "") == column:
                value = unparse(statement.value) if statement.value is not None else ""
                annotation = unparse(statement.annotation)
                return "None" in annotation or "Optional" in annotation or "nullable=True" in value
            if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == column:
                return _is_nullable_column(unparse(statement.value))
    return False


def _is_nullable_column(code: str) -> bool:
    return "Column(" in code and "nullable=False" not in code and "primary_key" not in code
