from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from wardround.checks.source import SourceFile
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.syntax import FUNCTIONS, last_name

_LOCAL_HOSTS = frozenset({"", "0.0.0.0", "127.0.0.1", "localhost", "::", "::1"})  # noqa: S104
_OPENING = frozenset(
    {
        "start_server",
        "create_server",
        "make_server",
        "run_simple",
        "serve",
        "TCPSite",
        "start_http_server",
        "start_unix_server",
    }
)
"""Calls that open a port, in any library."""
_RUNNING = frozenset(
    {"uvicorn.run", "uvicorn.Config", "waitress.serve", "aiohttp.web.run_app", "hypercorn.run"}
)
_SERVER = LazyPattern(r"Server$")
_TEST_DOUBLE = LazyPattern(r"(?i)patch|mock|stub|fake")
_FIRST, _LAST = 1024, 65535


class FixedPortInTest(PythonTestCheck):
    """A test opens a server on a fixed port.

    With two concurrent runs, a port not yet released, or another process on that port, the test fails for a
    reason unrelated to the code. Use port 0 and read the assigned port.
    """

    ID = "TE033"
    NAME = "fixed-port-in-test"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "fixed-port"
    VALID = [
        code("""
            from http.server import HTTPServer
            import pytest
            @pytest.fixture
            def server():
                return HTTPServer(('', 0), Page)
            def test_get(server):
                assert get(server)
        """),
        code("""
            from http.server import HTTPServer
            import pytest
            @pytest.fixture
            def server():
                return HTTPServer(('', free_port()), Page)
            def test_get(server):
                assert get(server)
        """),
    ]
    INVALID = [
        code("""
            from http.server import HTTPServer
            import pytest
            @pytest.fixture
            def server():
                return «HTTPServer(('', 8000), Page)»
            def test_get(server):
                assert get(server)
        """),
        code("""
            import socket
            PORT = 9999
            def test_get():
                with socket.socket() as s:
                    «s.bind(('127.0.0.1', PORT))»
                    assert get(PORT)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return any(word in text for word in ("Server(", "bind(", "_server(", "serve(", "port=", "listen("))

    def visit_Call(self, node: ast.Call) -> None:
        port = self._port(node)
        if port is None or not _FIRST <= port <= _LAST:
            return
        holder = next((p for p in self.module.ancestors(node) if p in self.module.test_code), None)
        if not isinstance(holder, FUNCTIONS) or self._is_replaced(holder, node):
            return
        self.report(
            self.module.span(node),
            f"fixed port {port} may be in use by another run; use port 0 and read the assigned one",
        )

    def _port(self, call: ast.Call) -> int | None:
        """Return the local port that a call opens, if known."""
        name = last_name(call.func)
        if name == "bind" or _SERVER.search(name):
            return self._port_of_pair(call.args[0] if call.args else _keyword(call, "server_address"))
        if name in _OPENING or self.module.imported_name(call.func) in _RUNNING:
            return self._port_of_server(call)
        if name == "listen" and len(call.args) == 1:
            return self._number(call.args[0])
        match call.func:
            case ast.Attribute(attr="run", value=owner) if _is_app(owner):
                port = _keyword(call, "port")
                return self._number(port) if port is not None else None
        return None

    def _port_of_server(self, call: ast.Call) -> int | None:
        """Return the port argument of a function that opens a server."""
        named = _keyword(call, "port")
        if named is not None:
            return self._number(named)
        for host, port in pairwise(call.args):
            number = (
                self._number(port) if isinstance(host, ast.Constant) and host.value in _LOCAL_HOSTS else None
            )
            if number is not None:
                return number
        return self._port_of_pair(call.args[0] if call.args else None)

    def _port_of_pair(self, pair: ast.expr | None) -> int | None:
        if isinstance(pair, ast.Name) and len(self.module.assigned.get(pair.id, ())) == 1:
            pair = self.module.assigned[pair.id][0]
        return self._number(pair.elts[1]) if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 else None

    def _number(self, value: ast.expr) -> int | None:
        """Return the number that an expression is, also through a name that is assigned once."""
        if isinstance(value, ast.Name):
            values = self.module.assigned.get(value.id, ())
            value = values[0] if len(values) == 1 else value
        match value:
            case ast.Constant(value=bool()):
                return None
            case ast.Constant(value=int() as number):
                return number
        return None

    def _is_replaced(self, holder: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.Call) -> bool:
        """Return True if the opening call is replaced by a test double."""
        cls = self.module.class_of(holder)
        decorators = [*holder.decorator_list, *(cls.decorator_list if cls else [])]
        texts = [*map(unparse, decorators), unparse(node.func)]
        texts += [argument.arg for argument in holder.args.args]
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.With, ast.AsyncWith)):
                texts += [text for item in parent.items for text in _context_call_sources(item.context_expr)]
        return any(_TEST_DOUBLE.search(text) or "raises" in text for text in texts)


def _context_call_sources(context: ast.expr) -> Iterator[str]:
    """Yield the source of the calls of a context manager, and that it expects an exception."""
    if isinstance(context, ast.Call):
        yield unparse(context.func)
    if "raises" in unparse(context).lower():
        yield "raises"


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _is_app(node: ast.expr) -> bool:
    return last_name(node) in ("app", "application", "server")
