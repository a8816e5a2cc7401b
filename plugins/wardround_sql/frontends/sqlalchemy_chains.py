"""Chains of calls that build a query with SQLAlchemy, in one expression or on a variable."""

from __future__ import annotations

import ast

from msgspec import Struct, field

from wardround_sql.frontends.python_code import SqlModule
from wardround_sql.frontends.python_scopes import CallSite, PythonScope, callee_name

ROOTS = frozenset({"select", "query", "delete", "update"})
FILTERS = frozenset({"where", "filter", "having"})
NESTING_CALLS = frozenset(
    {"exists", "subquery", "scalar_subquery", "cte", "as_scalar", "lateral", "label", "union", "union_all",
     "any_", "all_", "in_", "not_in", "notin_", "select_from", "insert", "from_select"}
)  # fmt: skip
RUNNERS = frozenset(
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

    def steps_named(self, *names: str) -> list[ast.Call]:
        return [step for step in self.steps if callee_name(step) in names]

    @property
    def is_executed(self) -> bool:
        """True if the statement itself is sent to a database, and is not a part of another statement."""
        return self.runs and not self.inside

    @property
    def filters(self) -> list[ast.expr]:
        return [argument for step in self.steps if callee_name(step) in FILTERS for argument in step.args]


class ChainReader:
    """Chains of a module, each with the calls that its variables receive later."""

    def __init__(self, module: SqlModule) -> None:
        self.module = module
        self.chains: list[BuiltQuery] = []
        self._steps = _outermost(module)
        self._by_variable: dict[tuple[int, str], BuiltQuery] = {}

    def read(self) -> list[BuiltQuery]:
        for call in self.module.calls:
            if call.name in ROOTS and is_root(call):
                self._begin(call)
        self._bind_variables()
        for call in self.module.calls:
            if self._extend(call):
                self._pass(call)
        return self.chains

    def _begin(self, call: CallSite) -> None:
        steps = self._steps.get(id(call.node), [call.node])
        chain = BuiltQuery(call.name, call.node, call.scope, steps[1:])
        self.chains.append(chain)
        _note_use(self.module, steps[-1], chain)

    def _bind_variables(self) -> None:
        by_root = {id(chain.root): chain for chain in self.chains}
        scopes = {id(call.scope): call.scope for call in self.module.calls}
        for scope in scopes.values():
            for name, values in scope.names.items():
                for root in map(root_of, values):
                    if root is not None and id(root) in by_root:
                        self._by_variable.setdefault((id(scope), name), by_root[id(root)])

    def _extend(self, call: CallSite) -> bool:
        """Add a call on the variable of a statement; return False if its result is dropped."""
        function = call.node.func
        chain = self._chain_of(function.value, call) if isinstance(function, ast.Attribute) else None
        if chain is None:
            return True
        steps = self._steps.get(id(call.node), [call.node])
        if callee_name(call.node) in FILTERS and _is_dropped(self.module, steps[-1]):
            return False
        chain.steps += [step for step in steps if step not in chain.steps]
        _note_use(self.module, steps[-1], chain)
        return True

    def _pass(self, call: CallSite) -> None:
        """Note that a call receives the variables of statements."""
        for argument in call.node.args:
            value = argument.value if isinstance(argument, ast.Starred) else argument
            chain = self._chain_of(value, call)
            if chain is not None:
                chain.runs |= call.name in RUNNERS
                chain.inside |= call.name not in (*RUNNERS, "str", "print", "len", "repr")

    def _chain_of(self, node: ast.expr, call: CallSite) -> BuiltQuery | None:
        if not isinstance(node, ast.Name):
            return None
        return self._by_variable.get((id(call.scope), node.id))


def is_root(call: CallSite) -> bool:
    """Return True if a call of one of the names in ``ROOTS`` begins a statement."""
    function, has_arguments = call.node.func, bool(call.node.args)
    if call.name in ("delete", "update"):
        return isinstance(function, ast.Name) and len(call.node.args) == 1
    if call.name == "query":
        return isinstance(function, ast.Attribute) and has_arguments
    if isinstance(function, ast.Name):
        return has_arguments
    owner = function.value if isinstance(function, ast.Attribute) else None
    return has_arguments and isinstance(owner, ast.Name) and owner.id in ("sa", "sqlalchemy", "db")


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


def root_of(value: ast.expr) -> ast.Call | None:
    """Return the first call of a chain that begins with ``select`` or the like."""
    node: ast.expr = value
    first: ast.Call | None = None
    while isinstance(node, ast.Call):
        first = node
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        if callee_name(node) in ROOTS and not isinstance(owner, ast.Call):
            return node
        node = owner
    return first if first is not None and callee_name(first) in ROOTS else None


def _note_use(module: SqlModule, last: ast.Call, built_query: BuiltQuery) -> None:
    parent = module.parents.get(id(last))
    if isinstance(parent, ast.Call):
        built_query.runs |= callee_name(parent) in RUNNERS
        built_query.inside |= callee_name(parent) not in (
            *RUNNERS,
            "list",
            "len",
            "print",
            "set",
            "tuple",
            "iter",
        )
    names = {callee_name(step) for step in built_query.steps}
    built_query.inside |= bool(names & NESTING_CALLS)
    built_query.runs |= built_query.kind == "query" and bool(names & _ENDS)


def _is_dropped(module: SqlModule, call: ast.Call) -> bool:
    return any(item is call for item in module.bare)
