"""PY352."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import literal
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_EVERY = frozenset({"", "0.0.0.0", "::", "[::]"})  # noqa: S104 - what is looked for
_SERVERS = LazyPattern(
    r"(^|\.)(Threading|Forking)?(HTTPServer|TCPServer|UDPServer|UnixStreamServer|SimpleXMLRPCServer|"
    r"ThreadingHTTPServer|WSGIServer|Listener|SMTPServer)$"
)
_HEARS_ALL = LazyPattern(
    r"(?i)multicast|broadcast|MEMBERSHIP|free_port|unused_port|find_port|available_port|in_use"
)
_OPEN_PLACES = LazyPattern(r"(?i)(^|[/_.])(tests?|testing|examples?|docs?|scripts?|benchmarks?)([/_.]|$)")


class BindAllInterfaces(PythonCheck):
    """A server of one's own listens on every network of the machine.

    Whoever reaches any of its addresses can talk to it: other machines, and the internet where the machine
    has a public address. Bind to ``127.0.0.1`` or to an address from the settings.
    """

    ID = "PY352"
    NAME = "bind-all-interfaces"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "bind-all-interfaces"
    WORDS = (".bind(", "HTTPServer(", "TCPServer(", "UDPServer(", "RPCServer(", "Listener(", "start_server(",
             "create_server(", ".run(", "make_server(", "run_simple(")  # fmt: skip
    VALID = [
        code("""
            import socket
            s = socket.socket()
            s.bind(('127.0.0.1', 80))
        """),
        code("""
            import socket
            def free_port():
                s = socket.socket()
                s.bind(('', 0))
                return s
        """),
    ]
    INVALID = [
        code("""
            import socket
            s = socket.socket()
            «s.bind(('0.0.0.0', 80))»
        """),
        code("""
            import socket
            HOST = ''
            def serve(s, port):
                «s.bind((HOST, port))»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _OPEN_PLACES.search(source.path)

    def visit_Call(self, node: ast.Call) -> None:
        host = self._host(node)
        if host is None or literal(self.module, host) not in _EVERY:
            return
        function = self.module.function_of(node)
        around = ast.unparse(function) if function is not None else ""
        if not _HEARS_ALL.search(around):
            self.report(self.module.span(node), "every network of the machine reaches this")

    def _host(self, node: ast.Call) -> ast.expr | None:
        """The host that a server is told to listen on."""
        name = self.module.dotted(node.func) or ""
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        named = {k.arg: k.value for k in node.keywords}
        if (last == "bind" and self._has_sockets()) or _SERVERS.search(name):
            first = node.args[0] if node.args else named.get("server_address", named.get("address"))
            is_any_port = isinstance(first, ast.Tuple) and literal(self.module, first.elts[-1]) == 0
            return first.elts[0] if isinstance(first, ast.Tuple) and first.elts and not is_any_port else None
        if name in {
            "asyncio.start_server",
            "wsgiref.simple_server.make_server",
            "werkzeug.serving.run_simple",
        }:
            at = 1 if name == "asyncio.start_server" else 0
            return named.get("host") or (node.args[at] if len(node.args) > at else None)
        if last == "run" and "flask.Flask" in self.module.imported.values() and len(node.args) < 2:
            return named.get("host") or (node.args[0] if node.args else None)
        return None

    def _has_sockets(self) -> bool:
        return any(name.partition(".")[0] == "socket" for name in self.module.imported.values())
