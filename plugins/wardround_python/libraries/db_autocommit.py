"""Statements that change a database, and connections in autocommit mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode, PythonModule, last_name, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround_python.analysis.call_resolution import CallResolver

_CHANGES = LazyPattern(
    r"(?is)^\s*(?:insert|update|delete|replace|merge|with\b.{1,400}\b(?:insert|update|delete))\b"
)
_EXECUTES = frozenset(
    {"execute", "executemany", "fetchval", "fetchrow", "fetch", "exec_driver_sql", "fetch_one"}
)
_WRAPS = frozenset({"SQL", "text", "dedent", "cleandoc"})
_CONNECTS = frozenset(
    {
        "psycopg.connect", "psycopg2.connect", "psycopg.Connection.connect",
        "psycopg.AsyncConnection.connect",
        "pymysql.connect", "MySQLdb.connect", "mysql.connector.connect", "pyodbc.connect", "aiomysql.connect",
        "oracledb.connect", "pymssql.connect", "sqlite3.connect", "aiosqlite.connect",
        "psycopg_pool.ConnectionPool",
        "psycopg_pool.AsyncConnectionPool", "sqlalchemy.create_engine", "psycopg.AsyncConnection",
        "sqlalchemy.ext.asyncio.create_async_engine", "aiomysql.create_pool",
    }
)  # fmt: skip
_ALWAYS = frozenset({"asyncpg.connect", "asyncpg.create_pool", "databases.Database"})
"""Connections in autocommit mode until a transaction is opened."""
_GIVES = frozenset({"connect", "acquire", "connection", "cursor", "begin_connection", "execution_options"})
"""Methods of a connection, a pool or an engine that return one in the same mode."""
_DEEPEST = 6


def is_change(call: ast.Call, module: PythonModule) -> bool:
    """Return True if a call sends a statement that changes rows."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _EXECUTES or not call.args:
        return False
    text = _statement_prefix(call.args[0], module)
    return text is not None and _CHANGES.match(text) is not None


def _statement_prefix(node: ast.expr, module: PythonModule) -> str | None:
    """Return the literal prefix of a statement."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=[first, *_]):
            return _statement_prefix(first, module)
        case ast.BinOp():
            return _statement_prefix(node.left, module)
        case ast.Call(args=[first, *_]) if last_name(node.func) in _WRAPS:
            return _statement_prefix(first, module)
        case ast.Call(func=ast.Attribute(value=template)):
            return _statement_prefix(template, module)
        case ast.Name():
            return _text_of_name(node, module)
        case _:
            return None


def _text_of_name(node: ast.Name, module: PythonModule) -> str | None:
    """Return the literal prefix of the only value that a name is assigned."""
    match module.assigned.get(node.id, []):
        case [value] if not isinstance(value, ast.Name):
            return _statement_prefix(value, module)
        case _:
            return None


def is_autocommitting(
    node: ast.expr, module: PythonModule, callees: CallResolver, deep: int = _DEEPEST
) -> bool:
    """Return True if a connection, cursor, pool or engine is in autocommit mode."""
    if not deep:
        return False
    if isinstance(node, ast.Await):
        return is_autocommitting(node.value, module, callees, deep)
    if isinstance(node, ast.Call):
        return _call_autocommits(node, module, callees, deep)
    key = unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    if not key:
        return False
    if f"{key}.autocommit" in module.text and any(map(is_true, _stores(module, f"{key}.autocommit"))):
        return True
    values = list(_assigned_values(key, node, module))
    return len(values) == 1 and is_autocommitting(values[0], module, callees, deep - 1)


def _call_autocommits(node: ast.Call, module: PythonModule, callees: CallResolver, deep: int) -> bool:
    """Return True if a call returns a connection in autocommit mode."""
    name = module.qualified_name(node.func) or ""
    if name in _ALWAYS:
        return True
    is_set = any(map(_sets_autocommit, node.keywords))
    if name in _CONNECTS:
        return is_set
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in _GIVES and module.imported_name(func) is None:
        is_option = func.attr == "execution_options" and is_set
        return is_option or is_autocommitting(func.value, module, callees, deep - 1)
    value = _only_result(node, module, callees)
    return value is not None and is_autocommitting(value, module, callees, deep - 1)


def _only_result(node: ast.Call, module: PythonModule, callees: CallResolver) -> ast.expr | None:
    """Return the only value that a function of the module returns or yields."""
    callee = callees.definition_of(node)
    if callee is None or callee.path != module.path or not isinstance(callee.node, FunctionNode):
        return None
    results = [
        inner.value for inner in nodes_run_by(callee.node.body) if isinstance(inner, (ast.Return, ast.Yield))
    ]
    return results[0] if len(results) == 1 else None


def _sets_autocommit(keyword: ast.keyword) -> bool:
    """Return True for ``autocommit=True``, ``isolation_level=None`` or ``"AUTOCOMMIT"``."""
    value = keyword.value
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        return any(
            _sets_autocommit(ast.keyword(str(k.value), v)) for k, v in pairs if isinstance(k, ast.Constant)
        )
    if not isinstance(value, ast.Constant):
        return False
    if keyword.arg == "autocommit":
        return value.value is True
    return keyword.arg == "isolation_level" and (value.value is None or value.value == "AUTOCOMMIT")


def _stores(module: PythonModule, key: str) -> Iterator[ast.expr]:
    for node in module.nodes:
        if isinstance(node, ast.Assign) and any(unparse(target) == key for target in node.targets):
            yield node.value


def _assigned_values(key: str, node: ast.expr, module: PythonModule) -> Iterator[ast.expr]:
    """Return the values of a name in its function, or in the module if the function assigns none."""
    function = module.function_of(node)
    if function is not None and not key.startswith("self."):
        here = list(_bound_values(key, function))
        if here or any(isinstance(n, ast.arg) and n.arg == key for n in walk(function)):
            yield from here
            return
    yield from _bound_values(key, module.tree)


def _bound_values(key: str, scope: ast.AST) -> Iterator[ast.expr]:
    for node in walk(scope):
        value: ast.expr | None = None
        if isinstance(node, ast.withitem):
            value, targets = node.context_expr, [node.optional_vars]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            value = node.value
            targets = [*node.targets] if isinstance(node, ast.Assign) else [node.target]
        if value is not None and any(t is not None and unparse(t) == key for t in targets):
            yield value
